#pragma once

#include <string_view>
#include <unordered_set>

#include "glint/compiler/import/json.h"
#include "glint/compiler/ir/builder.h"

namespace glint::compiler {

/// The inputs of an exported graph that its nodes write to, directly or through views. When in doubt an input counts
/// as written: taking a constant for a state costs a little, the reverse would be wrong.
std::unordered_set<std::string_view> written_inputs(Json graph, const ir::OpLookup& ops);

}  // namespace glint::compiler
