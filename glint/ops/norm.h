#pragma once

#include "glint/ops/rows.h"

// What the normalisations share. Each one cuts its input into blocks (sub-tensors of any strides),
// takes a block's mean and variance, and writes (x - mean) * rstd * weight + bias.

namespace glint::ops {

/// The dtype of saved statistics: PyTorch keeps float for a half input whose parameters are float.
inline DType statistics_dtype(const Tensor& input, const Tensor* weight, const Tensor* bias) {
  const bool half = input.dtype == DType::kF16 || input.dtype == DType::kBF16;
  const bool mixed = half && ((weight != nullptr && weight->dtype == DType::kF32) || (bias != nullptr && bias->dtype == DType::kF32));
  return mixed ? DType::kF32 : input.dtype;
}

/// A floating input, and a parameter (may be null) of its dtype or of float for halves.
inline Status check_norm_input(const Tensor& input) {
  if (!is_floating(input.dtype)) return unsupported("normalisation: only for floating dtypes");
  return {};
}
inline Status check_parameter(const Tensor& input, const Tensor* p) {
  if (p == nullptr || p->dtype == input.dtype) return {};
  if (p->dtype == DType::kF32 && (input.dtype == DType::kF16 || input.dtype == DType::kBF16)) return {};
  return invalid_argument("normalisation: a parameter's dtype does not fit the input");
}

/// Dimensions [first, last) of `t` as a meta of their own, at element offset 0.
inline TensorMeta slice_dims(const TensorMeta& t, int first, int last) {
  TensorMeta m;
  m.dtype = t.dtype;
  m.rank = uint8_t(last - first);
  for (int d = first; d < last; ++d) {
    m.size[size_t(d - first)] = t.size[size_t(d)];
    m.stride[size_t(d - first)] = t.stride[size_t(d)];
  }
  return m;
}

/// A parameter vector over dimension `dim` of `block`, repeated along the others. Null gives a step of 0 everywhere.
inline TensorMeta along(const TensorMeta& block, int dim, const Tensor* parameter) {
  TensorMeta m = block;
  m.stride.fill(0);
  if (parameter != nullptr && m.rank > 0) m.stride[size_t(dim)] = parameter->stride[0];
  return m;
}

struct Moments { double mean, variance; };

/// Mean and biased variance of the block at `base`, in two passes. An empty block has NaN.
template <class C>
Moments moments(const Loop<1>& block, DType dtype, const void* data, int64_t base) {
  double sum = 0, squares = 0;
  int64_t count = 0;
  const auto each = [&](auto&& f) {
    for_each_row(block, [&](const auto& o, const auto& step, int64_t n) { f(Line{dtype, at(dtype, data, base + o[0]), step[0], n}); });
  };
  each([&](const Line& x) { sum += line_sum<C>(x, [](C v) { return v; }), count += x.size; });
  const double mean = sum / double(count);
  each([&](const Line& x) { squares += line_sum<C>(x, [mean](C v) { const double d = double(v) - mean; return d * d; }); });
  return {mean, squares / double(count)};
}

/// Blocks of an input, its result and per-element parameters, walked together.
struct NormBlock {
  Loop<4> loop;  // out, x, weight, bias
  const Tensor *weight, *bias;
};

/// out = (x - mean) * rstd * weight + bias over one block; the parameters start at elements w_base, b_base.
template <class C>
void normalise(const NormBlock& b, const Tensor& x, int64_t x_base, Tensor& out, int64_t out_base, int64_t w_base, int64_t b_base, double mean, double rstd) {
  const C scale = C(rstd), centre = C(mean);
  for_each_row(b.loop, [&](const auto& o, const auto& step, int64_t n) {
    for_each_tile(n, [&](int64_t start, int64_t count) {
      C v[kernels::kTile], p[kernels::kTile];
      kernels::load(x.dtype, at(x, x_base + o[1] + start * step[1]), step[1], count, v);
      for (int64_t i = 0; i < count; ++i) v[i] = (v[i] - centre) * scale;
      if (b.weight != nullptr) {
        kernels::load(b.weight->dtype, at(*b.weight, w_base + o[2] + start * step[2]), step[2], count, p);
        for (int64_t i = 0; i < count; ++i) v[i] *= p[i];
      }
      if (b.bias != nullptr) {
        kernels::load(b.bias->dtype, at(*b.bias, b_base + o[3] + start * step[3]), step[3], count, p);
        for (int64_t i = 0; i < count; ++i) v[i] += p[i];
      }
      kernels::store(out.dtype, at(out, out_base + o[0] + start * step[0]), step[0], count, v);
    });
  });
}

/// Sum over a block of f(a, b), two tensors walked together.
template <class C, class F>
double sum_block(const Loop<2>& loop, const Tensor& a, int64_t a_base, const Tensor& b, int64_t b_base, F&& f) {
  double sum = 0;
  for_each_row(loop, [&](const auto& o, const auto& step, int64_t n) {
    sum += line_zip_sum<C>({a.dtype, at(a, a_base + o[0]), step[0], n}, {b.dtype, at(b, b_base + o[1]), step[1], n}, f);
  });
  return sum;
}

inline double element(const Tensor& t, int64_t offset) { return kernels::load_one<double>(t.dtype, t.data, offset); }
inline void set_element(Tensor& t, int64_t offset, double v) { kernels::store_one(t.dtype, t.data, offset, v); }

}  // namespace glint::ops
