#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "glint/base/checked.h"
#include "glint/core/dtype.h"

namespace glint {

inline constexpr int kMaxRank = 16;

/// What is known of a tensor without its elements: dtype, sizes, strides (both
/// in elements; a stride of 0 repeats). Sizes are >= 0 and their product fits in int64.
struct TensorMeta {
  DType dtype = DType::kF32;
  uint8_t rank = 0;
  std::array<int64_t, kMaxRank> size{};
  std::array<int64_t, kMaxRank> stride{};

  std::span<const int64_t> sizes() const { return {size.data(), rank}; }
  std::span<const int64_t> strides() const { return {stride.data(), rank}; }
  int64_t numel() const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= size[i];
    return n;
  }
  /// Bytes of a dense tensor of these sizes: the only way from shape to bytes.
  size_t size_bytes() const { return size_t(numel()) * dtype_size(dtype); }

  /// Sets dtype and sizes, with row-major strides. False (nothing changed) when there
  /// are more than kMaxRank sizes, one is negative, the bytes overflow int64, or the number names no dtype.
  bool set(DType new_dtype, std::span<const int64_t> sizes);
  /// Row-major strides for the current sizes.
  void set_contiguous();
  /// Dense strides in the order of `order` (outermost first), a permutation of the dimensions.
  void set_dim_order(std::span<const uint8_t> order);

  bool is_contiguous() const;
  /// Every element has its own address and there are no gaps, in some order of dimensions.
  bool is_dense() const;
  /// Dense with the order N, spatial..., C (rank 3 to 5); ambiguous shapes count as true.
  bool is_channels_last() const;
  bool same_sizes(const TensorMeta& other) const;
};

/// A tensor over memory that somebody else owns. `data` may be null while only
/// the meta is known (inside `infer` at compile time). Elements follow at
/// data + index * stride; an empty tensor may have null data.
struct Tensor : TensorMeta {
  void* data = nullptr;

  template <class T> T* as() { return static_cast<T*>(data); }
  template <class T> const T* as() const { return static_cast<const T*>(data); }
};

/// `dim` counted from the front: -1 is the last. A scalar tensor accepts -1 and
/// 0 as PyTorch does. Returns -1 when out of range.
constexpr int wrap_dim(int64_t dim, int rank) {
  const int64_t n = rank > 0 ? rank : 1;
  if (dim < -n || dim >= n) return -1;
  return int(dim < 0 ? dim + n : dim);
}

}  // namespace glint
