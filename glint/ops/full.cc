// Tensors of one value: full, zeros, ones, empty and their relatives; fill.

#include "glint/ops/elementwise.h"

namespace glint::ops {
namespace {

using Bool = std::optional<bool>;
using Type = std::optional<DType>;
using Format = std::optional<MemoryFormat>;

Status fill(Scalar value, Tensor& out) {
  return elementwise<kAny, [](auto x) { return x; }, 1>(value.dtype(), {&Number(value).tensor()}, out);
}
Status fill_from(const Tensor& value, Tensor& out) {
  return elementwise<kAny, [](auto x) { return x; }, 1>(value.dtype, {&value}, out);
}

// Whether a dtype has room for the value. A negative number wraps into an unsigned dtype, as in PyTorch.
bool fits(Scalar v, DType d) {
  const double x = v.to_double();
  if (d == DType::kBool || x != x) return true;
  if (is_floating(d) || is_complex(d)) {
    const DType part = real_dtype(d);
    const double most = part == DType::kF16 ? 65504. : part == DType::kF64 ? std::numeric_limits<double>::max() : part == DType::kBF16 ? 0x1.fep127 : 0x1.fffffep127;
    return std::isinf(x) || std::fabs(x) <= most;
  }
  const double most = std::ldexp(1.0, int(dtype_size(d)) * 8 - !is_unsigned(d));
  if (dtype_size(d) == 8) return x <= most && x >= -most;  // the edges round
  return x < most && (is_unsigned(d) ? x > -most : x >= -most);
}

Status set_filled(Ints size, DType d, Scalar value, TensorMeta& out) {
  if (d == DType::kC32) return invalid_argument("complex32 is not computed with");
  if (!fits(value, d)) return invalid_argument("the value does not fit the dtype");
  return out.set(d, size) ? Status() : invalid_argument("the sizes are negative or too large");
}

constexpr DType kDefault = DType::kF32;
DType inferred(Scalar v) { return v.is_bool() ? DType::kBool : v.is_float() ? kDefault : DType::kI64; }

Status infer_full(Ints size, Scalar value, Type dtype, Ignored, Ignored, Bool, TensorMeta& out) {
  return set_filled(size, dtype.value_or(inferred(value)), value, out);
}
Status run_full(OpContext&, Ints, Scalar value, Type, Ignored, Ignored, Bool, Tensor& out) { return fill(value, out); }

Status infer_full_like(const Tensor& self, Scalar value, Type dtype, Ignored, Ignored, Bool, Format, TensorMeta& out) {
  return set_filled(self.sizes(), dtype.value_or(self.dtype), value, out);
}
Status run_full_like(OpContext&, const Tensor&, Scalar value, Type, Ignored, Ignored, Bool, Format, Tensor& out) { return fill(value, out); }

Status infer_new_full(const Tensor& self, Ints size, Scalar value, Type dtype, Ignored, Ignored, Bool, TensorMeta& out) {
  return set_filled(size, dtype.value_or(self.dtype), value, out);
}
Status run_new_full(OpContext&, const Tensor&, Ints, Scalar value, Type, Ignored, Ignored, Bool, Tensor& out) { return fill(value, out); }

// Value is 0 or 1. What `empty` gives is 0 too, so that programs stay deterministic.
template <int64_t Value>
struct Constant {
  static Status infer(Ints size, Type dtype, Ignored, Ignored, Bool, TensorMeta& out) {
    return set_filled(size, dtype.value_or(kDefault), Scalar::of(Value), out);
  }
  static Status run(OpContext&, Ints, Type, Ignored, Ignored, Bool, Tensor& out) { return fill(Scalar::of(Value), out); }
};
template <int64_t Value>
struct ConstantLike {
  static Status infer(const Tensor& self, Type dtype, Ignored, Ignored, Bool, Format, TensorMeta& out) {
    return set_filled(self.sizes(), dtype.value_or(self.dtype), Scalar::of(Value), out);
  }
  static Status run(OpContext&, const Tensor&, Type, Ignored, Ignored, Bool, Format, Tensor& out) { return fill(Scalar::of(Value), out); }
};
template <int64_t Value>
struct NewConstant {
  static Status infer(const Tensor& self, Ints size, Type dtype, Ignored, Ignored, Bool, TensorMeta& out) {
    return set_filled(size, dtype.value_or(self.dtype), Scalar::of(Value), out);
  }
  static Status run(OpContext&, const Tensor&, Ints, Type, Ignored, Ignored, Bool, Tensor& out) { return fill(Scalar::of(Value), out); }
};

Status infer_empty(Ints size, Type dtype, Ignored, Ignored, Bool, Format, TensorMeta& out) {
  return set_filled(size, dtype.value_or(kDefault), Scalar::of(int64_t(0)), out);
}
Status run_empty(OpContext&, Ints, Type, Ignored, Ignored, Bool, Format, Tensor& out) { return fill(Scalar::of(int64_t(0)), out); }

// The strides are a hint that the caller's layout may overrule.
Status infer_empty_strided(Ints size, Ints stride, Type dtype, Ignored, Ignored, Bool, TensorMeta& out) {
  if (size.size() != stride.size()) return invalid_argument("empty_strided: sizes and strides differ in number");
  return set_filled(size, dtype.value_or(kDefault), Scalar::of(int64_t(0)), out);
}
Status run_empty_strided(OpContext&, Ints, Ints, Type, Ignored, Ignored, Bool, Tensor& out) { return fill(Scalar::of(int64_t(0)), out); }
Status infer_new_empty_strided(const Tensor& self, Ints size, Ints stride, Type dtype, Ignored a, Ignored b, Bool pin, TensorMeta& out) {
  return infer_empty_strided(size, stride, dtype.value_or(self.dtype), a, b, pin, out);
}
Status run_new_empty_strided(OpContext&, const Tensor&, Ints, Ints, Type, Ignored, Ignored, Bool, Tensor& out) { return fill(Scalar::of(int64_t(0)), out); }

Status infer_scalar_tensor(Scalar value, Type dtype, Ignored, Ignored, Bool, TensorMeta& out) { return set_filled({}, dtype.value_or(kDefault), value, out); }
Status run_scalar_tensor(OpContext&, Scalar value, Type, Ignored, Ignored, Bool, Tensor& out) { return fill(value, out); }

Status infer_fill(const Tensor& self, Scalar value, TensorMeta& out) { return set_filled(self.sizes(), self.dtype, value, out); }
Status run_fill(OpContext&, const Tensor&, Scalar value, Tensor& out) { return fill(value, out); }
Status infer_fill_tensor(const Tensor& self, const Tensor& value, TensorMeta& out) {
  if (value.rank != 0) return invalid_argument("fill: the value must have no dimensions");
  if (value.dtype == DType::kC32 || self.dtype == DType::kC32) return invalid_argument("complex32 is not computed with");
  return set_like(self, self.dtype, out);
}
Status run_fill_tensor(OpContext&, const Tensor&, const Tensor& value, Tensor& out) { return fill_from(value, out); }

#define GLINT_OPTIONS "*, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"

constexpr OpDef kDefs[] = {
    define_op<"aten::full(SymInt[] size, Scalar fill_value, " GLINT_OPTIONS ") -> Tensor", infer_full, run_full>("aten::full.out"),
    define_op<"aten::full_like(Tensor self, Scalar fill_value, " GLINT_OPTIONS ", MemoryFormat? memory_format=None) -> Tensor", infer_full_like, run_full_like>(
        "aten::full_like.out"),
    define_op<"aten::new_full(Tensor self, SymInt[] size, Scalar fill_value, " GLINT_OPTIONS ") -> Tensor", infer_new_full, run_new_full>("aten::new_full.out"),
    define<"aten::zeros(SymInt[] size, " GLINT_OPTIONS ") -> Tensor", Constant<0>>("aten::zeros.out"),
    define<"aten::ones(SymInt[] size, " GLINT_OPTIONS ") -> Tensor", Constant<1>>("aten::ones.out"),
    define<"aten::zeros_like(Tensor self, " GLINT_OPTIONS ", MemoryFormat? memory_format=None) -> Tensor", ConstantLike<0>>("aten::zeros_like.out"),
    define<"aten::ones_like(Tensor self, " GLINT_OPTIONS ", MemoryFormat? memory_format=None) -> Tensor", ConstantLike<1>>("aten::ones_like.out"),
    define<"aten::empty_like(Tensor self, " GLINT_OPTIONS ", MemoryFormat? memory_format=None) -> Tensor", ConstantLike<0>>("aten::empty_like.out"),
    define<"aten::new_zeros(Tensor self, SymInt[] size, " GLINT_OPTIONS ") -> Tensor", NewConstant<0>>("aten::new_zeros.out"),
    define<"aten::new_ones(Tensor self, SymInt[] size, " GLINT_OPTIONS ") -> Tensor", NewConstant<1>>("aten::new_ones.out"),
    define<"aten::new_empty(Tensor self, SymInt[] size, " GLINT_OPTIONS ") -> Tensor", NewConstant<0>>("aten::new_empty.out"),
    define_op<"aten::empty.memory_format(SymInt[] size, " GLINT_OPTIONS ", MemoryFormat? memory_format=None) -> Tensor", infer_empty, run_empty>("aten::empty.out"),
    define_op<"aten::empty_strided(SymInt[] size, SymInt[] stride, " GLINT_OPTIONS ") -> Tensor", infer_empty_strided, run_empty_strided>(
        "aten::empty_strided.out"),
    define_op<"aten::new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, " GLINT_OPTIONS ") -> Tensor", infer_new_empty_strided,
              run_new_empty_strided>("aten::new_empty_strided.out"),
    define_op<"aten::scalar_tensor(Scalar s, " GLINT_OPTIONS ") -> Tensor", infer_scalar_tensor, run_scalar_tensor>("aten::scalar_tensor.out"),
    define_op<"aten::fill.Scalar(Tensor self, Scalar value) -> Tensor", infer_fill, run_fill>("aten::fill.Scalar_out"),
    define_op<"aten::fill.Tensor(Tensor self, Tensor value) -> Tensor", infer_fill_tensor, run_fill_tensor>("aten::fill.Tensor_out"),
};

}  // namespace

extern constinit const OpFamily op_full{kDefs};

}  // namespace glint::ops
