#include "glint/ops/rows.h"

namespace glint::ops {
namespace {

// Scales each slice along `dim` whose p-norm exceeds maxnorm down to it.
Status infer(const Tensor& self, Scalar p, int64_t dim, Scalar maxnorm, TensorMeta& out) {
  if (!is_floating(self.dtype)) return unsupported("renorm: only for floating dtypes");
  if (!(p.to_double() > 0)) return invalid_argument("renorm: p must be positive");
  if (!(maxnorm.to_double() >= 0)) return invalid_argument("renorm: maxnorm must not be negative");
  if (self.rank < 2 || wrap_dim(dim, self.rank) < 0) return invalid_argument("renorm: dim is out of range");
  return set_result(out, self.dtype, self.sizes());
}

template <class C>
double slice_norm(const Loop<1>& slice, const Tensor& self, int64_t base, double p) {
  double sum = 0, most = 0;
  for_each_row(slice, [&](const auto& o, const auto& step, int64_t n) {
    const Line x{self.dtype, at(self, base + o[0]), step[0], n};
    if (std::isinf(p)) x.each<C>([&](const C* v, int64_t, int64_t count) { for (int64_t i = 0; i < count; ++i) most = std::max(most, std::abs(double(v[i]))); });
    else if (p == 2) sum += line_sum<C>(x, [](C v) { return double(v) * double(v); });
    else if (p == 1) sum += line_sum<C>(x, [](C v) { return std::abs(v); });
    else sum += line_sum<C>(x, [p](C v) { return std::pow(std::abs(double(v)), p); });
  });
  return std::isinf(p) ? most : p == 2 ? std::sqrt(sum) : p == 1 ? sum : std::pow(sum, 1 / p);
}

Status run(OpContext&, const Tensor& self, Scalar p, int64_t dim, Scalar maxnorm, Tensor& out) {
  const size_t d = size_t(wrap_dim(dim, self.rank));
  const double limit = maxnorm.to_double();
  const auto slice = make_loop(without(self, int(d)));
  const auto both = make_loop(without(out, int(d)), without(self, int(d)));
  with_floating(self.dtype, [&](auto c) {
    using C = decltype(c);
    for (int64_t i = 0; i < self.size[d]; ++i) {
      const double norm = slice_norm<C>(slice, self, i * self.stride[d], p.to_double());
      const C factor = norm > limit ? C(limit / (norm + 1e-7)) : C(1);
      for_each_row(both, [&](const auto& o, const auto& step, int64_t n) {
        line_map<C>({self.dtype, at(self, i * self.stride[d] + o[1]), step[1], n}, out.dtype, at(out, i * out.stride[d] + o[0]), step[0], [factor](C v) { return v * factor; });
      });
    }
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor", infer, run>("aten::renorm.out"),
};

}  // namespace

extern constinit const OpFamily op_renorm{kDefs};

}  // namespace glint::ops
