#pragma once

#include "glint/ops/compute.h"

// Sampling [N, C, spatial...] at the points of a grid [N, out..., dims], coordinates in [-1, 1] from x to z.

namespace glint::ops {

enum class GridMode : int64_t { kLinear = 0, kNearest = 1, kCubic = 2 };
enum class GridPadding : int64_t { kZeros = 0, kBorder = 1, kReflection = 2 };

template <class C>
struct GridAxis {
  int64_t size;
  GridPadding padding;
  bool align_corners;
  DType dtype;    // of the grid: PyTorch keeps coordinates in it, so halves round after each step
  bool planar;    // the two-dimensional sampler orders its operations differently

  C rounded(C x) const { return as_element(dtype, x); }
  C scaled(C x) const {
    x = rounded(x + 1);
    if (planar) {
      x = rounded(x * rounded(C(align_corners ? size - 1 : size) / 2));
      return align_corners ? x : rounded(x - C(0.5));
    }
    if (align_corners) return rounded(rounded(x / 2) * C(size - 1));
    return rounded(rounded(rounded(x * C(size)) - 1) / 2);
  }
  C reflect(C x, C twice_low, C twice_high) const {
    if (twice_low == twice_high) return 0;
    const C low = twice_low / 2, span = (twice_high - twice_low) / 2;
    const C away = rounded(std::fabs(x - low)), extra = rounded(std::fmod(away, span)), flips = std::floor(rounded(away / span));
    return std::fmod(flips, C(2)) == 0 ? rounded(extra + low) : rounded(rounded(span - extra) + low);
  }
  /// Where `x` (in elements) is read, by the padding mode.
  C placed(C x) const {
    if (padding == GridPadding::kZeros) return x;
    if (padding == GridPadding::kReflection) x = align_corners ? reflect(x, 0, C(2 * (size - 1))) : reflect(x, -1, C(2 * size - 1));
    if (x != x) return planar ? C(0) : C(size - 1);  // where PyTorch's two samplers put NaN
    return x > 0 ? std::min(x, C(size - 1)) : C(0);
  }
  /// The element at coordinate x, a whole number, or -1 outside (NaN is outside).
  int64_t index(C x) const { return x >= 0 && x < C(size) ? std::min(int64_t(x), size - 1) : -1; }
};

/// Up to four elements along one axis and their weights; an index of -1 contributes nothing.
template <class C>
struct Taps {
  int count = 0;
  int64_t index[4];
  C weight[4];
  void push(int64_t i, C w) { index[count] = i, weight[count++] = w; }
};

template <class C>
void cubic_weights(C t, C (&w)[4]) {
  const C a = C(-0.75);
  const auto inner = [a](C x) { return ((a + 2) * x - (a + 3)) * x * x + 1; };
  const auto outer = [a](C x) { return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a; };
  w[0] = outer(t + 1), w[1] = inner(t), w[2] = inner(1 - t), w[3] = outer(2 - t);
}

template <class C>
Taps<C> grid_taps(const GridAxis<C>& axis, GridMode mode, C coordinate) {
  Taps<C> taps;
  const C x = axis.scaled(coordinate);
  if (mode == GridMode::kCubic) {
    const C base = std::floor(x);
    C w[4];
    cubic_weights(x - base, w);
    for (int i = 0; i < 4; ++i) taps.push(axis.index(axis.placed(base - 1 + C(i))), w[i]);
    return taps;
  }
  const C at = axis.placed(x);
  if (mode == GridMode::kNearest) {
    taps.push(axis.index(std::nearbyint(at)), 1);
  } else {
    const C base = std::floor(at);
    taps.push(axis.index(base), base + 1 - at);
    taps.push(axis.index(base + 1), at - base);
  }
  return taps;
}

inline Status infer_grid(int dims, const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding, TensorMeta& out) {
  if (!is_floating(input.dtype) || grid.dtype != input.dtype) return invalid_argument("grid_sampler: input and grid must have one floating dtype");
  if (input.rank != dims + 2 || grid.rank != dims + 2) return invalid_argument("grid_sampler: wrong number of dimensions");
  if (input.size[0] != grid.size[0]) return invalid_argument("grid_sampler: the batch sizes differ");
  if (grid.size[size_t(dims + 1)] != dims) return invalid_argument("grid_sampler: the grid's last size must be the number of spatial dimensions");
  for (int d = 2; d < input.rank; ++d)
    if (input.size[size_t(d)] == 0) return invalid_argument("grid_sampler: the input has an empty spatial dimension");
  if (mode < 0 || mode > (dims == 2 ? 2 : 1)) return invalid_argument("grid_sampler: unknown interpolation_mode");
  if (padding < 0 || padding > 2) return invalid_argument("grid_sampler: unknown padding_mode");
  std::array<int64_t, 5> sizes{input.size[0], input.size[1]};
  for (int d = 0; d < dims; ++d) sizes[size_t(2 + d)] = grid.size[size_t(1 + d)];
  return set_result(out, input.dtype, {sizes.data(), input.rank});
}

inline void run_grid(int dims, const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding, bool align_corners, Tensor& out) {
  if (out.numel() == 0) return;
  TensorMeta points = out;  // [N, out...]
  points.rank = uint8_t(dims + 1);
  for (int d = 1; d <= dims; ++d) points.size[size_t(d)] = out.size[size_t(d + 1)], points.stride[size_t(d)] = out.stride[size_t(d + 1)];
  with_floating(input.dtype, [&](auto c) {
    using C = decltype(c);
    for (int64_t p = 0, n = points.numel(); p < n; ++p) {
      int64_t rest = p, grid_at = 0, out_at = 0;
      for (int d = dims; d >= 0; --d) {
        const int64_t i = rest % points.size[size_t(d)];
        rest /= points.size[size_t(d)];
        grid_at += i * grid.stride[size_t(d)];
        out_at += i * points.stride[size_t(d)];
        if (d == 0) rest = i;
      }
      const int64_t batch = rest;
      Taps<C> taps[3];  // z, y, x
      for (int d = 0; d < 3; ++d) {
        const int axis = d - (3 - dims);
        if (axis < 0) { taps[d].push(0, 1); continue; }
        const C coordinate = kernels::load_one<C>(grid.dtype, grid.data, grid_at + (dims - 1 - axis) * grid.stride[size_t(dims + 1)]);
        taps[d] = grid_taps(GridAxis<C>{input.size[size_t(2 + axis)], GridPadding(padding), align_corners, grid.dtype, dims == 2}, GridMode(mode), coordinate);
      }
      const auto step = [&](int d) { return d - (3 - dims) < 0 ? 0 : input.stride[size_t(2 + d - (3 - dims))]; };
      for (int64_t channel = 0; channel < input.size[1]; ++channel) {
        const int64_t base = batch * input.stride[0] + channel * input.stride[1];
        C sum = 0;
        for (int z = 0; z < taps[0].count; ++z)
          for (int y = 0; y < taps[1].count; ++y) {
            C row = 0;
            for (int x = 0; x < taps[2].count; ++x) {
              if (taps[0].index[z] < 0 || taps[1].index[y] < 0 || taps[2].index[x] < 0) {
                if (dims == 2) row += taps[2].weight[x] * 0;  // a NaN coordinate shows
                continue;
              }
              const int64_t at = base + taps[0].index[z] * step(0) + taps[1].index[y] * step(1) + taps[2].index[x] * step(2);
              row += taps[2].weight[x] * kernels::load_one<C>(input.dtype, input.data, at);
            }
            if (dims == 2 || (taps[0].index[z] >= 0 && taps[1].index[y] >= 0)) sum += taps[0].weight[z] * taps[1].weight[y] * row;
          }
        kernels::store_one(out.dtype, out.data, out_at + channel * out.stride[1], sum);
      }
    }
  });
}

}  // namespace glint::ops
