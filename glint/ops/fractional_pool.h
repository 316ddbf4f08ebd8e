#pragma once

#include "glint/ops/pool.h"

namespace glint::ops {

/// Windows of a fixed size whose distances vary around (in - kernel) / (out - 1), placed by a random sample
/// per plane and dimension that the caller supplies ([N, C, dims]; x first in 2-d, z first in 3-d).
inline Status infer_fractional_pool(int dims, const Tensor& self, Ints kernel, Ints output_size, const Tensor& samples, TensorMeta& out, TensorMeta& indices) {
  if (!is_floating(self.dtype)) return unsupported("fractional_max_pool: only for floating dtypes");
  if (self.rank != dims + 1 && self.rank != dims + 2) return invalid_argument("fractional_max_pool: the input has the wrong number of dimensions");
  std::array<int64_t, 3> k{1, 1, 1}, sizes{1, 1, 1};
  if (kernel.size() != size_t(dims) || !spatial_list(kernel, dims, 1, k)) return invalid_argument("fractional_max_pool: bad kernel_size");
  if (output_size.size() != size_t(dims) || !spatial_list(output_size, dims, 1, sizes)) return invalid_argument("fractional_max_pool: bad output_size");
  const int64_t batch = self.rank == dims + 2 ? self.size[0] : 1, channels = self.size[size_t(self.rank - dims - 1)];
  if (samples.dtype != self.dtype || samples.rank != 3 || samples.size[0] < batch || samples.size[1] < channels || samples.size[2] != dims)
    return invalid_argument("fractional_max_pool: random_samples must be [N, C, dims] of the input's dtype");
  const Volume in = volume(self, dims);
  for (size_t i = size_t(3 - dims); i < 3; ++i) {
    int64_t reach = 0;
    if (!checked_add(sizes[i], k[i] - 1, &reach) || reach > in.size[i]) return invalid_argument("fractional_max_pool: the windows do not fit the input");
  }
  if (channels == 0 && self.rank == dims + 2) return invalid_argument("fractional_max_pool: only the batch may be empty");
  GLINT_TRY(set_pooled(self, dims, sizes, DType::kI64, indices));
  return set_pooled(self, dims, sizes, self.dtype, out);
}

template <class C>
Window fraction(DType d, int64_t in, int64_t out, int64_t kernel, C sample, int64_t i) {
  int64_t start = in - kernel;
  if (i < out - 1) {
    const auto held = [d](C v) { return as_element(d, v); };  // half types round after each step
    const C alpha = held(held(C(in - kernel)) / held(C(out - 1)));
    const C from = held(held(held(C(i)) + sample) * alpha), zero = held(sample * alpha);
    // A sample outside [0, 1) must not leave the input.
    const bool sane = from >= 0 && from < C(int64_t(1) << 52) && zero >= 0 && zero < C(int64_t(1) << 52);
    start = sane ? std::clamp<int64_t>(int64_t(from) - int64_t(zero), 0, in - kernel) : 0;
  }
  return {start, start + kernel, kernel};
}

inline void run_fractional_pool(int dims, OpContext& c, const Tensor& self, Ints kernel, const Tensor& samples, Tensor& out, Tensor& indices) {
  const Volume in = volume(self, dims), to = volume(out, dims), to_index = volume(indices, dims);
  const int64_t channels = self.size[size_t(self.rank - dims - 1)];
  std::array<int64_t, 3> k{1, 1, 1};
  if (!spatial_list(kernel, dims, 1, k)) return;
  const int batched = self.rank == dims + 2;
  with_floating(self.dtype, [&](auto v) {
    using C = decltype(v);
    for (int64_t n = 0, batch = batched ? self.size[0] : 1; n < batch; ++n)
      for (int64_t ch = 0; ch < channels; ++ch) {
        const auto start = [&](const Tensor& t) { return (batched ? n * t.stride[0] : 0) + ch * t.stride[size_t(batched)]; };
        const auto sample = [&](size_t d) {
          const int64_t at_dim = dims == 2 ? int64_t(2 - d) : int64_t(d);
          return kernels::load_one<C>(samples.dtype, samples.data, n * samples.stride[0] + ch * samples.stride[1] + at_dim * samples.stride[2]);
        };
        max_plane<C>(load_plane<C>(self, start(self), in, c.scratch()), in, {1, 1, 1}, to, out.dtype, at(out, start(out)), to_index,
                     indices.as<int64_t>() + start(indices), [&](size_t d, int64_t i) {
                       if (d < size_t(3 - dims)) return Window{0, 1, 1};
                       return fraction<C>(self.dtype, in.size[d], to.size[d], k[d], sample(d), i);
                     });
      }
  });
}

}  // namespace glint::ops
