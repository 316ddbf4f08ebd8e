#include "glint/ops/batch_norm.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& input, const Tensor* weight, const Tensor* bias, const Tensor& mean, const Tensor& var, bool training, double momentum,
             double eps, TensorMeta& out, TensorMeta& save_mean, TensorMeta& save_invstd, TensorMeta& new_mean, TensorMeta& new_var) {
  GLINT_TRY(infer_batch({input, weight, bias, &mean, &var, training, momentum, eps}, out, save_mean, save_invstd));
  GLINT_TRY(set_result(new_mean, mean.dtype, mean.sizes()));
  return set_result(new_var, var.dtype, var.sizes());
}

Status run(OpContext&, const Tensor& input, const Tensor* weight, const Tensor* bias, const Tensor& mean, const Tensor& var, bool training, double momentum,
           double eps, Tensor& out, Tensor& save_mean, Tensor& save_invstd, Tensor& new_mean, Tensor& new_var) {
  run_batch({input, weight, bias, &mean, &var, training, momentum, eps}, out, save_mean, save_invstd, &new_mean, &new_var);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_native_batch_norm_legit_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)",
              infer, run>(),
};

}  // namespace

extern constinit const OpFamily op_native_batch_norm_legit_functional{kDefs};

}  // namespace glint::ops
