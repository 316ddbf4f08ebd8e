// Elementwise composites: activations, aliases, and functions that a few core operators give.

#include <cmath>

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

Value* self(X& x) { return x.tensor("self"); }

// ---- activations ----

Value* celu(X& x) {
  const double alpha = x.number("alpha");
  x.require(alpha != 0, "celu: alpha is zero");
  return x.op("aten::elu", {self(x), alpha, 1.0, 1 / alpha});
}

Value* hardsigmoid(X& x, Value* a) { return x.div(x.clamp(x.add(a, 3.0), 0.0, 6.0), 6.0); }

/// One slope for all, or one a channel (dimension 1).
Value* prelu(X& x) {
  Value* a = self(x);
  Value* w = x.tensor("weight");
  if (x.rank(w) == 1 && x.rank(a) >= 2) {
    Dims d(x.rank(a), Dim(1));
    d[1] = x.dim(w, 0);
    w = x.view(w, d);
  } else if (x.rank(a) == 0 && x.rank(w) == 1) {
    w = x.view(w, {});
  }
  return x.where(x.gt(a, 0), a, x.mul(w, a));
}

Value* glu(X& x) {
  Value* a = self(x);
  const int64_t axis = x.axis("dim", x.rank(a));
  const Dim n = x.dim(a, axis), half = floor_div(n, Dim(2));
  x.require(!n.is_static() || n.value() % 2 == 0, "glu: the halved dimension is odd");
  return x.mul(x.slice(a, axis, 0, half), x.sigmoid(x.slice(a, axis, half, n)));
}

Value* scaled_softplus(X& x) {
  const double beta = x.number("beta"), threshold = x.number("threshold");
  Value* a = self(x);
  Value* scaled = beta == 1 ? a : x.mul(a, beta);
  Value* y = x.unary("log1p", x.exp(scaled));
  return x.where(x.gt(scaled, threshold), a, beta == 1 ? y : x.div(y, beta));
}

// ---- numbers and kinds ----

Value* isclose(X& x) {
  Value* a = self(x);
  Value* b = x.tensor("other");
  const double rtol = x.number("rtol"), atol = x.number("atol");
  Value* close = x.eq(a, b);
  const bool real = is_floating(x.dtype_of(a)) || is_complex(x.dtype_of(a));
  if (x.flag("equal_nan") && real) close = x.logical_or(close, x.logical_and(x.unary("isnan", a), x.unary("isnan", b)));
  if (rtol == 0 && atol == 0) return close;
  if (!real) a = x.to(a, DType::kF32), b = x.to(b, DType::kF32);
  Value* allowed = x.add(x.abs(x.mul(b, rtol)), atol);
  Value* error = x.abs(x.sub(a, b));
  Value* finite = x.lt(error, INFINITY);  // false for NaN too
  return x.logical_or(close, x.logical_and(finite, x.le(error, allowed)));
}

Value* isfinite(X& x) {
  Value* a = self(x);
  if (!is_floating(x.dtype_of(a)) && !is_complex(x.dtype_of(a))) return x.full(x.dims(a), true, DType::kBool);
  return x.lt(x.abs(a), INFINITY);  // false for NaN too
}

Value* float_power(X& x, const Arg& a, const Arg& b) {
  const auto wide = [&](const Arg& v) -> Arg {
    if (!Expansion::is_tensor(v)) return v.to_double();
    return is_complex(v.value()->type.dtype) ? x.to(v.value(), DType::kC128) : x.to(v.value(), DType::kF64);
  };
  return x.pow(wide(a), wide(b));
}

