#include "glint/ops/distance.h"

namespace glint::ops {
namespace {

// Distances of all pairs of rows i < j, in that order.
Status infer(const Tensor& self, double p, TensorMeta& out) {
  if (!is_floating(self.dtype)) return unsupported("pdist: only for floating dtypes");
  if (self.rank != 2) return invalid_argument("pdist: the input must be a matrix");
  if (!(p >= 0)) return invalid_argument("pdist: p must not be negative");
  const int64_t n = self.size[0];
  int64_t pairs = 0;
  if (n > 1 && !checked_mul(n % 2 == 0 ? n / 2 : n, n % 2 == 0 ? n - 1 : (n - 1) / 2, &pairs)) return invalid_argument("pdist: the result is too large");
  return set_result(out, self.dtype, {&pairs, 1});
}

Status run(OpContext&, const Tensor& self, double p, Tensor& out) {
  with_floating(self.dtype, [&](auto c) {
    int64_t k = 0;
    for (int64_t i = 0; i < self.size[0]; ++i)
      for (int64_t j = i + 1; j < self.size[0]; ++j)
        kernels::store_one(out.dtype, out.data, k++, distance<decltype(c)>(line(self, 1, i * self.stride[0]), line(self, 1, j * self.stride[0]), p));
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_pdist_forward(Tensor self, float p=2.) -> Tensor", infer, run>("aten::_pdist_forward.out"),
};

}  // namespace

extern constinit const OpFamily op_pdist_forward{kDefs};

}  // namespace glint::ops
