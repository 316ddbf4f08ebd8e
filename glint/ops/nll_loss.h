#pragma once

#include "glint/ops/loss.h"

namespace glint::ops {

/// Log-probabilities [N, C, spatial...] (or [C]) against classes [N, spatial...]. total_weight stays 0
/// when nothing is reduced, as in PyTorch.
struct Nll {
  const Tensor &self, &target;
  const Tensor* weight;
  int64_t reduction, ignore_index;
  int channel_dim() const { return self.rank == 1 ? 0 : 1; }
};

inline Status infer_nll(const Nll& l, TensorMeta& out, TensorMeta& total) {
  GLINT_TRY(check_reduction(l.reduction));
  if (!is_floating(l.self.dtype)) return unsupported("nll_loss: only for floating dtypes");
  if (l.target.dtype != DType::kI64 && l.target.dtype != DType::kU8) return invalid_argument("nll_loss: the target must be int64 or uint8");
  const int64_t classes = l.self.size[size_t(l.channel_dim())];
  if (l.weight != nullptr && (l.weight->rank != 1 || l.weight->size[0] != classes || l.weight->dtype != l.self.dtype))
    return invalid_argument("nll_loss: the weight must have one element of the input's dtype for each class");
  TensorMeta kept = l.self;  // the input without its classes
  --kept.rank;
  for (int d = l.channel_dim(); d < kept.rank; ++d) kept.size[size_t(d)] = l.self.size[size_t(d + 1)];
  if (!kept.same_sizes(l.target)) return invalid_argument("nll_loss: the target does not match the input");
  GLINT_TRY(set_result(total, l.self.dtype, {}));
  return set_result(out, l.self.dtype, Reduction(l.reduction) == Reduction::kNone ? kept.sizes() : Ints());
}

inline Status run_nll(const Nll& l, Tensor& out, Tensor& total) {
  const bool keep = Reduction(l.reduction) == Reduction::kNone;
  const int channel = l.channel_dim();
  TensorMeta positions = l.self;  // where each position's class 0 is
  --positions.rank;
  for (int d = channel; d < positions.rank; ++d) {
    positions.size[size_t(d)] = l.self.size[size_t(d + 1)];
    positions.stride[size_t(d)] = l.self.stride[size_t(d + 1)];
  }
  const int64_t classes = l.self.size[size_t(channel)], step = l.self.stride[size_t(channel)];
  double sum = 0, weights = 0;
  bool valid = true;
  for_each_row(make_loop(keep ? static_cast<const TensorMeta&>(out) : positions, positions, l.target), [&](const auto& o, const auto& steps, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      const int64_t t = kernels::load_one<int64_t>(l.target.dtype, l.target.data, o[2] + i * steps[2]);
      double loss = 0;
      if (t != l.ignore_index) {
        if (t < 0 || t >= classes) { valid = false; continue; }
        const double w = l.weight != nullptr ? kernels::load_one<double>(l.weight->dtype, l.weight->data, t * l.weight->stride[0]) : 1;
        loss = -kernels::load_one<double>(l.self.dtype, l.self.data, o[1] + i * steps[1] + t * step) * w;
        sum += loss;
        weights += w;
      }
      if (keep) kernels::store_one(out.dtype, out.data, o[0] + i * steps[0], loss);
    }
  });
  if (!valid) return invalid_argument("nll_loss: a target is out of range");
  if (Reduction(l.reduction) == Reduction::kMean) sum /= weights;
  if (!keep) kernels::store_one(out.dtype, out.data, 0, sum);
  kernels::store_one(total.dtype, total.data, 0, keep && l.self.rank > 1 ? 0.0 : weights);
  return {};
}

}  // namespace glint::ops
