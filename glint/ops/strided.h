#pragma once

#include "glint/ops/movement.h"

namespace glint::ops {

/// The highest element offset that sizes and strides reach from the first element; -1 when there
/// are no elements. False when it overflows or a stride is negative.
inline bool last_offset(const TensorMeta& t, int64_t* last) {
  *last = 0;
  for (int d = 0; d < t.rank; ++d) {
    if (t.size[size_t(d)] == 0) {
      *last = -1;
      return true;
    }
    int64_t reach = 0;
    if (t.stride[size_t(d)] < 0 || !checked_mul(t.size[size_t(d)] - 1, t.stride[size_t(d)], &reach) || !checked_add(*last, reach, last)) return false;
  }
  return true;
}

/// Turns `view` into sizes and strides over the same memory, refusing to reach past what `view` covered.
inline Status strided_view(Tensor& view, Ints sizes, Ints strides, int64_t offset) {
  if (sizes.size() != strides.size()) return invalid_argument("as_strided: sizes and strides differ in length");
  Tensor result = view;
  GLINT_TRY(set_result(result, view.dtype, sizes));
  for (size_t d = 0; d < strides.size(); ++d) {
    if (strides[d] < 0) return invalid_argument("as_strided: a stride is negative");
    result.stride[d] = strides[d];
  }
  int64_t have = 0, need = 0;
  if (offset < 0 || !last_offset(view, &have) || !last_offset(result, &need)) return invalid_argument("as_strided: strides or offset are out of range");
  if (need >= 0 && (!checked_add(need, offset, &need) || need > have)) return invalid_argument("as_strided: reaches outside the storage");
  advance(result, offset);
  view = result;
  return {};
}

}  // namespace glint::ops
