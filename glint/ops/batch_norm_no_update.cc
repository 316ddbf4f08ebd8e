#include "glint/ops/batch_norm.h"

namespace glint::ops {
namespace {

// The fourth result is a buffer of other backends, empty on the CPU.
Status infer(const Tensor& input, const Tensor* weight, const Tensor* bias, const Tensor* mean, const Tensor* var, double momentum, double eps,
             TensorMeta& out, TensorMeta& save_mean, TensorMeta& save_invstd, TensorMeta& reserve) {
  GLINT_TRY(infer_batch({input, weight, bias, mean, var, mean == nullptr, momentum, eps}, out, save_mean, save_invstd));
  return set_result(reserve, DType::kU8, std::array{int64_t(0)});
}

Status run(OpContext&, const Tensor& input, const Tensor* weight, const Tensor* bias, const Tensor* mean, const Tensor* var, double momentum, double eps,
           Tensor& out, Tensor& save_mean, Tensor& save_invstd, Tensor&) {
  run_batch({input, weight, bias, mean, var, mean == nullptr, momentum, eps}, out, save_mean, save_invstd);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_batch_norm_no_update(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, float momentum, float eps) -> (Tensor, Tensor, Tensor, Tensor)",
              infer, run>("aten::_batch_norm_no_update.out"),
};

}  // namespace

extern constinit const OpFamily op_batch_norm_no_update{kDefs};

}  // namespace glint::ops
