#pragma once

// Which definition a kernel call means, and how its arguments become operands.

#include "glint/core/op_def.h"
#include "glint/format/method_view.h"

namespace glint {

/// How the arguments of a kernel call divide: first_out operands, then one value a result, then what
/// stock files repeat.
struct Binding {
  enum class Kind : uint8_t {
    kUnknown,
    kOperator,
    kInPlace,    // aten::copy_: the result is the first operand
    kView,       // glint::view(x, sizes, strides, offset, result)
    kStockView,  // executorch_prim::et_view(x, sizes, result)
    kCopyIndex,  // executorch_prim::et_copy_index(to, from, index)
  };
  Kind kind = Kind::kUnknown;
  const OpDef* def = nullptr;
  uint32_t first_out = 0;
  bool drops_options = false;  // the out variant has no dtype, layout, device, pin_memory: the result says them
};

Binding resolve(OpTable ops, OperatorView op);

/// Whether the call leaves out this operand.
bool is_tensor_option(std::string_view name);

/// `v` as operand `a`: checks the kind, as PyTorch converts (an int serves as float). Lists must be unboxed already.
Status convert(const Value& v, const SchemaArg& a, Value& out);

}  // namespace glint
