// What quantized models export: rounding to a grid of whole numbers, and back. PyTorch's own steps in its own order, so
// that no element falls on another whole number.

#include <limits>

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

// ---- one step ----

/// clamp(round(a * inverse) + zero); `inverse` and `zero` are numbers or tensors shaped to go with a.
Value* to_grid(X& x, Value* a, const Arg& inverse, const Arg& zero) {
  Value* steps = x.unary("round", x.mul(a, inverse));
  if (!zero.is_none()) steps = x.add(steps, zero);
  return x.clamp(steps, x.arg("quant_min"), x.arg("quant_max"));
}

Value* reciprocal(X& x, Value* scale) { return x.unary("reciprocal", scale); }

/// Halves are quantized as float32.
Value* wide(X& x, Value* a) { return x.dtype_of(a) == DType::kF64 ? a : x.to(a, DType::kF32); }

/// The element of a tensor that has one, as 0-d: it scales like a number.
Value* only(X& x, std::string_view name, DType dtype) { return x.view(x.to(x.tensor(name), dtype), {}); }

DType out_dtype(X& x, std::string_view name) { return x.dtype(name).value_or(DType::kF32); }

// ---- one scale for all ----

Value* quantize_tensor(X& x, const Arg& inverse, const Arg& zero) {
  return x.to(to_grid(x, wide(x, x.tensor("input")), inverse, zero), *x.dtype("dtype"));
}
Value* quantize_by_numbers(X& x) { return quantize_tensor(x, 1.0 / x.number("scale"), x.number("zero_point")); }
Value* quantize_by_tensors(X& x) {
  Value* inverse = x.to(reciprocal(x, only(x, "scale", DType::kF64)), DType::kF32);
  return quantize_tensor(x, inverse, only(x, "zero_point", DType::kF32));
}

Value* dequantize_tensor(X& x, const Arg& scale, const Arg& zero) {
  return x.mul(x.sub(x.to(x.tensor("input"), out_dtype(x, "out_dtype")), zero), scale);
}
Value* dequantize_by_numbers(X& x) { return dequantize_tensor(x, x.number("scale"), x.number("zero_point")); }
Value* dequantize_by_tensors(X& x) {
  const DType d = out_dtype(x, "out_dtype");
  return dequantize_tensor(x, only(x, "scale", d), only(x, "zero_point", d));
}

// ---- one scale a channel, row or group ----

/// A tensor of one element a channel, shaped to go with `a`.
Value* by_channel(X& x, Value* v, Value* a) {
  Dims d(x.rank(a), Dim(1));
  d[size_t(x.axis("axis", d.size()))] = x.dim(v, 0);
  return x.view(v, d);
}

Value* quantize_channels(X& x) {
  Value* a = wide(x, x.tensor("input"));
  Value* inverse = by_channel(x, reciprocal(x, x.tensor("scales")), a);
  return x.to(to_grid(x, a, inverse, by_channel(x, x.tensor("zero_points"), a)), *x.dtype("dtype"));
}

Value* dequantize(X& x, Value* a, Value* scale, Value* zero, DType dtype) {
  return x.to(x.mul(zero == nullptr ? a : x.sub(a, zero), scale), dtype);
}

Value* dequantize_channels(X& x) {
  Value* a = x.tensor("input");
  Value* zero = x.has("zero_points") ? by_channel(x, x.tensor("zero_points"), a) : nullptr;
  return dequantize(x, a, by_channel(x, x.tensor("scales"), a), zero, out_dtype(x, "out_dtype"));
}

/// As PyTorch does for rows and groups, the zero point is added before rounding.
Value* round_after_shift(X& x, Value* a, Value* scales, Value* zeros) {
  Value* steps = x.unary("round", x.add(x.mul(a, reciprocal(x, scales)), zeros));
  return x.to(x.clamp(steps, x.arg("quant_min"), x.arg("quant_max")), *x.dtype("dtype"));
}

Value* quantize_rows(X& x) { return round_after_shift(x, x.tensor("input"), x.tensor("scales"), x.tensor("zero_points")); }
Value* dequantize_rows(X& x) {
  return dequantize(x, x.tensor("input"), x.tensor("scales"), x.tensor("zero_points"), out_dtype(x, "output_dtype"));
}

