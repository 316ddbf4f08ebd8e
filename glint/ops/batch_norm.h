#pragma once

#include "glint/ops/norm.h"

// The batch normalisations of ATen differ in what they return and in where the statistics come from.

namespace glint::ops {

struct BatchNorm {
  const Tensor &input;
  const Tensor *weight, *bias, *running_mean, *running_var;  // each may be null
  bool training;
  double momentum, eps;
};

inline Status check_batch(const BatchNorm& b) {
  GLINT_TRY(check_norm_input(b.input));
  if (b.input.rank < 2) return invalid_argument("batch_norm: the input must have at least 2 dimensions");
  for (const Tensor* p : {b.weight, b.bias, b.running_mean, b.running_var}) {
    GLINT_TRY(check_parameter(b.input, p));
    if (p != nullptr && (p->rank != 1 || p->size[0] != b.input.size[1])) return invalid_argument("batch_norm: a parameter must have one element for each channel");
  }
  if (!b.training && (b.running_mean == nullptr || b.running_var == nullptr)) return invalid_argument("batch_norm: evaluation needs running statistics");
  if (b.training && (b.running_mean == nullptr) != (b.running_var == nullptr)) return invalid_argument("batch_norm: running mean and variance come together");
  return {};
}

/// Sizes of out, save_mean and save_invstd (empty when evaluating).
inline Status infer_batch(const BatchNorm& b, TensorMeta& out, TensorMeta& mean, TensorMeta& invstd) {
  GLINT_TRY(check_batch(b));
  const DType statistics = statistics_dtype(b.input, b.weight != nullptr ? b.weight : b.running_mean, b.bias);
  const int64_t channels[] = {b.training ? b.input.size[1] : 0};
  GLINT_TRY(set_result(mean, statistics, channels));
  GLINT_TRY(set_result(invstd, statistics, channels));
  return set_result(out, b.input.dtype, b.input.sizes());
}

/// The dimensions other than channels, as one block.
inline TensorMeta channel_block(const TensorMeta& t) {
  TensorMeta m = t;
  m.rank = uint8_t(t.rank - 1);
  for (int d = 1; d < m.rank; ++d) {
    m.size[size_t(d)] = t.size[size_t(d + 1)];
    m.stride[size_t(d)] = t.stride[size_t(d + 1)];
  }
  return m;
}

/// new_mean and new_var (null: not wanted) get the running statistics after this batch.
inline void run_batch(const BatchNorm& b, Tensor& out, Tensor& mean, Tensor& invstd, Tensor* new_mean = nullptr, Tensor* new_var = nullptr) {
  const TensorMeta x = channel_block(b.input), y = channel_block(out);
  const Loop<1> statistics = make_loop(x);
  const double count = double(x.numel());
  const NormBlock block{make_loop(y, x, along(x, 0, nullptr), along(x, 0, nullptr)), b.weight, b.bias};
  with_floating(b.input.dtype, [&](auto c) {
    using C = decltype(c);
    for (int64_t i = 0; i < b.input.size[1]; ++i) {
      const auto old = [&](const Tensor* t) { return t != nullptr ? element(*t, i * t->stride[0]) : 0.0; };
      Moments m{old(b.running_mean), old(b.running_var)};
      if (b.training) m = moments<C>(statistics, b.input.dtype, b.input.data, i * b.input.stride[1]);
      const double scale = 1 / std::sqrt(m.variance + b.eps);
      normalise<C>(block, b.input, i * b.input.stride[1], out, i * out.stride[1], b.weight != nullptr ? i * b.weight->stride[0] : 0,
                   b.bias != nullptr ? i * b.bias->stride[0] : 0, m.mean, scale);
      if (b.training) {
        set_element(mean, i * mean.stride[0], m.mean);
        set_element(invstd, i * invstd.stride[0], scale);
      }
      // The running variance is the unbiased one.
      const double keep = b.training ? 1 - b.momentum : 1, take = b.training ? b.momentum : 0;
      if (new_mean != nullptr) set_element(*new_mean, i * new_mean->stride[0], keep * old(b.running_mean) + (b.training ? take * m.mean : 0));
      if (new_var != nullptr) set_element(*new_var, i * new_var->stride[0], keep * old(b.running_var) + (b.training ? take * m.variance * count / (count - 1) : 0));
    }
  });
}

}  // namespace glint::ops
