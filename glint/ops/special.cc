#include "glint/kernels/special.h"

#include "glint/ops/complex.h"
#include "glint/ops/rows.h"

// The special functions of torch.special, one row each. Functions of one argument are computed in
// double; polynomials in the compute type, with PyTorch's recurrences, so that they overflow alike.

namespace glint::ops {
namespace {

namespace k = kernels;

// Integers become float32.
DType floating(DType d) { return is_floating(d) || is_complex(d) ? d : DType::kF32; }

Status infer_unary(const Tensor& x, TensorMeta& out) {
  if (is_complex(x.dtype)) return unsupported("special: not for complex dtypes");
  return set_result(out, floating(x.dtype), x.sizes());
}

template <double (*F)(double)>
Status run_unary(OpContext&, const Tensor& x, Tensor& out) {
  for_each_row(make_loop(out, x), [&](const auto& o, const auto& step, int64_t n) {
    line_map<double>({x.dtype, at(x, o[1]), step[1], n}, out.dtype, at(out, o[0]), step[0], [](double v) { return F(v); });
  });
  return {};
}

/// Of functions that PyTorch multiplies with exp |x|, which overflows (in float long) before they do, and divides by the root of x.
template <double (*F)(double), class C>
double growing(double x) {
  if (std::isinf(x)) return double(NAN);
  return std::isinf(std::exp(std::fabs(C(x)))) ? std::copysign(double(INFINITY), F(x)) : F(x);
}
template <double (*F)(double)>
Status run_growing(OpContext& c, const Tensor& x, Tensor& out) {
  return out.dtype == DType::kF64 ? run_unary<growing<F, double>>(c, x, out) : run_unary<growing<F, float>>(c, x, out);
}

Status infer_types(const ResultType& type, const Tensor& x, const Tensor& y, TensorMeta& out) {
  if (is_complex(type.get())) return unsupported("special: not for complex dtypes");
  out.dtype = floating(type.get());
  return broadcast(x, y, out);
}
Status infer_binary(const Tensor& x, const Tensor& y, TensorMeta& out) {
  ResultType type;
  type.add_tensor(x.dtype, x.rank > 0);
  type.add_tensor(y.dtype, y.rank > 0);
  return infer_types(type, x, y, out);
}
Status infer_right(const Tensor& x, Scalar y, TensorMeta& out) {
  ResultType type;
  type.add_tensor(x.dtype, x.rank > 0);
  type.add_scalar(y.dtype());
  return infer_types(type, x, Tensor(), out);
}
Status infer_left(Scalar x, const Tensor& y, TensorMeta& out) { return infer_right(y, x, out); }

template <class F>
Status run_binary(OpContext&, const Tensor& x, const Tensor& y, Tensor& out) {
  with_floating(out.dtype, [&](auto c) {
    using C = decltype(c);
    for_each_row(make_loop(out, x, y), [&](const auto& o, const auto& step, int64_t n) {
      line_zip<C>({x.dtype, at(x, o[1]), step[1], n}, {y.dtype, at(y, o[2]), step[2], n}, out.dtype, at(out, o[0]), step[0], [](C a, C b) { return F::template of<C>(a, b); });
    });
  });
  return {};
}
// A number as a tensor of no dimensions.
Tensor as_tensor(double& value) {
  Tensor t;
  t.dtype = DType::kF64;
  t.data = &value;
  return t;
}
template <class F>
Status run_right(OpContext& c, const Tensor& x, Scalar y, Tensor& out) {
  double value = y.to_double();
  return run_binary<F>(c, x, as_tensor(value), out);
}
template <class F>
Status run_left(OpContext& c, Scalar x, const Tensor& y, Tensor& out) {
  double value = x.to_double();
  return run_binary<F>(c, as_tensor(value), y, out);
}

double bessel_j0(double x) { return k::bessel_j(0, x); }
double bessel_j1(double x) { return k::bessel_j(1, x); }
double bessel_y0(double x) { return k::bessel_y(0, x); }
double bessel_y1(double x) { return k::bessel_y(1, x); }
double i0(double x) { return k::bessel_i(0, x); }
double i1(double x) { return k::bessel_i(1, x); }
double i0e(double x) { return k::bessel_i_scaled(0, x); }
double i1e(double x) { return k::bessel_i_scaled(1, x); }
double k0(double x) { return k::bessel_k(0, x); }
double k1(double x) { return k::bessel_k(1, x); }
double k0e(double x) { return k::bessel_k_scaled(0, x); }
double k1e(double x) { return k::bessel_k_scaled(1, x); }

struct Zeta { template <class C> static C of(C x, C q) { return C(k::hurwitz_zeta(double(x), double(q))); } };
struct GammaP { template <class C> static C of(C a, C x) { return C(k::gamma_p(double(a), double(x))); } };
struct GammaQ { template <class C> static C of(C a, C x) { return C(k::gamma_q(double(a), double(x))); } };

// Degrees come as floats and are cut towards zero; what does not fit counts as negative.
template <class C>
int64_t degree(C n) { return n > -1 && n < C(0x1p62) ? int64_t(n) : -1; }

// Recurrences longer than this give NaN instead of running for minutes.
constexpr int64_t kMostSteps = 1 << 22;

// p_k = factor * p_(k-1) - p_(k-2) from p_0 = 1 and p_1; ends early on NaN.
template <class C>
C chebyshev(C factor, C first, int64_t n) {
  if (n == 0) return 1;
  if (n > kMostSteps) return C(NAN);
  C before = 1, now = first;
  for (int64_t i = 2; i <= n && now == now; ++i) {
    const C next = factor * now - before;
    before = now;
    now = next;
  }
  return now;
}

// The four kinds at y = x, or y = 2x - 1 when shifted. Beyond a few degrees the trigonometric form is
// used; at the ends of the interval the value is known (`low`: at -1).
template <class C> C low_sign(int64_t n) { return n % 2 == 0 ? C(1) : C(-1); }

template <bool Shifted>
struct ChebyshevT {
  template <class C> static C of(C x, C degree_value) {
    const int64_t n = degree(degree_value);
    const C y = Shifted ? x + x - 1 : x;
    if (n < 0) return 0;
    if (Shifted ? x == 1 : y == 1) return 1;
    if (Shifted ? x == 0 : y == -1) return low_sign<C>(n);
    if (n > 6 && std::abs(y) < 1) return std::cos(C(n) * std::acos(y));
    return chebyshev(y + y, y, n);
  }
};
template <bool Shifted>
struct ChebyshevU {
  template <class C> static C of(C x, C degree_value) {
    const int64_t n = degree(degree_value);
    const C y = Shifted ? x + x - 1 : x;
    if (n < 0) return 0;
    if (Shifted ? x == 1 : y == 1) return C(n + 1);
    if (Shifted ? x == 0 : y == -1) return low_sign<C>(n) * C(n + 1);
    if (n > (Shifted ? 6 : 8) && std::abs(y) < 1) {
      const C angle = std::acos(y), sine = std::sin(angle);
      return sine != 0 ? std::sin(C(n + 1) * angle) / sine : C(n + 1) * std::cos(C(n + 1) * angle) / y;
    }
    return chebyshev(y + y, y + y, n);
  }
};
template <bool Shifted>
struct ChebyshevV {
  template <class C> static C of(C x, C degree_value) {
    const int64_t n = degree(degree_value);
    const C y = Shifted ? x + x - 1 : x;
    if (n < 0) return 0;
    if (Shifted ? x == 1 : y == 1) return 1;
    if (Shifted ? x == 0 : y == -1) return low_sign<C>(n) * (C(n) + C(n) + 1);
    if (n > (Shifted ? 6 : 8) && std::abs(y) < 1) {
      const C angle = std::acos(y);
      return std::sin(angle / 2) != 1 ? std::cos((C(n) + C(0.5)) * angle) / std::cos(angle / 2) : low_sign<C>(n) * (C(n) + C(n) + 1);
    }
    return chebyshev(y + y, y + y - 1, n);
  }
};
template <bool Shifted>
struct ChebyshevW {
  template <class C> static C of(C x, C degree_value) {
    const int64_t n = degree(degree_value);
    const C y = Shifted ? x + x - 1 : x;
    if (n < 0) return 0;
    if (Shifted ? x == 1 : y == 1) return C(n) + C(n) + 1;
    if (Shifted ? x == 0 : y == -1) return low_sign<C>(n);
    if (n > (Shifted ? 4 : 8) && std::abs(y) < 1) {
      const C angle = std::acos(y);
      if (std::cos(angle / 2) != 1) return std::sin((C(n) + C(0.5)) * angle) / std::sin(angle / 2);
      return y > 0 ? C(n) + C(n) + 1 : low_sign<C>(n);
    }
    return chebyshev(y + y, y + y + 1, n);
  }
};

// next(now, before, i) for i = 1 .. n - 1, from 1 and `first`; ends early on NaN.
template <class C, class F>
C recur(C first, int64_t n, F&& next) {
  if (n < 0) return 0;
  if (n == 0) return 1;
  if (n > kMostSteps) return C(NAN);
  C before = 1, now = first;
  for (int64_t i = 1; i < n && now == now; ++i) {
    const C after = next(now, before, C(i));
    before = now;
    now = after;
  }
  return now;
}
// PyTorch gives up on Hermite polynomials of these degrees.
template <class C> constexpr int64_t kHermiteLimit = std::is_same_v<C, double> ? 512 : 128;
struct HermiteH {
  template <class C> static C of(C x, C degree_value) {
    const int64_t n = degree(degree_value);
    if (n > kHermiteLimit<C>) return C(NAN);
    return recur(x + x, n, [x](C now, C before, C i) { return (x + x) * now - (i + i) * before; });
  }
};
struct HermiteHe {
  template <class C> static C of(C x, C degree_value) {
    const int64_t n = degree(degree_value);
    if (n > kHermiteLimit<C>) return C(NAN);
    return recur(x, n, [x](C now, C before, C i) { return x * now - i * before; });
  }
};
struct Laguerre {
  template <class C> static C of(C x, C degree_value) {
    const int64_t n = degree(degree_value);
    if (n >= 0 && x == 0) return 1;
    return recur(1 - x, n, [x](C now, C before, C i) { return ((i + i + (1 - x)) * now - i * before) / (i + 1); });
  }
};
struct Legendre {
  template <class C> static C of(C x, C degree_value) {
    const int64_t n = degree(degree_value);
    if (n >= 0 && std::abs(x) == 1) return x > 0 ? C(1) : low_sign<C>(n);
    return recur(x, n, [x](C now, C before, C i) { return ((i + i + 1) * x * now - i * before) / (i + 1); });
  }
};

// Derivatives of digamma. The second needs no factorial and follows PyTorch's short series.
template <class C>
C trigamma(C x) {
  C sign = 1, sum = 0;
  if (x < C(0.5)) {  // reflection
    const C sine = std::sin(C(3.14159265358979323846) * x);
    sign = -1;
    sum -= C(3.14159265358979323846 * 3.14159265358979323846) / (sine * sine);
    x = 1 - x;
  }
  for (int i = 0; i < 6; ++i, x += 1) sum += 1 / (x * x);
  const C r = 1 / (x * x);
  sum += (1 + 1 / (2 * x) + r * (C(1) / 6 - r * (C(1) / 30 - r * (C(1) / 42)))) / x;
  return sign * sum;
}
double digamma(double x) {
  if (x == 0) return std::copysign(INFINITY, -x);
  if (x < 0 && x == std::floor(x)) return NAN;
  double sum = 0;
  if (x < 0) {
    sum = -3.14159265358979323846 / std::tan(3.14159265358979323846 * std::fmod(x, 1.0));
    x = 1 - x;
  }
  for (; x < 12; x += 1) sum -= 1 / x;
  const double r = 1 / (x * x);
  return sum + std::log(x) - 0.5 / x - r * (1 / 12.0 - r * (1 / 120.0 - r * (1 / 252.0 - r * (1 / 240.0 - r * (1 / 132.0 - r * (691 / 32760.0))))));
}
Status infer_polygamma(int64_t n, const Tensor& x, TensorMeta& out) {
  if (n < 0) return invalid_argument("polygamma: n must not be negative");
  return infer_unary(x, out);
}
Status run_polygamma(OpContext&, int64_t n, const Tensor& x, Tensor& out) {
  const double order = double(n), factor = (n % 2 != 0 ? 1 : -1) * std::exp(std::lgamma(order + 1));
  with_floating(out.dtype, [&](auto c) {
    using C = decltype(c);
    for_each_row(make_loop(out, x), [&](const auto& o, const auto& step, int64_t count) {
      line_map<C>({x.dtype, at(x, o[1]), step[1], count}, out.dtype, at(out, o[0]), step[0], [&](C v) {
        if (n == 0) return C(digamma(double(v)));
        return n == 1 ? trigamma(v) : C(factor * k::hurwitz_zeta(order + 1, double(v)));
      });
    });
  });
  return {};
}

Status infer_sinc(const Tensor& x, TensorMeta& out) {
  if (is_complex(x.dtype) && x.dtype != DType::kC32) return set_result(out, x.dtype, x.sizes());
  return infer_unary(x, out);
}
// In the result's own precision, as PyTorch rounds it.
Status run_sinc(OpContext&, const Tensor& x, Tensor& out) {
  if (is_complex(out.dtype)) {
    for_each_row(make_loop(out, x), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        const c128 v = kernels::load_one<c128>(x.dtype, x.data, o[1] + i * step[1]), angle = c128{3.14159265358979323846, 0} * v;
        kernels::store_one(out.dtype, out.data, o[0] + i * step[0], v == c128{} ? c128{1, 0} : sin(angle) / angle);
      }
    });
    return {};
  }
  with_floating(out.dtype, [&](auto c) {
    using C = decltype(c);
    for_each_row(make_loop(out, x), [&](const auto& o, const auto& step, int64_t count) {
      line_map<C>({x.dtype, at(x, o[1]), step[1], count}, out.dtype, at(out, o[0]), step[0], [](C v) {
        const C angle = v * C(3.14159265358979323846);
        return v == 0 ? C(1) : std::sin(angle) / angle;
      });
    });
  });
  return {};
}

