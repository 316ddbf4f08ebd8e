#pragma once

#include <string_view>

namespace glint::compiler {

/// Whether stock ExecuTorch's portable library has a kernel of this name ("aten::add.out") or its runtime a primitive.
bool is_portable_op(std::string_view name);

}  // namespace glint::compiler
