#pragma once

#include "glint/ops/rows.h"

namespace glint::ops {

enum class SoftmaxKind { kSoftmax, kLog, kSafe };

/// Shared by _softmax, _log_softmax and their backwards: float operands, dim in range.
inline Status check_softmax(const Tensor& self, int64_t dim) {
  if (!is_floating(self.dtype)) return unsupported("softmax: only for floating dtypes");
  if (wrap_dim(dim, self.rank) < 0) return invalid_argument("softmax: dim is out of range");
  return {};
}

inline Status infer_softmax(const Tensor& self, int64_t dim, bool half_to_float, TensorMeta& out) {
  GLINT_TRY(check_softmax(self, dim));
  if (half_to_float && self.dtype != DType::kF16 && self.dtype != DType::kBF16) return invalid_argument("softmax: half_to_float needs a half input");
  return set_result(out, half_to_float ? DType::kF32 : self.dtype, self.sizes());
}

/// One line. The maximum is subtracted, so nothing overflows; a line of -inf gives NaN (0 if kSafe).
template <class C>
void softmax_line(SoftmaxKind kind, const Line& x, DType out_dtype, void* out, int64_t out_step) {
  const C most = line_max<C>(x);
  if (kind == SoftmaxKind::kSafe && most == C(-INFINITY)) return line_map<C>(x, out_dtype, out, out_step, [](C) { return C(0); });
  const double sum = line_sum<C>(x, [most](C v) { return std::exp(v - most); });
  if (kind == SoftmaxKind::kLog) {
    const C log_sum = C(std::log(sum));
    return line_map<C>(x, out_dtype, out, out_step, [=](C v) { return v - most - log_sum; });
  }
  const C scale = C(1 / sum);
  line_map<C>(x, out_dtype, out, out_step, [=](C v) { return std::exp(v - most) * scale; });
}

inline void softmax(SoftmaxKind kind, const Tensor& self, int64_t dim, Tensor& out) {
  const int d = wrap_dim(dim, self.rank);
  with_floating(self.dtype, [&](auto c) {
    for_each_line(d, [&](const auto& at_offset) {
      softmax_line<decltype(c)>(kind, line(self, d, at_offset[1]), out.dtype, at(out, at_offset[0]), dim_step(out, d));
    }, out, self);
  });
}

inline Status infer_softmax_backward(const Tensor& grad, const Tensor& output, int64_t dim, DType input_dtype, TensorMeta& out) {
  GLINT_TRY(check_softmax(grad, dim));
  if (grad.dtype != output.dtype) return invalid_argument("softmax backward: the gradient and the output differ in dtype");
  if (!grad.same_sizes(output)) return invalid_argument("softmax backward: the gradient and the output differ in size");
  if (input_dtype != grad.dtype && !(grad.dtype == DType::kF32 && (input_dtype == DType::kF16 || input_dtype == DType::kBF16)))
    return invalid_argument("softmax backward: input_dtype does not fit the gradient");
  return set_result(out, input_dtype, grad.sizes());
}

inline void softmax_backward(bool log, const Tensor& grad, const Tensor& output, int64_t dim, Tensor& out) {
  const int d = wrap_dim(dim, grad.rank);
  with_floating(grad.dtype, [&](auto c) {
    using C = decltype(c);
    for_each_line(d, [&](const auto& o) {
      const Line g = line(grad, d, o[1]), y = line(output, d, o[2]);
      if (log) {
        const C sum = C(line_sum<C>(g, [](C v) { return v; }));
        return line_zip<C>(g, y, out.dtype, at(out, o[0]), dim_step(out, d), [sum](C gv, C yv) { return gv - std::exp(yv) * sum; });
      }
      const C sum = C(line_zip_sum<C>(g, y, [](C gv, C yv) { return gv * yv; }));
      line_zip<C>(g, y, out.dtype, at(out, o[0]), dim_step(out, d), [sum](C gv, C yv) { return yv * (gv - sum); });
    }, out, grad, output);
  });
}

}  // namespace glint::ops
