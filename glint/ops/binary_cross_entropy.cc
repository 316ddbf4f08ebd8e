#include "glint/ops/loss.h"

namespace glint::ops {
namespace {

// Logarithms are cut off at -100, so a certain but wrong answer costs 100.
Status infer(const Tensor& self, const Tensor& target, const Tensor* weight, int64_t reduction, TensorMeta& out) {
  GLINT_TRY(check_reduction(reduction));
  if (!is_floating(self.dtype) || target.dtype != self.dtype) return invalid_argument("binary_cross_entropy: input and target must have one floating dtype");
  if (!self.same_sizes(target)) return invalid_argument("binary_cross_entropy: input and target differ in size");
  GLINT_TRY(set_result(out, self.dtype, self.sizes()));
  if (weight != nullptr) {
    if (is_complex(weight->dtype)) return invalid_argument("binary_cross_entropy: the weight must be real");
    TensorMeta both;
    GLINT_TRY(broadcast(*weight, out, both));
    if (!both.same_sizes(out)) return invalid_argument("binary_cross_entropy: the weight does not broadcast to the input");
  }
  return Reduction(reduction) == Reduction::kNone ? Status() : set_result(out, out.dtype, {});
}

template <class C>
bool cross_entropy(const Tensor& self, const Tensor& target, const Tensor* weight, int64_t reduction, Tensor& out) {
  const bool keep = Reduction(reduction) == Reduction::kNone;
  const TensorMeta& sizes = keep ? static_cast<const TensorMeta&>(out) : self;
  double sum = 0;
  bool valid = true;
  for_each_row(make_loop(sizes, self, target, weight != nullptr ? *weight : self), [&](const auto& o, const auto& step, int64_t count) {
    for_each_tile(count, [&](int64_t start, int64_t n) {
      C x[kernels::kTile], y[kernels::kTile], w[kernels::kTile];
      kernels::load(self.dtype, at(self, o[1] + start * step[1]), step[1], n, x);
      kernels::load(target.dtype, at(target, o[2] + start * step[2]), step[2], n, y);
      if (weight != nullptr) kernels::load(weight->dtype, at(*weight, o[3] + start * step[3]), step[3], n, w);
      for (int64_t i = 0; i < n; ++i) {
        valid = valid && x[i] >= 0 && x[i] <= 1;
        x[i] = (y[i] - 1) * std::max(std::log1p(-x[i]), C(-100)) - y[i] * std::max(std::log(x[i]), C(-100));
        if (weight != nullptr) x[i] *= w[i];
        sum += double(x[i]);
      }
      if (keep) kernels::store(out.dtype, at(out, o[0] + start * step[0]), step[0], n, x);
    });
  });
  if (Reduction(reduction) == Reduction::kMean) sum /= double(self.numel());
  if (!keep) kernels::store_one(out.dtype, out.data, 0, sum);
  return valid;
}

Status run(OpContext&, const Tensor& self, const Tensor& target, const Tensor* weight, int64_t reduction, Tensor& out) {
  const bool valid = with_floating(self.dtype, [&](auto c) { return cross_entropy<decltype(c)>(self, target, weight, reduction, out); });
  return valid ? Status() : invalid_argument("binary_cross_entropy: an element of the input is not in [0, 1]");
}

constexpr OpDef kDefs[] = {
    define_op<"aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=1) -> Tensor", infer, run>("aten::binary_cross_entropy.out"),
};

}  // namespace

extern constinit const OpFamily op_binary_cross_entropy{kDefs};

}  // namespace glint::ops
