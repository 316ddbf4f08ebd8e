// Sequences: arange, linspace, logspace, eye.

#include "glint/ops/elementwise.h"

namespace glint::ops {
namespace {

using Bool = std::optional<bool>;
using Type = std::optional<DType>;

/// out[i] = f(i), for a result of one dimension. F gives double or int64_t.
template <class F>
void generate(Tensor& out, F f) {
  using V = decltype(f(int64_t(0)));
  V tile[kernels::kTile];
  for (int64_t at = 0, n = out.numel(); at < n; at += kernels::kTile) {
    const int64_t m = std::min(kernels::kTile, n - at);
    for (int64_t i = 0; i < m; ++i) tile[i] = f(at + i);
    kernels::store<V>(out.dtype, static_cast<char*>(out.data) + at * out.stride[0] * int64_t(dtype_size(out.dtype)), out.stride[0], m, tile);
  }
}

// ---- arange

DType arange_dtype(Scalar start, Scalar end, Scalar step, Type dtype) {
  return dtype.value_or(start.is_float() || end.is_float() || step.is_float() ? DType::kF32 : DType::kI64);
}

Status infer_arange(Scalar start, Scalar end, Scalar step, Type dtype, Ignored, Ignored, Bool, TensorMeta& out) {
  const DType d = arange_dtype(start, end, step, dtype);
  if ((kind_of(d) & kNumbers) == 0) return invalid_argument("arange: the dtype must be an integer or a float");
  int64_t n = 0;
  if (d == DType::kI64 && !start.is_float() && !end.is_float() && !step.is_float()) {  // exact where doubles are not
    const int64_t a = start.to_int(), b = end.to_int(), s = step.to_int();
    int64_t span = 0;
    if (s == 0) return invalid_argument("arange: step must not be zero");
    if (s > 0 ? b < a : b > a) return invalid_argument("arange: end lies on the wrong side of start");
    if (__builtin_sub_overflow(b, a, &span) || span == INT64_MIN || s == INT64_MIN) return invalid_argument("arange: the range is too large");
    n = ceil_div(s > 0 ? span : -span, s > 0 ? s : -s);
  } else {
    const double a = start.to_double(), b = end.to_double(), s = step.to_double();
    if (s == 0) return invalid_argument("arange: step must not be zero");
    if (!std::isfinite(a) || !std::isfinite(b) || s != s) return invalid_argument("arange: the range must be finite");
    if (s > 0 ? b < a : b > a) return invalid_argument("arange: end lies on the wrong side of start");
    const double count = std::ceil((b - a) / s);
    if (!(count < 0x1p62)) return invalid_argument("arange: the range is too large");
    n = int64_t(count);
  }
  return out.set(d, {&n, 1}) ? Status() : invalid_argument("arange: the range is too large");
}
Status run_arange(OpContext&, Scalar start, Scalar, Scalar step, Type, Ignored, Ignored, Bool, Tensor& out) {
  if (kind_of(out.dtype) == kInts) {
    generate(out, [a = start.to_int(), s = step.to_int()](int64_t i) { return wrap_add(a, wrap_mul(s, i)); });
  } else {
    generate(out, [a = start.to_double(), s = step.to_double()](int64_t i) { return a + s * double(i); });
  }
  return {};
}

constexpr Scalar kZero = Scalar::of(int64_t(0)), kOne = Scalar::of(int64_t(1));
Status infer_arange_end(Scalar end, Type dtype, Ignored a, Ignored b, Bool pin, TensorMeta& out) { return infer_arange(kZero, end, kOne, dtype, a, b, pin, out); }
Status run_arange_end(OpContext& c, Scalar end, Type dtype, Ignored a, Ignored b, Bool pin, Tensor& out) {
  return run_arange(c, kZero, end, kOne, dtype, a, b, pin, out);
}
Status infer_arange_start(Scalar start, Scalar end, Type dtype, Ignored a, Ignored b, Bool pin, TensorMeta& out) {
  return infer_arange(start, end, kOne, dtype, a, b, pin, out);
}
Status run_arange_start(OpContext& c, Scalar start, Scalar end, Type dtype, Ignored a, Ignored b, Bool pin, Tensor& out) {
  return run_arange(c, start, end, kOne, dtype, a, b, pin, out);
}

// ---- linspace, logspace

Status set_steps(int64_t steps, Type dtype, TensorMeta& out) {
  if (steps < 0) return invalid_argument("the number of steps must not be negative");
  const DType d = dtype.value_or(DType::kF32);
  if ((kind_of(d) & kArithmetic) == 0) return invalid_argument("the dtype must be an integer, a float or complex");
  return out.set(d, {&steps, 1}) ? Status() : invalid_argument("the number of steps is too large");
}
/// Walks from both ends, so that the last element is `end` itself.
double spaced(double start, double end, int64_t i, int64_t n) {
  if (n == 1) return start;
  const double step = (end - start) / double(n - 1);
  return i < n / 2 ? start + step * double(i) : end - step * double(n - 1 - i);
}
/// Integer results run between integers of the result's dtype: -1 is 255 among bytes.
double as_end(DType d, double v) {
  if (kind_of(d) != kInts) return v;
  v = std::trunc(v);
  return d == DType::kU8 && v < 0 && v >= -255 ? v + 256 : v;
}
Status linspace(double start, double end, Tensor& out) {
  start = as_end(out.dtype, start), end = as_end(out.dtype, end);
  const int64_t n = out.numel();
  // Integers are cut, so the rounding before counts: PyTorch's linspace rounds once, its logspace each step.
  const double step = n > 1 ? (end - start) / double(n - 1) : 0;
  generate(out, [=](int64_t i) { return i < n / 2 || n == 1 ? std::fma(step, double(i), start) : std::fma(-step, double(n - 1 - i), end); });
  return {};
}
double number(Scalar s) { return s.to_double(); }
double number(const Tensor& t) { return kernels::load_one<double>(t.dtype, t.data, 0); }
Status check_point(Scalar) { return {}; }
Status check_point(const Tensor& t) {
  if (t.rank != 0) return invalid_argument("linspace: start and end must have no dimensions");
  return check_kind(kReals, t.dtype);
}

template <class A, class B>
struct Linspace {
  static Status infer(A start, B end, int64_t steps, Type dtype, Ignored, Ignored, Bool, TensorMeta& out) {
    GLINT_TRY(check_point(start));
    GLINT_TRY(check_point(end));
    return set_steps(steps, dtype, out);
  }
  static Status run(OpContext&, A start, B end, int64_t, Type, Ignored, Ignored, Bool, Tensor& out) { return linspace(number(start), number(end), out); }
};

template <class A, class B>
struct Logspace {
  static Status infer(A start, B end, int64_t steps, double, Type dtype, Ignored a, Ignored b, Bool pin, TensorMeta& out) {
    return Linspace<A, B>::infer(start, end, steps, dtype, a, b, pin, out);
  }
  static Status run(OpContext&, A start, B end, int64_t n, double base, Type, Ignored, Ignored, Bool, Tensor& out) {
    double a = number(start), b = number(end);
    if (n > 1) a = as_end(out.dtype, a), b = as_end(out.dtype, b);  // a single step keeps its fraction
    generate(out, [=](int64_t i) { return std::pow(base, spaced(a, b, i, n)); });
    return {};
  }
};

// ---- eye

Status infer_eye_m(int64_t n, int64_t m, Type dtype, Ignored, Ignored, Bool, TensorMeta& out) {
  const int64_t sizes[] = {n, m};
  const DType d = dtype.value_or(DType::kF32);
  if (kind_of(d) == 0) return invalid_argument("complex32 is not computed with");
  return out.set(d, sizes) ? Status() : invalid_argument("eye: the sizes are negative or too large");
}
Status run_eye_m(OpContext&, int64_t, int64_t, Type, Ignored, Ignored, Bool, Tensor& out) {
  constexpr auto same = [](auto x) { return x; };
  if (out.numel() == 0) return {};
  const Number zero(kZero), one(kOne);
  GLINT_TRY((elementwise<kInts, same, 1>(DType::kI64, {&zero.tensor()}, out)));
  Tensor diagonal = out;
  diagonal.rank = 1, diagonal.size[0] = std::min(out.size[0], out.size[1]), diagonal.stride[0] = out.stride[0] + out.stride[1];
  return elementwise<kInts, same, 1>(DType::kI64, {&one.tensor()}, diagonal);
}
Status infer_eye(int64_t n, Type dtype, Ignored a, Ignored b, Bool pin, TensorMeta& out) { return infer_eye_m(n, n, dtype, a, b, pin, out); }
Status run_eye(OpContext& c, int64_t n, Type dtype, Ignored a, Ignored b, Bool pin, Tensor& out) { return run_eye_m(c, n, n, dtype, a, b, pin, out); }

#define GLINT_OPTIONS "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"

constexpr OpDef kDefs[] = {
    define_op<"aten::arange(Scalar end, " GLINT_OPTIONS ") -> Tensor", infer_arange_end, run_arange_end>("aten::arange.out"),
    define_op<"aten::arange.start(Scalar start, Scalar end, " GLINT_OPTIONS ") -> Tensor", infer_arange_start, run_arange_start>(""),
    define_op<"aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, " GLINT_OPTIONS ") -> Tensor", infer_arange, run_arange>("aten::arange.start_out"),
    define<"aten::linspace(Scalar start, Scalar end, int steps, " GLINT_OPTIONS ") -> Tensor", Linspace<Scalar, Scalar>>("aten::linspace.out"),
    define<"aten::linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, " GLINT_OPTIONS ") -> Tensor", Linspace<const Tensor&, const Tensor&>>(
        "aten::linspace.Tensor_Tensor_out"),
    define<"aten::linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, " GLINT_OPTIONS ") -> Tensor", Linspace<const Tensor&, Scalar>>(
        "aten::linspace.Tensor_Scalar_out"),
    define<"aten::linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, " GLINT_OPTIONS ") -> Tensor", Linspace<Scalar, const Tensor&>>(
        "aten::linspace.Scalar_Tensor_out"),
    define<"aten::logspace(Scalar start, Scalar end, int steps, float base=10., " GLINT_OPTIONS ") -> Tensor", Logspace<Scalar, Scalar>>("aten::logspace.out"),
    define<"aten::logspace.Tensor_Tensor(Tensor start, Tensor end, int steps, float base=10., " GLINT_OPTIONS ") -> Tensor",
           Logspace<const Tensor&, const Tensor&>>("aten::logspace.Tensor_Tensor_out"),
    define<"aten::logspace.Tensor_Scalar(Tensor start, Scalar end, int steps, float base=10., " GLINT_OPTIONS ") -> Tensor", Logspace<const Tensor&, Scalar>>(
        "aten::logspace.Tensor_Scalar_out"),
    define<"aten::logspace.Scalar_Tensor(Scalar start, Tensor end, int steps, float base=10., " GLINT_OPTIONS ") -> Tensor", Logspace<Scalar, const Tensor&>>(
        "aten::logspace.Scalar_Tensor_out"),
    define_op<"aten::eye(SymInt n, " GLINT_OPTIONS ") -> Tensor", infer_eye, run_eye>("aten::eye.out"),
    define_op<"aten::eye.m(SymInt n, SymInt m, " GLINT_OPTIONS ") -> Tensor", infer_eye_m, run_eye_m>("aten::eye.m_out"),
};

}  // namespace

extern constinit const OpFamily op_arange{kDefs};

}  // namespace glint::ops
