#pragma once

#include "glint/ops/gemm.h"

namespace glint::ops {

/// What a convolution's lists say, for 1 to 3 spatial dimensions, missing ones in front as size 1.
struct ConvShape {
  int dims = 0;
  int64_t groups = 1;
  std::array<int64_t, 3> kernel{1, 1, 1}, stride{1, 1, 1}, padding{}, dilation{1, 1, 1}, output_padding{};
  int64_t taps() const { return kernel[0] * kernel[1] * kernel[2]; }
};

/// Window parameters up to here cannot overflow any sum or product that follows.
inline constexpr int64_t kMaxWindow = int64_t(1) << 30;

/// `list` (one entry for all dimensions, or one each) into the last `dims` of `to`; every entry in [least, kMaxWindow].
inline bool spatial_list(Ints list, int dims, int64_t least, std::array<int64_t, 3>& to) {
  if (list.size() != 1 && list.size() != size_t(dims)) return false;
  for (int d = 0; d < dims; ++d) {
    const int64_t v = list[list.size() == 1 ? 0 : size_t(d)];
    if (v < least || v > kMaxWindow) return false;
    to[size_t(3 - dims + d)] = v;
  }
  return true;
}

/// The geometry of aten::convolution's arguments and its output sizes.
inline Status conv_shape(const Tensor& input, const Tensor& weight, Ints stride, Ints padding, Ints dilation, bool transposed,
                         Ints output_padding, int64_t groups, ConvShape& s, std::array<int64_t, 5>& out) {
  if (input.rank < 3 || input.rank > 5) return invalid_argument("convolution: the input must have 3 to 5 dimensions");
  if (weight.rank != input.rank) return invalid_argument("convolution: weight and input differ in rank");
  if (weight.dtype != input.dtype) return invalid_argument("convolution: weight and input differ in dtype");
  if (input.dtype == DType::kBool || input.dtype == DType::kC32) return unsupported("convolution: not for this dtype");
  s.dims = input.rank - 2;
  s.groups = groups;
  if (!spatial_list(stride, s.dims, 1, s.stride)) return invalid_argument("convolution: bad stride");
  if (!spatial_list(padding, s.dims, 0, s.padding)) return invalid_argument("convolution: bad padding");
  if (!spatial_list(dilation, s.dims, 1, s.dilation)) return invalid_argument("convolution: bad dilation");
  if (!spatial_list(output_padding, s.dims, 0, s.output_padding)) return invalid_argument("convolution: bad output_padding");
  if (groups < 1 || weight.size[0] % groups != 0) return invalid_argument("convolution: groups does not divide the weight's first size");
  int64_t channels = 0;
  if (!checked_mul(weight.size[1], groups, &channels)) return invalid_argument("convolution: too many channels");
  if (input.size[1] != (transposed ? weight.size[0] : channels)) return invalid_argument("convolution: input and weight disagree on channels");
  out[0] = input.size[0];
  out[1] = transposed ? channels : weight.size[0];
  for (int d = 0; d < s.dims; ++d) {
    const size_t i = size_t(3 - s.dims + d);
    const int64_t n = input.size[size_t(2 + d)], k = weight.size[size_t(2 + d)];
    if (k < 1 || k > kMaxWindow || n > kMaxWindow << 20) return invalid_argument("convolution: a kernel or input size is out of range");
    s.kernel[i] = k;
    const int64_t reach = s.dilation[i] * (k - 1) + 1;
    if (transposed) {
      if (s.output_padding[i] >= std::max(s.stride[i], s.dilation[i]))
        return invalid_argument("convolution: output_padding must be smaller than stride or dilation");
      int64_t spread = 0;
      if (!checked_mul(n - 1, s.stride[i], &spread)) return invalid_argument("convolution: the output is too large");
      int64_t size = 0;
      if (!checked_add(spread, reach + s.output_padding[i] - 2 * s.padding[i], &size) || size < 0)
        return invalid_argument("convolution: the output size is out of range");
      out[size_t(2 + d)] = size;
    } else {
      const int64_t padded = n + 2 * s.padding[i];
      if (padded < reach) return invalid_argument("convolution: the kernel is larger than the padded input");
      out[size_t(2 + d)] = (padded - reach) / s.stride[i] + 1;
    }
  }
  return {};
}

/// One side of a convolution as the kernels walk it: three spatial dimensions.
struct Volume {
  std::array<int64_t, 3> size{1, 1, 1}, step{};
  int64_t count() const { return size[0] * size[1] * size[2]; }
};
inline Volume volume(const TensorMeta& t, int dims) {
  Volume v;
  for (int d = 0; d < dims; ++d) {
    v.size[size_t(3 - dims + d)] = t.size[size_t(t.rank - dims + d)];
    v.step[size_t(3 - dims + d)] = t.stride[size_t(t.rank - dims + d)];
  }
  return v;
}

/// f(z, y, x, j, n) for the runs along x that make up positions [j0, j0 + count) of a volume; j counts from j0.
template <class F>
void for_each_run(const std::array<int64_t, 3>& size, int64_t j0, int64_t count, F&& f) {
  for (int64_t j = 0; j < count;) {
    const int64_t x = (j0 + j) % size[2], rest = (j0 + j) / size[2];
    const int64_t n = std::min(size[2] - x, count - j);
    f(rest / size[1], rest % size[1], x, j, n);
    j += n;
  }
}

/// The positions x in [x0, x0 + n) whose input coordinate x * stride + shift lies in [0, size): [low, high).
inline void inside(int64_t x0, int64_t n, int64_t stride, int64_t shift, int64_t size, int64_t& low, int64_t& high) {
  low = shift >= 0 ? 0 : ceil_div(-shift, stride);
  high = size - 1 - shift < 0 ? 0 : (size - 1 - shift) / stride + 1;
  low = std::clamp(low, x0, x0 + n);
  high = std::clamp(high, low, x0 + n);
}

/// Drops a spatial dimension that nothing slides over (a 1x1 kernel over images is one long row).
inline void merge_rows(ConvShape& s, Volume& in, Volume& out) {
  for (size_t d = 1; d < 3; ++d) {
    const auto still = [&](size_t i) { return s.kernel[i] == 1 && s.stride[i] == 1 && s.padding[i] == 0 && in.size[i] == out.size[i]; };
    if (!still(d - 1) || !still(d)) continue;
    if (in.size[d - 1] != 1 && (in.step[d - 1] != in.step[d] * in.size[d] || out.step[d - 1] != out.step[d] * out.size[d])) continue;
    in.size[d] *= in.size[d - 1];
    out.size[d] *= out.size[d - 1];
    in.size[d - 1] = out.size[d - 1] = 1;
  }
}

/// A weight [out, in, taps...] (or [in, out, taps...]) addressed by tap number.
struct Weight {
  DType dtype;
  const void* data;
  int64_t step0, step1;
  Volume taps;
  int64_t tap_offset(int64_t tap) const {
    return tap % taps.size[2] * taps.step[2] + tap / taps.size[2] % taps.size[1] * taps.step[1] + tap / (taps.size[2] * taps.size[1]) * taps.step[0];
  }
};
inline Weight weight_of(const Tensor& w, int dims) { return {w.dtype, w.data, w.stride[0], w.stride[1], volume(w, dims)}; }

/// out = input * weight (+ bias): a matrix product whose right side, the windows, is gathered a panel at a time.
template <class C>
void convolve(ConvShape s, const Tensor& input, const Tensor& weight, const Tensor* bias, Tensor& out) {
  Volume in = volume(input, s.dims), to = volume(out, s.dims);
  const Weight w = weight_of(weight, s.dims);
  const int64_t taps = s.taps(), in_channels = weight.size[1], out_channels = out.size[1] / s.groups;
  merge_rows(s, in, to);
  for (int64_t batch = 0; batch < out.size[0]; ++batch)
    for (int64_t g = 0; g < s.groups; ++g) {
      const int64_t in_base = batch * input.stride[0] + g * in_channels * input.stride[1];
      const auto pack_weight = [&](int64_t i, int64_t k0, int64_t kc, C* row) {
        const int64_t base = (g * out_channels + i) * w.step0;
        if (w.step1 == taps && w.taps.step[2] == 1 && weight.is_contiguous()) return kernels::load(w.dtype, at(w.dtype, w.data, base + k0), 1, kc, row);
        for (int64_t k = k0; k < k0 + kc; ++k) row[k - k0] = kernels::load_one<C>(w.dtype, w.data, base + k / taps * w.step1 + w.tap_offset(k % taps));
      };
      const auto pack_windows = [&](int64_t k0, int64_t kc, int64_t j0, int64_t nc, C* panel) {
        for (int64_t k = k0; k < k0 + kc; ++k) {
          C* row = panel + (k - k0) * kGemmCols;
          const int64_t tap = k % taps, kx = tap % s.kernel[2], ky = tap / s.kernel[2] % s.kernel[1], kz = tap / (s.kernel[2] * s.kernel[1]);
          const int64_t base = in_base + k / taps * input.stride[1], shift = kx * s.dilation[2] - s.padding[2];
          for_each_run(to.size, j0, nc, [&](int64_t z, int64_t y, int64_t x, int64_t j, int64_t n) {
            const int64_t iz = z * s.stride[0] + kz * s.dilation[0] - s.padding[0], iy = y * s.stride[1] + ky * s.dilation[1] - s.padding[1];
            int64_t low = x, high = x;
            if (iz >= 0 && iz < in.size[0] && iy >= 0 && iy < in.size[1]) inside(x, n, s.stride[2], shift, in.size[2], low, high);
            std::fill(row + j, row + j + (low - x), C());
            if (high > low) {
              const int64_t from = base + iz * in.step[0] + iy * in.step[1] + (low * s.stride[2] + shift) * in.step[2];
              kernels::load(input.dtype, at(input, from), s.stride[2] * in.step[2], high - low, row + j + (low - x));
            }
            std::fill(row + j + (high - x), row + j + n, C());
          });
        }
      };
      gemm<C>(out_channels, to.count(), in_channels * taps, pack_weight, pack_windows, [&](int64_t i, int64_t j0, int64_t nc, const C* sums) {
        const int64_t channel = g * out_channels + i;
        C result[kGemmCols];
        const C b = bias != nullptr ? kernels::load_one<C>(bias->dtype, bias->data, channel * bias->stride[0]) : C();
        for (int64_t j = 0; j < nc; ++j) result[j] = add(sums[j], b);
        const int64_t base = batch * out.stride[0] + channel * out.stride[1];
        for_each_run(to.size, j0, nc, [&](int64_t z, int64_t y, int64_t x, int64_t j, int64_t n) {
          kernels::store(out.dtype, at(out, base + z * to.step[0] + y * to.step[1] + x * to.step[2]), to.step[2], n, result + j);
        });
      });
    }
}

/// The transposed convolution: products of channels by taps, added where they belong in `sums`,
/// room for one group of one batch entry: [out channels of the group, output positions].
template <class C>
void convolve_transposed(const ConvShape& s, const Tensor& input, const Tensor& weight, const Tensor* bias, C* sums, Tensor& out) {
  const Volume in = volume(input, s.dims), to = volume(out, s.dims);
  const Weight w = weight_of(weight, s.dims);
  const int64_t taps = s.taps(), in_channels = weight.size[0] / s.groups, out_channels = weight.size[1], positions = to.count();
  for (int64_t batch = 0; batch < out.size[0]; ++batch)
    for (int64_t g = 0; g < s.groups; ++g) {
      for (int64_t i = 0; i < out_channels; ++i) {
        const C b = bias != nullptr ? kernels::load_one<C>(bias->dtype, bias->data, (g * out_channels + i) * bias->stride[0]) : C();
        std::fill_n(sums + i * positions, positions, b);
      }
      const auto pack_weight = [&](int64_t i, int64_t k0, int64_t kc, C* row) {
        kernels::load(w.dtype, at(w.dtype, w.data, (g * in_channels + k0) * w.step0 + i / taps * w.step1 + w.tap_offset(i % taps)), w.step0, kc, row);
      };
      const auto pack_input = [&](int64_t k0, int64_t kc, int64_t j0, int64_t nc, C* panel) {
        for (int64_t k = 0; k < kc; ++k) {
          const int64_t base = batch * input.stride[0] + (g * in_channels + k0 + k) * input.stride[1];
          for_each_run(in.size, j0, nc, [&](int64_t z, int64_t y, int64_t x, int64_t j, int64_t n) {
            kernels::load(input.dtype, at(input, base + z * in.step[0] + y * in.step[1] + x * in.step[2]), in.step[2], n, panel + k * kGemmCols + j);
          });
        }
      };
      gemm<C>(out_channels * taps, in.count(), in_channels, pack_weight, pack_input, [&](int64_t i, int64_t j0, int64_t nc, const C* products) {
        const int64_t tap = i % taps, kx = tap % s.kernel[2], ky = tap / s.kernel[2] % s.kernel[1], kz = tap / (s.kernel[2] * s.kernel[1]);
        for_each_run(in.size, j0, nc, [&](int64_t z, int64_t y, int64_t x, int64_t j, int64_t n) {
          const int64_t oz = z * s.stride[0] + kz * s.dilation[0] - s.padding[0], oy = y * s.stride[1] + ky * s.dilation[1] - s.padding[1];
          if (oz < 0 || oz >= to.size[0] || oy < 0 || oy >= to.size[1]) return;
          int64_t low = 0, high = 0;
          const int64_t shift = kx * s.dilation[2] - s.padding[2];
          inside(x, n, s.stride[2], shift, to.size[2], low, high);
          C* row = sums + i / taps * positions + (oz * to.size[1] + oy) * to.size[2] + shift;
          for (int64_t xx = low; xx < high; ++xx) row[xx * s.stride[2]] = add(row[xx * s.stride[2]], products[j + xx - x]);
        });
      });
      for (int64_t i = 0; i < out_channels; ++i)
        for_each_run(to.size, 0, positions, [&](int64_t z, int64_t y, int64_t x, int64_t j, int64_t n) {
          const int64_t base = batch * out.stride[0] + (g * out_channels + i) * out.stride[1];
          kernels::store(out.dtype, at(out, base + z * to.step[0] + y * to.step[1] + x * to.step[2]), to.step[2], n, sums + i * positions + j);
        });
    }
}

/// Bytes of `sums` above; false when they overflow.
inline bool transposed_scratch(DType d, int64_t out_channels, int64_t positions, size_t* bytes) {
  const int64_t width = with_compute(d, [](auto c) { return int64_t(sizeof(c)); });
  int64_t n = 0;
  if (!checked_mul(out_channels, positions, &n) || !checked_mul(n, width, &n)) return false;
  *bytes = size_t(n);
  return true;
}

}  // namespace glint::ops