/// [rows, columns] as [groups, group_size].
Value* groups(X& x, Value* a) {
  const Dim columns = x.dim(a, 1), size = Dim(std::min(x.integer("group_size"), x.known(columns, "the number of columns")));
  return x.view(a, {floor_div(x.product(x.dims(a)), size), size});
}
Value* column(X& x, Value* v) { return x.view(v, {x.product(x.dims(v)), Dim(1)}); }

Value* quantize_groups(X& x) {
  Value* a = x.tensor("input");
  return x.view(round_after_shift(x, groups(x, a), column(x, x.tensor("scales")), column(x, x.tensor("zero_points"))), x.dims(a));
}
Value* dequantize_groups(X& x) {
  Value* a = x.tensor("input");
  Value* zeros = x.has("zero_points") ? column(x, x.tensor("zero_points")) : nullptr;
  return x.view(dequantize(x, groups(x, a), column(x, x.tensor("scales")), zeros, out_dtype(x, "output_dtype")), x.dims(a));
}

// ---- scales from the values ----

struct Range { Value* low; Value* high; };  // with zero inside

Range range_of(X& x, Value* a, const Axes& axes, bool keep) {
  return {x.clamp(x.amin(a, axes, keep), {}, 0.0), x.clamp(x.amax(a, axes, keep), 0.0, {})};
}

Values choose_for_tensor(X& x, bool symmetric) {
  Value* a = x.tensor("input");
  const double low = x.number("quant_min"), high = x.number("quant_max");
  const Range r = range_of(x, a, x.all_axes(a), false);
  Value* eps = x.builder().constant(DType::kF32, {1}, {x.number("eps")});
  Value* scale = symmetric ? x.div(x.maximum(x.neg(r.low), r.high), (high - low) / 2) : x.div(x.sub(r.high, r.low), high - low);
  scale = x.maximum(x.expand(x.view(x.to(scale, DType::kF32), {Dim(1)}), {Dim(1)}), eps);
  Value* zero = symmetric ? x.full({Dim(1)}, int64_t(x.dtype("dtype") == DType::kU8 ? 128 : 0), DType::kI64)
                          : x.to(x.clamp(x.sub(low, x.unary("round", x.div(x.view(r.low, {Dim(1)}), scale))), low, high), DType::kI64);
  return {x.to(scale, DType::kF64), zero};
}

Values choose_for_rows(X& x) {
  Value* a = x.tensor("input");
  x.require(x.dtype("dtype") == DType::kI8, "choose_qparams_per_token: only for int8");
  Value* most = x.amax(x.abs(a), {-1}, true);
  if (x.dtype_of(most) == DType::kF16) most = x.to(most, DType::kF32);
  Value* scale = x.to(x.div(x.clamp(most, 1e-5), 127.0), DType::kF64);
  return {scale, x.zeros(x.dims(scale), DType::kI64)};
}

Values choose_for_rows_asymmetric(X& x) {
  const double low = -128, high = 127;
  const Range r = range_of(x, x.tensor("input"), {-1}, true);
  Value* scale = x.clamp(x.div(x.sub(r.high, r.low), high - low), double(std::numeric_limits<float>::epsilon()));
  Value* from_low = x.div(r.low, scale);
  Value* from_high = x.div(r.high, scale);
  Value* error = x.add(x.add(from_low, low), x.add(from_high, high));
  Value* zero = x.where(x.gt(error, 0), x.sub(low, from_low), x.sub(high, from_high));
  return {x.to(scale, DType::kF64), x.to(x.unary("round", x.clamp(zero, low, high)), DType::kI64)};
}

// ---- torchao: one scale a block, whose size along every dimension is given ----

struct Blocks {
  Dims split;   // every dimension that blocks divide, as number of blocks and block
  Dims scales;  // the same with 1 for a block
  Axes within;  // the dimensions of a block
};

Blocks blocks_of(X& x, Value* a) {
  Blocks b;
  const Dims sizes = x.sizes("block_size");
  x.require(sizes.size() == x.rank(a), "as many block sizes as dimensions");
  const auto inside = [&](const Dim& d) {
    b.within.push_back(int64_t(b.split.size()));
    b.split.push_back(d);
    b.scales.push_back(Dim(1));
  };
  for (size_t i = 0; i < sizes.size(); ++i) {
    const Dim& size = x.dims(a)[i];
    if (sizes[i] == size && !(size == Dim(1))) {
      inside(size);
      continue;
    }
    b.split.push_back(floor_div(size, sizes[i]));
    b.scales.push_back(b.split.back());
    if (!(sizes[i] == Dim(1))) inside(sizes[i]);
  }
  return b;
}

