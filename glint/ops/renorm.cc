#include "glint/ops/rows.h"

namespace glint::ops {
namespace {

// Scales each slice along `dim` whose p-norm exceeds maxnorm down to it.
Status infer(const Tensor& self, Scalar p, int64_t dim, Scalar maxnorm, TensorMeta& out) {
  if (self.dtype == DType::kC32 || (!is_floating(self.dtype) && !is_complex(self.dtype))) return unsupported("renorm: only for floating and complex dtypes");
  if (!(p.to_double() > 0)) return invalid_argument("renorm: p must be positive");
  if (!(maxnorm.to_double() >= 0)) return invalid_argument("renorm: maxnorm must not be negative");
  if (self.rank < 2 || wrap_dim(dim, self.rank) < 0) return invalid_argument("renorm: dim is out of range");
  return set_result(out, self.dtype, self.sizes());
}

double largest(double a, double b) { return b > a || b != b ? b : a; }

template <class C>
double slice_norm(const Loop<1>& slice, const Tensor& self, int64_t base, double p) {
  double sum = 0, most = 0;
  for_each_row(slice, [&](const auto& o, const auto& step, int64_t n) {
    const Line x{self.dtype, at(self, base + o[0]), step[0], n};
    if (std::isinf(p)) x.each<C>([&](const C* v, int64_t, int64_t count) { for (int64_t i = 0; i < count; ++i) most = largest(most, std::abs(double(v[i]))); });
    else if (p == 2) sum += line_sum<C>(x, [](C v) { return double(v) * double(v); });
    else if (p == 1) sum += line_sum<C>(x, [](C v) { return std::abs(v); });
    else sum += line_sum<C>(x, [p](C v) { return std::pow(std::abs(double(v)), p); });
  });
  return std::isinf(p) ? most : p == 2 ? std::sqrt(sum) : p == 1 ? sum : std::pow(sum, 1 / p);
}

double slice_norm(const Loop<1>& slice, const Tensor& self, int64_t base, double p) {
  double sum = 0, most = 0;
  for_each_row(slice, [&](const auto& o, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      const c128 v = kernels::load_one<c128>(self.dtype, self.data, base + o[0] + i * step[0]);
      const double size = std::hypot(v.re, v.im);
      most = largest(most, size), sum += p == 2 ? size * size : std::pow(size, p);
    }
  });
  return std::isinf(p) ? most : std::pow(sum, 1 / p);
}

Status run_complex(const Tensor& self, double p, size_t d, double limit, Tensor& out) {
  const auto slice = make_loop(without(self, int(d)));
  const auto both = make_loop(without(out, int(d)), without(self, int(d)));
  for (int64_t k = 0; k < self.size[d]; ++k) {
    const double norm = slice_norm(slice, self, k * self.stride[d], p), factor = norm > limit ? limit / (norm + 1e-7) : 1;
    for_each_row(both, [&](const auto& o, const auto& step, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        const c128 v = kernels::load_one<c128>(self.dtype, self.data, k * self.stride[d] + o[1] + i * step[1]);
        kernels::store_one(out.dtype, out.data, k * out.stride[d] + o[0] + i * step[0], c128{v.re * factor, v.im * factor});
      }
    });
  }
  return {};
}

Status run(OpContext&, const Tensor& self, Scalar p, int64_t dim, Scalar maxnorm, Tensor& out) {
  const size_t d = size_t(wrap_dim(dim, self.rank));
  const double limit = maxnorm.to_double();
  if (is_complex(self.dtype)) return run_complex(self, p.to_double(), d, limit, out);
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