Value* nan_to_num(X& x) {
  Value* a = self(x);
  const DType d = x.dtype_of(a);
  if (!is_floating(d)) return x.op("aten::clone", {a});
  const double most = d == DType::kF64 ? 0x1.fffffffffffffp1023 : d == DType::kF16 ? 65504.0 : d == DType::kBF16 ? 0x1.fep127 : 0x1.fffffep127;
  const auto given = [&](const char* name, double otherwise) { return x.has(name) ? x.number(name) : otherwise; };
  Value* y = x.where(x.unary("isnan", a), given("nan", 0), a);
  y = x.where(x.eq(y, INFINITY), given("posinf", most), y);
  return x.where(x.eq(y, -INFINITY), given("neginf", -most), y);
}

Value* log_ndtr(X& x) {
  Value* a = x.to_float(self(x));
  // erfcx keeps the tail; log1p keeps the other side.
  Value* t = x.mul(a, M_SQRT1_2);
  Value* tail = x.sub(x.log(x.div(x.unary("special_erfcx", x.neg(t)), 2.0)), x.square(t));
  return x.where(x.lt(a, 1.0), tail, x.unary("log1p", x.div(x.neg(x.unary("erfc", t)), 2.0)));
}

Value* mvlgamma(X& x) {
  Value* a = x.to_float(self(x));
  const int64_t p = x.integer("p");
  x.require(p >= 1 && p <= 1024, "mvlgamma: p is outside 1..1024");
  Value* sum = x.unary("lgamma", a);
  for (int64_t j = 1; j < p; ++j) sum = x.add(sum, x.unary("lgamma", x.sub(a, double(j) / 2)));
  return x.add(sum, double(p * (p - 1)) / 4 * std::log(M_PI));
}

/// Rounded to the grid of a quantized type and back. `scale` and `zero` are numbers or tensors shaped to go with a.
Value* fake_quantize(X& x, Value* a, const Arg& scale, const Arg& zero) {
  Value* steps = x.unary("round", x.add(x.div(a, scale), zero));
  return x.mul(x.sub(x.clamp(steps, double(x.integer("quant_min")), double(x.integer("quant_max"))), zero), scale);
}

Value* fake_quantize_channels(X& x) {
  Value* a = self(x);
  Dims d(x.rank(a), Dim(1));
  const int64_t axis = x.axis("axis", d.size());
  d.at(size_t(axis)) = x.dim(a, axis);
  return fake_quantize(x, a, x.view(x.tensor("scale"), d), x.view(x.to(x.tensor("zero_point"), x.dtype_of(a)), d));
}

Value* rrelu(X& x) {
  Value* a = self(x);
  const double lower = x.number("lower"), upper = x.number("upper");
  if (!x.flag("training")) return x.op("aten::leaky_relu", {a, (lower + upper) / 2});
  return x.ops("aten::rrelu_with_noise_functional", {a, a, lower, upper, true})[0];
}

Value* where_scalars(X& x) { return x.where(x.tensor("condition"), x.arg("self"), x.arg("other")); }

Value* max_of(X& x) { return x.maximum(self(x), x.tensor("other")); }
Value* min_of(X& x) { return x.minimum(self(x), x.tensor("other")); }

#define GLINT_UNARY_ALIAS(from, to) {"aten::" from "(Tensor self) -> Tensor", [](X& x) { return x.unary(to, self(x)); }}
#define GLINT_BINARY_ALIAS(from, to)                                                                                               \
  {"aten::" from ".Tensor(Tensor self, Tensor other) -> Tensor", [](X& x) { return x.op("aten::" to ".Tensor", {self(x), x.arg("other")}); }}, \
  {"aten::" from ".Scalar(Tensor self, Scalar other) -> Tensor", [](X& x) { return x.op("aten::" to ".Scalar", {self(x), x.arg("other")}); }}

Value* atan2_out(X& x) {
  Value* out = x.tensor("out");
  Value* angle = x.to(x.op("aten::atan2", {self(x), x.arg("other")}), x.dtype_of(out));
  x.require(x.dims(angle) == x.dims(out), "out must have the sizes of the result");
  x.write(out, angle);
  return angle;
}

