#pragma once

#include <cstdint>

#include "glint/core/dtype.h"

namespace glint::kernels {

/// The loaders and storers that all reference kernels share: elements of any
/// dtype to and from a compute type, a row at a time. C is float, double,
/// int64_t, bool, c64 or c128. Steps are in elements. Conversions follow PyTorch: floats
/// truncate to integers (out of range and NaN as x86 does), integers wrap, bool is "not zero",
/// complex to real drops the imaginary part.

/// out[i] = C(p[i * step]) for i < n.
template <class C> void load(DType dtype, const void* p, int64_t step, int64_t n, C* out);
/// p[i * step] = in[i] for i < n.
template <class C> void store(DType dtype, void* p, int64_t step, int64_t n, const C* in);

/// One element.
template <class C> C load_one(DType dtype, const void* p, int64_t index) {
  C v;
  load<C>(dtype, static_cast<const char*>(p) + index * int64_t(dtype_size(dtype)), 1, 1, &v);
  return v;
}
template <class C> void store_one(DType dtype, void* p, int64_t index, C v) {
  store<C>(dtype, static_cast<char*>(p) + index * int64_t(dtype_size(dtype)), 1, 1, &v);
}

/// Copies n elements of `width` bytes (1, 2, 4, 8, 16) between strided rows. The rows do not overlap.
void copy_row(int width, const void* from, int64_t from_step, void* to, int64_t to_step, int64_t n);

/// Elements that a reference kernel converts at a time: tiles of this many fit on the stack.
inline constexpr int64_t kTile = 256;

}  // namespace glint::kernels
