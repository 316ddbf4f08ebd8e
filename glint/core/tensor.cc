#include "glint/core/tensor.h"

namespace glint {

bool TensorMeta::set(DType new_dtype, std::span<const int64_t> sizes) {
  if (sizes.size() > kMaxRank || dtype_size(new_dtype) == 0) return false;
  int64_t bytes = int64_t(dtype_size(new_dtype));
  for (int64_t s : sizes) {
    if (s < 0) return false;
    // A zero must not hide an overflow: strides are products too.
    if (s != 0 && !checked_mul(bytes, s, &bytes)) return false;
  }
  dtype = new_dtype;
  rank = uint8_t(sizes.size());
  for (size_t i = 0; i < sizes.size(); ++i) size[i] = sizes[i];
  set_contiguous();
  return true;
}

void TensorMeta::set_contiguous() {
  int64_t step = 1;
  for (int i = rank; i-- > 0;) {
    stride[i] = step;
    step *= size[i] > 1 ? size[i] : 1;
  }
}

void TensorMeta::set_dim_order(std::span<const uint8_t> order) {
  int64_t step = 1;
  for (int i = rank; i-- > 0;) {
    stride[order[i]] = step;
    step *= size[order[i]] > 1 ? size[order[i]] : 1;
  }
}

bool TensorMeta::is_contiguous() const {
  int64_t step = 1;
  for (int i = rank; i-- > 0;) {
    if (size[i] == 0) return true;
    if (size[i] != 1 && stride[i] != step) return false;
    step *= size[i];
  }
  return true;
}

bool TensorMeta::is_dense() const {
  // Walk dimensions by growing stride: each must start where the last ended.
  uint32_t left = 0;
  for (int i = 0; i < rank; ++i) {
    if (size[i] == 0) return true;
    if (size[i] != 1) left |= 1u << i;
  }
  int64_t step = 1;
  while (left != 0) {
    int next = -1;
    for (int i = 0; i < rank; ++i)
      if ((left >> i & 1) && stride[i] == step) next = i;
    if (next < 0) return false;
    step *= size[next];
    left &= ~(1u << next);
  }
  return true;
}

bool TensorMeta::is_channels_last() const {
  if (rank < 3 || rank > 5) return false;
  int64_t step = 1;
  const auto fits = [&](int i) {
    if (size[i] != 1 && stride[i] != step) return false;
    step *= size[i];
    return true;
  };
  if (!fits(1)) return false;
  for (int i = rank - 1; i > 1; --i)
    if (!fits(i)) return false;
  return fits(0);
}

bool TensorMeta::same_sizes(const TensorMeta& other) const {
  if (rank != other.rank) return false;
  for (int i = 0; i < rank; ++i)
    if (size[i] != other.size[i]) return false;
  return true;
}

}  // namespace glint
