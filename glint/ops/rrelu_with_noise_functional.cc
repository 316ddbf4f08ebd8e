// Leaky ReLU with a random slope for each negative element while training.

#include "glint/ops/random.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, const Tensor& noise, Scalar lower, Scalar upper, bool training, Ignored, TensorMeta& out, TensorMeta& noise_out) {
  if (!is_floating(self.dtype)) return invalid_argument("rrelu_with_noise: the dtype must be floating");
  if (training && (noise.dtype != self.dtype || !noise.same_sizes(self))) return invalid_argument("rrelu_with_noise: the noise must have the operand's dtype and sizes");
  if (!(lower.to_double() <= upper.to_double())) return invalid_argument("rrelu_with_noise: lower must not exceed upper");
  GLINT_TRY(set_result(noise_out, noise.dtype, noise.sizes()));
  return set_result(out, self.dtype, self.sizes());
}

Status run(OpContext& c, const Tensor& self, const Tensor& noise, Scalar lower, Scalar upper, bool training, Ignored, Tensor& out, Tensor& noise_out) {
  if (training && c.generator() == nullptr) return no_generator();
  const double low = lower.to_double(), high = upper.to_double();
  if (!training) for_each_row(make_loop(noise_out, noise), [&](const auto& o, const auto& step, int64_t n) {
    kernels::copy_row(int(dtype_size(noise.dtype)), at(noise, o[1]), step[1], at(noise_out, o[0]), step[0], n);
  });
  with_floating(self.dtype, [&](auto zero) {
    using C = decltype(zero);
    if (!training) return draw_from_each<C>(self, out, [&](C x) { return x <= 0 ? C(x * C((low + high) / 2)) : x; });
    // The slopes, one where the element is positive; drawn for the others only.
    draw_from_each<C>(self, noise_out, [&](C x) { return x <= 0 ? C(c.generator()->uniform_double() * (high - low) + low) : C(1); });
    for_each_row(make_loop(out, self, noise_out), [&](const auto& o, const auto& step, int64_t n) {
      C x[kernels::kTile], slope[kernels::kTile];
      for_each_tile(n, [&](int64_t start, int64_t m) {
        kernels::load<C>(self.dtype, at(self, o[1] + start * step[1]), step[1], m, x);
        kernels::load<C>(noise_out.dtype, at(noise_out, o[2] + start * step[2]), step[2], m, slope);
        for (int64_t i = 0; i < m; ++i) x[i] *= slope[i];
        kernels::store<C>(out.dtype, at(out, o[0] + start * step[0]), step[0], m, x);
      });
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::rrelu_with_noise_functional(Tensor self, Tensor noise, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, "
              "Generator? generator=None) -> (Tensor, Tensor noise_out)", infer, run>("", {.pure = false, .random = true}),
};

}  // namespace

extern constinit const OpFamily op_rrelu_with_noise_functional{kDefs};

}  // namespace glint::ops
