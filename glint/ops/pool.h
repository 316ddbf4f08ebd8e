#pragma once

#include "glint/ops/conv.h"

// Pooling in 1 to 3 dimensions over planes of [N, C, spatial...] or [C, spatial...].

namespace glint::ops {

struct PoolShape : ConvShape {
  Volume in, out;
  int planes_rank = 0;  // leading dimensions, N and C
};

/// Output positions of windows along one dimension; a window of ceil_mode must start inside the input or its left padding.
inline int64_t pooled_size(int64_t n, int64_t kernel, int64_t stride, int64_t padding, int64_t dilation, bool ceil_mode) {
  const int64_t room = n + 2 * padding - dilation * (kernel - 1) - 1 + (ceil_mode ? stride - 1 : 0);
  if (room < 0) return 0;
  int64_t count = room / stride + 1;
  if (ceil_mode && (count - 1) * stride >= n + padding) --count;
  return count;
}

/// Checks the window arguments for `dims` spatial dimensions. An empty stride stands for the kernel's size.
inline Status pool_shape(const TensorMeta& self, int dims, Ints kernel, Ints stride, Ints padding, Ints dilation, bool ceil_mode, PoolShape& s) {
  if (self.rank != dims + 1 && self.rank != dims + 2) return invalid_argument("pooling: the input has the wrong number of dimensions");
  s.dims = dims;
  s.planes_rank = self.rank - dims;
  if (!spatial_list(kernel, dims, 1, s.kernel)) return invalid_argument("pooling: bad kernel_size");
  if (!spatial_list(stride.empty() ? kernel : stride, dims, 1, s.stride)) return invalid_argument("pooling: bad stride");
  if (!spatial_list(padding, dims, 0, s.padding)) return invalid_argument("pooling: bad padding");
  if (!spatial_list(dilation, dims, 1, s.dilation)) return invalid_argument("pooling: bad dilation");
  for (int d = self.rank == dims + 2 ? 1 : 0; d < self.rank; ++d)
    if (self.size[size_t(d)] == 0) return invalid_argument("pooling: only the batch may be empty");
  s.in = volume(self, dims);
  for (size_t i = size_t(3 - dims); i < 3; ++i) {
    if (s.padding[i] > (s.dilation[i] * (s.kernel[i] - 1) + 1) / 2) return invalid_argument("pooling: padding must be at most half the window");
    if (s.in.size[i] > kMaxWindow << 20) return invalid_argument("pooling: the input is too large");
    s.out.size[i] = pooled_size(s.in.size[i], s.kernel[i], s.stride[i], s.padding[i], s.dilation[i], ceil_mode);
    if (s.out.size[i] < 1) return invalid_argument("pooling: the window is larger than the padded input");
  }
  return {};
}

/// The result: the input's leading sizes, then the pooled ones.
inline Status set_pooled(const TensorMeta& self, int dims, const std::array<int64_t, 3>& pooled, DType dtype, TensorMeta& out) {
  std::array<int64_t, 5> sizes;
  const int leading = self.rank - dims;
  for (int d = 0; d < self.rank; ++d) sizes[size_t(d)] = d < leading ? self.size[size_t(d)] : pooled[size_t(3 - self.rank + d)];
  return set_result(out, dtype, {sizes.data(), self.rank});
}

/// f(offsets) for every plane: where it starts in each tensor.
template <class F, class... Meta>
void for_each_plane(int dims, F&& f, const Meta&... metas) {
  const auto leading = [dims](const TensorMeta& t) {
    TensorMeta m = t;
    m.rank = uint8_t(t.rank - dims);
    return m;
  };
  const auto loop = make_loop(leading(metas)...);
  for_each_row(loop, [&](const auto& offset, const auto& step, int64_t n) {
    auto o = offset;
    for (int64_t i = 0; i < n; ++i) {
      f(std::as_const(o));
      for (size_t k = 0; k < sizeof...(Meta); ++k) o[k] += step[k];
    }
  });
}

/// One window along one dimension: input positions start, start + step, ... below end; `padded` counts
/// the positions an average divides by when padding counts.
struct Window { int64_t start, end, padded; };

/// Windows of a pooling operator, per dimension.
inline Window slide(const ConvShape& s, const Volume& in, size_t d, int64_t position) {
  const int64_t first = position * s.stride[d] - s.padding[d], reach = s.dilation[d] * (s.kernel[d] - 1) + 1;
  const int64_t end = std::min(first + reach, in.size[d]), padded = std::min(first + reach, in.size[d] + s.padding[d]) - first;
  return {first < 0 ? first + ceil_div(-first, s.dilation[d]) * s.dilation[d] : first, end, padded};
}
/// Adaptive windows: output i of n covers [floor(i * in / n), ceil((i + 1) * in / n)).
inline Window adapt(int64_t in, int64_t out, int64_t position) {
  // (i * in) / n without overflow: in = q n + r.
  const int64_t q = in / out, r = in % out;
  const int64_t start = position * q + position * r / out, end = (position + 1) * q + ceil_div((position + 1) * r, out);
  return {start, end, end - start};
}

/// out[position] = f(windows z, y, x) for every output position of a plane, a row at a time.
template <class C, class W, class F>
void pool_plane(const Volume& to, DType dtype, void* out, W&& window, F&& f) {
  for (int64_t z = 0; z < to.size[0]; ++z)
    for (int64_t y = 0; y < to.size[1]; ++y) {
      const Window wz = window(0, z), wy = window(1, y);
      for_each_tile(to.size[2], [&](int64_t x0, int64_t n) {
        C row[kernels::kTile];
        for (int64_t x = 0; x < n; ++x) row[x] = f(wz, wy, window(2, x0 + x), (z * to.size[1] + y) * to.size[2] + x0 + x);
        kernels::store(dtype, at(dtype, out, z * to.step[0] + y * to.step[1] + x0 * to.step[2]), to.step[2], n, row);
      });
    }
}

/// A plane as elements of C with the plane's own strides, or a converted row-major copy in scratch.
template <class C>
struct Plane {
  const C* data;
  std::array<int64_t, 3> step;
  C operator()(int64_t z, int64_t y, int64_t x) const { return data[z * step[0] + y * step[1] + x * step[2]]; }
};
template <class C>
bool is_stored_as(DType d) {
  return (std::is_same_v<C, float> && d == DType::kF32) || (std::is_same_v<C, double> && d == DType::kF64) || (std::is_same_v<C, int64_t> && d == DType::kI64);
}
template <class C>
Plane<C> load_plane(const Tensor& t, int64_t offset, const Volume& v, std::byte* scratch) {
  if (is_stored_as<C>(t.dtype)) return {static_cast<const C*>(at(t, offset)), v.step};
  C* p = reinterpret_cast<C*>(scratch);
  for_each_run(v.size, 0, v.count(), [&](int64_t z, int64_t y, int64_t x, int64_t j, int64_t n) {
    kernels::load(t.dtype, at(t, offset + z * v.step[0] + y * v.step[1] + x * v.step[2]), v.step[2], n, p + j);
  });
  return {p, {v.size[1] * v.size[2], v.size[2], 1}};
}
template <class C>
void store_plane(Tensor& t, int64_t offset, const Volume& v, const C* p) {
  for_each_run(v.size, 0, v.count(), [&](int64_t z, int64_t y, int64_t x, int64_t j, int64_t n) {
    kernels::store(t.dtype, at(t, offset + z * v.step[0] + y * v.step[1] + x * v.step[2]), v.step[2], n, p + j);
  });
}
/// Bytes for a converted plane of `t`; 0 when load_plane uses it in place and `always` is false.
inline Status plane_scratch(const Tensor& t, int dims, bool always, Plan& plan) {
  const bool direct = t.dtype == DType::kF32 || t.dtype == DType::kF64 || t.dtype == DType::kI64;
  if (direct && !always) return {};
  int64_t bytes = is_floating(t.dtype) && t.dtype != DType::kF64 ? 4 : 8;
  for (int d = t.rank - dims; d < t.rank; ++d)
    if (!checked_mul(bytes, t.size[size_t(d)], &bytes)) return invalid_argument("pooling: the input is too large");
  plan.scratch_bytes = size_t(bytes);
  return {};
}

inline Status check_real(const Tensor& self) {
  if (is_complex(self.dtype) || self.dtype == DType::kBool) return unsupported("pooling: not for this dtype");
  return {};
}

// Averages.

struct Average {
  bool count_padding = true;
  std::optional<int64_t> divisor;
  // Wraps: a window may be mostly padding and larger than any tensor.
  static int64_t product(int64_t z, int64_t y, int64_t x) { return int64_t(uint64_t(z) * uint64_t(y) * uint64_t(x)); }
  int64_t operator()(const Window& z, const Window& y, const Window& x) const {
    if (divisor) return *divisor;
    if (count_padding) return product(z.padded, y.padded, x.padded);
    return product(z.end - z.start, y.end - y.start, x.end - x.start);
  }
};

template <class C, class W>
void average_plane(const Plane<C>& p, const Volume& to, DType dtype, void* out, const Average& average, W&& window) {
  pool_plane<C>(to, dtype, out, window, [&](const Window& wz, const Window& wy, const Window& wx, int64_t) {
    if (wz.start >= wz.end || wy.start >= wy.end || wx.start >= wx.end) return C(0);
    C sum = 0;
    for (int64_t z = wz.start; z < wz.end; ++z)
      for (int64_t y = wy.start; y < wy.end; ++y) {
        const C* row = p.data + z * p.step[0] + y * p.step[1];
        for (int64_t x = wx.start; x < wx.end; ++x) sum = add(sum, row[x * p.step[2]]);
      }
    const C by = C(average(wz, wy, wx));
    if constexpr (std::is_integral_v<C>) return by == -1 ? C(-uint64_t(sum)) : by == 0 ? C(0) : C(sum / by);
    else return sum / by;
  });
}

inline Status infer_avg_pool(int dims, const Tensor& self, Ints kernel, Ints stride, Ints padding, bool ceil_mode, std::optional<int64_t> divisor, TensorMeta& out) {
  PoolShape s;
  GLINT_TRY(check_real(self));
  if (!is_floating(self.dtype) && self.dtype != DType::kI64) return unsupported("avg_pool: only for floating dtypes and int64");
  if (divisor == 0) return invalid_argument("avg_pool: divisor_override must not be zero");
  const int64_t one[] = {1};
  GLINT_TRY(pool_shape(self, dims, kernel, stride, padding, one, ceil_mode, s));
  for (size_t i = size_t(3 - dims); i < 3; ++i)
    if (s.padding[i] > s.kernel[i] / 2) return invalid_argument("pooling: padding must be at most half the window");
  return set_pooled(self, dims, s.out.size, self.dtype, out);
}

inline void run_avg_pool(int dims, OpContext& c, const Tensor& self, Ints kernel, Ints stride, Ints padding, bool ceil_mode, const Average& average, Tensor& out) {
  PoolShape s;
  const int64_t one[] = {1};
  if (!pool_shape(self, dims, kernel, stride, padding, one, ceil_mode, s).ok()) return;
  const Volume to = volume(out, dims);
  with_real(self.dtype, [&](auto v) {
    using C = decltype(v);
    for_each_plane(dims, [&](const auto& o) {
      average_plane<C>(load_plane<C>(self, o[1], s.in, c.scratch()), to, out.dtype, at(out, o[0]), average, [&](size_t d, int64_t i) { return slide(s, s.in, d, i); });
    }, out, self);
  });
}

// Maxima: the value and where it was, counted row-major within the plane. A later NaN wins.

template <class C, class W>
void max_plane(const Plane<C>& p, const Volume& in, const std::array<int64_t, 3>& dilation, const Volume& to, DType dtype, void* out, const Volume& to_index,
               int64_t* indices, W&& window) {
  pool_plane<C>(to, dtype, out, window, [&](const Window& wz, const Window& wy, const Window& wx, int64_t position) {
    C most;  // a window over padding alone gives the dtype's least number
    if constexpr (std::is_integral_v<C>) most = is_unsigned(dtype) || dtype == DType::kBool ? 0 : INT64_MIN >> (64 - 8 * dtype_size(dtype));
    else most = C(-INFINITY);
    int64_t best = (wz.start * in.size[1] + wy.start) * in.size[2] + wx.start;
    for (int64_t z = wz.start; z < wz.end; z += dilation[0])
      for (int64_t y = wy.start; y < wy.end; y += dilation[1])
        for (int64_t x = wx.start; x < wx.end; x += dilation[2]) {
          const C v = p(z, y, x);
          if (v > most || v != v) most = v, best = (z * in.size[1] + y) * in.size[2] + x;
        }
    const int64_t x = position % to.size[2], y = position / to.size[2] % to.size[1], z = position / (to.size[2] * to.size[1]);
    indices[z * to_index.step[0] + y * to_index.step[1] + x * to_index.step[2]] = best;
    return most;
  });
}

inline Status infer_max_pool(int dims, const Tensor& self, Ints kernel, Ints stride, Ints padding, Ints dilation, bool ceil_mode, TensorMeta& out, TensorMeta& indices) {
  PoolShape s;
  GLINT_TRY(check_real(self));
  GLINT_TRY(pool_shape(self, dims, kernel, stride, padding, dilation, ceil_mode, s));
  GLINT_TRY(set_pooled(self, dims, s.out.size, DType::kI64, indices));
  return set_pooled(self, dims, s.out.size, self.dtype, out);
}

inline void run_max_pool(int dims, OpContext& c, const Tensor& self, Ints kernel, Ints stride, Ints padding, Ints dilation, bool ceil_mode, Tensor& out, Tensor& indices) {
  PoolShape s;
  if (!pool_shape(self, dims, kernel, stride, padding, dilation, ceil_mode, s).ok()) return;
  const Volume to = volume(out, dims), to_index = volume(indices, dims);
  with_real(self.dtype, [&](auto v) {
    using C = decltype(v);
    for_each_plane(dims, [&](const auto& o) {
      max_plane<C>(load_plane<C>(self, o[1], s.in, c.scratch()), s.in, s.dilation, to, out.dtype, at(out, o[0]), to_index, indices.as<int64_t>() + o[2],
                   [&](size_t d, int64_t i) { return slide(s, s.in, d, i); });
    }, out, self, indices);
  });
}

// Adaptive pooling: windows that share the input out among the outputs.

inline Status check_adaptive(int dims, const Tensor& self, Ints output_size, std::array<int64_t, 3>& sizes) {
  GLINT_TRY(check_real(self));
  if (!is_floating(self.dtype)) return unsupported("adaptive pooling: only for floating dtypes");
  if (self.rank != dims + 1 && self.rank != dims + 2) return invalid_argument("adaptive pooling: the input has the wrong number of dimensions");
  for (int d = 1; d < self.rank; ++d)
    if (self.size[size_t(d)] == 0) return invalid_argument("adaptive pooling: only the batch may be empty");
  if (output_size.size() != size_t(dims) || !spatial_list(output_size, dims, 0, sizes)) return invalid_argument("adaptive pooling: bad output_size");
  for (int d = 0; d < dims; ++d)
    if (self.size[size_t(self.rank - 1 - d)] > kMaxWindow << 20) return invalid_argument("adaptive pooling: the input is too large");
  return {};
}

inline Status infer_adaptive_avg_pool(int dims, const Tensor& self, Ints output_size, TensorMeta& out) {
  std::array<int64_t, 3> sizes{1, 1, 1};
  GLINT_TRY(check_adaptive(dims, self, output_size, sizes));
  return set_pooled(self, dims, sizes, self.dtype, out);
}

inline void run_adaptive_avg_pool(int dims, OpContext& c, const Tensor& self, Tensor& out) {
  const Volume in = volume(self, dims), to = volume(out, dims);
  with_floating(self.dtype, [&](auto v) {
    using C = decltype(v);
    for_each_plane(dims, [&](const auto& o) {
      average_plane<C>(load_plane<C>(self, o[1], in, c.scratch()), to, out.dtype, at(out, o[0]), Average{}, [&](size_t d, int64_t i) { return adapt(in.size[d], to.size[d], i); });
    }, out, self);
  });
}

inline Status infer_adaptive_max_pool(int dims, const Tensor& self, Ints output_size, TensorMeta& out, TensorMeta& indices) {
  std::array<int64_t, 3> sizes{1, 1, 1};
  GLINT_TRY(check_adaptive(dims, self, output_size, sizes));
  GLINT_TRY(set_pooled(self, dims, sizes, DType::kI64, indices));
  return set_pooled(self, dims, sizes, self.dtype, out);
}

inline void run_adaptive_max_pool(int dims, OpContext& c, const Tensor& self, Tensor& out, Tensor& indices) {
  const Volume in = volume(self, dims), to = volume(out, dims), to_index = volume(indices, dims);
  with_floating(self.dtype, [&](auto v) {
    using C = decltype(v);
    for_each_plane(dims, [&](const auto& o) {
      max_plane<C>(load_plane<C>(self, o[1], in, c.scratch()), in, {1, 1, 1}, to, out.dtype, at(out, o[0]), to_index, indices.as<int64_t>() + o[2],
                   [&](size_t d, int64_t i) { return adapt(in.size[d], to.size[d], i); });
    }, out, self, indices);
  });
}

/// Backward of an average: each window's gradient, divided, goes back to all of its positions.
template <class W>
void average_backward(int dims, OpContext& c, const Tensor& grad, const Average& average, Tensor& dx, W&& window) {
  const Volume in = volume(dx, dims), from = volume(grad, dims);
  const auto count = in.count();
  with_real(dx.dtype, [&](auto v) {
    using C = decltype(v);
    C* sums = reinterpret_cast<C*>(c.scratch());
    for_each_plane(dims, [&](const auto& o) {
      std::fill_n(sums, count, C());
      for (int64_t z = 0; z < from.size[0]; ++z)
        for (int64_t y = 0; y < from.size[1]; ++y)
          for (int64_t x = 0; x < from.size[2]; ++x) {
            const Window wz = window(0, z), wy = window(1, y), wx = window(2, x);
            if (wz.start >= wz.end || wy.start >= wy.end || wx.start >= wx.end) continue;
            const C g = kernels::load_one<C>(grad.dtype, grad.data, o[1] + z * from.step[0] + y * from.step[1] + x * from.step[2]);
            const C by = C(average(wz, wy, wx));
            C share = g;
            if constexpr (std::is_integral_v<C>) share = by == -1 ? C(-uint64_t(g)) : by == 0 ? C(0) : C(g / by);
            else share = g / by;
            for (int64_t iz = wz.start; iz < wz.end; ++iz)
              for (int64_t iy = wy.start; iy < wy.end; ++iy)
                for (int64_t ix = wx.start; ix < wx.end; ++ix) {
                  C& sum = sums[(iz * in.size[1] + iy) * in.size[2] + ix];
                  sum = add(sum, share);
                }
          }
      store_plane(dx, o[0], in, sums);
    }, dx, grad);
  });
}

}  // namespace glint::ops
