#include <cstring>

#include "glint/ops/indexed.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, int64_t dim, const Tensor& index, TensorMeta& out) {
  const int d = wrap_dim(dim, self.rank);
  if (d < 0) return invalid_argument("index_select: dim is out of range");
  if (!is_index(index.dtype)) return invalid_argument("index_select: index must be int64 or int32");
  if (index.rank > 1) return invalid_argument("index_select: index must be a vector");
  TensorMeta sizes = self;
  if (self.rank > 0) sizes.size[size_t(d)] = index.numel();
  else if (index.numel() != 1) return invalid_argument("index_select: a tensor without dimensions takes one index");
  return set_result(out, self.dtype, sizes.sizes());
}

Status run(OpContext&, const Tensor& self, int64_t dim, const Tensor& index, Tensor& out) {
  const Tensor from = at_least_1d(self);
  Tensor to = at_least_1d(out);
  const int d = wrap_dim(dim, self.rank);
  if (!from.is_contiguous() || !to.is_contiguous() || to.numel() == 0) return gather_elements(from, d, along(index, to, d), to);
  int64_t outer = 1, block = int64_t(dtype_size(out.dtype));
  for (int i = 0; i < d; ++i) outer *= from.size[size_t(i)];
  for (int i = d + 1; i < from.rank; ++i) block *= from.size[size_t(i)];
  const int64_t count = index.numel(), size = from.size[size_t(d)];
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at = kernels::load_one<int64_t>(index.dtype, index.data, i * (index.rank == 0 ? 0 : index.stride[0]));
    if (at < 0 || at >= size) return invalid_argument(kIndexError);
    for (int64_t o = 0; o < outer; ++o) std::memcpy(to.as<char>() + (o * count + i) * block, from.as<char>() + (o * size + at) * block, size_t(block));
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::index_select(Tensor self, int dim, Tensor index) -> Tensor", infer, run>("aten::index_select.out"),
};

}  // namespace

extern constinit const OpFamily op_index_select{kDefs};

}  // namespace glint::ops