#define GLINT_UNARY(name, arg, fn) define_op<"aten::" name "(Tensor " arg ") -> Tensor", infer_unary, run_unary<fn>>("aten::" name ".out")
#define GLINT_GROWING(name, fn) define_op<"aten::" name "(Tensor self) -> Tensor", infer_unary, run_growing<fn>>("aten::" name ".out")
#define GLINT_BINARY(name, a, b, fn) define_op<"aten::" name "(Tensor " a ", Tensor " b ") -> Tensor", infer_binary, run_binary<fn>>("aten::" name ".out")
#define GLINT_POLYNOMIAL(name, ...)                                                                                                         \
  define_op<"aten::" name "(Tensor x, Tensor n) -> Tensor", infer_binary, run_binary<__VA_ARGS__>>("aten::" name ".out"),                      \
      define_op<"aten::" name ".x_scalar(Scalar x, Tensor n) -> Tensor", infer_left, run_left<__VA_ARGS__>>("aten::" name ".x_scalar_out"),    \
      define_op<"aten::" name ".n_scalar(Tensor x, Scalar n) -> Tensor", infer_right, run_right<__VA_ARGS__>>("aten::" name ".n_scalar_out")

constexpr OpDef kDefs[] = {
    GLINT_UNARY("digamma", "self", digamma),
    define_op<"aten::sinc(Tensor self) -> Tensor", infer_sinc, run_sinc>("aten::sinc.out"),
    GLINT_GROWING("i0", i0),
    GLINT_UNARY("special_i0e", "self", i0e),
    GLINT_GROWING("special_i1", i1),
    GLINT_UNARY("special_i1e", "self", i1e),
    GLINT_UNARY("special_bessel_j0", "self", bessel_j0),
    GLINT_UNARY("special_bessel_j1", "self", bessel_j1),
    GLINT_UNARY("special_bessel_y0", "self", bessel_y0),
    GLINT_UNARY("special_bessel_y1", "self", bessel_y1),
    GLINT_GROWING("special_modified_bessel_i0", i0),
    GLINT_GROWING("special_modified_bessel_i1", i1),
    GLINT_UNARY("special_modified_bessel_k0", "self", k0),
    GLINT_UNARY("special_modified_bessel_k1", "self", k1),
    GLINT_UNARY("special_scaled_modified_bessel_k0", "x", k0e),
    GLINT_UNARY("special_scaled_modified_bessel_k1", "x", k1e),
    GLINT_UNARY("special_spherical_bessel_j0", "x", k::spherical_bessel_j0),
    GLINT_UNARY("special_airy_ai", "x", k::airy_ai),
    GLINT_UNARY("special_entr", "self", k::entropy),
    GLINT_UNARY("special_erfcx", "self", k::erfcx),
    GLINT_UNARY("special_log_ndtr", "self", k::log_normal),
    GLINT_UNARY("special_ndtri", "self", k::normal_inverse),
    GLINT_BINARY("igamma", "self", "other", GammaP),
    GLINT_BINARY("igammac", "self", "other", GammaQ),
    GLINT_BINARY("special_zeta", "self", "other", Zeta),
    define_op<"aten::special_zeta.self_scalar(Scalar self, Tensor other) -> Tensor", infer_left, run_left<Zeta>>("aten::special_zeta.self_scalar_out"),
    define_op<"aten::special_zeta.other_scalar(Tensor self, Scalar other) -> Tensor", infer_right, run_right<Zeta>>("aten::special_zeta.other_scalar_out"),
    define_op<"aten::polygamma(int n, Tensor self) -> Tensor", infer_polygamma, run_polygamma>("aten::polygamma.out"),
    GLINT_POLYNOMIAL("special_chebyshev_polynomial_t", ChebyshevT<false>),
    GLINT_POLYNOMIAL("special_chebyshev_polynomial_u", ChebyshevU<false>),
    GLINT_POLYNOMIAL("special_chebyshev_polynomial_v", ChebyshevV<false>),
    GLINT_POLYNOMIAL("special_chebyshev_polynomial_w", ChebyshevW<false>),
    GLINT_POLYNOMIAL("special_shifted_chebyshev_polynomial_t", ChebyshevT<true>),
    GLINT_POLYNOMIAL("special_shifted_chebyshev_polynomial_u", ChebyshevU<true>),
    GLINT_POLYNOMIAL("special_shifted_chebyshev_polynomial_v", ChebyshevV<true>),
    GLINT_POLYNOMIAL("special_shifted_chebyshev_polynomial_w", ChebyshevW<true>),
    GLINT_POLYNOMIAL("special_hermite_polynomial_h", HermiteH),
    GLINT_POLYNOMIAL("special_hermite_polynomial_he", HermiteHe),
    GLINT_POLYNOMIAL("special_laguerre_polynomial_l", Laguerre),
    GLINT_POLYNOMIAL("special_legendre_polynomial_p", Legendre),
};
#undef GLINT_UNARY
#undef GLINT_BINARY
#undef GLINT_POLYNOMIAL

}  // namespace

extern constinit const OpFamily op_special{kDefs};

}  // namespace glint::ops
