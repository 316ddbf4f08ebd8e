#pragma once

#include "glint/ops/conv.h"
#include "glint/ops/grid_sampler.h"

// Resizing [N, C, spatial...] along 1 to 3 dimensions. Each output coordinate reads one, two or four
// input coordinates per dimension; the arithmetic of coordinates is PyTorch's, in the compute type.

namespace glint::ops {

enum class Resize { kNearest, kNearestExact, kLinear, kCubic };

/// Output sizes and, where the caller gave them, scales.
struct ResizeSpec {
  std::array<int64_t, 3> size{};
  std::array<std::optional<double>, 3> scale{};
};

inline Status check_resized(int dims, const Tensor& self, ResizeSpec& spec, Resize mode, TensorMeta& out) {
  if (self.rank != dims + 2) return invalid_argument("upsample: the input has the wrong number of dimensions");
  const bool floating = is_floating(self.dtype), byte = self.dtype == DType::kU8;
  if (!floating && !(byte && dims < 3 + (mode <= Resize::kNearestExact))) return unsupported("upsample: not for this dtype");
  if (self.size[1] == 0) return invalid_argument("upsample: the input has no channels");
  std::array<int64_t, 5> sizes{self.size[0], self.size[1]};
  for (int d = 0; d < dims; ++d) {
    if (self.size[size_t(2 + d)] < 1 || spec.size[size_t(d)] < 1) return invalid_argument("upsample: input and output sizes must be positive");
    if (spec.size[size_t(d)] > kMaxWindow << 20 || self.size[size_t(2 + d)] > kMaxWindow << 20) return invalid_argument("upsample: a size is too large");
    sizes[size_t(2 + d)] = spec.size[size_t(d)];
  }
  return set_result(out, self.dtype, {sizes.data(), self.rank});
}

/// The overloads with output_size and a scale per dimension.
inline Status resize_to(int dims, const Tensor&, Ints size, std::initializer_list<std::optional<double>> scales, ResizeSpec& spec) {
  if (size.size() != size_t(dims)) return invalid_argument("upsample: output_size has the wrong number of sizes");
  for (size_t d = 0; d < size.size(); ++d) spec.size[d] = size[d], spec.scale[d] = scales.begin()[d];
  return {};
}

/// The .vec overloads: exactly one of output_size and scale_factors.
inline Status resize_by(int dims, const Tensor& self, std::optional<Ints> size, std::optional<Floats> factors, ResizeSpec& spec) {
  if (size.has_value() == factors.has_value()) return invalid_argument("upsample: give either output_size or scale_factors");
  if (size) {
    if (size->size() != size_t(dims)) return invalid_argument("upsample: output_size has the wrong number of sizes");
    std::copy(size->begin(), size->end(), spec.size.begin());
    return {};
  }
  if (factors->size() != size_t(dims)) return invalid_argument("upsample: scale_factors has the wrong number of entries");
  if (self.rank != dims + 2) return invalid_argument("upsample: the input has the wrong number of dimensions");
  for (size_t d = 0; d < factors->size(); ++d) {
    const double n = double(self.size[2 + d]) * (*factors)[d];
    if (!(n >= 0 && n < double(kMaxWindow << 20))) return invalid_argument("upsample: a scale factor is out of range");
    spec.size[d] = int64_t(n);
    spec.scale[d] = (*factors)[d];
  }
  return {};
}

/// Input elements per output element.
template <class C>
C resize_step(int64_t in, int64_t out, bool align_corners, std::optional<double> scale) {
  if (align_corners) return out > 1 ? C(in - 1) / C(out - 1) : C(0);
  return scale && *scale > 0 ? C(1.0 / *scale) : C(in) / C(out);
}

template <class C>
Taps<C> resize_taps(Resize mode, int64_t in, int64_t out, bool align_corners, std::optional<double> scale, int64_t position) {
  Taps<C> taps;
  const C step = resize_step<C>(in, out, align_corners, scale);
  const auto clamped = [in](C x) { return x < C(in) ? std::clamp<int64_t>(int64_t(x), 0, in - 1) : in - 1; };
  if (mode == Resize::kNearest || mode == Resize::kNearestExact) {
    taps.push(clamped(std::floor(mode == Resize::kNearest ? C(position) * step : (C(position) + C(0.5)) * step)), 1);
    return taps;
  }
  C x = align_corners ? step * C(position) : step * (C(position) + C(0.5)) - C(0.5);
  if (mode == Resize::kLinear) {
    if (in == out) x = C(position);
    x = std::max(x, C(0));
    const int64_t i = clamped(std::floor(x));
    const C t = std::clamp(x - C(i), C(0), C(1));
    taps.push(i, 1 - t);
    taps.push(std::min(i + 1, in - 1), t);
    return taps;
  }
  const C base = std::floor(x);
  C w[4];
  cubic_weights(std::clamp(x - base, C(0), C(1)), w);
  for (int i = 0; i < 4; ++i) taps.push(base - 1 + C(i) < 0 ? 0 : clamped(base - 1 + C(i)), w[i]);
  return taps;
}

template <class C>
void resize(int dims, Resize mode, bool align_corners, const ResizeSpec& spec, const Tensor& self, Tensor& out) {
  const Volume in = volume(self, dims), to = volume(out, dims);
  const auto taps_at = [&](size_t d, int64_t position) {
    Taps<C> t;
    const size_t own = d - size_t(3 - dims);
    if (d < size_t(3 - dims)) t.push(0, 1);
    else t = resize_taps<C>(mode, in.size[d], to.size[d], align_corners, spec.scale[own], position);
    return t;
  };
  const auto row_of = [&](int64_t batch, int64_t channel, const Taps<C>& tz, const Taps<C>& ty, int64_t x0, int64_t n, C* row) {
    const int64_t base = batch * self.stride[0] + channel * self.stride[1];
    for (int64_t x = 0; x < n; ++x) {
      const Taps<C> tx = taps_at(2, x0 + x);
      C sum = 0;
      for (int z = 0; z < tz.count; ++z)
        for (int y = 0; y < ty.count; ++y) {
          C part = 0;
          for (int k = 0; k < tx.count; ++k)
            part += tx.weight[k] * kernels::load_one<C>(self.dtype, self.data, base + tz.index[z] * in.step[0] + ty.index[y] * in.step[1] + tx.index[k] * in.step[2]);
          sum += tz.weight[z] * ty.weight[y] * part;
        }
      row[x] = sum;
    }
  };
  for (int64_t batch = 0; batch < out.size[0]; ++batch)
    for (int64_t channel = 0; channel < out.size[1]; ++channel)
      for (int64_t z = 0; z < to.size[0]; ++z)
        for (int64_t y = 0; y < to.size[1]; ++y) {
          const Taps<C> tz = taps_at(0, z), ty = taps_at(1, y);
          for_each_tile(to.size[2], [&](int64_t x0, int64_t n) {
            C row[kernels::kTile];
            row_of(batch, channel, tz, ty, x0, n, row);
            const int64_t base = batch * out.stride[0] + channel * out.stride[1] + z * to.step[0] + y * to.step[1] + x0 * to.step[2];
            kernels::store(out.dtype, at(out, base), to.step[2], n, row);
          });
        }
}

/// Nearest neighbours move elements and never round them.
inline void resize_nearest(int dims, Resize mode, const ResizeSpec& spec, const Tensor& self, Tensor& out) {
  const Volume in = volume(self, dims), to = volume(out, dims);
  const auto index = [&](size_t d, int64_t position) -> int64_t {
    if (d < size_t(3 - dims)) return 0;
    const size_t own = d - size_t(3 - dims);
    return with_floating(self.dtype, [&](auto c) {
      return resize_taps<decltype(c)>(mode, in.size[d], to.size[d], false, spec.scale[own], position).index[0];
    });
  };
  const int width = int(dtype_size(self.dtype));
  for (int64_t z = 0; z < to.size[0]; ++z)
    for (int64_t y = 0; y < to.size[1]; ++y) {
      const int64_t row = index(0, z) * in.step[0] + index(1, y) * in.step[1];
      for (int64_t x = 0; x < to.size[2]; ++x) {
        const int64_t from = row + index(2, x) * in.step[2], dest = z * to.step[0] + y * to.step[1] + x * to.step[2];
        for (int64_t batch = 0; batch < out.size[0]; ++batch)
          kernels::copy_row(width, at(self, from + batch * self.stride[0]), self.stride[1], at(out, dest + batch * out.stride[0]), out.stride[1], out.size[1]);
      }
    }
}

inline void run_resize(int dims, Resize mode, bool align_corners, const ResizeSpec& spec, const Tensor& self, Tensor& out) {
  if (out.numel() == 0) return;
  if (mode == Resize::kNearest || mode == Resize::kNearestExact) return resize_nearest(dims, mode, spec, self, out);
  with_floating(self.dtype, [&](auto c) { resize<decltype(c)>(dims, mode, align_corners, spec, self, out); });
}

}  // namespace glint::ops
