#include "glint/ops/gemm.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, const Tensor& other, TensorMeta& out) {
  if (self.rank != 1 || other.rank != 1) return invalid_argument("vdot: both operands must be vectors");
  if (self.size[0] != other.size[0]) return invalid_argument("vdot: the sizes differ");
  GLINT_TRY(check_product(self, other));
  return set_result(out, self.dtype, {});
}

// Partial sums per tile keep the error of long vectors small.
template <class C>
C sum_products(const Tensor& self, const Tensor& other) {
  C sum{}, a[kernels::kTile], b[kernels::kTile];
  for_each_tile(self.size[0], [&](int64_t start, int64_t n) {
    kernels::load(self.dtype, at(self, start * self.stride[0]), self.stride[0], n, a);
    kernels::load(other.dtype, at(other, start * other.stride[0]), other.stride[0], n, b);
    C part{};
    for (int64_t i = 0; i < n; ++i) part = add(part, mul(conj(a[i]), b[i]));
    sum = add(sum, part);
  });
  return sum;
}

Status run(OpContext&, const Tensor& self, const Tensor& other, Tensor& out) {
  with_compute(self.dtype, [&](auto c) { kernels::store_one(out.dtype, out.data, 0, sum_products<decltype(c)>(self, other)); });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::vdot(Tensor self, Tensor other) -> Tensor", infer, run>("aten::vdot.out"),
};

}  // namespace

extern constinit const OpFamily op_vdot{kDefs};

}  // namespace glint::ops
