// Arithmetic on numbers (symbolic sizes), with Python's rules, and the numbers that tensors give:
// sizes and single elements.

#include "glint/ops/elementwise.h"

namespace glint::ops {
namespace {

constexpr Status kOverflow = invalid_argument("the integer result does not fit in 64 bits");
constexpr Status kByZero = invalid_argument("division by zero");

/// A bool counts as 0 or 1.
constexpr bool both_ints(Scalar a, Scalar b) { return !a.is_float() && !b.is_float(); }

Status to_integer(double x, Value& out) {
  if (!(x >= -0x1p63 && x < 0x1p63)) return kOverflow;
  out = Value::of(int64_t(x));
  return {};
}

Status add_numbers(Scalar a, Scalar b, Value& out) {
  if (!both_ints(a, b)) return out = Value::of(a.to_double() + b.to_double()), Status();
  int64_t v = 0;
  if (!checked_add(a.to_int(), b.to_int(), &v)) return kOverflow;
  return out = Value::of(v), Status();
}
Status sub_numbers(Scalar a, Scalar b, Value& out) {
  if (!both_ints(a, b)) return out = Value::of(a.to_double() - b.to_double()), Status();
  int64_t v = 0;
  if (__builtin_sub_overflow(a.to_int(), b.to_int(), &v)) return kOverflow;
  return out = Value::of(v), Status();
}
Status mul_numbers(Scalar a, Scalar b, Value& out) {
  if (!both_ints(a, b)) return out = Value::of(a.to_double() * b.to_double()), Status();
  int64_t v = 0;
  if (!checked_mul(a.to_int(), b.to_int(), &v)) return kOverflow;
  return out = Value::of(v), Status();
}

Status floor_mod(int64_t a, int64_t b, int64_t& out) {
  if (b == 0) return kByZero;
  out = b == -1 ? 0 : a % b;
  if (out != 0 && (out < 0) != (b < 0)) out += b;
  return {};
}
double floor_mod(double a, double b) {
  const double m = std::fmod(a, b);
  if (m == 0) return std::copysign(0.0, b);
  return (m < 0) != (b < 0) ? m + b : m;
}
Status mod_numbers(Scalar a, Scalar b, Value& out) {
  if (b.to_double() == 0) return kByZero;
  if (!both_ints(a, b)) return out = Value::of(floor_mod(a.to_double(), b.to_double())), Status();
  int64_t v = 0;
  GLINT_TRY(floor_mod(a.to_int(), b.to_int(), v));
  return out = Value::of(v), Status();
}
Status floordiv_numbers(Scalar a, Scalar b, Value& out) {
  if (b.to_double() == 0) return kByZero;
  if (!both_ints(a, b)) {
    const double x = a.to_double(), y = b.to_double(), q = (x - floor_mod(x, y)) / y;
    const double floored = std::floor(q);
    return out = Value::of(q - floored > 0.5 ? floored + 1 : floored), Status();
  }
  const int64_t x = a.to_int(), y = b.to_int();
  if (y == -1) return x == INT64_MIN ? kOverflow : (out = Value::of(-x), Status());
  return out = Value::of(x / y - int64_t(x % y != 0 && (x < 0) != (y < 0))), Status();
}
Status truediv_numbers(Scalar a, Scalar b, Value& out) {
  if (b.to_double() == 0) return kByZero;
  return out = Value::of(a.to_double() / b.to_double()), Status();
}

Status pow_numbers(Scalar a, Scalar b, Value& out) {
  if (!both_ints(a, b) || b.to_int() < 0) return out = Value::of(std::pow(a.to_double(), b.to_double())), Status();
  int64_t base = a.to_int(), result = 1;
  for (int64_t e = b.to_int(); e != 0;) {
    if ((e & 1) != 0 && !checked_mul(result, base, &result)) return kOverflow;
    if ((e >>= 1) != 0 && !checked_mul(base, base, &base)) return kOverflow;
  }
  return out = Value::of(result), Status();
}

int order(Scalar a, Scalar b) {  // -1, 0, 1; 2 when one is NaN
  if (both_ints(a, b)) return int(a.to_int() > b.to_int()) - int(a.to_int() < b.to_int());
  const double x = a.to_double(), y = b.to_double();
  return x != x || y != y ? 2 : int(x > y) - int(x < y);
}

Status neg_number(Scalar a, Value& out) {
  if (a.is_float()) return out = Value::of(-a.f), Status();
  if (a.to_int() == INT64_MIN) return kOverflow;
  return out = Value::of(-a.to_int()), Status();
}
Status abs_number(Scalar a, Value& out) {
  if (a.is_float()) return out = Value::of(std::fabs(a.f)), Status();
  return a.to_int() < 0 ? neg_number(a, out) : (out = Value::of(a.to_int()), Status());
}
template <auto Rounding>
Status rounded(Scalar a, Value& out) {
  return a.is_float() ? to_integer(Rounding(a.f), out) : (out = Value::of(a.to_int()), Status());
}
Status max_numbers(Scalar a, Scalar b, Value& out) { return out = Value::of(order(b, a) == 1 ? b : a), Status(); }
Status min_numbers(Scalar a, Scalar b, Value& out) { return out = Value::of(order(b, a) == -1 ? b : a), Status(); }
Status float_number(Scalar a, Value& out) { return out = Value::of(a.to_double()), Status(); }

// Numbers are computed by `run` alone: what a division by zero means is known only there.
template <auto F> struct TwoNumbers {
  static Status infer(Scalar, Scalar, Value&) { return {}; }
  static Status run(OpContext&, Scalar a, Scalar b, Value& out) { return F(a, b, out); }
};
template <auto F> struct OneNumber {
  static Status infer(Scalar, Value&) { return {}; }
  static Status run(OpContext&, Scalar a, Value& out) { return F(a, out); }
};
/// F: from `order` to the answer.
template <auto F> struct Comparison {
  static Status infer(Scalar, Scalar, bool&) { return {}; }
  static Status run(OpContext&, Scalar a, Scalar b, bool& out) { return out = F(order(a, b)), Status(); }
};

Status infer_mod(int64_t, int64_t, int64_t&) { return {}; }
Status run_mod(OpContext&, int64_t a, int64_t b, int64_t& out) { return floor_mod(a, b, out); }
Status infer_not(Scalar, bool&) { return {}; }
Status run_not(OpContext&, Scalar a, bool& out) { return out = !a.to_bool(), Status(); }
Status infer_ite(Scalar, Scalar, Scalar, Value&) { return {}; }
Status run_ite(OpContext&, Scalar c, Scalar a, Scalar b, Value& out) { return out = Value::of(c.to_bool() ? a : b), Status(); }

// ---- numbers from tensors

Status size_at(const Tensor& self, int64_t dim, int64_t& out) {
  const int d = wrap_dim(dim, self.rank);
  if (d < 0 || self.rank == 0) return invalid_argument("sym_size: dim is out of range");
  return out = self.size[size_t(d)], Status();
}
Status run_size_at(OpContext&, const Tensor& self, int64_t dim, int64_t& out) { return size_at(self, dim, out); }
Status stride_at(const Tensor& self, int64_t dim, int64_t& out) {
  const int d = wrap_dim(dim, self.rank);
  if (d < 0 || self.rank == 0) return invalid_argument("sym_stride: dim is out of range");
  return out = self.stride[size_t(d)], Status();
}
Status run_stride_at(OpContext&, const Tensor& self, int64_t dim, int64_t& out) { return stride_at(self, dim, out); }
Status count(const Tensor& self, int64_t& out) { return out = self.numel(), Status(); }
Status run_count(OpContext&, const Tensor& self, int64_t& out) { return count(self, out); }
// A value's memory begins with its first element, and as_strided counts from there.
Status offset_of(const Tensor&, int64_t& out) { return out = 0, Status(); }
Status run_offset_of(OpContext&, const Tensor& self, int64_t& out) { return offset_of(self, out); }
Status is_contiguous(const Tensor& self, MemoryFormat format, bool& out) {
  if (format == MemoryFormat::kContiguous || format == MemoryFormat::kPreserve) return out = self.is_contiguous(), Status();
  if (format != MemoryFormat::kChannelsLast && format != MemoryFormat::kChannelsLast3d) return invalid_argument("is_contiguous: no such memory_format");
  static constexpr uint8_t kLast[] = {0, 2, 3, 1}, kLast3d[] = {0, 2, 3, 4, 1};
  const std::span<const uint8_t> order = format == MemoryFormat::kChannelsLast ? std::span<const uint8_t>(kLast) : kLast3d;
  if (self.rank != order.size()) return out = false, Status();
  TensorMeta want = self;
  want.set_dim_order(order);
  out = true;
  for (size_t d = 0; d < self.rank; ++d) out = out && (self.size[d] == 1 || self.stride[d] == want.stride[d]);
  return {};
}
Status run_is_contiguous(OpContext&, const Tensor& self, MemoryFormat format, bool& out) { return is_contiguous(self, format, out); }

Status infer_item(const Tensor& self, Value&) {
  if (is_complex(self.dtype)) return invalid_argument("item: complex numbers are not supported");
  return self.numel() == 1 ? Status() : invalid_argument("item: the tensor must have one element");
}
Status run_item(OpContext&, const Tensor& self, Value& out) {
  if (is_floating(self.dtype)) out = Value::of(kernels::load_one<double>(self.dtype, self.data, 0));
  else if (self.dtype == DType::kBool) out = Value::of(kernels::load_one<bool>(self.dtype, self.data, 0));
  else out = Value::of(kernels::load_one<int64_t>(self.dtype, self.data, 0));
  return {};
}

#define GLINT_PRIM2(name, f, stock) define<"executorch_prim::" name ".Scalar(Scalar a, Scalar b) -> Scalar", TwoNumbers<f>>(stock)
#define GLINT_PRIM1(name, f, stock) define<"executorch_prim::" name ".Scalar(Scalar a) -> Scalar", OneNumber<f>>(stock)
#define GLINT_COMPARE(name, expression, stock) \
  define<"executorch_prim::" name ".Scalar(Scalar a, Scalar b) -> bool", Comparison<[](int o) { return (expression); }>>(stock)

constexpr auto kCeil = [](double x) { return std::ceil(x); };
constexpr auto kFloor = [](double x) { return std::floor(x); };
constexpr auto kTrunc = [](double x) { return std::trunc(x); };
constexpr auto kRound = [](double x) { return std::nearbyint(x); };

constexpr OpDef kDefs[] = {
    GLINT_PRIM2("add", add_numbers, "executorch_prim::add.Scalar"),
    GLINT_PRIM2("sub", sub_numbers, "executorch_prim::sub.Scalar"),
    GLINT_PRIM2("mul", mul_numbers, "executorch_prim::mul.Scalar"),
    GLINT_PRIM2("floordiv", floordiv_numbers, "executorch_prim::floordiv.Scalar"),
    GLINT_PRIM2("truediv", truediv_numbers, "executorch_prim::truediv.Scalar"),
    GLINT_PRIM2("sym_max", max_numbers, "executorch_prim::sym_max.Scalar"),
    GLINT_PRIM2("sym_min", min_numbers, "executorch_prim::sym_min.Scalar"),
    GLINT_PRIM2("pow", pow_numbers, ""),
    GLINT_PRIM2("mod_float", mod_numbers, ""),
    define_op<"executorch_prim::mod.Scalar(SymInt a, SymInt b) -> SymInt", infer_mod, run_mod>("executorch_prim::mod.Scalar"),
    GLINT_COMPARE("eq", o == 0, "executorch_prim::eq.Scalar"),
    GLINT_COMPARE("ne", o != 0, ""),
    GLINT_COMPARE("gt", o == 1, "executorch_prim::gt.Scalar"),
    GLINT_COMPARE("lt", o == -1, "executorch_prim::lt.Scalar"),
    GLINT_COMPARE("ge", o == 1 || o == 0, "executorch_prim::ge.Scalar"),
    GLINT_COMPARE("le", o == -1 || o == 0, "executorch_prim::le.Scalar"),
    GLINT_PRIM1("neg", neg_number, "executorch_prim::neg.Scalar"),
    GLINT_PRIM1("abs", abs_number, ""),
    GLINT_PRIM1("ceil", rounded<kCeil>, "executorch_prim::ceil.Scalar"),
    GLINT_PRIM1("floor", rounded<kFloor>, ""),
    GLINT_PRIM1("trunc", rounded<kTrunc>, "executorch_prim::trunc.Scalar"),
    GLINT_PRIM1("round", rounded<kRound>, "executorch_prim::round.Scalar"),
    GLINT_PRIM1("sym_float", float_number, "executorch_prim::sym_float.Scalar"),
    GLINT_PRIM1("sym_int", rounded<kTrunc>, "executorch_prim::sym_int.Scalar"),
    define_op<"executorch_prim::sym_not.Scalar(Scalar a) -> bool", infer_not, run_not>("executorch_prim::sym_not.Scalar"),
    define_op<"executorch_prim::sym_ite.Scalar(Scalar b, Scalar t, Scalar f) -> Scalar", infer_ite, run_ite>("executorch_prim::sym_ite.Scalar"),

    define_op<"aten::sym_size.int(Tensor self, int dim) -> SymInt", size_at, run_size_at>("aten::sym_size.int"),
    define_op<"aten::sym_stride.int(Tensor self, int dim) -> SymInt", stride_at, run_stride_at>("aten::sym_stride.int"),
    define_op<"aten::sym_numel(Tensor self) -> SymInt", count, run_count>("aten::sym_numel"),
    define_op<"aten::sym_storage_offset(Tensor self) -> SymInt", offset_of, run_offset_of>("aten::sym_storage_offset"),
    define_op<"aten::sym_is_contiguous(Tensor self, MemoryFormat memory_format=contiguous_format) -> SymBool", is_contiguous, run_is_contiguous>(
        "aten::sym_is_contiguous"),
    define_op<"aten::_local_scalar_dense(Tensor self) -> Scalar", infer_item, run_item>("aten::_local_scalar_dense"),
    define_op<"aten::item(Tensor self) -> Scalar", infer_item, run_item>(""),
};

}  // namespace

extern constinit const OpFamily op_executorch_prim{kDefs};

}  // namespace glint::ops
