// Operators of one operand that are a single expression.

#include "glint/ops/elementwise.h"

namespace glint::ops {
namespace {

using std::acos, std::acosh, std::asin, std::asinh, std::atan, std::atanh, std::cos, std::cosh, std::sin, std::sinh, std::tan,
    std::tanh, std::exp, std::exp2, std::expm1, std::log, std::log2, std::log10, std::log1p, std::sqrt;

constexpr double kPi = 3.14159265358979323846;

template <class T> T one_over(T x) {
  if constexpr (kIsComplex<T>) return c128{1, 0} / x;
  else return 1 / x;
}

template <class T> T sigmoid(T x) {
  if constexpr (kIsComplex<T>) return one_over(c128{1, 0} + exp(-x));
  else return 1 / (1 + exp(-x));
}

template <class T> T silu(T x) {
  if constexpr (kIsComplex<T>) return x / (c128{1, 0} + exp(-x));
  else return x / (1 + exp(-x));
}

// A rational start (Giles, "Approximating the erfinv function") polished by two Newton steps.
double erfinv(double x) {
  if (!(x > -1 && x < 1)) return x == 1 || x == -1 ? x * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  constexpr double kCentral[] = {2.81022636e-08, 3.43273939e-07, -3.5233877e-06, -4.39150654e-06, 0.00021858087, -0.00125372503, -0.00417768164, 0.246640727, 1.50140941};
  constexpr double kTail[] = {-0.000200214257, 0.000100950558, 0.00134934322, -0.00367342844, 0.00573950773, -0.0076224613, 0.00943887047, 1.00167406, 2.83297682};
  double w = -std::log1p(-x * x), y = 0;
  const bool tail = w >= 5;
  w = tail ? std::sqrt(w) - 3 : w - 2.5;
  for (double c : tail ? kTail : kCentral) y = y * w + c;
  y *= x;
  for (int i = 0; i < 2; ++i) {
    // Near +-1 the difference is taken between complements, which keeps its digits.
    const double error = x > 0.5 ? (1 - x) - std::erfc(y) : x < -0.5 ? std::erfc(-y) - (1 + x) : std::erf(y) - x;
    y -= error / (1.12837916709551257390 * std::exp(-y * y));
  }
  return y;
}

template <class T> T sign(T x) { return T((T(0) < x) - (x < T(0))); }

template <class T> T sgn(T x) {
  if constexpr (kIsComplex<T>) {
    const double length = glint::abs(x);
    return length == 0 ? T{} : T{x.re / length, x.im / length};
  } else return sign(x);
}
template <class T> T conjugate(T x) {
  if constexpr (kIsComplex<T>) return {x.re, -x.im};
  else return x;
}

template <class T> T round_decimals(T x, const Params& p) {
  if constexpr (kIsInt<T>) return x;
  else {
    const T ten = std::pow(T(10), T(p.i[0] < 0 ? -p.f[0] : p.f[0]));
    return p.i[0] < 0 ? std::nearbyint(x / ten) * ten : std::nearbyint(x * ten) / ten;
  }
}

template <class T> bool is_inf(T x) {
  if constexpr (kIsComplex<T>) return std::isinf(x.re) || std::isinf(x.im);
  else if constexpr (kIsFloat<T>) return std::isinf(x);
  else return false;
}

template <class T> T clamp(T x, T low, T high) {
  if constexpr (kIsFloat<T>)
    if (is_nan(x + low + high)) return is_nan(x) ? x : is_nan(low) ? low : is_nan(high) ? high : std::min(std::max(x, low), high);
  return std::min(std::max(x, low), high);
}

template <class T> T gelu_erf(T x) { return x * T(0.5) * (1 + std::erf(x * T(0.70710678118654752440))); }
template <class T> T gelu_tanh(T x) {
  return T(0.5) * x * (1 + std::tanh(T(0.79788456080286535588) * (x + T(0.044715) * x * x * x)));
}
template <class T> T hard_sigmoid(T x) { return std::min(std::max(x + 3, T(0)), T(6)) / 6; }
template <class T> T log_sigmoid(T x) { return std::min(T(0), x) - std::log1p(std::exp(-std::fabs(x))); }

// ---- shapes of signature

/// Float results; integers become float32.
template <unsigned Kinds, auto Fn> using ToFloat = Unary<Kinds, Fn, true>;
template <unsigned Kinds, auto Fn, class... S> using Same = Unary<Kinds, Fn, false, S...>;

/// A bool for each element, whatever the operand's dtype.
template <unsigned Kinds, auto Fn>
struct Predicate {
  static Status infer(const Tensor& self, TensorMeta& out) {
    GLINT_TRY(check_kind(Kinds, self.dtype));
    return set_like(self, DType::kBool, out);
  }
  static Status run(OpContext&, const Tensor& self, Tensor& out) { return elementwise<Kinds, Fn, 1>(self.dtype, {&self}, out); }
};

Status infer_abs(const Tensor& self, TensorMeta& out) {
  GLINT_TRY(check_kind(kAny, self.dtype));
  return set_like(self, real_dtype(self.dtype), out);
}
Status run_abs(OpContext&, const Tensor& self, Tensor& out) {
  constexpr auto fn = [](auto x) {
    using T = decltype(x);
    if constexpr (kIsFloat<T>) return std::fabs(x);
    else if constexpr (kIsInt<T>) return x < 0 ? wrap_neg(x) : x;
    else if constexpr (kIsComplex<T>) return glint::abs(x);
    else return x;
  };
  return elementwise<kAny, fn, 1>(self.dtype, {&self}, out);
}

Status infer_round_decimals(const Tensor& self, int64_t, TensorMeta& out) {
  GLINT_TRY(check_kind(kNumbers, self.dtype));
  return set_like(self, self.dtype, out);
}
Status run_round_decimals(OpContext&, const Tensor& self, int64_t decimals, Tensor& out) {
  Params p;
  p.set(0, Scalar::of(decimals));
  return elementwise<kNumbers, [](auto x, const Params& q) { return round_decimals(x, q); }, 1>(self.dtype, {&self}, out, p);
}

Status infer_gelu(const Tensor& self, std::string_view approximate, TensorMeta& out) {
  if (approximate != "none" && approximate != "tanh") return invalid_argument("gelu: approximate must be none or tanh");
  GLINT_TRY(check_kind(kFloats, self.dtype));
  return set_like(self, self.dtype, out);
}
Status run_gelu(OpContext&, const Tensor& self, std::string_view approximate, Tensor& out) {
  if (approximate == "tanh") return elementwise<kFloats, [](auto x) { return gelu_tanh(x); }, 1>(self.dtype, {&self}, out);
  return elementwise<kFloats, [](auto x) { return gelu_erf(x); }, 1>(self.dtype, {&self}, out);
}

Status infer_square(const Tensor& self, TensorMeta& out) {
  GLINT_TRY(check_kind(kAny, self.dtype));
  return set_like(self, self.dtype == DType::kBool ? DType::kI64 : self.dtype, out);
}
Status run_square(OpContext&, const Tensor& self, Tensor& out) { return elementwise<kArithmetic, [](auto x) { return mul(x, x); }, 1>(out.dtype, {&self}, out); }

Status infer_log_sigmoid(const Tensor& self, TensorMeta& out, TensorMeta& buffer) {
  GLINT_TRY(check_kind(kFloats, self.dtype));
  GLINT_TRY(set_like(self, self.dtype, out));
  return set_like(self, self.dtype, buffer);
}
Status run_log_sigmoid(OpContext&, const Tensor& self, Tensor& out, Tensor& buffer) {
  GLINT_TRY((elementwise<kFloats, [](auto x) { return std::exp(-std::fabs(x)); }, 1>(self.dtype, {&self}, buffer)));
  return elementwise<kFloats, [](auto x) { return log_sigmoid(x); }, 1>(self.dtype, {&self}, out);
}

/// A number as an element of `d` holds it.
double as_held(DType d, double v) {
  std::byte element[8];
  kernels::store_one<double>(d, element, 0, v);
  return kernels::load_one<double>(d, element, 0);
}

Status infer_logit(const Tensor& self, std::optional<double>, TensorMeta& out) {
  const DType d = to_inexact(self.dtype);
  GLINT_TRY(check_kind(kFloats, d));
  return set_like(self, d, out);
}
Status run_logit(OpContext&, const Tensor& self, std::optional<double> eps, Tensor& out) {
  Params p;
  p.f[0] = eps.value_or(-1);
  p.f[1] = as_held(out.dtype, 1 - as_held(out.dtype, p.f[0]));
  constexpr auto fn = [](auto x, const Params& q) {
    using T = decltype(x);
    const T low = q.get<T>(0), high = q.get<T>(1);
    if (low >= 0) x = x < low ? low : x > high ? high : x;
    return std::log(x / (1 - x));
  };
  return elementwise<kFloats, fn, 1>(out.dtype, {&self}, out, p);
}

Status infer_frexp(const Tensor& self, TensorMeta& mantissa, TensorMeta& exponent) {
  GLINT_TRY(check_kind(kFloats, self.dtype));
  GLINT_TRY(set_like(self, self.dtype, mantissa));
  return set_like(self, DType::kI32, exponent);
}
Status run_frexp(OpContext&, const Tensor& self, Tensor& mantissa, Tensor& exponent) {
  constexpr auto fraction = [](auto x) { int e = 0; return std::frexp(x, &e); };
  constexpr auto power = [](auto x) { int e = 0; std::frexp(x, &e); return std::isfinite(x) ? int64_t(e) : int64_t(0); };
  GLINT_TRY((elementwise<kFloats, fraction, 1>(self.dtype, {&self}, mantissa)));
  return elementwise<kFloats, power, 1>(self.dtype, {&self}, exponent);
}

Status infer_mvlgamma(const Tensor& self, int64_t p, TensorMeta& out) {
  if (p < 1 || p > 1 << 16) return invalid_argument("mvlgamma: p is out of range");
  const DType d = to_inexact(self.dtype);
  GLINT_TRY(check_kind(kFloats, d));
  return set_like(self, d, out);
}
Status run_mvlgamma(OpContext&, const Tensor& self, int64_t p, Tensor& out) {
  constexpr auto fn = [](auto x, const Params& q) {
    const DType d = DType(q.i[1]);  // half types round after each step, as in PyTorch: x - j / 2 may meet a pole
    double sum = 0;
    for (int64_t j = 0; j < q.i[0]; ++j) sum += as_held(d, std::lgamma(as_held(d, double(x) - double(j) / 2)));
    return decltype(x)(as_held(d, sum) + q.f[0] * (q.f[0] - 1) / 4 * std::log(kPi));
  };
  Params params;
  params.set(0, Scalar::of(p));
  params.i[1] = int64_t(out.dtype);
  return elementwise<kFloats, fn, 1>(out.dtype, {&self}, out, params);
}

constexpr double largest(DType d) {
  return d == DType::kF64 ? std::numeric_limits<double>::max() : d == DType::kF16 ? 65504. : d == DType::kBF16 ? 0x1.fep127 : 0x1.fffffep127;
}
Status infer_nan_to_num(const Tensor& self, std::optional<double>, std::optional<double>, std::optional<double>, TensorMeta& out) {
  GLINT_TRY(check_kind(kAny, self.dtype));
  return set_like(self, self.dtype, out);
}
Status run_nan_to_num(OpContext&, const Tensor& self, std::optional<double> nan, std::optional<double> high, std::optional<double> low, Tensor& out) {
  const double most = largest(real_dtype(self.dtype));
  Params p;
  p.f[0] = nan.value_or(0), p.f[1] = high.value_or(most), p.f[2] = low.value_or(-most);
  constexpr auto fn = [](auto x, const Params& q) {
    constexpr auto part = [](auto v, const Params& r) {
      using T = decltype(v);
      return v != v ? T(r.f[0]) : std::isinf(v) ? T(v > 0 ? r.f[1] : r.f[2]) : v;
    };
    using T = decltype(x);
    if constexpr (kIsFloat<T>) return part(x, q);
    else if constexpr (kIsComplex<T>) return c128{part(x.re, q), part(x.im, q)};
    else return x;
  };
  return elementwise<kAny, fn, 1>(self.dtype, {&self}, out, p);
}

Status infer_angle(const Tensor& self, TensorMeta& out) {
  GLINT_TRY(check_kind(kAny, self.dtype));
  return set_like(self, real_dtype(to_inexact(self.dtype)), out);
}
Status run_angle(OpContext&, const Tensor& self, Tensor& out) {
  constexpr auto fn = [](auto x) {
    using T = decltype(x);
    if constexpr (kIsComplex<T>) return std::atan2(x.im, x.re);
    else return is_nan(x) ? x : x < 0 ? T(kPi) : T(0);
  };
  return elementwise<kInexact, fn, 1>(is_complex(self.dtype) ? self.dtype : out.dtype, {&self}, out);
}

// A row: the expression of x (of type T), and of the Scalars p.get<T>(k).
#define GLINT_UNARY(name, Shape, kinds, expression)      \
  define<"aten::" name "(Tensor self) -> Tensor", Shape<kinds, [](auto x) { \
    using T [[maybe_unused]] = decltype(x);              \
    return (expression);                                 \
  }>>("aten::" name ".out", kInPlace)

#define GLINT_ACTIVATION(schema, stock_name, kinds, expression, ...)    \
  define<schema, Same<kinds, [](auto x, const Params& p) {              \
    using T = decltype(x);                                              \
    return T((expression));                                             \
  }, __VA_ARGS__>>(stock_name, kInPlace)

constexpr OpDef kDefs[] = {
    // Float results.
    GLINT_UNARY("acos", ToFloat, kInexact, acos(x)),
    GLINT_UNARY("acosh", ToFloat, kInexact, acosh(x)),
    GLINT_UNARY("asin", ToFloat, kInexact, asin(x)),
    GLINT_UNARY("asinh", ToFloat, kInexact, asinh(x)),
    GLINT_UNARY("atan", ToFloat, kInexact, atan(x)),
    GLINT_UNARY("atanh", ToFloat, kInexact, atanh(x)),
    GLINT_UNARY("cos", ToFloat, kInexact, cos(x)),
    GLINT_UNARY("cosh", ToFloat, kInexact, cosh(x)),
    GLINT_UNARY("sin", ToFloat, kInexact, sin(x)),
    GLINT_UNARY("sinh", ToFloat, kInexact, sinh(x)),
    GLINT_UNARY("tan", ToFloat, kInexact, tan(x)),
    GLINT_UNARY("tanh", ToFloat, kInexact, tanh(x)),
    GLINT_UNARY("exp", ToFloat, kInexact, exp(x)),
    GLINT_UNARY("exp2", ToFloat, kInexact, exp2(x)),
    GLINT_UNARY("expm1", ToFloat, kInexact, expm1(x)),
    GLINT_UNARY("log", ToFloat, kInexact, log(x)),
    GLINT_UNARY("log2", ToFloat, kInexact, log2(x)),
    GLINT_UNARY("log10", ToFloat, kInexact, log10(x)),
    GLINT_UNARY("log1p", ToFloat, kInexact, log1p(x)),
    GLINT_UNARY("sqrt", ToFloat, kInexact, sqrt(x)),
    GLINT_UNARY("rsqrt", ToFloat, kInexact, one_over(sqrt(x))),
    GLINT_UNARY("reciprocal", ToFloat, kInexact, one_over(x)),
    GLINT_UNARY("sigmoid", ToFloat, kInexact, sigmoid(x)),
    GLINT_UNARY("erf", ToFloat, kFloats, std::erf(x)),
    GLINT_UNARY("erfc", ToFloat, kFloats, std::erfc(x)),
    GLINT_UNARY("erfinv", ToFloat, kFloats, T(erfinv(double(x)))),
    GLINT_UNARY("lgamma", ToFloat, kFloats, std::lgamma(x)),
    GLINT_UNARY("deg2rad", ToFloat, kFloats, T(x * T(kPi / 180))),
    GLINT_UNARY("rad2deg", ToFloat, kFloats, T(x * T(180 / kPi))),

    // The operand's dtype.
    define_op<"aten::abs(Tensor self) -> Tensor", infer_abs, run_abs>("aten::abs.out"),
    GLINT_UNARY("neg", Same, kArithmetic, sub(T{}, x)),
    GLINT_UNARY("sign", Same, kReals, sign(x)),
    GLINT_UNARY("sgn", Same, kAny, sgn(x)),
    GLINT_UNARY("_conj_physical", Same, kAny, conjugate(x)),
    GLINT_UNARY("ceil", Same, kNumbers, (kIsFloat<T> ? T(std::ceil(x)) : x)),
    GLINT_UNARY("floor", Same, kNumbers, (kIsFloat<T> ? T(std::floor(x)) : x)),
    GLINT_UNARY("trunc", Same, kNumbers, (kIsFloat<T> ? T(std::trunc(x)) : x)),
    GLINT_UNARY("round", Same, kNumbers, (kIsFloat<T> ? T(std::nearbyint(x)) : x)),
    define_op<"aten::round.decimals(Tensor self, *, int decimals) -> Tensor", infer_round_decimals, run_round_decimals>(
        "aten::round.decimals_out", kInPlace),
    GLINT_UNARY("frac", Same, kFloats, T(x - std::trunc(x))),
    define_op<"aten::square(Tensor self) -> Tensor", infer_square, run_square>("aten::square.out", kInPlace),
    GLINT_UNARY("relu", Same, kNumbers, T(x < T(0) ? T(0) : x)),
    GLINT_UNARY("bitwise_not", Same, kInts | kBools, T(kIsBool<T> ? x == T(0) : ~int64_t(x))),

    // Predicates.
    GLINT_UNARY("logical_not", Predicate, kAny, is_zero(x)),
    GLINT_UNARY("isnan", Predicate, kAny, is_nan(x)),
    GLINT_UNARY("isinf", Predicate, kAny, is_inf(x)),
    define<"aten::isfinite(Tensor self) -> Tensor", Predicate<kAny, [](auto x) { return !is_inf(x) && !is_nan(x); }>>(""),
    GLINT_UNARY("signbit", Predicate, kReals, std::signbit(double(x))),
    GLINT_UNARY("isposinf", Predicate, kReals, is_inf(x) && x > T(0)),
    GLINT_UNARY("isneginf", Predicate, kReals, is_inf(x) && x < T(0)),

    // Activations.
    GLINT_UNARY("silu", Same, kInexact, silu(x)),
    GLINT_UNARY("mish", Same, kFloats, T(x * std::tanh(std::log1p(std::exp(x))))),
    GLINT_UNARY("hardswish", Same, kFloats, T(x * hard_sigmoid(x))),
    GLINT_UNARY("hardsigmoid", Same, kFloats, hard_sigmoid(x)),
    define_op<"aten::gelu(Tensor self, *, str approximate=\"none\") -> Tensor", infer_gelu, run_gelu>("aten::gelu.out", kInPlace),
    GLINT_ACTIVATION("aten::elu(Tensor self, Scalar alpha=1, Scalar scale=1, Scalar input_scale=1) -> Tensor", "aten::elu.out", kFloats,
                     x < 0 ? std::expm1(x * p.get<T>(2)) * T(p.f[0] * p.f[1]) : x * p.get<T>(1), Scalar, Scalar, Scalar),
    GLINT_ACTIVATION("aten::celu(Tensor self, Scalar alpha=1.) -> Tensor", "aten::celu.out", kFloats,
                     x < 0 ? std::expm1(x * T(1 / p.f[0])) * p.get<T>(0) : x, Scalar),
    GLINT_ACTIVATION("aten::hardtanh(Tensor self, Scalar min_val=-1, Scalar max_val=1) -> Tensor", "aten::hardtanh.out", kNumbers,
                     clamp(x, p.get<T>(0), p.get<T>(1)), Scalar, Scalar),
    GLINT_ACTIVATION("aten::leaky_relu(Tensor self, Scalar negative_slope=0.01) -> Tensor", "aten::leaky_relu.out", kFloats,
                     x > 0 ? x : x * p.get<T>(0), Scalar),
    GLINT_ACTIVATION("aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor", "aten::softplus.out", kFloats,
                     x * p.get<T>(0) > p.get<T>(1) ? x : std::log1p(std::exp(x * p.get<T>(0))) / p.get<T>(0), Scalar, Scalar),
    GLINT_ACTIVATION("aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor", "aten::hardshrink.out", kFloats,
                     x >= -p.get<T>(0) && x <= p.get<T>(0) ? T(0) : x, Scalar),
    GLINT_ACTIVATION("aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor", "aten::softshrink.out", kFloats,
                     x > p.get<T>(0) ? x - p.get<T>(0) : x < -p.get<T>(0) ? x + p.get<T>(0) : x * 0, Scalar),
    GLINT_ACTIVATION("aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor", "aten::threshold.out", kNumbers,
                     x <= p.get<T>(0) ? p.get<T>(1) : x, Scalar, Scalar),
    define_op<"aten::log_sigmoid_forward(Tensor self) -> (Tensor output, Tensor buffer)", infer_log_sigmoid, run_log_sigmoid>(
        "aten::log_sigmoid_forward.output"),
    define_op<"aten::logit(Tensor self, float? eps=None) -> Tensor", infer_logit, run_logit>("aten::logit.out"),
    define_op<"aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor", infer_nan_to_num, run_nan_to_num>(
        "aten::nan_to_num.out", kInPlace),
    define_op<"aten::mvlgamma(Tensor self, int p) -> Tensor", infer_mvlgamma, run_mvlgamma>("aten::mvlgamma.out", kInPlace),
    define_op<"aten::frexp.Tensor(Tensor self) -> (Tensor mantissa, Tensor exponent)", infer_frexp, run_frexp>("aten::frexp.Tensor_out"),
    define_op<"aten::angle(Tensor self) -> Tensor", infer_angle, run_angle>("aten::angle.out"),
};

}  // namespace

extern constinit const OpFamily op_pointwise{kDefs};

}  // namespace glint::ops
