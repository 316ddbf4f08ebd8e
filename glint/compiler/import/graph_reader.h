#pragma once

#include "glint/compiler/import/json.h"
#include "glint/compiler/import/pt2.h"
#include "glint/compiler/import/weights.h"

namespace glint::compiler {

/// Fills `graph` (empty, named) from an exported program's JSON. Throws ir::Error.
void read_program(Json program, const Weights& weights, const ir::OpLookup& ops, const ImportOptions& options, ir::Graph& graph);

}  // namespace glint::compiler
