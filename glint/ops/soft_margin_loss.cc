#include "glint/ops/loss.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, const Tensor& target, int64_t reduction, TensorMeta& out) { return infer_loss(self, target, reduction, out); }

Status run(OpContext&, const Tensor& self, const Tensor& target, int64_t reduction, Tensor& out) {
  const DType d = out.dtype;  // halves overflow in the middle, as PyTorch's do
  run_loss(self, target, reduction, out, [d](auto x, auto y) { return std::log1p(as_element(d, std::exp(as_element(d, -x * y)))); });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", infer, run>("aten::soft_margin_loss.out"),
};

}  // namespace

extern constinit const OpFamily op_soft_margin_loss{kDefs};

}  // namespace glint::ops