struct Limits { double low, high; };

Limits limits(X& x, DType d) {
  const bool narrow = d == DType::kI8 || d == DType::kU8;
  x.require(narrow || (x.has("quant_min") && x.has("quant_max")), "the smallest and the largest whole number are not given");
  return {x.has("quant_min") ? x.number("quant_min") : d == DType::kI8 ? -128.0 : 0.0,
          x.has("quant_max") ? x.number("quant_max") : d == DType::kI8 ? 127.0 : 255.0};
}

Value* zero_of_blocks(X& x, const Blocks& b) {
  Value* zero = x.maybe("zero_point");
  return zero == nullptr || x.product(x.dims(zero)) == Dim(0) ? nullptr : x.view(zero, b.scales);
}

Value* quantize_blocks(X& x) {
  Value* a = x.tensor("input");
  const Blocks b = blocks_of(x, a);
  const Limits l = limits(x, *x.dtype("output_dtype"));
  Value* steps = x.unary("round", x.mul(x.view(a, b.split), reciprocal(x, x.view(x.tensor("scale"), b.scales))));
  if (Value* zero = zero_of_blocks(x, b)) steps = x.add(steps, zero);
  return x.to(x.view(x.clamp(steps, l.low, l.high), x.dims(a)), *x.dtype("output_dtype"));
}

Value* dequantize_blocks(X& x) {
  Value* a = x.tensor("input");
  const Blocks b = blocks_of(x, a);
  const DType d = out_dtype(x, "output_dtype");
  Value* y = x.view(x.to(a, d), b.split);
  if (Value* zero = zero_of_blocks(x, b)) y = x.sub(y, x.to(zero, d));
  return x.to(x.view(x.mul(y, x.view(x.tensor("scale"), b.scales)), x.dims(a)), d);
}

Values choose_for_blocks(X& x) {
  Value* a = x.tensor("input");
  const Blocks b = blocks_of(x, a);
  const Limits l = limits(x, *x.dtype("target_dtype"));
  const DType d = x.dtype_of(a);
  const double smallest = d == DType::kF16 ? 0x1p-14 : 0x1p-126, eps = x.has("eps") ? x.number("eps") : smallest;
  const bool keep = x.flag("keepdim");
  const Range r = range_of(x, x.view(a, b.split), b.within, keep);
  const std::string mapping = x.text("mapping_type");
  Value* scale = nullptr;
  Value* zero = nullptr;
  if (mapping == "ASYMMETRIC") {
    scale = x.clamp(x.div(x.sub(r.high, r.low), l.high - l.low), eps);
    zero = x.clamp(x.sub(l.low, x.unary("round", x.div(r.low, scale))), l.low, l.high);
  } else {
    x.require(mapping == "SYMMETRIC" || mapping == "SYMMETRIC_NO_CLIPPING_ERR", "the mapping is unknown");
    scale = mapping == "SYMMETRIC" ? x.div(x.maximum(x.neg(r.low), r.high), (l.high - l.low) / 2)
                                   : x.maximum(x.div(r.low, l.low), x.div(r.high, l.high));
    scale = x.clamp(scale, eps);
    zero = x.full(x.dims(scale), double(int64_t((l.high + l.low + 1) / 2)), d);
  }
  const auto shaped = [&](Value* v) {
    if (!keep) return v;
    Dims out;  // one a block, without the dimensions inside
    for (size_t i = 0; i < x.rank(a); ++i) out.push_back(floor_div(x.dims(a)[i], x.sizes("block_size")[i]));
    return x.view(v, out);
  };
  const DType whole = x.dtype("zero_point_dtype").value_or(mapping == "ASYMMETRIC" ? DType::kI32 : d);
  return {x.to(shaped(scale), x.dtype("scale_dtype").value_or(d)), x.to(shaped(zero), whole)};
}

#define GLINT_QPARAMS "int quant_min, int quant_max"

