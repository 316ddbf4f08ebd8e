#pragma once

#include "glint/ops/compute.h"

namespace glint::ops {

/// A line of elements along one dimension, read a tile at a time. C is the compute type.
struct Line {
  DType dtype;
  const void* data;
  int64_t step, size;

  /// f(const C* values, start, n) for each tile; contiguous elements of C are not copied.
  template <class C, class F>
  void each(F&& f) const {
    C tile[kernels::kTile];
    for_each_tile(size, [&](int64_t start, int64_t n) {
      const void* p = at(dtype, data, start * step);
      const bool direct = step == 1 && ((std::is_same_v<C, float> && dtype == DType::kF32) || (std::is_same_v<C, double> && dtype == DType::kF64));
      if (direct) return f(static_cast<const C*>(p), start, n);
      kernels::load(dtype, p, step, n, tile);
      f(static_cast<const C*>(tile), start, n);
    });
  }
};

/// The line of `t` along `dim` that starts at element `offset`.
inline Line line(const Tensor& t, int dim, int64_t offset) { return {t.dtype, at(t, offset), dim_step(t, dim), dim_size(t, dim)}; }

/// Largest element; NaN if there is one; -inf when empty.
template <class C>
C line_max(const Line& x) {
  C most = -INFINITY;
  x.each<C>([&](const C* v, int64_t, int64_t n) {
    for (int64_t i = 0; i < n; ++i) most = v[i] > most || v[i] != v[i] ? v[i] : most;
  });
  return most;
}

/// Sum of f(x) over the line, in double: exact enough for any length.
template <class C, class F>
double line_sum(const Line& x, F&& f) {
  double sum = 0;
  x.each<C>([&](const C* v, int64_t, int64_t n) {
    for (int64_t i = 0; i < n; ++i) sum += double(f(v[i]));
  });
  return sum;
}

/// out[i] = f(x[i]) along a line.
template <class C, class F>
void line_map(const Line& x, DType out_dtype, void* out, int64_t out_step, F&& f) {
  x.each<C>([&](const C* v, int64_t start, int64_t n) {
    C result[kernels::kTile];
    for (int64_t i = 0; i < n; ++i) result[i] = f(v[i]);
    kernels::store(out_dtype, at(out_dtype, out, start * out_step), out_step, n, result);
  });
}

/// out[i] = f(x[i], y[i]) along two lines of one size.
template <class C, class F>
void line_zip(const Line& x, const Line& y, DType out_dtype, void* out, int64_t out_step, F&& f) {
  x.each<C>([&](const C* v, int64_t start, int64_t n) {
    C other[kernels::kTile], result[kernels::kTile];
    kernels::load(y.dtype, at(y.dtype, y.data, start * y.step), y.step, n, other);
    for (int64_t i = 0; i < n; ++i) result[i] = f(v[i], other[i]);
    kernels::store(out_dtype, at(out_dtype, out, start * out_step), out_step, n, result);
  });
}
template <class C, class F>
double line_zip_sum(const Line& x, const Line& y, F&& f) {
  double sum = 0;
  x.each<C>([&](const C* v, int64_t start, int64_t n) {
    C other[kernels::kTile];
    kernels::load(y.dtype, at(y.dtype, y.data, start * y.step), y.step, n, other);
    for (int64_t i = 0; i < n; ++i) sum += double(f(v[i], other[i]));
  });
  return sum;
}

}  // namespace glint::ops
