#pragma once

#include "glint/ops/rows.h"

// Losses of two tensors, element by element, then reduced.

namespace glint::ops {

enum class Reduction : int64_t { kNone = 0, kMean = 1, kSum = 2 };

inline Status check_reduction(int64_t reduction) {
  return reduction < 0 || reduction > 2 ? invalid_argument("loss: reduction must be 0, 1 or 2") : Status();
}

/// Operands broadcast and promote; a reduced loss is a scalar.
inline Status infer_loss(const Tensor& self, const Tensor& target, int64_t reduction, TensorMeta& out) {
  GLINT_TRY(check_reduction(reduction));
  ResultType type;
  type.add_tensor(self.dtype, self.rank > 0);
  type.add_tensor(target.dtype, target.rank > 0);
  out.dtype = type.get();
  if (!is_floating(out.dtype)) return unsupported("loss: only for floating dtypes");
  GLINT_TRY(broadcast(self, target, out));
  return Reduction(reduction) == Reduction::kNone ? Status() : set_result(out, out.dtype, {});
}

/// out = f(self, target), reduced.
template <class F>
void run_loss(const Tensor& self, const Tensor& target, int64_t reduction, Tensor& out, F&& f) {
  TensorMeta sizes = out;
  if (Reduction(reduction) != Reduction::kNone && !broadcast(self, target, sizes).ok()) return;
  const auto loop = make_loop(sizes, self, target);
  with_floating(out.dtype, [&](auto c) {
    using C = decltype(c);
    double sum = 0;
    for_each_row(loop, [&](const auto& o, const auto& step, int64_t n) {
      const Line a{self.dtype, at(self, o[1]), step[1], n}, b{target.dtype, at(target, o[2]), step[2], n};
      if (Reduction(reduction) == Reduction::kNone) line_zip<C>(a, b, out.dtype, at(out, o[0]), step[0], [&](C x, C y) { return f(x, y); });
      else sum += line_zip_sum<C>(a, b, [&](C x, C y) { return f(x, y); });
    });
    if (Reduction(reduction) == Reduction::kMean) sum /= double(sizes.numel());
    if (Reduction(reduction) != Reduction::kNone) kernels::store_one(out.dtype, out.data, 0, sum);
  });
}

}  // namespace glint::ops
