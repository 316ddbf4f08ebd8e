// Operators of two and three operands that are a single expression.

#include "glint/ops/elementwise.h"

namespace glint::ops {
namespace {

using std::pow, std::sqrt, std::log, std::exp2;

// ---- division

template <class T> T truncated_quotient(T a, T b) {
  if constexpr (kIsInt<T>) return b == -1 ? wrap_neg(a) : a / b;
  else return std::trunc(a / b);
}

// PyTorch's floor division of floats: exact where a / b would round up to the next integer.
template <class T> T floored_quotient(T a, T b) {
  if constexpr (kIsInt<T>) {
    if (b == -1) return wrap_neg(a);
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
  } else {
    if (b == 0) return a / b;
    const T mod = std::fmod(a, b);
    T div = (a - mod) / b;
    if (mod != 0 && (b < 0) != (mod < 0)) div -= 1;
    if (div == 0) return std::copysign(T(0), a / b);
    const T floored = std::floor(div);
    return div - floored > T(0.5) ? floored + 1 : floored;
  }
}

template <class T> T fmod(T a, T b) {
  if constexpr (kIsInt<T>) return b == -1 ? 0 : a % b;
  else return std::fmod(a, b);
}

// The sign of the divisor, as in Python.
template <class T> T remainder(T a, T b) {
  const T mod = fmod(a, b);
  return mod != 0 && (b < 0) != (mod < 0) ? mod + b : mod;
}

bool has_zero(const Tensor& t) {
  bool found = false;
  bool tile[kernels::kTile];
  for_each_row(make_loop(t), [&](const auto& offset, const auto& step, int64_t n) {
    for (int64_t at = 0; at < n && !found; at += kernels::kTile) {
      const int64_t m = std::min(kernels::kTile, n - at);
      kernels::load<bool>(t.dtype, static_cast<const char*>(t.data) + (offset[0] + at * step[0]) * int64_t(dtype_size(t.dtype)), step[0], m, tile);
      for (int64_t i = 0; i < m; ++i) found |= !tile[i];
    }
  });
  return found;
}

// Integers refuse a zero divisor; what a narrow dtype makes of the divisor counts.
Status check_divisor(DType compute, const Tensor& b, const Tensor& out) {
  if (kind_of(compute) != kInts || out.numel() == 0) return {};
  if (b.rank == 0 && b.dtype != compute) {
    int64_t narrow = 0;
    kernels::store_one<int64_t>(compute, &narrow, 0, kernels::load_one<int64_t>(b.dtype, b.data, 0));
    return narrow == 0 ? invalid_argument("integer division by zero") : Status();
  }
  return has_zero(b) ? invalid_argument("integer division by zero") : Status();
}

/// Tensor and number forms of a quotient or remainder. A float divisor keeps its digits in a quotient, not in a remainder.
template <auto Fn, Operands Floats = Operands::kConverted>
struct Quotient {
  static Status infer(const Tensor& a, const Tensor& b, TensorMeta& out) { return Binary<kNumbers, Fn, Dtype::kSame>::infer(a, b, out); }
  static Status infer_scalar(const Tensor& a, Scalar b, TensorMeta& out) { return BinaryScalar<kNumbers, Fn, Dtype::kSame>::infer(a, b, out); }
  static Status infer_from(Scalar a, const Tensor& b, TensorMeta& out) { return infer_scalar(b, a, out); }
  static Status compute(const Tensor& a, const Tensor& b, Tensor& out) {
    GLINT_TRY(check_divisor(out.dtype, b, out));
    return elementwise<kNumbers, Fn, 2>(out.dtype, {&a, &b}, out, {}, is_floating(out.dtype) ? Floats : Operands::kConverted);
  }
  static Status run(OpContext&, const Tensor& a, const Tensor& b, Tensor& out) { return compute(a, b, out); }
  static Status run_scalar(OpContext&, const Tensor& a, Scalar b, Tensor& out) { return compute(a, Number(b).tensor(), out); }
  static Status run_from(OpContext&, Scalar a, const Tensor& b, Tensor& out) { return compute(Number(a).tensor(), b, out); }
};

using FloorDivide = Quotient<[](auto a, auto b) { return floored_quotient(a, b); }, Operands::kKept>;
using TruncDivide = Quotient<[](auto a, auto b) { return truncated_quotient(a, b); }, Operands::kKept>;
using Fmod = Quotient<[](auto a, auto b) { return fmod(a, b); }>;
using Remainder = Quotient<[](auto a, auto b) { return remainder(a, b); }>;

constexpr auto kDivide = [](auto a, auto b) { return a / b; };

Status infer_div(const Tensor& a, const Tensor& b, TensorMeta& out) { return Binary<kInexact, kDivide, Dtype::kInexact>::infer(a, b, out); }
Status infer_div_scalar(const Tensor& a, Scalar b, TensorMeta& out) { return BinaryScalar<kInexact, kDivide, Dtype::kInexact>::infer(a, b, out); }
Status compute_div(const Tensor& a, const Tensor& b, Tensor& out) {
  return elementwise<kInexact, kDivide, 2>(out.dtype, {&a, &b}, out, {}, Operands::kKept);
}
Status run_div(OpContext&, const Tensor& a, const Tensor& b, Tensor& out) { return compute_div(a, b, out); }
Status run_div_scalar(OpContext&, const Tensor& a, Scalar b, Tensor& out) { return compute_div(a, Number(b).tensor(), out); }

using Mode = std::optional<std::string_view>;
Status infer_div_mode(const Tensor& a, const Tensor& b, Mode mode, TensorMeta& out) {
  if (!mode) return infer_div(a, b, out);
  if (*mode != "floor" && *mode != "trunc") return invalid_argument("div: rounding_mode must be None, floor or trunc");
  return FloorDivide::infer(a, b, out);
}
Status infer_div_scalar_mode(const Tensor& a, Scalar b, Mode mode, TensorMeta& out) {
  if (!mode) return infer_div_scalar(a, b, out);
  if (*mode != "floor" && *mode != "trunc") return invalid_argument("div: rounding_mode must be None, floor or trunc");
  return FloorDivide::infer_scalar(a, b, out);
}
// Of tensors of halves PyTorch cuts the quotient as a half would hold it.
template <auto Narrow>
constexpr auto kTruncHalf = [](auto a, auto b) { return decltype(a)(std::trunc(to_float(Narrow(float(a / b))))); };
Status compute_trunc(const Tensor& a, const Tensor& b, Tensor& out) {
  if (b.numel() != 1 && out.dtype == DType::kBF16) return elementwise<kF32, kTruncHalf<to_bf16>, 2>(out.dtype, {&a, &b}, out);
  if (b.numel() != 1 && out.dtype == DType::kF16) return elementwise<kF32, kTruncHalf<to_f16>, 2>(out.dtype, {&a, &b}, out);
  return TruncDivide::compute(a, b, out);
}
Status compute_div_mode(const Tensor& a, const Tensor& b, Mode mode, Tensor& out) {
  if (!mode) return compute_div(a, b, out);
  return *mode == "floor" ? FloorDivide::compute(a, b, out) : compute_trunc(a, b, out);
}
Status run_div_mode(OpContext&, const Tensor& a, const Tensor& b, Mode mode, Tensor& out) { return compute_div_mode(a, b, mode, out); }
Status run_div_scalar_mode(OpContext&, const Tensor& a, Scalar b, Mode mode, Tensor& out) {
  return compute_div_mode(a, Number(b).tensor(), mode, out);
}

// ---- sum, difference, product

Status check_alpha(DType result, Scalar alpha) {
  if (alpha.is_float() && !is_floating(result) && !is_complex(result)) return invalid_argument("alpha must be an integer for integer results");
  if (alpha.is_bool() && result != DType::kBool) return invalid_argument("a bool alpha goes with bool results only");
  return {};
}

enum class Sum : uint8_t { kAdd, kSub, kRsub };

/// a + alpha b, a - alpha b, b - alpha a.
template <Sum Which>
struct Additive {
  static Status check(DType common, bool any_bool, Scalar alpha) {
    if (Which != Sum::kAdd && any_bool) return invalid_argument("subtraction does not take bool operands");
    GLINT_TRY(check_kind(kAny, common));
    return check_alpha(common, alpha);
  }
  static Status infer(const Tensor& a, const Tensor& b, Scalar alpha, TensorMeta& out) {
    const DType common = result_type(a, b);
    GLINT_TRY(check(common, a.dtype == DType::kBool || b.dtype == DType::kBool, alpha));
    return set_broadcast(a, b, common, out);
  }
  static Status infer_scalar(const Tensor& a, Scalar b, Scalar alpha, TensorMeta& out) {
    const DType common = result_type(a, b);
    GLINT_TRY(check(common, a.dtype == DType::kBool || b.is_bool(), alpha));
    return set_like(a, common, out);
  }
  static Status compute(const Tensor& a, const Tensor& b, Scalar alpha, Tensor& out) {
    const Tensor *first = Which == Sum::kRsub ? &b : &a, *second = Which == Sum::kRsub ? &a : &b;
    Params p;
    p.set(0, alpha);
    if (p.f[0] == 1) {
      constexpr auto fn = [](auto x, auto y) { return Which == Sum::kAdd ? add(x, y) : sub(x, y); };
      return elementwise<kAny, fn, 2>(out.dtype, {first, second}, out, p, Operands::kKept);
    }
    constexpr auto fn = [](auto x, auto y, const Params& q) {
      if constexpr (std::is_same_v<decltype(y), float>) {  // rounded once, as PyTorch's fused multiply-add: alpha y may overflow where the sum does not
        const double scaled = double(q.get<float>(0)) * double(y);
        return float(Which == Sum::kAdd ? double(x) + scaled : double(x) - scaled);
      }
      const auto scaled = mul(q.get<decltype(y)>(0), y);
      return Which == Sum::kAdd ? add(x, scaled) : sub(x, scaled);
    };
    return elementwise<kAny, fn, 2>(out.dtype, {first, second}, out, p, Operands::kKept);
  }
  static Status run(OpContext&, const Tensor& a, const Tensor& b, Scalar alpha, Tensor& out) { return compute(a, b, alpha, out); }
  static Status run_scalar(OpContext&, const Tensor& a, Scalar b, Scalar alpha, Tensor& out) { return compute(a, Number(b).tensor(), alpha, out); }
};
using Add = Additive<Sum::kAdd>;
using Sub = Additive<Sum::kSub>;
using Rsub = Additive<Sum::kRsub>;

constexpr auto kMultiply = [](auto a, auto b) { return mul(a, b); };
Status infer_mul(const Tensor& a, const Tensor& b, TensorMeta& out) { return Binary<kAny, kMultiply, Dtype::kSame>::infer(a, b, out); }
Status infer_mul_scalar(const Tensor& a, Scalar b, TensorMeta& out) { return BinaryScalar<kAny, kMultiply, Dtype::kSame>::infer(a, b, out); }
Status run_mul(OpContext&, const Tensor& a, const Tensor& b, Tensor& out) {
  return elementwise<kAny, kMultiply, 2>(out.dtype, {&a, &b}, out, {}, Operands::kKept);
}
Status run_mul_scalar(OpContext& c, const Tensor& a, Scalar b, Tensor& out) { return run_mul(c, a, Number(b).tensor(), out); }

// ---- powers

int64_t integer_power(int64_t base, int64_t exponent) {
  if (exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  int64_t result = 1;
  for (; exponent != 0; exponent >>= 1, base = wrap_mul(base, base))
    if (exponent & 1) result = wrap_mul(result, base);
  return result;
}
constexpr auto kPower = [](auto a, auto b) {
  if constexpr (kIsInt<decltype(a)>) return integer_power(a, b);
  else return pow(a, b);
};

Status infer_pow(const Tensor& a, const Tensor& b, TensorMeta& out) { return Binary<kArithmetic, kPower, Dtype::kSame>::infer(a, b, out); }
Status compute_pow(const Tensor& a, const Tensor& b, Tensor& out, Operands operands) { return elementwise<kArithmetic, kPower, 2>(out.dtype, {&a, &b}, out, {}, operands); }
// A negative number among the exponents of an unsigned base is a large one.
Status run_pow(OpContext&, const Tensor& a, const Tensor& b, Tensor& out) { return compute_pow(a, b, out, Operands::kConverted); }
Status infer_pow_scalar(const Tensor& a, Scalar b, TensorMeta& out) {
  if (!is_floating(a.dtype) && !is_complex(a.dtype) && !b.is_float() && b.to_int() < 0)
    return invalid_argument("pow: integers do not take negative integer powers");
  return BinaryScalar<kArithmetic | kBools, kPower, Dtype::kSame>::infer(a, b, out);
}
template <class T> T inverse(T x) {
  if constexpr (kIsComplex<T>) return c128{1, 0} / x;
  else return 1 / x;
}
constexpr auto kRoot = [](auto x) { return sqrt(x); };
constexpr auto kSquare = [](auto x) { return x * x; };
constexpr auto kCube = [](auto x) { return x * x * x; };
constexpr auto kInverse = [](auto x) { return inverse(x); };
constexpr auto kInverseRoot = [](auto x) { return inverse(sqrt(x)); };
constexpr auto kInverseSquare = [](auto x) { return inverse(x * x); };

// Roots and small powers are computed as such: sqrt(-inf) is NaN where pow(-inf, 0.5) is inf.
Status run_pow_scalar(OpContext&, const Tensor& a, Scalar b, Tensor& out) {
  if (out.dtype == DType::kBool) return elementwise<kBools, [](auto x, auto y) { return x || !y; }, 2>(out.dtype, {&a, &Number(b).tensor()}, out);
  if (is_floating(out.dtype) || is_complex(out.dtype)) {
    const double e = b.to_double();
    if (e == 0.5) return elementwise<kInexact, kRoot, 1>(out.dtype, {&a}, out);
    if (e == 2) return elementwise<kInexact, kSquare, 1>(out.dtype, {&a}, out);
    if (e == 3) return elementwise<kInexact, kCube, 1>(out.dtype, {&a}, out);
    if (e == -1) return elementwise<kInexact, kInverse, 1>(out.dtype, {&a}, out);
    if (e == -0.5) return elementwise<kInexact, kInverseRoot, 1>(out.dtype, {&a}, out);
    if (e == -2) return elementwise<kInexact, kInverseSquare, 1>(out.dtype, {&a}, out);
  }
  return compute_pow(a, Number(b).tensor(), out, Operands::kKept);
}
Status infer_scalar_pow(Scalar a, const Tensor& b, TensorMeta& out) { return BinaryScalar<kArithmetic, kPower, Dtype::kSame>::infer(b, a, out); }
Status run_scalar_pow(OpContext&, Scalar a, const Tensor& b, Tensor& out) { return compute_pow(Number(a).tensor(), b, out, Operands::kKept); }

// ---- extremes

template <class T> T maximum(T a, T b) { return is_nan(a) ? a : is_nan(b) ? b : a > b ? a : b; }
template <class T> T minimum(T a, T b) { return is_nan(a) ? a : is_nan(b) ? b : a < b ? a : b; }
constexpr auto kMaximum = [](auto a, auto b) { return maximum(a, b); };
constexpr auto kMinimum = [](auto a, auto b) { return minimum(a, b); };

constexpr auto kClamp = [](auto x, auto low, auto high) { return minimum(maximum(x, low), high); };
constexpr unsigned kClampKinds = kReals;

Status infer_clamp_tensor(const Tensor& self, const Tensor* low, const Tensor* high, TensorMeta& out) {
  if (low == nullptr && high == nullptr) return invalid_argument("clamp: min or max must be given");
  const Tensor &first = low ? *low : self, &second = high ? *high : self;
  const DType common = result_type(self, first, second);
  GLINT_TRY(check_kind(kClampKinds, common));
  return set_broadcast(self, first, second, common, out);
}
Status compute_clamp(const Tensor& self, const Tensor* low, const Tensor* high, Tensor& out) {
  if (low == nullptr) return elementwise<kClampKinds, kMinimum, 2>(out.dtype, {&self, high}, out);
  if (high == nullptr) return elementwise<kClampKinds, kMaximum, 2>(out.dtype, {&self, low}, out);
  return elementwise<kClampKinds, kClamp, 3>(out.dtype, {&self, low, high}, out);
}
Status run_clamp_tensor(OpContext&, const Tensor& self, const Tensor* low, const Tensor* high, Tensor& out) {
  return compute_clamp(self, low, high, out);
}

using Bound = std::optional<Scalar>;
Status infer_clamp(const Tensor& self, Bound low, Bound high, TensorMeta& out) {
  if (!low && !high) return invalid_argument("clamp: min or max must be given");
  ResultType r;
  r.add_tensor(self.dtype, self.rank > 0);
  if (low) r.add_scalar(low->dtype());
  if (high) r.add_scalar(high->dtype());
  GLINT_TRY(check_kind(kClampKinds, r.get()));
  return set_like(self, r.get(), out);
}
Status run_clamp(OpContext&, const Tensor& self, Bound low, Bound high, Tensor& out) {
  const Number a(low.value_or(Scalar())), b(high.value_or(Scalar()));
  return compute_clamp(self, low ? &a.tensor() : nullptr, high ? &b.tensor() : nullptr, out);
}
Status infer_clamp_min(const Tensor& self, Scalar low, TensorMeta& out) { return infer_clamp(self, low, {}, out); }
Status run_clamp_min(OpContext& c, const Tensor& self, Scalar low, Tensor& out) { return run_clamp(c, self, low, {}, out); }
Status infer_clamp_max(const Tensor& self, Scalar high, TensorMeta& out) { return infer_clamp(self, {}, high, out); }
Status run_clamp_max(OpContext& c, const Tensor& self, Scalar high, Tensor& out) { return run_clamp(c, self, {}, high, out); }

// ---- other expressions of two operands

template <class T> T logaddexp(T a, T b) {
  if constexpr (kIsComplex<T>) {
    const T top = b.re > a.re ? b : a, low = b.re > a.re ? a : b;
    return std::isinf(top.re) && low.re == top.re ? log(exp(a) + exp(b)) : top + log1p(exp(low - top));
  } else {
    if (std::isinf(a) && a == b) return a;
    return maximum(a, b) + std::log1p(std::exp(-std::fabs(a - b)));
  }
}
template <class T> T logaddexp2(T a, T b) {
  if (std::isinf(a) && a == b) return a;
  return maximum(a, b) + std::log1p(std::exp2(-std::fabs(a - b))) * T(1.44269504088896340736);
}
template <class T> T xlogy(T x, T y) { return is_nan(y) ? y : x == 0 ? T(0) : x * std::log(y); }
template <class T> T xlog1py(T x, T y) { return is_nan(y) ? y : x == 0 ? T(0) : x * std::log1p(y); }

// In the operands' dtype, as PyTorch: its smallest number (0 of unsigned ones) has no absolute value.
int64_t gcd(int64_t a, int64_t b, int64_t least) {
  const auto magnitude = [least](int64_t v) { return v < 0 && v != least ? -v : v; };
  a = magnitude(a), b = magnitude(b);
  while (a != 0) {
    const int64_t rest = a == -1 ? 0 : b % a;
    b = a, a = rest;
  }
  return b;
}
int64_t lcm(int64_t a, int64_t b, int64_t least) {
  const int64_t g = gcd(a, b, least);
  if (g == 0) return 0;
  int64_t v = wrap_mul(g == -1 ? wrap_neg(a) : a / g, b);
  if (least == INT32_MIN) v = int32_t(v);  // narrower ones are multiplied as int
  return v < 0 ? wrap_neg(v) : v;
}
template <int64_t (*Fn)(int64_t, int64_t, int64_t)>
struct Divisors {
  static Status infer(const Tensor& a, const Tensor& b, TensorMeta& out) {
    const DType common = result_type(a, b);
    GLINT_TRY(check_kind(kInts, common));
    return set_broadcast(a, b, common, out);
  }
  static Status run(OpContext&, const Tensor& a, const Tensor& b, Tensor& out) {
    Params p;
    p.i[0] = is_unsigned(out.dtype) ? 0 : INT64_MIN >> (64 - 8 * dtype_size(out.dtype));
    return elementwise<kInts, [](auto x, auto y, const Params& q) { return Fn(x, y, q.i[0]); }, 2>(out.dtype, {&a, &b}, out, p);
  }
};

Status infer_heaviside(const Tensor& a, const Tensor& b, TensorMeta& out) {
  if (a.dtype != b.dtype) return invalid_argument("heaviside: self and values must have one dtype");
  GLINT_TRY(check_kind(kReals, a.dtype));
  return set_broadcast(a, b, a.dtype, out);
}
Status run_heaviside(OpContext&, const Tensor& a, const Tensor& b, Tensor& out) {
  constexpr auto fn = [](auto x, auto y) { return x == 0 ? y : decltype(y)(x > 0); };
  return elementwise<kReals, fn, 2>(out.dtype, {&a, &b}, out);
}

// The neighbours of a half type are not float32's, so they are found among its bits.
Status infer_nextafter(const Tensor& a, const Tensor& b, TensorMeta& out) { return Binary<kFloats, kDivide, Dtype::kSame>::infer(a, b, out); }
template <auto Narrow>
constexpr auto kNextHalf = [](auto x, auto y) {
  if (is_nan(x) || is_nan(y)) return x + y;
  if (x == y) return y;
  auto half = Narrow(float(x));
  if (x == 0) half.bits = y > 0 ? 1 : 0x8001;
  else half.bits = uint16_t((x < y) == (x > 0) ? half.bits + 1 : half.bits - 1);
  return decltype(x)(to_float(half));
};
Status run_nextafter(OpContext&, const Tensor& a, const Tensor& b, Tensor& out) {
  if (out.dtype == DType::kBF16) return elementwise<kF32, kNextHalf<to_bf16>, 2>(out.dtype, {&a, &b}, out);
  if (out.dtype == DType::kF16) return elementwise<kF32, kNextHalf<to_f16>, 2>(out.dtype, {&a, &b}, out);
  return elementwise<kFloats, [](auto x, auto y) { return std::nextafter(x, y); }, 2>(out.dtype, {&a, &b}, out);
}

// ---- three operands

Status infer_where(const Tensor& condition, const Tensor& a, const Tensor& b, TensorMeta& out) {
  if (condition.dtype != DType::kBool && condition.dtype != DType::kU8) return invalid_argument("where: the condition must be bool");
  const DType common = result_type(a, b);
  GLINT_TRY(check_kind(kAny, common));
  return set_broadcast(condition, a, b, common, out);
}
constexpr auto kSelect = [](auto c, auto a, auto b) { return is_zero(c) ? b : a; };
Status run_where(OpContext&, const Tensor& condition, const Tensor& a, const Tensor& b, Tensor& out) {
  return elementwise<kAny, kSelect, 3>(out.dtype, {&condition, &a, &b}, out, {}, Operands::kKept);
}

Status check_fill(DType self, DType value) {
  if (is_complex(value) && !is_complex(self)) return invalid_argument("masked_fill: a complex value does not fit a real tensor");
  return check_kind(kAny, self);
}
Status infer_masked_fill(const Tensor& self, const Tensor& mask, Scalar value, TensorMeta& out) {
  if (mask.dtype != DType::kBool) return invalid_argument("masked_fill: the mask must be bool");
  GLINT_TRY(check_fill(self.dtype, value.dtype()));
  return set_broadcast(self, mask, self.dtype, out);
}
Status run_masked_fill(OpContext&, const Tensor& self, const Tensor& mask, Scalar value, Tensor& out) {
  return elementwise<kAny, kSelect, 3>(out.dtype, {&mask, &Number(value).tensor(), &self}, out);
}
Status infer_masked_fill_tensor(const Tensor& self, const Tensor& mask, const Tensor& value, TensorMeta& out) {
  if (mask.dtype != DType::kBool) return invalid_argument("masked_fill: the mask must be bool");
  if (value.rank != 0) return invalid_argument("masked_fill: the value must have no dimensions");
  GLINT_TRY(check_fill(self.dtype, value.dtype));
  return set_broadcast(self, mask, self.dtype, out);
}
Status run_masked_fill_tensor(OpContext&, const Tensor& self, const Tensor& mask, const Tensor& value, Tensor& out) {
  return elementwise<kAny, kSelect, 3>(out.dtype, {&mask, &value, &self}, out);
}

Status infer_addcmul(const Tensor& self, const Tensor& a, const Tensor& b, Scalar, TensorMeta& out) {
  const DType common = result_type(self, a, b);
  GLINT_TRY(check_kind(kArithmetic, common));
  return set_broadcast(self, a, b, common, out);
}
Status run_addcmul(OpContext&, const Tensor& self, const Tensor& a, const Tensor& b, Scalar value, Tensor& out) {
  constexpr auto fn = [](auto x, auto y, auto z, const Params& p) { return add(x, mul(mul(p.get<decltype(x)>(0), y), z)); };
  Params p;
  p.set(0, value);
  return elementwise<kArithmetic, fn, 3>(out.dtype, {&self, &a, &b}, out, p, Operands::kKept);
}
Status infer_addcdiv(const Tensor& self, const Tensor& a, const Tensor& b, Scalar, TensorMeta& out) {
  if (result_type(a, b) != to_inexact(result_type(a, b))) return invalid_argument("addcdiv: integers are not divided");
  const DType common = result_type(self, a, b);
  GLINT_TRY(check_kind(kInexact, common));
  return set_broadcast(self, a, b, common, out);
}
Status run_addcdiv(OpContext&, const Tensor& self, const Tensor& a, const Tensor& b, Scalar value, Tensor& out) {
  constexpr auto fn = [](auto x, auto y, auto z, const Params& p) { return x + p.get<decltype(x)>(0) * y / z; };
  Params p;
  p.set(0, value);
  return elementwise<kInexact, fn, 3>(out.dtype, {&self, &a, &b}, out, p, Operands::kKept);
}

// Exact at both ends.
constexpr auto kLerp = [](auto a, auto b, auto w) {
  using T = decltype(a);
  if constexpr (kIsComplex<T>) return abs(w) < 0.5 ? a + w * (b - a) : b - (b - a) * (c128{1, 0} - w);
  else return std::fabs(w) < T(0.5) ? a + w * (b - a) : b - (b - a) * (1 - w);
};
Status infer_lerp_scalar(const Tensor& a, const Tensor& b, Scalar, TensorMeta& out) {
  if (a.dtype != b.dtype) return invalid_argument("lerp: self and end must have one dtype");
  GLINT_TRY(check_kind(kInexact, a.dtype));
  return set_broadcast(a, b, a.dtype, out);
}
Status run_lerp_scalar(OpContext&, const Tensor& a, const Tensor& b, Scalar w, Tensor& out) {
  return elementwise<kInexact, kLerp, 3>(out.dtype, {&a, &b, &Number(w).tensor()}, out, {}, Operands::kKept);
}
Status infer_lerp(const Tensor& a, const Tensor& b, const Tensor& w, TensorMeta& out) {
  if (a.dtype != b.dtype || (a.dtype != w.dtype && w.rank > 0)) return invalid_argument("lerp: self, end and weight must have one dtype");
  GLINT_TRY(check_kind(kInexact, a.dtype));
  return set_broadcast(a, b, w, a.dtype, out);
}
Status run_lerp(OpContext&, const Tensor& a, const Tensor& b, const Tensor& w, Tensor& out) {
  return elementwise<kInexact, kLerp, 3>(out.dtype, {&a, &b, &w}, out, {}, Operands::kKept);
}

Status infer_prelu(const Tensor& self, const Tensor& weight, TensorMeta& out) {
  if (self.dtype != weight.dtype) return invalid_argument("prelu: self and weight must have one dtype");
  GLINT_TRY(check_kind(kFloats, self.dtype));
  return set_broadcast(self, weight, self.dtype, out);
}
Status run_prelu(OpContext&, const Tensor& self, const Tensor& weight, Tensor& out) {
  return elementwise<kFloats, [](auto x, auto w) { return (x > 0 ? x : w * x); }, 2>(out.dtype, {&self, &weight}, out);
}

Status infer_complex(const Tensor& re, const Tensor& im, TensorMeta& out) {
  if (re.dtype != im.dtype || (re.dtype != DType::kF32 && re.dtype != DType::kF64)) return invalid_argument("the parts must both be float32 or float64");
  return set_broadcast(re, im, re.dtype == DType::kF64 ? DType::kC128 : DType::kC64, out);
}
Status run_complex(OpContext&, const Tensor& re, const Tensor& im, Tensor& out) {
  return elementwise<kFloats, [](auto x, auto y) { return c128{x, y}; }, 2>(re.dtype, {&re, &im}, out);
}
Status run_polar(OpContext&, const Tensor& length, const Tensor& angle, Tensor& out) {
  return elementwise<kFloats, [](auto r, auto a) { return c128{r * std::cos(double(a)), r * std::sin(double(a))}; }, 2>(length.dtype, {&length, &angle}, out);
}

#define GLINT_BINARY(name, kinds, rule, expression)                                                 \
  define<"aten::" name "(Tensor self, Tensor other) -> Tensor", Binary<kinds, [](auto a, auto b) {  \
    using T [[maybe_unused]] = decltype(a);                                                         \
    return (expression);                                                                            \
  }, rule>>("aten::" name ".out")

constexpr auto kCopysign = [](auto a, auto b) { return std::copysign(a, b); };
constexpr auto kXlogy = [](auto a, auto b) { return xlogy(a, b); };
constexpr auto kXlog1py = [](auto a, auto b) { return xlog1py(a, b); };

constexpr OpDef kDefs[] = {
    define_op<"aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", Add::infer, Add::run>("aten::add.out", kInPlace),
    define_op<"aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", Add::infer_scalar, Add::run_scalar>("aten::add.Scalar_out", kInPlace),
    define_op<"aten::sub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", Sub::infer, Sub::run>("aten::sub.out", kInPlace),
    define_op<"aten::sub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", Sub::infer_scalar, Sub::run_scalar>("aten::sub.Scalar_out", kInPlace),
    define_op<"aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor", Rsub::infer, Rsub::run>("aten::rsub.Tensor_out", kInPlace),
    define_op<"aten::rsub.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor", Rsub::infer_scalar, Rsub::run_scalar>("aten::rsub.Scalar_out", kInPlace),
    define_op<"aten::mul.Tensor(Tensor self, Tensor other) -> Tensor", infer_mul, run_mul>("aten::mul.out", kInPlace),
    define_op<"aten::mul.Scalar(Tensor self, Scalar other) -> Tensor", infer_mul_scalar, run_mul_scalar>("aten::mul.Scalar_out", kInPlace),
    define_op<"aten::div.Tensor(Tensor self, Tensor other) -> Tensor", infer_div, run_div>("aten::div.out", kInPlace),
    define_op<"aten::div.Scalar(Tensor self, Scalar other) -> Tensor", infer_div_scalar, run_div_scalar>("aten::div.Scalar_out", kInPlace),
    define_op<"aten::div.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor", infer_div_mode, run_div_mode>("aten::div.out_mode", kInPlace),
    define_op<"aten::div.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor", infer_div_scalar_mode, run_div_scalar_mode>(
        "aten::div.Scalar_mode_out", kInPlace),
    define_op<"aten::floor_divide(Tensor self, Tensor other) -> Tensor", FloorDivide::infer, FloorDivide::run>("aten::floor_divide.out", kInPlace),
    define_op<"aten::floor_divide.Scalar(Tensor self, Scalar other) -> Tensor", FloorDivide::infer_scalar, FloorDivide::run_scalar>(
        "aten::floor_divide.Scalar_out", kInPlace),
    define_op<"aten::remainder.Tensor(Tensor self, Tensor other) -> Tensor", Remainder::infer, Remainder::run>("aten::remainder.Tensor_out", kInPlace),
    define_op<"aten::remainder.Scalar(Tensor self, Scalar other) -> Tensor", Remainder::infer_scalar, Remainder::run_scalar>("aten::remainder.Scalar_out", kInPlace),
    define_op<"aten::remainder.Scalar_Tensor(Scalar self, Tensor other) -> Tensor", Remainder::infer_from, Remainder::run_from>(
        "aten::remainder.Scalar_Tensor_out", kInPlace),
    define_op<"aten::fmod.Tensor(Tensor self, Tensor other) -> Tensor", Fmod::infer, Fmod::run>("aten::fmod.Tensor_out", kInPlace),
    define_op<"aten::fmod.Scalar(Tensor self, Scalar other) -> Tensor", Fmod::infer_scalar, Fmod::run_scalar>("aten::fmod.Scalar_out", kInPlace),
    define_op<"aten::pow.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", infer_pow, run_pow>("aten::pow.Tensor_Tensor_out", kInPlace),
    define_op<"aten::pow.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", infer_pow_scalar, run_pow_scalar>("aten::pow.Tensor_Scalar_out", kInPlace),
    define_op<"aten::pow.Scalar(Scalar self, Tensor exponent) -> Tensor", infer_scalar_pow, run_scalar_pow>("aten::pow.Scalar_out", kInPlace),

    GLINT_BINARY("maximum", kReals, Dtype::kSame, maximum(a, b)),
    GLINT_BINARY("minimum", kReals, Dtype::kSame, minimum(a, b)),
    GLINT_BINARY("fmax", kReals, Dtype::kSame, (is_nan(a) ? b : is_nan(b) ? a : maximum(a, b))),
    GLINT_BINARY("fmin", kReals, Dtype::kSame, (is_nan(a) ? b : is_nan(b) ? a : minimum(a, b))),
    GLINT_BINARY("atan2", kFloats, Dtype::kInexact, std::atan2(a, b)),
    define<"aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor", Binary<kInexact, [](auto a, auto b) { return a * exp2(b); }, Dtype::kInexact>>("aten::ldexp.out", kInPlace),
    GLINT_BINARY("hypot", kFloats, Dtype::kSame, std::hypot(a, b)),
    GLINT_BINARY("logaddexp", kInexact, Dtype::kSame, logaddexp(a, b)),
    GLINT_BINARY("logaddexp2", kFloats, Dtype::kSame, logaddexp2(a, b)),
    define<"aten::gcd(Tensor self, Tensor other) -> Tensor", Divisors<gcd>>("aten::gcd.out"),
    define<"aten::lcm(Tensor self, Tensor other) -> Tensor", Divisors<lcm>>("aten::lcm.out"),
    define<"aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor", Binary<kFloats, kCopysign, Dtype::kInexact>>("aten::copysign.out", kInPlace),
    define<"aten::copysign.Scalar(Tensor self, Scalar other) -> Tensor", BinaryScalar<kFloats, kCopysign, Dtype::kInexact>>("aten::copysign.Scalar_out", kInPlace),
    define<"aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor", Binary<kFloats, kXlogy, Dtype::kInexact>>("aten::xlogy.OutTensor", kInPlace),
    define<"aten::xlogy.Scalar_Other(Tensor self, Scalar other) -> Tensor", BinaryScalar<kFloats, kXlogy, Dtype::kInexact>>("aten::xlogy.OutScalar_Other", kInPlace),
    define<"aten::xlogy.Scalar_Self(Scalar self, Tensor other) -> Tensor", ScalarBinary<kFloats, kXlogy, Dtype::kInexact>>("aten::xlogy.OutScalar_Self", kInPlace),
    define<"aten::special_xlog1py(Tensor self, Tensor other) -> Tensor", Binary<kFloats, kXlog1py, Dtype::kInexact>>("aten::special_xlog1py.out", kInPlace),
    define<"aten::special_xlog1py.other_scalar(Tensor self, Scalar other) -> Tensor", BinaryScalar<kFloats, kXlog1py, Dtype::kInexact>>(
        "aten::special_xlog1py.other_scalar_out", kInPlace),
    define<"aten::special_xlog1py.self_scalar(Scalar self, Tensor other) -> Tensor", ScalarBinary<kFloats, kXlog1py, Dtype::kInexact>>(
        "aten::special_xlog1py.self_scalar_out", kInPlace),
    define_op<"aten::heaviside(Tensor self, Tensor values) -> Tensor", infer_heaviside, run_heaviside>("aten::heaviside.out", kInPlace),
    define_op<"aten::nextafter(Tensor self, Tensor other) -> Tensor", infer_nextafter, run_nextafter>("aten::nextafter.out", kInPlace),
    define_op<"aten::complex(Tensor real, Tensor imag) -> Tensor", infer_complex, run_complex>("aten::complex.out"),
    define_op<"aten::polar(Tensor abs, Tensor angle) -> Tensor", infer_complex, run_polar>("aten::polar.out"),

    define_op<"aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", infer_clamp, run_clamp>("aten::clamp.out", kInPlace),
    define_op<"aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor", infer_clamp_tensor, run_clamp_tensor>("aten::clamp.Tensor_out", kInPlace),
    define_op<"aten::clamp_min(Tensor self, Scalar min) -> Tensor", infer_clamp_min, run_clamp_min>("aten::clamp_min.out", kInPlace),
    define<"aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor", Binary<kReals, kMaximum, Dtype::kSame>>("aten::clamp_min.Tensor_out", kInPlace),
    define_op<"aten::clamp_max(Tensor self, Scalar max) -> Tensor", infer_clamp_max, run_clamp_max>("aten::clamp_max.out", kInPlace),
    define<"aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor", Binary<kReals, kMinimum, Dtype::kSame>>("aten::clamp_max.Tensor_out", kInPlace),
    define_op<"aten::where.self(Tensor condition, Tensor self, Tensor other) -> Tensor", infer_where, run_where>("aten::where.self_out", kInPlace),
    define_op<"aten::masked_fill.Scalar(Tensor self, Tensor mask, Scalar value) -> Tensor", infer_masked_fill, run_masked_fill>(
        "aten::masked_fill.Scalar_out", kInPlace),
    define_op<"aten::masked_fill.Tensor(Tensor self, Tensor mask, Tensor value) -> Tensor", infer_masked_fill_tensor, run_masked_fill_tensor>(
        "aten::masked_fill.Tensor_out", kInPlace),
    define_op<"aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", infer_addcmul, run_addcmul>("aten::addcmul.out", kInPlace),
    define_op<"aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", infer_addcdiv, run_addcdiv>("aten::addcdiv.out", kInPlace),
    define_op<"aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor", infer_lerp_scalar, run_lerp_scalar>("aten::lerp.Scalar_out", kInPlace),
    define_op<"aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor", infer_lerp, run_lerp>("aten::lerp.Tensor_out", kInPlace),
    define_op<"aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor", infer_prelu, run_prelu>(""),
};

}  // namespace

extern constinit const OpFamily op_arithmetic{kDefs};

}  // namespace glint::ops
