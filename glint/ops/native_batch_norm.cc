#include "glint/ops/batch_norm.h"

namespace glint::ops {
namespace {

// In training PyTorch also updates the running statistics behind the schema's back; a functional operator
// cannot, so the compiler writes _native_batch_norm_legit_functional where they are wanted.
Status infer(const Tensor& input, const Tensor* weight, const Tensor* bias, const Tensor* mean, const Tensor* var, bool training, double momentum, double eps,
             TensorMeta& out, TensorMeta& save_mean, TensorMeta& save_invstd) {
  return infer_batch({input, weight, bias, mean, var, training, momentum, eps}, out, save_mean, save_invstd);
}

Status run(OpContext&, const Tensor& input, const Tensor* weight, const Tensor* bias, const Tensor* mean, const Tensor* var, bool training, double momentum,
           double eps, Tensor& out, Tensor& save_mean, Tensor& save_invstd) {
  run_batch({input, weight, bias, mean, var, training, momentum, eps}, out, save_mean, save_invstd);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::native_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
              infer, run>("aten::native_batch_norm.out"),
};

}  // namespace

extern constinit const OpFamily op_native_batch_norm{kDefs};

}  // namespace glint::ops
