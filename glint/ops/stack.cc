#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

Status infer(TensorList tensors, int64_t dim, TensorMeta& out) {
  if (tensors.size() == 0) return invalid_argument("stack: no tensors");
  const Tensor& first = *tensors[0];
  const int d = wrap_dim(dim, first.rank + 1);
  if (d < 0) return invalid_argument("stack: dim is out of range");
  if (first.rank == kMaxRank) return unsupported("stack: too many dimensions");
  ResultType type;
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i]->same_sizes(first)) return invalid_argument("stack: the tensors differ in size");
    type.add_tensor(tensors[i]->dtype, true);
  }
  for (uint32_t i = 0; i < tensors.size(); ++i)
    if (!converts(tensors[i]->dtype, type.get())) return unsupported("stack: complex32 is not converted");
  TensorMeta sizes = first;
  insert_dim(sizes, d, tensors.size(), 1);
  return set_result(out, type.get(), sizes.sizes());
}

Status run(OpContext&, TensorList tensors, int64_t dim, Tensor& out) {
  const int d = wrap_dim(dim, out.rank);
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    Tensor part = out;
    narrow(part, d, i, 1);
    erase_dim(part, d);
    convert_elements(*tensors[i], part);
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::stack(Tensor[] tensors, int dim=0) -> Tensor", infer, run>("aten::stack.out"),
};

}  // namespace

extern constinit const OpFamily op_stack{kDefs};

}  // namespace glint::ops
