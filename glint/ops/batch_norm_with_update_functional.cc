#include "glint/ops/batch_norm.h"

namespace glint::ops {
namespace {

// The fourth result is a buffer of other backends, empty on the CPU.
Status infer(const Tensor& input, const Tensor* weight, const Tensor* bias, const Tensor& mean, const Tensor& var, double momentum, double eps,
             TensorMeta& out, TensorMeta& save_mean, TensorMeta& save_invstd, TensorMeta& reserve, TensorMeta& new_mean, TensorMeta& new_var) {
  GLINT_TRY(infer_batch({input, weight, bias, &mean, &var, true, momentum, eps}, out, save_mean, save_invstd));
  GLINT_TRY(set_result(reserve, DType::kU8, std::array{int64_t(0)}));
  GLINT_TRY(set_result(new_mean, mean.dtype, mean.sizes()));
  return set_result(new_var, var.dtype, var.sizes());
}

Status run(OpContext&, const Tensor& input, const Tensor* weight, const Tensor* bias, const Tensor& mean, const Tensor& var, double momentum, double eps,
           Tensor& out, Tensor& save_mean, Tensor& save_invstd, Tensor&, Tensor& new_mean, Tensor& new_var) {
  run_batch({input, weight, bias, &mean, &var, true, momentum, eps}, out, save_mean, save_invstd, &new_mean, &new_var);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_batch_norm_with_update_functional(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor, Tensor running_mean_out, Tensor running_var_out)",
              infer, run>(),
};

}  // namespace

extern constinit const OpFamily op_batch_norm_with_update_functional{kDefs};

}  // namespace glint::ops
