#include "glint/ops/loss.h"

namespace glint::ops {
namespace {

// With s = log(sigmoid(x)): (1 - y) x - s (1 + (pos_weight - 1) y), times the weight.
Status infer(const Tensor& self, const Tensor& target, const Tensor* weight, const Tensor* pos_weight, int64_t reduction, TensorMeta& out) {
  GLINT_TRY(check_reduction(reduction));
  if (!is_floating(self.dtype) || is_complex(target.dtype)) return unsupported("binary_cross_entropy_with_logits: only for floating dtypes");
  if (!self.same_sizes(target)) return invalid_argument("binary_cross_entropy_with_logits: input and target differ in size");
  GLINT_TRY(set_result(out, promote_types(self.dtype, target.dtype), self.sizes()));
  for (const Tensor* t : {weight, pos_weight}) {
    if (t == nullptr) continue;
    if (is_complex(t->dtype)) return invalid_argument("binary_cross_entropy_with_logits: weights must be real");
    TensorMeta both;
    GLINT_TRY(broadcast(*t, out, both));
    if (!both.same_sizes(out)) return invalid_argument("binary_cross_entropy_with_logits: a weight does not broadcast to the input");
  }
  return Reduction(reduction) == Reduction::kNone ? Status() : set_result(out, out.dtype, {});
}

template <class C>
void cross_entropy(const Tensor& self, const Tensor& target, const Tensor* weight, const Tensor* pos_weight, int64_t reduction, Tensor& out) {
  const bool keep = Reduction(reduction) == Reduction::kNone;
  const TensorMeta& sizes = keep ? static_cast<const TensorMeta&>(out) : self;
  double sum = 0;
  for_each_row(make_loop(sizes, self, target, weight != nullptr ? *weight : self, pos_weight != nullptr ? *pos_weight : self), [&](const auto& o, const auto& step, int64_t count) {
    for_each_tile(count, [&](int64_t start, int64_t n) {
      C x[kernels::kTile], y[kernels::kTile], w[kernels::kTile], p[kernels::kTile];
      const auto load = [&](const Tensor* t, size_t k, C* to) {
        if (t != nullptr) kernels::load(t->dtype, at(*t, o[k] + start * step[k]), step[k], n, to);
        else std::fill_n(to, n, C(1));
      };
      load(&self, 1, x);
      load(&target, 2, y);
      load(weight, 3, w);
      load(pos_weight, 4, p);
      for (int64_t i = 0; i < n; ++i) {
        const C log_sigmoid = std::min(x[i], C(0)) - std::log1p(std::exp(-std::abs(x[i])));
        x[i] = ((1 - y[i]) * x[i] - log_sigmoid * ((p[i] - 1) * y[i] + 1)) * w[i];
        sum += double(x[i]);
      }
      if (keep) kernels::store(out.dtype, at(out, o[0] + start * step[0]), step[0], n, x);
    });
  });
  if (Reduction(reduction) == Reduction::kMean) sum /= double(self.numel());
  if (!keep) kernels::store_one(out.dtype, out.data, 0, sum);
}

Status run(OpContext&, const Tensor& self, const Tensor& target, const Tensor* weight, const Tensor* pos_weight, int64_t reduction, Tensor& out) {
  with_floating(out.dtype, [&](auto c) { cross_entropy<decltype(c)>(self, target, weight, pos_weight, reduction, out); });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=1) -> Tensor", infer, run>(
        "aten::binary_cross_entropy_with_logits.out"),
};

}  // namespace

extern constinit const OpFamily op_binary_cross_entropy_with_logits{kDefs};

}  // namespace glint::ops
