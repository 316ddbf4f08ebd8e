#include "glint/ops/nll_loss.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, const Tensor& target, const Tensor* weight, int64_t reduction, int64_t ignore_index, TensorMeta& out, TensorMeta& total) {
  if (self.rank != 4 || target.rank != 3) return invalid_argument("nll_loss2d_forward: wrong number of dimensions");
  return infer_nll({self, target, weight, reduction, ignore_index}, out, total);
}

Status run(OpContext&, const Tensor& self, const Tensor& target, const Tensor* weight, int64_t reduction, int64_t ignore_index, Tensor& out, Tensor& total) {
  return run_nll({self, target, weight, reduction, ignore_index}, out, total);
}

constexpr OpDef kDefs[] = {
    define_op<"aten::nll_loss2d_forward(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)", infer, run>(
        "aten::nll_loss2d_forward.output"),
};

}  // namespace

extern constinit const OpFamily op_nll_loss2d_forward{kDefs};

}  // namespace glint::ops
