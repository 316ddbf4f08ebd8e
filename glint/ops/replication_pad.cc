#include <algorithm>

#include "glint/ops/mapped.h"

namespace glint::ops {
namespace {

// The edge repeated outwards. Padding is given from the last dimension on; negative ones crop.
template <int kDims>
Status infer(const Tensor& self, Ints padding, TensorMeta& out) {
  if (padding.size() != 2 * kDims) return invalid_argument("replication_pad: padding needs two numbers for each dimension");
  if (self.rank != kDims + 1 && self.rank != kDims + 2) return invalid_argument("replication_pad: wrong number of dimensions");
  TensorMeta sizes = self;
  for (int d = 0; d < self.rank; ++d) {
    const int64_t size = self.size[size_t(d)];
    if (size == 0 && !(d == 0 && self.rank == kDims + 2)) return invalid_argument("replication_pad: only the batch may be empty");
    const int from_end = self.rank - 1 - d;
    if (from_end >= kDims) continue;
    const int64_t before = padding[size_t(2 * from_end)], after = padding[size_t(2 * from_end + 1)];
    int64_t& padded = sizes.size[size_t(d)];
    if (!checked_add(size, before, &padded) || !checked_add(padded, after, &padded) || padded < 1)
      return invalid_argument("replication_pad: the result would have no elements or too many");
  }
  return set_result(out, self.dtype, sizes.sizes());
}

template <int kDims>
Status run(OpContext&, const Tensor& self, Ints padding, Tensor& out) {
  copy_mapped(self, out, [&](int d, int64_t at) {
    const int from_end = self.rank - 1 - d;
    if (from_end >= kDims) return at;
    const int64_t size = self.size[size_t(d)];
    const int64_t before = padding[size_t(2 * from_end)];
    if (__builtin_sub_overflow(at, before, &at)) return before < 0 ? size - 1 : int64_t(0);
    return std::clamp<int64_t>(at, 0, size - 1);
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::replication_pad1d(Tensor self, SymInt[2] padding) -> Tensor", infer<1>, run<1>>("aten::replication_pad1d.out"),
    define_op<"aten::replication_pad2d(Tensor self, SymInt[4] padding) -> Tensor", infer<2>, run<2>>("aten::replication_pad2d.out"),
    define_op<"aten::replication_pad3d(Tensor self, SymInt[6] padding) -> Tensor", infer<3>, run<3>>("aten::replication_pad3d.out"),
};

}  // namespace

extern constinit const OpFamily op_replication_pad{kDefs};

}  // namespace glint::ops
