#pragma once

// Caches of keys and values [B, S, H, E], whose rows along S operators write in place.

#include <cstring>

#include "glint/core/op_def.h"
#include "glint/kernels/convert.h"

namespace glint::ops {

/// `rows` [B, L, H, E] and the cache it is put into.
inline Status check_cache(const Tensor& rows, const Tensor& cache) {
  if (rows.rank != 4 || cache.rank != 4) return invalid_argument("the cache and what is put into it must have 4 dimensions");
  if (rows.dtype != cache.dtype) return invalid_argument("the cache and what is put into it must have one dtype");
  if (rows.size[0] != cache.size[0] || rows.size[2] != cache.size[2] || rows.size[3] != cache.size[3])
    return invalid_argument("the cache and what is put into it differ in more than their length");
  return {};
}
inline Status check_position(const Tensor& rows, const Tensor& cache, int64_t start) {
  const int64_t length = cache.size[1];
  return start >= 0 && start <= length && rows.size[1] <= length - start ? Status() : invalid_argument("the cache is too short for what is put there");
}

/// cache[b, to] = rows[b, from], in place.
inline void put_row(const Tensor& rows, const Tensor& cache, int64_t b, int64_t from, int64_t to) {
  const auto width = int64_t(dtype_size(cache.dtype));
  for (int64_t h = 0; h < rows.size[2]; ++h) {
    const auto* source = static_cast<const char*>(rows.data) + (b * rows.stride[0] + from * rows.stride[1] + h * rows.stride[2]) * width;
    auto* target = static_cast<char*>(cache.data) + (b * cache.stride[0] + to * cache.stride[1] + h * cache.stride[2]) * width;
    kernels::copy_row(int(width), source, rows.stride[3], target, cache.stride[3], rows.size[3]);
  }
}
/// cache[:, start : start + L] = rows, in place.
inline void update_cache(const Tensor& rows, const Tensor& cache, int64_t start) {
  for (int64_t b = 0; b < rows.size[0]; ++b)
    for (int64_t i = 0; i < rows.size[1]; ++i) put_row(rows, cache, b, i, start + i);
}

}  // namespace glint::ops
