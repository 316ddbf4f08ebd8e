// Gamma numbers (Marsaglia and Tsang, "A simple method for generating gamma variables", ACM TOMS 26, 2000) and the
// Dirichlet numbers made of them.

#include <limits>

#include "glint/ops/random.h"

namespace glint::ops {
namespace {

/// PyTorch writes the constants in float32, and keeps alpha in the dtype of the tensor.
template <class C>
double draw_gamma(Generator& g, C alpha) {
  double scale = 1;
  if (alpha < 1) {
    if (alpha == 0) return 0;
    scale = std::pow(1 - g.uniform_double(), double(1 / alpha));
    alpha += 1;
  }
  const double d = double(alpha - 1.f / 3.f), c = 1 / std::sqrt(9 * d);
  for (;;) {
    double x, y;
    do {
      x = g.normal();
      y = 1 + c * x;
    } while (y <= 0);
    const double v = y * y * y, u = 1 - g.uniform_double(), xx = x * x;
    if (u < 1 - double(0.0331f) * xx * xx) return scale * d * v;
    if (std::log(u) < 0.5 * xx + d * (1 - v + std::log(v))) return scale * d * v;
  }
}

/// The smallest normal number stands for what would be zero, where logarithms follow.
double smallest(DType d) { return d == DType::kF64 ? std::numeric_limits<double>::min() : d == DType::kF16 ? 0x1p-14 : double(std::numeric_limits<float>::min()); }

Status infer(const Tensor& self, Ignored, TensorMeta& out) {
  if (!is_floating(self.dtype)) return invalid_argument("gamma and Dirichlet: the parameters must be floating");
  return set_result(out, self.dtype, self.sizes());
}

bool is_parameter(double alpha) { return alpha >= 0 && alpha < std::numeric_limits<double>::infinity(); }

Status run_gamma(OpContext& c, const Tensor& self, Ignored, Tensor& out) {
  if (c.generator() == nullptr) return no_generator();
  bool valid = true;
  return with_floating(self.dtype, [&](auto zero) {
    using C = decltype(zero);
    draw_from_each<C>(self, out, [&](C alpha) {
      if (!is_parameter(double(alpha))) return valid = false, C(0);
      return C(std::max(smallest(self.dtype), draw_gamma(*c.generator(), alpha)));
    });
    return valid ? Status() : invalid_argument("gamma: a parameter is negative or not finite");
  });
}

Status run_dirichlet(OpContext& c, const Tensor& self, Ignored, Tensor& out) {
  if (c.generator() == nullptr) return no_generator();
  GLINT_TRY(run_gamma(c, self, {}, out));
  const int last = std::max(0, out.rank - 1);
  for_each_line(last, [&](const auto& o) {
    const int64_t n = dim_size(out, last), step = dim_step(out, last);
    double sum = 0;
    for (int64_t i = 0; i < n; ++i) sum += kernels::load_one<double>(out.dtype, out.data, o[0] + i * step);
    for (int64_t i = 0; i < n; ++i) {
      const double share = kernels::load_one<double>(out.dtype, out.data, o[0] + i * step) / sum;
      const double most = 1 - (out.dtype == DType::kF64 ? 0x1p-53 : out.dtype == DType::kF16 ? 0x1p-11 : out.dtype == DType::kBF16 ? 0x1p-8 : 0x1p-24);
      kernels::store_one<double>(out.dtype, out.data, o[0] + i * step, std::min(most, std::max(smallest(out.dtype), share)));
    }
  }, out);
  return {};
}

constexpr OpFlags kRandom{.pure = false, .random = true};
constexpr OpDef kDefs[] = {
    define_op<"aten::_standard_gamma(Tensor self, Generator? generator=None) -> Tensor", infer, run_gamma>("aten::_standard_gamma.out", kRandom),
    define_op<"aten::_sample_dirichlet(Tensor self, Generator? generator=None) -> Tensor", infer, run_dirichlet>("aten::_sample_dirichlet.out", kRandom),
};

}  // namespace

extern constinit const OpFamily op_standard_gamma{kDefs};

}  // namespace glint::ops
