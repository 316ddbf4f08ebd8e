// Quantization as programs of ExecuTorch name it, in the arithmetic of PyTorch's torch.ao.quantization.fx._decomposed. The
// compiler takes the same operators apart instead (compiler/decompose/quantization.cc), so that they fuse.

#include <limits>

#include "glint/ops/compute.h"

namespace glint::ops {
namespace {

bool is_grid(DType d) { return d == DType::kI8 || d == DType::kU8 || d == DType::kI16 || d == DType::kU16 || d == DType::kI32; }

Status check_grid(DType d, int64_t low, int64_t high) {
  if (!is_grid(d)) return invalid_argument("quantization: the whole numbers must be int8, uint8, int16, uint16 or int32");
  return low <= high ? Status() : invalid_argument("quantization: quant_min exceeds quant_max");
}

/// The compute type: float32 unless a tensor is float64.
template <class F>
void with_width(bool wide, F f) {
  if (wide) f(double());
  else f(float());
}

/// A value that counts as a tensor of one element.
struct Constant {
  explicit Constant(double v) : value(v) {
    (void)tensor.set(DType::kF64, {});
    tensor.data = &value;
  }
  double value;
  Tensor tensor;
};

/// One element a channel, shaped to go with `a`.
Tensor by_channel(const Tensor& t, const Tensor& a, int axis) {
  Tensor m = t;
  m.rank = a.rank;
  for (int d = 0; d < a.rank; ++d) m.size[size_t(d)] = d == axis ? t.size[0] : 1, m.stride[size_t(d)] = d == axis ? t.stride[0] : 0;
  return m;
}

/// out[i] = f(a[i], scale[i], zero[i]) in C.
template <class C, class F>
void apply(const Tensor& a, const Tensor& scale, const Tensor& zero, Tensor& out, F f) {
  for_each_row(make_loop(out, a, scale, zero), [&](const auto& at_, const auto& step, int64_t n) {
    C x[kernels::kTile], s[kernels::kTile], z[kernels::kTile];
    for_each_tile(n, [&](int64_t start, int64_t m) {
      kernels::load(a.dtype, at(a, at_[1] + start * step[1]), step[1], m, x);
      kernels::load(scale.dtype, at(scale, at_[2] + start * step[2]), step[2], m, s);
      kernels::load(zero.dtype, at(zero, at_[3] + start * step[3]), step[3], m, z);
      for (int64_t i = 0; i < m; ++i) x[i] = f(x[i], s[i], z[i]);
      kernels::store(out.dtype, at(out, at_[0] + start * step[0]), step[0], m, x);
    });
  });
}

// ---- quantize

struct Grid { int64_t low, high; };

/// round(x / scale) + zero, or, as PyTorch does for rows, round(x / scale + zero). `scale` tells 1 / scale.
template <class C>
void quantize(const Tensor& a, const Tensor& inverse, const Tensor& zero, Grid g, bool shift_first, Tensor& out) {
  const C low = C(g.low), high = C(g.high);
  apply<C>(a, inverse, zero, out, [&](C x, C s, C z) {
    const C step = shift_first ? std::nearbyint(x * s + z) : std::nearbyint(x * s) + z;
    return step < low ? low : step > high ? high : step;
  });
}

Status infer_quantize(const Tensor& a, DType dtype, int64_t low, int64_t high, TensorMeta& out) {
  if (!is_floating(a.dtype)) return invalid_argument("quantize: the input must be floating");
  GLINT_TRY(check_grid(dtype, low, high));
  return set_result(out, dtype, a.sizes());
}
Status infer_quantize_tensor(const Tensor& a, double, int64_t, int64_t low, int64_t high, DType dtype, TensorMeta& out) {
  return infer_quantize(a, dtype, low, high, out);
}
Status run_quantize_tensor(OpContext&, const Tensor& a, double scale, int64_t zero, int64_t low, int64_t high, DType, Tensor& out) {
  const Constant s(1 / scale), z{double(zero)};
  with_width(a.dtype == DType::kF64, [&](auto c) { quantize<decltype(c)>(a, s.tensor, z.tensor, {low, high}, false, out); });
  return {};
}
Status check_single(const Tensor& scale, const Tensor& zero) {
  return scale.numel() == 1 && zero.numel() == 1 ? Status() : invalid_argument("quantization: scale and zero_point must have one element");
}
double only(const Tensor& t) { return kernels::load_one<double>(t.dtype, t.data, 0); }
Status infer_quantize_by_tensor(const Tensor& a, const Tensor& scale, const Tensor& zero, int64_t low, int64_t high, DType dtype, TensorMeta& out) {
  GLINT_TRY(check_single(scale, zero));
  return infer_quantize(a, dtype, low, high, out);
}
Status run_quantize_by_tensor(OpContext& c, const Tensor& a, const Tensor& scale, const Tensor& zero, int64_t low, int64_t high, DType dtype, Tensor& out) {
  return run_quantize_tensor(c, a, only(scale), int64_t(only(zero)), low, high, dtype, out);
}

Status check_channels(const Tensor& a, const Tensor& scales, const Tensor* zeros, int64_t axis, int& dim) {
  dim = wrap_dim(axis, a.rank);
  if (a.rank == 0 || dim < 0) return invalid_argument("quantization: axis is out of range");
  const bool fits = scales.rank == 1 && scales.size[0] == a.size[size_t(dim)] && is_floating(scales.dtype);
  if (!fits || (zeros != nullptr && !zeros->same_sizes(scales))) return invalid_argument("quantization: scales and zero_points must have one element a channel");
  return {};
}
Status infer_quantize_channel(const Tensor& a, const Tensor& scales, const Tensor& zeros, int64_t axis, int64_t low, int64_t high, DType dtype, TensorMeta& out) {
  int dim = 0;
  GLINT_TRY(check_channels(a, scales, &zeros, axis, dim));
  return infer_quantize(a, dtype, low, high, out);
}
/// 1 / scale element by element, in the dtype of the scales.
template <class C>
void quantize_by(const Tensor& a, const Tensor& scales, const Tensor& zeros, Grid g, bool shift_first, Tensor& out) {
  const C low = C(g.low), high = C(g.high);
  apply<C>(a, scales, zeros, out, [&](C x, C s, C z) {
    const C inverse = as_element(scales.dtype, 1 / s), step = shift_first ? std::nearbyint(x * inverse + z) : std::nearbyint(x * inverse) + z;
    return step < low ? low : step > high ? high : step;
  });
}
Status run_quantize_channel(OpContext&, const Tensor& a, const Tensor& scales, const Tensor& zeros, int64_t axis, int64_t low, int64_t high, DType, Tensor& out) {
  const int dim = wrap_dim(axis, a.rank);
  const Tensor s = by_channel(scales, a, dim), z = by_channel(zeros, a, dim);
  with_width(a.dtype == DType::kF64 || s.dtype == DType::kF64, [&](auto c) { quantize_by<decltype(c)>(a, s, z, {low, high}, false, out); });
  return {};
}

Status check_rows(const Tensor& a, const Tensor& scales, const Tensor& zeros) {
  TensorMeta both;
  GLINT_TRY(broadcast(a, scales, both));
  if (!both.same_sizes(a) || !zeros.same_sizes(scales) || !is_floating(scales.dtype)) return invalid_argument("quantization: scales and zero_points must go with the rows");
  return {};
}
Status infer_quantize_token(const Tensor& a, const Tensor& scales, const Tensor& zeros, int64_t low, int64_t high, DType dtype, TensorMeta& out) {
  GLINT_TRY(check_rows(a, scales, zeros));
  return infer_quantize(a, dtype, low, high, out);
}
Status run_quantize_token(OpContext&, const Tensor& a, const Tensor& scales, const Tensor& zeros, int64_t low, int64_t high, DType, Tensor& out) {
  with_width(a.dtype == DType::kF64 || scales.dtype == DType::kF64, [&](auto c) { quantize_by<decltype(c)>(a, scales, zeros, {low, high}, true, out); });
  return {};
}

// ---- dequantize

Status infer_dequantize(const Tensor& a, DType dtype, int64_t low, int64_t high, std::optional<DType> to, TensorMeta& out) {
  GLINT_TRY(check_grid(a.dtype, low, high));
  if (a.dtype != dtype) return invalid_argument("dequantize: the input has not the dtype that the call names");
  if (!is_floating(to.value_or(DType::kF32))) return invalid_argument("dequantize: out_dtype must be floating");
  return set_result(out, to.value_or(DType::kF32), a.sizes());
}
Status infer_dequantize_tensor(const Tensor& a, double, int64_t, int64_t low, int64_t high, DType dtype, std::optional<DType> to, TensorMeta& out) {
  return infer_dequantize(a, dtype, low, high, to, out);
}
Status run_dequantize_tensor(OpContext&, const Tensor& a, double scale, int64_t zero, int64_t, int64_t, DType, std::optional<DType>, Tensor& out) {
  const Constant s(scale), z{double(zero)};
  with_width(out.dtype == DType::kF64, [&](auto c) {
    using C = decltype(c);
    apply<C>(a, s.tensor, z.tensor, out, [&](C x, C by, C shift) { return as_element(out.dtype, as_element(out.dtype, x) - shift) * by; });
  });
  return {};
}
Status infer_dequantize_by_tensor(const Tensor& a, const Tensor& scale, const Tensor& zero, int64_t low, int64_t high, DType dtype, std::optional<DType> to,
                                  TensorMeta& out) {
  GLINT_TRY(check_single(scale, zero));
  return infer_dequantize(a, dtype, low, high, to, out);
}
Status run_dequantize_by_tensor(OpContext& c, const Tensor& a, const Tensor& scale, const Tensor& zero, int64_t low, int64_t high, DType dtype,
                                std::optional<DType> to, Tensor& out) {
  return run_dequantize_tensor(c, a, only(scale), int64_t(only(zero)), low, high, dtype, to, out);
}

/// (a - zero) * scale: the difference is a whole number, exact in double.
void dequantize_by(const Tensor& a, const Tensor& scales, const Tensor& zeros, Tensor& out) {
  apply<double>(a, scales, zeros, out, [&](double x, double s, double z) { return as_element(scales.dtype, (x - z) * s); });
}
Status infer_dequantize_channel(const Tensor& a, const Tensor& scales, const Tensor* zeros, int64_t axis, int64_t low, int64_t high, DType dtype,
                                std::optional<DType> to, TensorMeta& out) {
  int dim = 0;
  GLINT_TRY(check_channels(a, scales, zeros, axis, dim));
  return infer_dequantize(a, dtype, low, high, to, out);
}
Status run_dequantize_channel(OpContext&, const Tensor& a, const Tensor& scales, const Tensor* zeros, int64_t axis, int64_t, int64_t, DType, std::optional<DType>,
                              Tensor& out) {
  const int dim = wrap_dim(axis, a.rank);
  const Constant none(0);
  dequantize_by(a, by_channel(scales, a, dim), zeros != nullptr ? by_channel(*zeros, a, dim) : none.tensor, out);
  return {};
}
Status infer_dequantize_token(const Tensor& a, const Tensor& scales, const Tensor& zeros, int64_t low, int64_t high, DType dtype, DType to, TensorMeta& out) {
  GLINT_TRY(check_rows(a, scales, zeros));
  return infer_dequantize(a, dtype, low, high, to, out);
}
Status run_dequantize_token(OpContext&, const Tensor& a, const Tensor& scales, const Tensor& zeros, int64_t, int64_t, DType, DType, Tensor& out) {
  dequantize_by(a, scales, zeros, out);
  return {};
}

// ---- scales from the values

/// The smallest and the largest, with zero inside; NaN where there is one.
struct Range {
  float low = 0, high = 0;
  void add(float v) {
    low = v < low || v != v ? v : low;
    high = v > high || v != v ? v : high;
  }
};

Status infer_choose(const Tensor& a, int64_t low, int64_t high, double, DType dtype, TensorMeta& scale, TensorMeta& zero) {
  if (!is_floating(a.dtype) || a.dtype == DType::kF64) return invalid_argument("choose_qparams: the input must be float32, float16 or bfloat16");
  GLINT_TRY(check_grid(dtype, low, high));
  const int64_t one = 1;
  GLINT_TRY(set_result(scale, DType::kF64, {&one, 1}));
  return set_result(zero, DType::kI64, {&one, 1});
}
Status run_choose(OpContext&, const Tensor& a, int64_t low, int64_t high, double eps, DType, Tensor& scale, Tensor& zero) {
  Range r;
  for_each_row(make_loop(a), [&](const auto& o, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n; ++i) r.add(kernels::load_one<float>(a.dtype, a.data, o[0] + i * step[0]));
  });
  if (a.numel() == 0) return invalid_argument("choose_qparams: there are no values");
  float s = (r.high - r.low) / float(double(high) - double(low));
  s = s < float(eps) ? float(eps) : s;
  const float z = float(low) - std::nearbyint(r.low / s);
  kernels::store_one(scale.dtype, scale.data, 0, double(s));
  kernels::store_one(zero.dtype, zero.data, 0, z < float(low) ? double(low) : z > float(high) ? double(high) : double(z));
  return {};
}

Status infer_choose_token(const Tensor& a, DType, TensorMeta& scale, TensorMeta& zero) {
  if (!is_floating(a.dtype)) return invalid_argument("choose_qparams: the input must be floating");
  if (a.rank == 0) return invalid_argument("choose_qparams: there are no rows");
  if (a.size[size_t(a.rank - 1)] == 0) return invalid_argument("choose_qparams: the rows have no values");
  TensorMeta rows = a;
  rows.size[size_t(a.rank - 1)] = 1;
  GLINT_TRY(set_result(scale, DType::kF64, rows.sizes()));
  return set_result(zero, DType::kI64, rows.sizes());
}
Status run_choose_token(OpContext&, const Tensor& a, DType, Tensor& scale, Tensor& zero) {
  const int last = a.rank - 1;
  const int64_t n = dim_size(a, last), step = dim_step(a, last);
  for_each_line(last, [&](const auto& o) {
    Range r;
    for (int64_t i = 0; i < n; ++i) r.add(kernels::load_one<float>(a.dtype, a.data, o[2] + i * step));
    const auto round = [&](float v) { return as_element(a.dtype, v); };
    constexpr float kLow = -128, kHigh = 127;
    const float found = round(round(r.high - r.low) / (kHigh - kLow)), s = std::max(found, round(std::numeric_limits<float>::epsilon()));
    const float from_low = round(r.low / s), from_high = round(r.high / s);
    const bool by_low = round(round(from_low + kLow) + round(from_high + kHigh)) > 0;
    const float z = by_low ? round(kLow - from_low) : round(kHigh - from_high);
    kernels::store_one(scale.dtype, scale.data, o[0], double(found != found ? found : s));
    kernels::store_one(zero.dtype, zero.data, o[1], double(std::nearbyint(z < kLow ? kLow : z > kHigh ? kHigh : z)));
  }, scale, zero, a);
  return {};
}

// ---- embedding

/// Numbers of 8, 4 or 2 bits in bytes; those of 2 bits begin at the low end of a byte, those of 4 at the high one.
template <int kBits>
float weight_at(const Tensor& w, int64_t row, int64_t column) {
  const int64_t base = row * w.stride[0];
  if constexpr (kBits == 8) return kernels::load_one<float>(w.dtype, w.data, base + column * w.stride[1]);
  constexpr int kEach = 8 / kBits;
  const auto byte = unsigned(static_cast<const uint8_t*>(w.data)[base + column / kEach * w.stride[1]]);
  const auto place = unsigned(column % kEach);
  const unsigned shift = kBits == 4 ? 4 - 4 * place : 2 * place;
  return float(int(byte >> shift & ((1u << kBits) - 1)) - (1 << (kBits - 1)));
}

template <int kBits>
struct Embedding {
  static Status infer(const Tensor& w, const Tensor& scales, const Tensor* zeros, int64_t low, int64_t high, const Tensor& indices, std::optional<DType> dtype,
                      TensorMeta& out) {
    if (w.rank != 2 || !(w.dtype == DType::kU8 || (kBits == 8 && w.dtype == DType::kI8))) return invalid_argument("embedding: the weight must be a matrix of bytes");
    if (scales.rank != 1 && scales.rank != 2) return invalid_argument("embedding: the scales must have one or two dimensions");
    int64_t columns = 0;
    if (!checked_mul(w.size[1], int64_t(8 / kBits), &columns)) return invalid_argument("embedding: the weight is too large");
    const int64_t groups = scales.rank == 2 ? scales.size[1] : 1;
    if (scales.size[0] != w.size[0] || groups == 0 || columns % groups != 0) return invalid_argument("embedding: the scales do not divide the weight into groups");
    if (!is_floating(scales.dtype)) return invalid_argument("embedding: the scales must be floating");
    if (zeros != nullptr && !zeros->same_sizes(scales)) return invalid_argument("embedding: the zero points must have the sizes of the scales");
    if (low > high) return invalid_argument("embedding: quant_min exceeds quant_max");
    if (indices.dtype != DType::kI64 && indices.dtype != DType::kI32) return invalid_argument("embedding: the indices must be int64 or int32");
    const DType to = dtype.value_or(scales.dtype);
    if (!is_floating(to)) return invalid_argument("embedding: the result must be floating");
    if (indices.rank == kMaxRank) return unsupported("embedding: too many dimensions");
    TensorMeta sizes = indices;
    sizes.size[sizes.rank++] = columns;
    return set_result(out, to, sizes.sizes());
  }
  static Status run(OpContext&, const Tensor& w, const Tensor& scales, const Tensor* zeros, int64_t, int64_t, const Tensor& indices, std::optional<DType>, Tensor& out) {
    const int64_t columns = out.size[size_t(out.rank - 1)], step = out.stride[size_t(out.rank - 1)], groups = scales.rank == 2 ? scales.size[1] : 1;
    const int64_t group = std::max<int64_t>(1, columns / groups);
    TensorMeta rows = out;
    --rows.rank;
    bool good = true;
    for_each_row(make_loop(rows, indices), [&](const auto& o, const auto& steps, int64_t n) {
      for (int64_t i = 0; i < n && good; ++i) {
        const int64_t row = kernels::load_one<int64_t>(indices.dtype, indices.data, o[1] + i * steps[1]);
        good = row >= 0 && row < w.size[0];
        for (int64_t c = 0; c < columns && good; ++c) {
          const auto parameter = [&](const Tensor& t) {
            return kernels::load_one<float>(t.dtype, t.data, row * t.stride[0] + (t.rank == 2 ? c / group * t.stride[1] : 0));
          };
          const float shifted = as_element(scales.dtype, weight_at<kBits>(w, row, c) - (zeros != nullptr ? parameter(*zeros) : 0));
          kernels::store_one(out.dtype, out.data, o[0] + i * steps[0] + c * step, as_element(scales.dtype, shifted * parameter(scales)));
        }
      }
    });
    return good ? Status() : invalid_argument("embedding: an index is out of range");
  }
};
template <int kBits>
struct PlainEmbedding {
  static Status infer(const Tensor& w, const Tensor& s, const Tensor* z, int64_t low, int64_t high, const Tensor& i, TensorMeta& out) {
    return Embedding<kBits>::infer(w, s, z, low, high, i, {}, out);
  }
  static Status run(OpContext& c, const Tensor& w, const Tensor& s, const Tensor* z, int64_t low, int64_t high, const Tensor& i, Tensor& out) {
    return Embedding<kBits>::run(c, w, s, z, low, high, i, {}, out);
  }
};

// ---- arithmetic on whole numbers

Status infer_add(const Tensor& a, double, int64_t, int64_t, int64_t, const Tensor& b, double, int64_t, int64_t, int64_t, double, int64_t, int64_t low, int64_t high,
                 TensorMeta& out) {
  GLINT_TRY(check_grid(a.dtype, low, high));
  if (a.dtype != b.dtype || !a.same_sizes(b)) return invalid_argument("add: the operands must have the same dtype and sizes");
  return set_result(out, a.dtype, a.sizes());
}
Status run_add(OpContext&, const Tensor& a, double a_scale, int64_t a_zero, int64_t, int64_t, const Tensor& b, double b_scale, int64_t b_zero, int64_t, int64_t,
               double scale, int64_t zero, int64_t low, int64_t high, Tensor& out) {
  const float sa = float(a_scale), sb = float(b_scale), inverse = 1 / float(scale);
  const Constant unused(0);
  apply<double>(a, b, unused.tensor, out, [&](double x, double y, double) {
    const float sum = float((x - double(a_zero)) * double(sa)) + float((y - double(b_zero)) * double(sb));
    const double step = double(zero) + double(std::nearbyint(inverse * sum));
    return step < double(low) ? double(low) : step > double(high) ? double(high) : step;
  });
  return {};
}

Status check_mixed(const Tensor& a, const Tensor& w, const Tensor& scales, const Tensor* zeros, int inner) {
  if (a.rank != 2 || w.rank != 2 || a.size[1] != w.size[size_t(inner)]) return invalid_argument("mixed_mm: the matrices do not fit");
  if (!is_floating(a.dtype) || scales.dtype != a.dtype || w.dtype != DType::kI8) return invalid_argument("mixed_mm: floats of one dtype and an int8 weight are needed");
  if ((scales.rank != 1 && scales.rank != 2) || scales.size[0] != w.size[0]) return invalid_argument("mixed_mm: the scales do not go with the weight");
  return zeros == nullptr ? Status() : unsupported("mixed_mm: zero points are not supported");
}
Status infer_mixed_mm(const Tensor& a, const Tensor& w, const Tensor& scales, const Tensor* zeros, TensorMeta& out) {
  GLINT_TRY(check_mixed(a, w, scales, zeros, 0));
  if (scales.rank != 1) return invalid_argument("mixed_mm: the scales must have one dimension");
  const int64_t sizes[] = {a.size[0], w.size[1]};
  return set_result(out, a.dtype, sizes);
}
Status infer_mixed_linear(const Tensor& a, const Tensor& w, const Tensor& scales, const Tensor* zeros, std::optional<DType> dtype, TensorMeta& out) {
  GLINT_TRY(check_mixed(a, w, scales, zeros, 1));
  if (scales.rank == 2 && scales.size[1] == 0) return invalid_argument("mixed_linear: there are no groups");
  if (!is_floating(dtype.value_or(a.dtype))) return invalid_argument("mixed_linear: the result must be floating");
  const int64_t sizes[] = {a.size[0], w.size[0]};
  return set_result(out, dtype.value_or(a.dtype), sizes);
}
/// out[i, j] = sum over k of a[i, k] * w(k, j) * scale(k, j), in double.
template <class W, class S>
void mixed(const Tensor& a, Tensor& out, W w, S scale) {
  for (int64_t i = 0; i < out.size[0]; ++i)
    for (int64_t j = 0; j < out.size[1]; ++j) {
      double sum = 0;
      for (int64_t k = 0; k < a.size[1]; ++k) sum += kernels::load_one<double>(a.dtype, a.data, i * a.stride[0] + k * a.stride[1]) * w(k, j) * scale(k, j);
      kernels::store_one(out.dtype, out.data, i * out.stride[0] + j * out.stride[1], sum);
    }
}
double element(const Tensor& t, int64_t i, int64_t j) { return kernels::load_one<double>(t.dtype, t.data, i * t.stride[0] + (t.rank == 2 ? j * t.stride[1] : 0)); }
Status run_mixed_mm(OpContext&, const Tensor& a, const Tensor& w, const Tensor& scales, const Tensor*, Tensor& out) {
  mixed(a, out, [&](int64_t k, int64_t j) { return element(w, k, j); }, [&](int64_t k, int64_t) { return element(scales, k, 0); });
  return {};
}
Status run_mixed_linear(OpContext&, const Tensor& a, const Tensor& w, const Tensor& scales, const Tensor*, std::optional<DType>, Tensor& out) {
  const int64_t group = scales.rank == 2 ? std::max<int64_t>(1, ceil_div(a.size[1], scales.size[1])) : std::max<int64_t>(1, a.size[1]);
  mixed(a, out, [&](int64_t k, int64_t j) { return element(w, j, k); }, [&](int64_t k, int64_t j) { return element(scales, j, k / group); });
  return {};
}

// Named as in programs only: exported models have the names without ".out", which the compiler knows.
#define GLINT_Q "quantized_decomposed::"
#define GLINT_GRID "int quant_min, int quant_max"
#define GLINT_EMBEDDING "Tensor weight, Tensor weight_scales, Tensor? weight_zero_points, int weight_quant_min, int weight_quant_max, Tensor indices"
#define GLINT_STOCK(name, args, returns, ...) define_op<GLINT_Q name "(" args ") -> " returns, __VA_ARGS__>(GLINT_Q name)

constexpr OpDef kDefs[] = {
    GLINT_STOCK("quantize_per_tensor.out", "Tensor input, float scale, int zero_point, " GLINT_GRID ", ScalarType dtype", "Tensor", infer_quantize_tensor,
                run_quantize_tensor),
    GLINT_STOCK("quantize_per_tensor.Tensor_out", "Tensor input, Tensor scale, Tensor zero_point, " GLINT_GRID ", ScalarType dtype", "Tensor",
                infer_quantize_by_tensor, run_quantize_by_tensor),
    GLINT_STOCK("quantize_per_channel.out", "Tensor input, Tensor scales, Tensor zero_points, int axis, " GLINT_GRID ", ScalarType dtype", "Tensor",
                infer_quantize_channel, run_quantize_channel),
    GLINT_STOCK("quantize_per_token.out", "Tensor input, Tensor scales, Tensor zero_points, " GLINT_GRID ", ScalarType dtype", "Tensor", infer_quantize_token,
                run_quantize_token),
    GLINT_STOCK("dequantize_per_tensor.out", "Tensor input, float scale, int zero_point, " GLINT_GRID ", ScalarType dtype, *, ScalarType? out_dtype=None", "Tensor",
                infer_dequantize_tensor, run_dequantize_tensor),
    GLINT_STOCK("dequantize_per_tensor.Tensor_out",
                "Tensor input, Tensor scale, Tensor zero_point, " GLINT_GRID ", ScalarType dtype, *, ScalarType? out_dtype=None", "Tensor",
                infer_dequantize_by_tensor, run_dequantize_by_tensor),
    GLINT_STOCK("dequantize_per_channel.out",
                "Tensor input, Tensor scales, Tensor? zero_points, int axis, " GLINT_GRID ", ScalarType dtype, *, ScalarType? out_dtype=None", "Tensor",
                infer_dequantize_channel, run_dequantize_channel),
    GLINT_STOCK("dequantize_per_token.out", "Tensor input, Tensor scales, Tensor zero_points, " GLINT_GRID ", ScalarType dtype, ScalarType output_dtype", "Tensor",
                infer_dequantize_token, run_dequantize_token),
    GLINT_STOCK("choose_qparams.Tensor_out", "Tensor input, " GLINT_GRID ", float eps, ScalarType dtype", "(Tensor, Tensor)", infer_choose, run_choose),
    GLINT_STOCK("choose_qparams_per_token_asymmetric.out", "Tensor input, ScalarType dtype", "(Tensor, Tensor)", infer_choose_token, run_choose_token),
    GLINT_STOCK("embedding_byte.out", GLINT_EMBEDDING, "Tensor", PlainEmbedding<8>::infer, PlainEmbedding<8>::run),
    GLINT_STOCK("embedding_byte.dtype_out", GLINT_EMBEDDING ", *, ScalarType? dtype=None", "Tensor", Embedding<8>::infer, Embedding<8>::run),
    GLINT_STOCK("embedding_4bit.out", GLINT_EMBEDDING, "Tensor", PlainEmbedding<4>::infer, PlainEmbedding<4>::run),
    GLINT_STOCK("embedding_4bit.dtype_out", GLINT_EMBEDDING ", *, ScalarType? dtype=None", "Tensor", Embedding<4>::infer, Embedding<4>::run),
    GLINT_STOCK("embedding_2bit.out", GLINT_EMBEDDING, "Tensor", PlainEmbedding<2>::infer, PlainEmbedding<2>::run),
    GLINT_STOCK("embedding_2bit.dtype_out", GLINT_EMBEDDING ", *, ScalarType? dtype=None", "Tensor", Embedding<2>::infer, Embedding<2>::run),
    GLINT_STOCK("add.out",
                "Tensor a, float a_scale, int a_zero_point, int a_quant_min, int a_quant_max, Tensor b, float b_scale, int b_zero_point, int b_quant_min, "
                "int b_quant_max, float out_scale, int out_zero_point, int out_quant_min, int out_quant_max", "Tensor", infer_add, run_add),
    GLINT_STOCK("mixed_mm.out", "Tensor input, Tensor weight, Tensor weight_scales, Tensor? weight_zero_points", "Tensor", infer_mixed_mm, run_mixed_mm),
    GLINT_STOCK("mixed_linear.out", "Tensor input, Tensor weight, Tensor weight_scales, Tensor? weight_zero_points, ScalarType? dtype=None", "Tensor",
                infer_mixed_linear, run_mixed_linear),
};

}  // namespace

extern constinit const OpFamily op_quantized_decomposed{kDefs};

}  // namespace glint::ops
