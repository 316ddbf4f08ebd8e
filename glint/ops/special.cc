// Special functions. All compute in float64, whatever the dtype; clarity and accuracy come before speed.

#include "glint/ops/elementwise.h"

namespace glint::ops {
namespace {

constexpr double kPi = 3.14159265358979323846, kInfinity = std::numeric_limits<double>::infinity(), kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kEps = std::numeric_limits<double>::epsilon();

// ---- gamma and zeta

// Hurwitz: terms up to q >= 12, then the Euler-Maclaurin sum.
double zeta(double s, double q) {
  if (s == 1) return kInfinity;
  if (s < 1) return kNan;
  if (q <= 0) {
    if (q == std::floor(q)) return kInfinity;
    if (s != std::floor(s)) return kNan;
    if (q < -10000) q += std::floor(-10000 - q);  // what lies so far out does not show
  }
  double sum = 0;
  if (is_nan(s) || is_nan(q)) return kNan;
  for (; q < 12; ++q) sum += std::pow(q, -s);
  constexpr double kTerms[] = {1. / 12, -1. / 720, 1. / 30240, -1. / 1209600, 1. / 47900160, -691. / 1307674368000., 1. / 74724249600., -3617. / 10670622842880000.};
  const double power = std::pow(q, -s);
  sum += power * q / (s - 1) + power / 2;
  double factor = s * power / q;
  for (int j = 0; j < 8; ++j) {
    sum += kTerms[j] * factor;
    factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (q * q);
  }
  return sum;
}

// Recurrence up to 10, then the asymptotic series; reflection for negative arguments.
double digamma(double x) {
  if (x == 0) return std::copysign(kInfinity, -x);
  if (x < 0) {
    if (x == std::floor(x)) return kNan;
    return digamma(1 - x) - kPi / std::tan(kPi * (x - std::trunc(x)));
  }
  double shift = 0;
  for (; x < 10; ++x) shift += 1 / x;
  const double z = 1 / (x * x);
  const double series = z * (1. / 12 - z * (1. / 120 - z * (1. / 252 - z * (1. / 240 - z * (1. / 132 - z * (691. / 32760 - z / 12))))));
  return std::log(x) - 0.5 / x - series - shift;
}
template <class T> T trigamma(T x) {
  if (x >= T(0.5)) return T(zeta(2, double(x)));
  const T sine = std::sin(T(kPi) * x);
  return T(kPi * kPi) / (sine * sine) - T(zeta(2, double(1 - x)));
}
template <class T> T polygamma(int64_t n, T x) {
  if (n == 0) return T(digamma(double(x)));
  if (n == 1) return trigamma(x);
  return T((n % 2 != 0 ? 1 : -1) * std::exp(std::lgamma(double(n) + 1)) * zeta(double(n) + 1, double(x)));
}

// x^a e^-x / gamma(a), the factor of both halves of the incomplete gamma function.
double gamma_factor(double a, double x) { return std::exp(a * std::log(x) - x - std::lgamma(a)); }
double igamma_series(double a, double x) {
  double term = 1 / a, sum = term;
  for (int k = 1; k < 20000 && term > sum * kEps; ++k) sum += term *= x / (a + k);
  return sum * gamma_factor(a, x);
}
double igamma_fraction(double a, double x) {  // Lentz
  double b = x + 1 - a, c = 1e300, d = 1 / b, h = d;
  for (int k = 1; k < 20000; ++k) {
    const double an = -k * (k - a);
    b += 2;
    d = 1 / (an * d + b);
    c = b + an / c;
    h *= d * c;
    if (std::fabs(d * c - 1) < kEps) break;
  }
  return h * gamma_factor(a, x);
}
/// The regularized incomplete gamma function, lower or upper half.
double incomplete_gamma(double a, double x, bool upper) {
  if (!(a >= 0) || !(x >= 0) || (a == 0 && x == 0)) return kNan;
  if (std::isinf(a) && std::isinf(x)) return kNan;
  if (a == 0 || std::isinf(x)) return upper ? 0 : 1;
  if (x == 0 || std::isinf(a)) return upper ? 1 : 0;
  const bool series = x < a + 1;
  const double half = series ? igamma_series(a, x) : igamma_fraction(a, x);
  return series == upper ? 1 - half : half;
}

// ---- error function and its relatives

double erfcx(double x) {
  if (x < 2) return std::exp(x * x) * std::erfc(x);
  if (x > 1e8) return 1 / (std::sqrt(kPi) * x);
  double tail = 0;  // a continued fraction, from its end
  for (int k = x < 4 ? 120 : 40; k > 0; --k) tail = 0.5 * k / (x + tail);
  return 1 / (std::sqrt(kPi) * (x + tail));
}
double log_ndtr(double x) {
  if (x < -1) return std::log(erfcx(-x / std::sqrt(2.0)) / 2) - x * x / 2;
  return std::log1p(-std::erfc(x / std::sqrt(2.0)) / 2);
}
// Newton's method on the logarithm, which is concave and smooth far out.
double ndtri(double p) {
  if (!(p >= 0 && p <= 1)) return kNan;
  if (p == 0 || p == 1) return p == 0 ? -kInfinity : kInfinity;
  if (p > 0.5) return -ndtri(1 - p);
  const double target = std::log(p);
  double x = p < 0.1 ? -std::sqrt(-2 * target) : 2.5 * (p - 0.5);
  for (int k = 0; k < 10; ++k) {
    const double log_cdf = log_ndtr(x), slope = std::exp(-x * x / 2 - log_cdf) / std::sqrt(2 * kPi);
    const double step = (log_cdf - target) / slope;
    x -= step;
    if (std::fabs(step) <= kEps * std::fabs(x)) break;
  }
  return x;
}

// ---- Bessel and Airy functions

// e^-|x| I_n(x), n = 0 or 1: the power series has positive terms only; far out the asymptotic one.
double scaled_i(int n, double x) {
  const double a = std::fabs(x);
  double sum = 1, term = 1;
  if (a < 30) {
    const double z = a * a / 4;
    for (int k = 1; term > sum * kEps; ++k) sum += term *= z / (double(k) * (k + n));
    sum *= std::exp(-a) * (n == 1 ? a / 2 : 1);
  } else {
    const double mu = 4 * n * n;
    for (int k = 1; k < 40 && std::fabs(term) > kEps; ++k) sum += term *= -(mu - (2. * k - 1) * (2. * k - 1)) / (8 * a * k);
    sum /= std::sqrt(2 * kPi * a);
  }
  return n == 1 && x < 0 ? -sum : sum;
}
double bessel_i(int n, double x) { return is_nan(x) ? x : std::isinf(x) ? (n == 1 ? x : kInfinity) : scaled_i(n, x) * std::exp(std::fabs(x)); }
double scaled_bessel_i(int n, double x) { return is_nan(x) ? x : std::isinf(x) ? 0 : scaled_i(n, x); }

// e^x K_n(x): the trapezoidal rule on the integral of exp(-x (cosh t - 1)) cosh(n t), which decays doubly exponentially.
double scaled_bessel_k(int n, double x) {
  if (x == 0) return kInfinity;
  if (!(x > 0)) return kNan;
  if (x > 1e100) return std::sqrt(kPi / (2 * x));
  const double h = x < 1 ? 0.0625 : 0.0625 / std::sqrt(x);
  double sum = 0.5;
  for (int k = 1; k < 20000; ++k) {
    const double t = k * h, s = std::sinh(t / 2), term = std::exp(-2 * x * s * s) * (n == 1 ? std::cosh(t) : 1);
    sum += term;
    if (term < sum * 1e-18) break;
  }
  return sum * h;
}
double bessel_k(int n, double x) { return scaled_bessel_k(n, x) * (x > 0 ? std::exp(-x) : 1); }

double airy_ai(double x) {
  if (is_nan(x) || std::isinf(x)) return std::isinf(x) ? (x > 0 ? 0 : kNan) : x;
  const double a = std::fabs(x), zeta = 2. / 3 * a * std::sqrt(a);
  if (x > -6 && x < 5) {  // the two Maclaurin series
    const double cube = x * x * x;
    double f = 1, g = x, tf = 1, tg = x;
    for (int k = 1; k < 60; ++k) {
      f += tf *= cube / ((3. * k - 1) * (3 * k));
      g += tg *= cube / ((3. * k) * (3 * k + 1));
    }
    return 0.35502805388781723926 * f - 0.25881940379280679840 * g;
  }
  double even = 0, odd = 0, u = 1;  // the asymptotic series, split by parity
  for (int k = 0; k < 12; ++k) {
    (k % 2 == 0 ? even : odd) += (x < 0 && k % 4 >= 2 ? -u : u);
    u *= (6. * k + 1) * (6 * k + 5) / (72. * (k + 1) * zeta);
  }
  const double quarter = std::sqrt(std::sqrt(a)) * std::sqrt(kPi);
  if (x > 0) return std::exp(-zeta) * (even - odd) / (2 * quarter);
  return (std::sin(zeta + kPi / 4) * even - std::cos(zeta + kPi / 4) * odd) / quarter;
}

// ---- orthogonal polynomials, by their recurrences

constexpr int64_t kMaxDegree = 1 << 16;  // a degree read from a file must not stall the program

/// p0 = 1, p1 given, p(k+1) = next(k, p(k), p(k-1)).
template <class F>
double recurrence(int64_t n, double p1, F next) {
  if (n < 0) return 0;
  if (n > kMaxDegree) return kNan;
  double before = 1, p = p1;
  if (n == 0) return 1;
  for (int64_t k = 1; k < n; ++k) {
    const double v = next(double(k), p, before);
    before = p, p = v;
  }
  return p;
}
int64_t degree(double n) { return is_nan(n) ? -1 : Scalar::of(n).to_int(); }

double chebyshev(double x, double n, double p1) {
  return recurrence(degree(n), p1, [x](double, double p, double before) { return 2 * x * p - before; });
}
double hermite_h(double x, double n) {
  return recurrence(degree(n), 2 * x, [x](double k, double p, double before) { return 2 * x * p - 2 * k * before; });
}
double hermite_he(double x, double n) {
  return recurrence(degree(n), x, [x](double k, double p, double before) { return x * p - k * before; });
}
double laguerre(double x, double n) {
  return recurrence(degree(n), 1 - x, [x](double k, double p, double before) { return ((2 * k + 1 - x) * p - k * before) / (k + 1); });
}
double legendre(double x, double n) {
  return recurrence(degree(n), x, [x](double k, double p, double before) { return ((2 * k + 1) * x * p - k * before) / (k + 1); });
}

// ---- overloads with more than tensors

Status infer_polygamma(int64_t n, const Tensor& self, TensorMeta& out) {
  if (n < 0) return invalid_argument("polygamma: n must not be negative");
  const DType d = to_inexact(self.dtype);
  GLINT_TRY(check_kind(kFloats, d));
  return set_like(self, d, out);
}
Status run_polygamma(OpContext&, int64_t n, const Tensor& self, Tensor& out) {
  Params p;
  p.set(0, Scalar::of(n));
  return elementwise<kFloats, [](auto x, const Params& q) { return polygamma(q.i[0], x); }, 1>(out.dtype, {&self}, out, p);
}

#define GLINT_SPECIAL(name, argument, expression)                                                            \
  define<"aten::" name "(Tensor " argument ") -> Tensor", Unary<kFloats, [](auto v) {                        \
    const double x = double(v);                                                                              \
    return decltype(v)(expression);                                                                          \
  }, true>>("aten::" name ".out", kInPlace)

// Three overloads: both tensors, either one a number. a and b are the operands as float64.
#define GLINT_SPECIAL2(name, first, second, first_scalar, second_scalar, fn)                                                                 \
  define<"aten::" name "(Tensor " first ", Tensor " second ") -> Tensor", Binary<kFloats, fn, Dtype::kInexact>>("aten::" name ".out"),      \
  define<"aten::" name "." first_scalar "(Scalar " first ", Tensor " second ") -> Tensor", ScalarBinary<kFloats, fn, Dtype::kInexact>>(     \
      "aten::" name "." first_scalar "_out"),                                                                                               \
  define<"aten::" name "." second_scalar "(Tensor " first ", Scalar " second ") -> Tensor", BinaryScalar<kFloats, fn, Dtype::kInexact>>(    \
      "aten::" name "." second_scalar "_out")
#define GLINT_POLYNOMIAL(name, fn) GLINT_SPECIAL2("special_" name, "x", "n", "x_scalar", "n_scalar", fn)

constexpr auto kZeta = [](auto a, auto b) { return decltype(a)(zeta(a, b)); };
constexpr auto kLower = [](auto a, auto b) { return decltype(a)(incomplete_gamma(a, b, false)); };
constexpr auto kUpper = [](auto a, auto b) { return decltype(a)(incomplete_gamma(a, b, true)); };
constexpr auto kT = [](auto x, auto n) { return decltype(x)(chebyshev(x, n, x)); };
constexpr auto kU = [](auto x, auto n) { return decltype(x)(chebyshev(x, n, 2.0 * x)); };
constexpr auto kV = [](auto x, auto n) { return decltype(x)(chebyshev(x, n, 2.0 * x - 1)); };
constexpr auto kW = [](auto x, auto n) { return decltype(x)(chebyshev(x, n, 2.0 * x + 1)); };
constexpr auto kShiftedT = [](auto x, auto n) { return decltype(x)(chebyshev(2.0 * x - 1, n, 2.0 * x - 1)); };
constexpr auto kShiftedU = [](auto x, auto n) { return decltype(x)(chebyshev(2.0 * x - 1, n, 4.0 * x - 2)); };
constexpr auto kShiftedV = [](auto x, auto n) { return decltype(x)(chebyshev(2.0 * x - 1, n, 4.0 * x - 3)); };
constexpr auto kShiftedW = [](auto x, auto n) { return decltype(x)(chebyshev(2.0 * x - 1, n, 4.0 * x - 1)); };
constexpr auto kHermiteH = [](auto x, auto n) { return decltype(x)(hermite_h(x, n)); };
constexpr auto kHermiteHe = [](auto x, auto n) { return decltype(x)(hermite_he(x, n)); };
constexpr auto kLaguerre = [](auto x, auto n) { return decltype(x)(laguerre(x, n)); };
constexpr auto kLegendre = [](auto x, auto n) { return decltype(x)(legendre(x, n)); };

constexpr OpDef kDefs[] = {
    GLINT_SPECIAL("digamma", "self", digamma(x)),
    define_op<"aten::polygamma(int n, Tensor self) -> Tensor", infer_polygamma, run_polygamma>("aten::polygamma.out"),
    define<"aten::igamma(Tensor self, Tensor other) -> Tensor", Binary<kFloats, kLower, Dtype::kSame>>("aten::igamma.out"),
    define<"aten::igammac(Tensor self, Tensor other) -> Tensor", Binary<kFloats, kUpper, Dtype::kSame>>("aten::igammac.out"),
    GLINT_SPECIAL2("special_zeta", "self", "other", "self_scalar", "other_scalar", kZeta),
    GLINT_SPECIAL("special_erfcx", "self", x < 0 ? 2 * double(std::exp(v * v)) - erfcx(-x) : erfcx(x)),
    GLINT_SPECIAL("special_log_ndtr", "self", log_ndtr(x)),
    GLINT_SPECIAL("special_ndtri", "self", ndtri(x)),
    GLINT_SPECIAL("special_entr", "self", is_nan(x) ? x : x > 0 ? -x * std::log(x) : x == 0 ? 0 : -kInfinity),
    GLINT_SPECIAL("sinc", "self", x == 0 ? 1 : std::sin(v * decltype(v)(kPi)) / (v * decltype(v)(kPi))),  // rounds as PyTorch does
    GLINT_SPECIAL("i0", "self", std::isinf(x) ? kNan : bessel_i(0, x)),
    GLINT_SPECIAL("special_i0e", "self", scaled_bessel_i(0, x)),
    GLINT_SPECIAL("special_i1", "self", std::isinf(x) ? kNan : bessel_i(1, x)),
    GLINT_SPECIAL("special_i1e", "self", scaled_bessel_i(1, x)),
    GLINT_SPECIAL("special_modified_bessel_i0", "self", bessel_i(0, x)),
    GLINT_SPECIAL("special_modified_bessel_i1", "self", bessel_i(1, x)),
    GLINT_SPECIAL("special_modified_bessel_k0", "self", bessel_k(0, x)),
    GLINT_SPECIAL("special_modified_bessel_k1", "self", bessel_k(1, x)),
    GLINT_SPECIAL("special_scaled_modified_bessel_k0", "x", scaled_bessel_k(0, x)),
    GLINT_SPECIAL("special_scaled_modified_bessel_k1", "x", scaled_bessel_k(1, x)),
    GLINT_SPECIAL("special_bessel_j0", "self", ::j0(x)),
    GLINT_SPECIAL("special_bessel_j1", "self", ::j1(x)),
    GLINT_SPECIAL("special_bessel_y0", "self", x < 0 ? kNan : ::y0(x)),
    GLINT_SPECIAL("special_bessel_y1", "self", x < 0 ? kNan : ::y1(x)),
    GLINT_SPECIAL("special_spherical_bessel_j0", "x", std::isinf(x) ? 0 : x == 0 ? 1 : std::sin(x) / x),
    GLINT_SPECIAL("special_airy_ai", "x", airy_ai(x)),
    GLINT_POLYNOMIAL("chebyshev_polynomial_t", kT),
    GLINT_POLYNOMIAL("chebyshev_polynomial_u", kU),
    GLINT_POLYNOMIAL("chebyshev_polynomial_v", kV),
    GLINT_POLYNOMIAL("chebyshev_polynomial_w", kW),
    GLINT_POLYNOMIAL("shifted_chebyshev_polynomial_t", kShiftedT),
    GLINT_POLYNOMIAL("shifted_chebyshev_polynomial_u", kShiftedU),
    GLINT_POLYNOMIAL("shifted_chebyshev_polynomial_v", kShiftedV),
    GLINT_POLYNOMIAL("shifted_chebyshev_polynomial_w", kShiftedW),
    GLINT_POLYNOMIAL("hermite_polynomial_h", kHermiteH),
    GLINT_POLYNOMIAL("hermite_polynomial_he", kHermiteHe),
    GLINT_POLYNOMIAL("laguerre_polynomial_l", kLaguerre),
    GLINT_POLYNOMIAL("legendre_polynomial_p", kLegendre),
};

}  // namespace

extern constinit const OpFamily op_special{kDefs};

}  // namespace glint::ops
