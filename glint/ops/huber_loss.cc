#include "glint/ops/loss.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, const Tensor& target, int64_t reduction, double delta, TensorMeta& out) {
  if (!(delta > 0)) return invalid_argument("huber_loss: delta must be positive");
  return infer_loss(self, target, reduction, out);
}

Status run(OpContext&, const Tensor& self, const Tensor& target, int64_t reduction, double delta, Tensor& out) {
  run_loss(self, target, reduction, out, [delta](auto x, auto y) {
    using C = decltype(x);
    const C d = std::abs(x - y), b = C(delta);
    return d <= b ? C(0.5) * d * d : b * (d - C(0.5) * b);
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::huber_loss(Tensor self, Tensor target, int reduction=1, float delta=1.) -> Tensor", infer, run>("aten::huber_loss.out"),
};

}  // namespace

extern constinit const OpFamily op_huber_loss{kDefs};

}  // namespace glint::ops
