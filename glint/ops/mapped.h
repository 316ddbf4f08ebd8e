#pragma once

#include "glint/ops/movement.h"

namespace glint::ops {

/// out[c0, c1, ...] = self[source(0, c0), source(1, c1), ...]: each coordinate is mapped by itself. Both have
/// out's rank >= 1 and one width.
template <class Source>
void copy_mapped(const Tensor& self, Tensor& out, Source&& source) {
  if (out.numel() == 0) return;
  const int last = out.rank - 1;
  const int64_t width = out.size[size_t(last)];
  int64_t rows = 1;
  for (int d = 0; d < last; ++d) rows *= out.size[size_t(d)];
  with_width(dtype_size(out.dtype), [&](auto unit) {
    using T = decltype(unit);
    const T* from = self.as<T>();
    T* to = out.as<T>();
    int64_t tile[kernels::kTile];
    for (int64_t start = 0; start < width; start += kernels::kTile) {
      const int64_t n = std::min(width - start, kernels::kTile), to_step = out.stride[size_t(last)];
      for (int64_t k = 0; k < n; ++k) tile[k] = source(last, start + k) * self.stride[size_t(last)];
      std::array<int64_t, kMaxRank> at{};
      for (int64_t row = 0; row < rows; ++row) {
        int64_t base = 0, to_base = start * to_step;
        for (int d = 0; d < last; ++d) {
          base += source(d, at[size_t(d)]) * self.stride[size_t(d)];
          to_base += at[size_t(d)] * out.stride[size_t(d)];
        }
        for (int64_t k = 0; k < n; ++k) to[to_base + k * to_step] = from[base + tile[k]];
        for (int d = last; d-- > 0;) {
          if (++at[size_t(d)] < out.size[size_t(d)]) break;
          at[size_t(d)] = 0;
        }
      }
    }
  });
}

}  // namespace glint::ops