constexpr Row kRows[] = {
    {"quantized_decomposed::quantize_per_tensor(Tensor input, float scale, int zero_point, " GLINT_QPARAMS ", "
     "ScalarType dtype) -> Tensor", quantize_by_numbers},
    {"quantized_decomposed::quantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, " GLINT_QPARAMS ", "
     "ScalarType dtype) -> Tensor", quantize_by_tensors},
    {"quantized_decomposed::dequantize_per_tensor(Tensor input, float scale, int zero_point, " GLINT_QPARAMS ", ScalarType dtype, *, "
     "ScalarType? out_dtype=None) -> Tensor",
     dequantize_by_numbers},
    {"quantized_decomposed::dequantize_per_tensor.tensor(Tensor input, Tensor scale, Tensor zero_point, " GLINT_QPARAMS ", "
     "ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
     dequantize_by_tensors},
    {"quantized_decomposed::quantize_per_channel(Tensor input, Tensor scales, Tensor zero_points, int axis, " GLINT_QPARAMS ", "
     "ScalarType dtype) -> Tensor", quantize_channels},
    {"quantized_decomposed::dequantize_per_channel(Tensor input, Tensor scales, Tensor? zero_points, int axis, " GLINT_QPARAMS ", "
     "ScalarType dtype, *, ScalarType? out_dtype=None) -> Tensor",
     dequantize_channels},
    {"quantized_decomposed::quantize_per_token(Tensor input, Tensor scales, Tensor zero_points, " GLINT_QPARAMS ", "
     "ScalarType dtype) -> Tensor", quantize_rows},
    {"quantized_decomposed::dequantize_per_token(Tensor input, Tensor scales, Tensor zero_points, " GLINT_QPARAMS ", ScalarType dtype, "
     "ScalarType output_dtype) -> Tensor", dequantize_rows},
    {"quantized_decomposed::quantize_per_channel_group(Tensor input, Tensor scales, Tensor zero_points, " GLINT_QPARAMS ", "
     "ScalarType dtype, int group_size) -> Tensor", quantize_groups},
    {"quantized_decomposed::dequantize_per_channel_group(Tensor input, Tensor scales, Tensor? zero_points, " GLINT_QPARAMS ", "
     "ScalarType dtype, int group_size, ScalarType output_dtype) -> Tensor",
     dequantize_groups},
    {"quantized_decomposed::choose_qparams.tensor(Tensor input, " GLINT_QPARAMS ", float eps, ScalarType dtype) -> (Tensor, Tensor)",
     [](X& x) { return choose_for_tensor(x, false); }},
    {"quantized_decomposed::choose_qparams_symmetric.tensor(Tensor input, " GLINT_QPARAMS ", float eps, ScalarType dtype) -> (Tensor, "
     "Tensor)",
     [](X& x) { return choose_for_tensor(x, true); }},
    {"quantized_decomposed::choose_qparams_per_token(Tensor input, ScalarType dtype) -> (Tensor, Tensor)", choose_for_rows},
    {"quantized_decomposed::choose_qparams_per_token_asymmetric(Tensor input, ScalarType dtype) -> (Tensor, Tensor)",
     choose_for_rows_asymmetric},
    {"quantized_decomposed::_choose_qparams_per_token_asymmetric_impl(Tensor input, ScalarType dtype) -> (Tensor, Tensor)",
     choose_for_rows_asymmetric},
    {"torchao::quantize_affine(Tensor input, SymInt[] block_size, Tensor scale, Tensor? zero_point, ScalarType output_dtype, "
     "Scalar? quant_min=None, Scalar? quant_max=None) -> Tensor",
     quantize_blocks},
    {"torchao::dequantize_affine(Tensor input, SymInt[] block_size, Tensor scale, Tensor? zero_point, ScalarType input_dtype, "
     "Scalar? quant_min=None, Scalar? quant_max=None, ScalarType? output_dtype=None) -> Tensor",
     dequantize_blocks},
    {"torchao::choose_qparams_affine(Tensor input, str mapping_type, SymInt[] block_size, ScalarType target_dtype, "
     "Scalar? quant_min=None, Scalar? quant_max=None, float? eps=None, ScalarType? scale_dtype=None, ScalarType? zero_point_dtype=None, "
     "bool keepdim=False) -> (Tensor, Tensor)",
     choose_for_blocks},
};
#undef GLINT_QPARAMS

}  // namespace

Rows quantization_rows() { return kRows; }

}  // namespace glint::compiler
