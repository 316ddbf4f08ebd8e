#pragma once

// What sorting operators share: lanes along a dimension, ranked in scratch.

#include "glint/kernels/order.h"
#include "glint/ops/movement.h"

namespace glint::ops {

/// Calls f(offsets) for each lane along `dim`: offsets of its first element in every tensor. All
/// tensors have one rank >= 1 and, besides `dim`, one shape.
template <class F, class... Meta>
void for_each_lane(int dim, F&& f, const TensorMeta& first, const Meta&... others) {
  const auto lane_heads = [dim](TensorMeta m) {
    m.size[size_t(dim)] = 1;
    return m;
  };
  if (first.size[size_t(dim)] == 0) return;
  for_each_row(make_loop(lane_heads(first), lane_heads(others)...), [&](auto at, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      f(at);
      for (size_t k = 0; k < at.size(); ++k) at[k] += step[k];
    }
  });
}

inline Status check_order(DType d) { return is_complex(d) ? unsupported("complex numbers have no order") : Status(); }

/// Scratch for one ranked lane along `dim`.
inline size_t lane_bytes(const Tensor& self, int64_t dim) {
  return self.numel() == 0 ? 0 : size_t(at_least_1d(self).size[size_t(wrap_dim(dim, self.rank))]) * sizeof(kernels::Ranked);
}

/// Writes n ranked elements of a lane of self: the elements themselves and their indices.
inline void write_ranked(const kernels::Ranked* items, int64_t n, const Tensor& self, int64_t self_at, int64_t self_step, Tensor& values,
                         int64_t values_at, int64_t values_step, Tensor& indices, int64_t indices_at, int64_t indices_step) {
  with_width(dtype_size(self.dtype), [&](auto unit) {
    using T = decltype(unit);
    const T* from = self.as<T>() + self_at;
    T* to = values.as<T>() + values_at;
    for (int64_t i = 0; i < n; ++i) to[i * values_step] = from[items[i].index * self_step];
  });
  int64_t* to = indices.as<int64_t>() + indices_at;
  for (int64_t i = 0; i < n; ++i) to[i * indices_step] = items[i].index;
}

}  // namespace glint::ops
