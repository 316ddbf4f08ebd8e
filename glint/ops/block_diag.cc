#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

// A number as 1 x 1, a vector as one row.
Tensor as_matrix(const Tensor& t) {
  Tensor m = t;
  while (m.rank < 2) insert_dim(m, 0, 1, 0);
  return m;
}

Status infer(TensorList tensors, TensorMeta& out) {
  ResultType type;
  int64_t sizes[] = {tensors.size() == 0 ? 1 : 0, 0};
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i]->rank > 2) return invalid_argument("block_diag: an operand has more than two dimensions");
    const Tensor m = as_matrix(*tensors[i]);
    type.add_tensor(m.dtype, tensors[i]->rank > 0);
    if (!checked_add(sizes[0], m.size[0], &sizes[0]) || !checked_add(sizes[1], m.size[1], &sizes[1])) return invalid_argument("block_diag: the result would be too large");
  }
  for (uint32_t i = 0; i < tensors.size(); ++i)
    if (!converts(tensors[i]->dtype, type.get())) return unsupported("block_diag: complex32 is not converted");
  return set_result(out, type.get(), sizes);
}

Status run(OpContext&, TensorList tensors, Tensor& out) {
  fill_zero(out);
  int64_t row = 0, column = 0;
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const Tensor m = as_matrix(*tensors[i]);
    Tensor block = out;
    narrow(block, 0, row, m.size[0]);
    narrow(block, 1, column, m.size[1]);
    convert_elements(m, block);
    row += m.size[0];
    column += m.size[1];
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::block_diag(Tensor[] tensors) -> Tensor", infer, run>("aten::block_diag.out"),
};

}  // namespace

extern constinit const OpFamily op_block_diag{kDefs};

}  // namespace glint::ops
