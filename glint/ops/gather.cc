#include "glint/ops/indexed.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, int64_t dim, const Tensor& index, bool, TensorMeta& out) {
  const int d = wrap_dim(dim, self.rank);
  if (d < 0) return invalid_argument("gather: dim is out of range");
  GLINT_TRY(set_result(out, self.dtype, index.sizes()));
  if (out.numel() == 0) return {};  // whatever the index's dtype
  if (!is_index(index.dtype)) return invalid_argument("gather: index must be int64 or int32");
  const Tensor a = at_least_1d(self), b = at_least_1d(index);
  if (a.rank != b.rank) return invalid_argument("gather: index must have as many dimensions as self");
  for (int i = 0; i < a.rank; ++i)
    if (i != d && b.size[size_t(i)] > a.size[size_t(i)]) return invalid_argument("gather: index is larger than self");
  return {};
}

Status run(OpContext&, const Tensor& self, int64_t dim, const Tensor& index, bool, Tensor& out) {
  if (out.numel() == 0) return {};
  Tensor result = at_least_1d(out);
  return gather_elements(at_least_1d(self), wrap_dim(dim, self.rank), at_least_1d(index), result);
}

constexpr OpDef kDefs[] = {
    define_op<"aten::gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor", infer, run>("aten::gather.out"),
};

}  // namespace

extern constinit const OpFamily op_gather{kDefs};

}  // namespace glint::ops