constexpr Row kRows[] = {
    {"aten::relu6(Tensor self) -> Tensor", [](X& x) { return x.op("aten::hardtanh", {self(x), 0, 6}); }},
    {"aten::selu(Tensor self) -> Tensor", [](X& x) { return x.op("aten::elu", {self(x), 1.6732632423543772, 1.0507009873554805, 1.0}); }},
    {"aten::celu(Tensor self, Scalar alpha=1.0) -> Tensor", celu},
    {"aten::hardsigmoid(Tensor self) -> Tensor", [](X& x) { return hardsigmoid(x, self(x)); }},
    {"aten::hardswish(Tensor self) -> Tensor", [](X& x) { return x.mul(self(x), hardsigmoid(x, self(x))); }},
    {"aten::silu(Tensor self) -> Tensor", [](X& x) { return x.mul(self(x), x.sigmoid(self(x))); }},
    {"aten::mish(Tensor self) -> Tensor", [](X& x) { return x.mul(self(x), x.tanh(softplus(x, self(x)))); }},
    {"aten::log_sigmoid(Tensor self) -> Tensor", [](X& x) { return log_sigmoid(x, self(x)); }},
    {"aten::softplus(Tensor self, Scalar beta=1, Scalar threshold=20) -> Tensor", scaled_softplus},
    {"aten::hardshrink(Tensor self, Scalar lambd=0.5) -> Tensor",
     [](X& x) { return x.where(x.le(x.abs(self(x)), x.arg("lambd")), x.zero(x.dtype_of(self(x))), self(x)); }},
    {"aten::softshrink(Tensor self, Scalar lambd=0.5) -> Tensor", [](X& x) {
       return x.sub(self(x), x.clamp(self(x), -x.number("lambd"), x.number("lambd")));
     }},
    {"aten::threshold(Tensor self, Scalar threshold, Scalar value) -> Tensor",
     [](X& x) { return x.where(x.le(self(x), x.arg("threshold")), x.arg("value"), self(x)); }},
    {"aten::prelu(Tensor self, Tensor weight) -> Tensor", prelu},
    {"aten::_prelu_kernel(Tensor self, Tensor weight) -> Tensor",
     [](X& x) { return x.where(x.gt(self(x), 0), self(x), x.mul(x.tensor("weight"), self(x))); }},
    {"aten::rrelu(Tensor self, Scalar lower=0.125, Scalar upper=0.3333333333333333, bool training=False, Generator? generator=None) -> Tensor", rrelu},
    {"aten::glu(Tensor self, int dim=-1) -> Tensor", glu},

    {"aten::square(Tensor self) -> Tensor", [](X& x) { return x.pow(self(x), 2); }},
    {"aten::deg2rad(Tensor self) -> Tensor", [](X& x) { return x.mul(x.to_float(self(x)), M_PI / 180); }},
    {"aten::rad2deg(Tensor self) -> Tensor", [](X& x) { return x.mul(x.to_float(self(x)), 180 / M_PI); }},
    {"aten::isclose(Tensor self, Tensor other, float rtol=1e-05, float atol=1e-08, bool equal_nan=False) -> Tensor", isclose},
    {"aten::isfinite(Tensor self) -> Tensor", isfinite},
    {"aten::isreal(Tensor self) -> Tensor", [](X& x) {
       Value* a = self(x);
       if (!is_complex(x.dtype_of(a))) return x.full(x.dims(a), true, DType::kBool);
       return x.eq(x.select(x.unary("view_as_real", a), -1, 1), 0);
     }},
    {"aten::real(Tensor(a) self) -> Tensor(a)",
     [](X& x) { return is_complex(x.dtype_of(self(x))) ? x.select(x.unary("view_as_real", self(x)), -1, 0) : self(x); }},
    {"aten::imag(Tensor(a) self) -> Tensor(a)", [](X& x) { return x.select(x.unary("view_as_real", self(x)), -1, 1); }},
    {"aten::conj(Tensor(a) self) -> Tensor(a)", [](X& x) { return conj(x, self(x)); }},
    {"aten::conj_physical(Tensor self) -> Tensor", [](X& x) { return conj(x, self(x)); }},
    {"aten::_conj_physical(Tensor self) -> Tensor", [](X& x) { return conj(x, self(x)); }},
    {"aten::float_power.Tensor_Tensor(Tensor self, Tensor exponent) -> Tensor", [](X& x) { return float_power(x, x.arg("self"), x.arg("exponent")); }},
    {"aten::float_power.Tensor_Scalar(Tensor self, Scalar exponent) -> Tensor", [](X& x) { return float_power(x, x.arg("self"), x.arg("exponent")); }},
    {"aten::float_power.Scalar(Scalar self, Tensor exponent) -> Tensor", [](X& x) { return float_power(x, x.arg("self"), x.arg("exponent")); }},
    {"aten::nan_to_num(Tensor self, float? nan=None, float? posinf=None, float? neginf=None) -> Tensor", nan_to_num},
    {"aten::addcmul(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", [](X& x) {
       Value* p = x.mul(x.tensor("tensor1"), x.tensor("tensor2"));
       return x.add(self(x), x.number("value") == 1 ? p : x.mul(p, x.arg("value")));
     }},
    {"aten::addcdiv(Tensor self, Tensor tensor1, Tensor tensor2, *, Scalar value=1) -> Tensor", [](X& x) {
       Value* q = x.div(x.tensor("tensor1"), x.tensor("tensor2"));
       return x.add(self(x), x.number("value") == 1 ? q : x.mul(q, x.arg("value")));
     }},
    {"aten::lerp.Scalar(Tensor self, Tensor end, Scalar weight) -> Tensor",
     [](X& x) { return x.add(self(x), x.mul(x.sub(x.tensor("end"), self(x)), x.arg("weight"))); }},
    {"aten::lerp.Tensor(Tensor self, Tensor end, Tensor weight) -> Tensor",
     [](X& x) { return x.add(self(x), x.mul(x.sub(x.tensor("end"), self(x)), x.tensor("weight"))); }},
    {"aten::rsub.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
     [](X& x) { return x.op("aten::sub.Tensor", {x.arg("other"), x.arg("self"), x.arg("alpha")}); }},
    {"aten::ldexp.Tensor(Tensor self, Tensor other) -> Tensor", [](X& x) { return x.mul(self(x), x.pow(2.0, x.tensor("other"))); }},
    {"aten::special_ndtr(Tensor self) -> Tensor",
     [](X& x) { return x.mul(x.add(x.unary("erf", x.mul(x.to_float(self(x)), M_SQRT1_2)), 1.0), 0.5); }},
    {"aten::special_log_ndtr(Tensor self) -> Tensor", log_ndtr},
    {"aten::special_polygamma(int n, Tensor self) -> Tensor", [](X& x) { return x.op("aten::polygamma", {x.arg("n"), self(x)}); }},
    {"aten::mvlgamma(Tensor self, int p) -> Tensor", mvlgamma},
    {"aten::special_multigammaln(Tensor self, int p) -> Tensor", mvlgamma},

    {"aten::fake_quantize_per_tensor_affine(Tensor self, float scale, int zero_point, int quant_min, int quant_max) -> Tensor",
     [](X& x) { return fake_quantize(x, self(x), x.number("scale"), x.number("zero_point")); }},
    {"aten::fake_quantize_per_tensor_affine.tensor_qparams(Tensor self, Tensor scale, Tensor zero_point, int quant_min, int quant_max) -> Tensor",
     [](X& x) { return fake_quantize(x, self(x), x.tensor("scale"), x.to(x.tensor("zero_point"), x.dtype_of(self(x)))); }},
    {"aten::fake_quantize_per_channel_affine(Tensor self, Tensor scale, Tensor zero_point, int axis, int quant_min, int quant_max) -> Tensor",
     fake_quantize_channels},

    {"aten::where.Scalar(Tensor condition, Scalar self, Scalar other) -> Tensor", where_scalars},
    {"aten::where.ScalarSelf(Tensor condition, Scalar self, Tensor other) -> Tensor", [](X& x) {
       // The number takes part in promotion as a number.
       const DType d = x.result_type({x.arg("self"), x.arg("other")});
       return x.where(x.tensor("condition"), x.scalar(d, x.number("self")), x.to(x.tensor("other"), d));
     }},
    {"aten::where.ScalarOther(Tensor condition, Tensor self, Scalar other) -> Tensor", [](X& x) {
       const DType d = x.result_type({x.arg("self"), x.arg("other")});
       return x.where(x.tensor("condition"), x.to(x.tensor("self"), d), x.scalar(d, x.number("other")));
     }},

    {"aten::zero(Tensor self) -> Tensor", [](X& x) { return x.op("aten::fill.Scalar", {self(x), 0}); }},
    {"aten::max.other(Tensor self, Tensor other) -> Tensor", max_of},
    {"aten::min.other(Tensor self, Tensor other) -> Tensor", min_of},
    GLINT_BINARY_ALIAS("__and__", "bitwise_and"), GLINT_BINARY_ALIAS("__or__", "bitwise_or"), GLINT_BINARY_ALIAS("__xor__", "bitwise_xor"),
    GLINT_BINARY_ALIAS("divide", "div"), GLINT_BINARY_ALIAS("true_divide", "div"), GLINT_BINARY_ALIAS("multiply", "mul"),
    GLINT_BINARY_ALIAS("greater", "gt"), GLINT_BINARY_ALIAS("greater_equal", "ge"), GLINT_BINARY_ALIAS("less", "lt"),
    GLINT_BINARY_ALIAS("less_equal", "le"), GLINT_BINARY_ALIAS("not_equal", "ne"),
    {"aten::divide.Tensor_mode(Tensor self, Tensor other, *, str? rounding_mode) -> Tensor",
     [](X& x) { return x.op("aten::div.Tensor_mode", {self(x), x.arg("other"), x.arg("rounding_mode")}); }},
    {"aten::divide.Scalar_mode(Tensor self, Scalar other, *, str? rounding_mode) -> Tensor",
     [](X& x) { return x.op("aten::div.Scalar_mode", {self(x), x.arg("other"), x.arg("rounding_mode")}); }},
    {"aten::subtract.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
     [](X& x) { return x.op("aten::sub.Tensor", {self(x), x.arg("other"), x.arg("alpha")}); }},
    {"aten::subtract.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
     [](X& x) { return x.op("aten::sub.Scalar", {self(x), x.arg("other"), x.arg("alpha")}); }},
    {"aten::clip(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor", [](X& x) { return x.clamp(self(x), x.arg("min"), x.arg("max")); }},
    {"aten::clip.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor",
     [](X& x) { return x.op("aten::clamp.Tensor", {self(x), x.arg("min"), x.arg("max")}); }},
    {"aten::clamp.Tensor(Tensor self, Tensor? min=None, Tensor? max=None) -> Tensor", [](X& x) {
       Value* y = self(x);
       if (x.has("min")) y = x.maximum(y, x.tensor("min"));
       return x.has("max") ? x.minimum(y, x.tensor("max")) : y;
     }},
    {"aten::clamp_min.Tensor(Tensor self, Tensor min) -> Tensor", [](X& x) { return x.maximum(self(x), x.tensor("min")); }},
    {"aten::clamp_max.Tensor(Tensor self, Tensor max) -> Tensor", [](X& x) { return x.minimum(self(x), x.tensor("max")); }},
    {"aten::clamp_min(Tensor self, Scalar min) -> Tensor", [](X& x) { return x.clamp(self(x), x.arg("min")); }},
    {"aten::clamp_max(Tensor self, Scalar max) -> Tensor", [](X& x) { return x.clamp(self(x), {}, x.arg("max")); }},
    GLINT_UNARY_ALIAS("absolute", "abs"), GLINT_UNARY_ALIAS("negative", "neg"), GLINT_UNARY_ALIAS("fix", "trunc"),
    GLINT_UNARY_ALIAS("arccos", "acos"), GLINT_UNARY_ALIAS("arccosh", "acosh"), GLINT_UNARY_ALIAS("arcsin", "asin"),
    GLINT_UNARY_ALIAS("arcsinh", "asinh"), GLINT_UNARY_ALIAS("arctan", "atan"), GLINT_UNARY_ALIAS("arctanh", "atanh"),
    {"aten::arctan2(Tensor self, Tensor other) -> Tensor", [](X& x) { return x.op("aten::atan2", {self(x), x.arg("other")}); }},
    GLINT_UNARY_ALIAS("special_erf", "erf"), GLINT_UNARY_ALIAS("special_erfc", "erfc"), GLINT_UNARY_ALIAS("special_erfinv", "erfinv"),
    GLINT_UNARY_ALIAS("special_exp2", "exp2"), GLINT_UNARY_ALIAS("special_expm1", "expm1"), GLINT_UNARY_ALIAS("special_expit", "sigmoid"),
    GLINT_UNARY_ALIAS("special_digamma", "digamma"), GLINT_UNARY_ALIAS("special_psi", "digamma"), GLINT_UNARY_ALIAS("special_gammaln", "lgamma"),
    GLINT_UNARY_ALIAS("special_i0", "i0"), GLINT_UNARY_ALIAS("special_log1p", "log1p"), GLINT_UNARY_ALIAS("special_sinc", "sinc"),
    {"aten::special_round(Tensor self, *, int decimals=0) -> Tensor", [](X& x) { return x.op("aten::round.decimals", {self(x), x.arg("decimals")}); }},
    {"aten::special_logit(Tensor self, float? eps=None) -> Tensor", [](X& x) { return x.op("aten::logit", {self(x), x.arg("eps")}); }},
    {"aten::special_xlogy(Tensor self, Tensor other) -> Tensor", [](X& x) { return x.op("aten::xlogy.Tensor", {self(x), x.arg("other")}); }},
    {"aten::atan2.out(Tensor self, Tensor other, *, Tensor out) -> Tensor", atan2_out},
    {"aten::special_gammainc(Tensor self, Tensor other) -> Tensor", [](X& x) { return x.op("aten::igamma", {self(x), x.arg("other")}); }},
    {"aten::special_gammaincc(Tensor self, Tensor other) -> Tensor", [](X& x) { return x.op("aten::igammac", {self(x), x.arg("other")}); }},
};
#undef GLINT_UNARY_ALIAS
#undef GLINT_BINARY_ALIAS

}  // namespace

Value* conj(Expansion& x, Value* a) {
  const DType d = x.dtype_of(a);
  if (!is_complex(d)) return a;
  const DType part = d == DType::kC128 ? DType::kF64 : d == DType::kC32 ? DType::kF16 : DType::kF32;
  return x.unary("view_as_complex", x.mul(x.unary("view_as_real", a), x.builder().constant(part, {2}, {1, -1})));
}

Value* softplus(Expansion& x, Value* a) { return x.sub(x.relu(a), log_sigmoid(x, x.abs(a))); }

Value* log_sigmoid(Expansion& x, Value* a) {
  // min(a, 0) - log1p(exp(-|a|)): neither side overflows.
  return x.sub(x.clamp(a, {}, 0.0), x.unary("log1p", x.exp(x.neg(x.abs(a)))));
}

Rows pointwise_rows() { return kRows; }

}  // namespace glint::compiler
