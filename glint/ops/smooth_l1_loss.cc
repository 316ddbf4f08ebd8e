#include "glint/ops/loss.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, const Tensor& target, int64_t reduction, double beta, TensorMeta& out) {
  if (!(beta >= 0)) return invalid_argument("smooth_l1_loss: beta must not be negative");
  return infer_loss(self, target, reduction, out);
}

Status run(OpContext&, const Tensor& self, const Tensor& target, int64_t reduction, double beta, Tensor& out) {
  run_loss(self, target, reduction, out, [beta](auto x, auto y) {
    using C = decltype(x);
    const C d = std::abs(x - y), b = C(beta);
    return d < b ? C(0.5) * d * d / b : d - C(0.5) * b;
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=1, float beta=1.) -> Tensor", infer, run>("aten::smooth_l1_loss.out"),
};

}  // namespace

extern constinit const OpFamily op_smooth_l1_loss{kDefs};

}  // namespace glint::ops
