#pragma once

// The numbers and names by which torch.export writes types and operators.

#include <optional>
#include <string>
#include <string_view>

#include "glint/core/dtype.h"
#include "glint/core/op_def.h"

namespace glint::compiler {

/// Export's own enumerations, not those of c10. Nothing: a number that names none, or a type that tensors here cannot have.
std::optional<DType> dtype_of_export(int64_t number);
/// The name of a type that exists in PyTorch but not here ("float8_e4m3fn"), else null.
const char* foreign_dtype_name(int64_t number);
std::optional<MemoryFormat> memory_format_of_export(int64_t number);
constexpr int64_t kExportStrided = 7;

/// "torch.ops.aten.add.Tensor" -> "aten::add.Tensor", "torch.ops.aten.relu.default" -> "aten::relu",
/// "torch.ops.higher_order.cond" -> "higher_order::cond", "_operator.ge" -> "executorch_prim::ge.Scalar"; other texts stay as they are.
std::string operator_name(std::string_view target);

/// "aten::add_.Tensor": the call writes to its first argument.
bool is_in_place(std::string_view name);

}  // namespace glint::compiler
