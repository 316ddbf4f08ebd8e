#include "glint/ops/batch_norm.h"

namespace glint::ops {
namespace {

// The overload that updates running statistics in place is not functional; see _native_batch_norm_legit_functional.
Status infer(const Tensor& input, const Tensor* weight, const Tensor* bias, bool training, double momentum, double eps, TensorMeta& out, TensorMeta& mean,
             TensorMeta& invstd) {
  return infer_batch({input, weight, bias, nullptr, nullptr, training, momentum, eps}, out, mean, invstd);
}

Status run(OpContext&, const Tensor& input, const Tensor* weight, const Tensor* bias, bool training, double momentum, double eps, Tensor& out, Tensor& mean,
           Tensor& invstd) {
  run_batch({input, weight, bias, nullptr, nullptr, training, momentum, eps}, out, mean, invstd);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_native_batch_norm_legit.no_stats(Tensor input, Tensor? weight, Tensor? bias, bool training, float momentum, float eps) -> (Tensor, Tensor, Tensor)",
              infer, run>("aten::_native_batch_norm_legit.no_stats_out"),
};

}  // namespace

extern constinit const OpFamily op_native_batch_norm_legit{kDefs};

}  // namespace glint::ops
