#include "glint/ops/loss.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, const Tensor& target, int64_t reduction, TensorMeta& out) { return infer_loss(self, target, reduction, out); }

Status run(OpContext&, const Tensor& self, const Tensor& target, int64_t reduction, Tensor& out) {
  run_loss(self, target, reduction, out, [](auto x, auto y) { return (x - y) * (x - y); });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::mse_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", infer, run>("aten::mse_loss.out"),
};

}  // namespace

extern constinit const OpFamily op_mse_loss{kDefs};

}  // namespace glint::ops
