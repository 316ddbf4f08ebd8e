#include "glint/ops/batch_norm.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& input, const Tensor* weight, const Tensor* bias, const Tensor& mean, const Tensor& var, double momentum, double eps,
             TensorMeta& out, TensorMeta& save_mean, TensorMeta& save_invstd) {
  return infer_batch({input, weight, bias, &mean, &var, false, momentum, eps}, out, save_mean, save_invstd);
}

Status run(OpContext&, const Tensor& input, const Tensor* weight, const Tensor* bias, const Tensor& mean, const Tensor& var, double momentum, double eps,
           Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  run_batch({input, weight, bias, &mean, &var, false, momentum, eps}, out, save_mean, save_invstd);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_native_batch_norm_legit_no_training(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
              infer, run>("aten::_native_batch_norm_legit_no_training.out"),
};

}  // namespace

extern constinit const OpFamily op_native_batch_norm_legit_no_training{kDefs};

}  // namespace glint::ops
