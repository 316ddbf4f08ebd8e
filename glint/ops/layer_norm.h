#pragma once

#include "glint/ops/norm.h"

namespace glint::ops {

/// normalized_shape must be the input's last sizes, and those of the parameters.
inline Status check_layer(const Tensor& input, Ints shape, const Tensor* weight, const Tensor* bias) {
  GLINT_TRY(check_norm_input(input));
  if (shape.empty() || shape.size() > input.rank) return invalid_argument("layer_norm: normalized_shape has the wrong number of sizes");
  const auto fits = [&](std::span<const int64_t> sizes) { return std::equal(shape.begin(), shape.end(), sizes.begin(), sizes.end()); };
  if (!fits(input.sizes().last(shape.size()))) return invalid_argument("layer_norm: normalized_shape differs from the input's last sizes");
  for (const Tensor* p : {weight, bias}) {
    GLINT_TRY(check_parameter(input, p));
    if (p != nullptr && !fits(p->sizes())) return invalid_argument("layer_norm: a parameter differs from normalized_shape in size");
  }
  return {};
}

/// Mean or rstd: the input's sizes with 1 for the normalised dimensions.
inline Status set_layer_statistics(const Tensor& input, size_t normalised, DType dtype, TensorMeta& out) {
  std::array<int64_t, kMaxRank> sizes = input.size;
  for (size_t d = input.rank - normalised; d < input.rank; ++d) sizes[d] = 1;
  return set_result(out, dtype, {sizes.data(), input.rank});
}

/// f(offsets): where each block starts in the tensors, one block per position of the leading dimensions.
template <class F, class... Meta>
void for_each_block(int leading, F&& f, const Meta&... metas) {
  const auto loop = make_loop(slice_dims(metas, 0, leading)...);
  for_each_row(loop, [&](const auto& offset, const auto& step, int64_t n) {
    auto o = offset;
    for (int64_t i = 0; i < n; ++i) {
      f(std::as_const(o));
      for (size_t k = 0; k < sizeof...(Meta); ++k) o[k] += step[k];
    }
  });
}

/// A parameter as a block's companion: its own meta, or zero steps.
inline TensorMeta companion(const TensorMeta& block, const Tensor* p) {
  if (p != nullptr) return *p;
  TensorMeta m = block;
  m.stride.fill(0);
  return m;
}

}  // namespace glint::ops
