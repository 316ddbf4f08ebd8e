#pragma once

#include "glint/ops/norm.h"

namespace glint::ops {

/// The input is [n, c, ...] with hxw positions, in groups that divide c.
inline Status check_group(const Tensor& input, const Tensor* weight, const Tensor* bias, int64_t n, int64_t c, int64_t hxw, int64_t group) {
  GLINT_TRY(check_norm_input(input));
  if (input.rank < 2 || input.size[0] != n || input.size[1] != c) return invalid_argument("group_norm: the input is not [N, C, ...]");
  int64_t positions = 1;
  for (int d = 2; d < input.rank; ++d) positions *= input.size[size_t(d)] > 0 ? input.size[size_t(d)] : 0;
  if (positions != hxw) return invalid_argument("group_norm: HxW differs from the input's sizes");
  if (group < 1 || c % group != 0) return invalid_argument("group_norm: the groups do not divide the channels");
  for (const Tensor* p : {weight, bias}) {
    GLINT_TRY(check_parameter(input, p));
    if (p != nullptr && (p->rank != 1 || p->size[0] != c)) return invalid_argument("group_norm: a parameter must have one element for each channel");
  }
  return {};
}

/// One group's channels of `t`, as [c / group, ...].
inline TensorMeta group_block(const TensorMeta& t, int64_t group) {
  TensorMeta m = slice_dims(t, 1, t.rank);
  m.size[0] /= group;
  return m;
}

}  // namespace glint::ops
