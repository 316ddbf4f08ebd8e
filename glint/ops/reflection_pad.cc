#include <algorithm>

#include "glint/ops/mapped.h"

namespace glint::ops {
namespace {

// The border mirrored, without repeating the edge. Padding is given from the last dimension on; negative ones crop.
template <int kDims>
Status infer(const Tensor& self, Ints padding, TensorMeta& out) {
  if (padding.size() != 2 * kDims) return invalid_argument("reflection_pad: padding needs two numbers for each dimension");
  if (self.rank != kDims + 1 && self.rank != kDims + 2) return invalid_argument("reflection_pad: wrong number of dimensions");
  TensorMeta sizes = self;
  for (int d = 0; d < self.rank; ++d) {
    const int64_t size = self.size[size_t(d)];
    if (size == 0 && !(d == 0 && self.rank == kDims + 2)) return invalid_argument("reflection_pad: only the batch may be empty");
    const int from_end = self.rank - 1 - d;
    if (from_end >= kDims) continue;
    const int64_t before = padding[size_t(2 * from_end)], after = padding[size_t(2 * from_end + 1)];
    if (before >= size || after >= size) return invalid_argument("reflection_pad: padding must be smaller than the dimension");
    int64_t& padded = sizes.size[size_t(d)];
    if (!checked_add(size, before, &padded) || !checked_add(padded, after, &padded) || padded < 1)
      return invalid_argument("reflection_pad: the result would have no elements or too many");
  }
  return set_result(out, self.dtype, sizes.sizes());
}

template <int kDims>
Status run(OpContext&, const Tensor& self, Ints padding, Tensor& out) {
  copy_mapped(self, out, [&](int d, int64_t at) {
    const int from_end = self.rank - 1 - d;
    if (from_end >= kDims) return at;
    const int64_t size = self.size[size_t(d)];
    at -= padding[size_t(2 * from_end)];
    if (at < 0) at = -at;
    return at < size ? at : 2 * (size - 1) - at;
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::reflection_pad1d(Tensor self, SymInt[2] padding) -> Tensor", infer<1>, run<1>>("aten::reflection_pad1d.out"),
    define_op<"aten::reflection_pad2d(Tensor self, SymInt[4] padding) -> Tensor", infer<2>, run<2>>("aten::reflection_pad2d.out"),
    define_op<"aten::reflection_pad3d(Tensor self, SymInt[6] padding) -> Tensor", infer<3>, run<3>>("aten::reflection_pad3d.out"),
};

}  // namespace

extern constinit const OpFamily op_reflection_pad{kDefs};

}  // namespace glint::ops
