#include "glint/ops/fractional_pool.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, Ints kernel, Ints output_size, const Tensor& samples, TensorMeta& out, TensorMeta& indices) {
  return infer_fractional_pool(2, self, kernel, output_size, samples, out, indices);
}

Status plan(const PlanContext&, const Tensor& self, Ints, Ints, const Tensor&, const Tensor&, const Tensor&, Plan& plan) {
  return plane_scratch(self, 2, false, plan);
}

Status run(OpContext& c, const Tensor& self, Ints kernel, Ints, const Tensor& samples, Tensor& out, Tensor& indices) {
  run_fractional_pool(2, c, self, kernel, samples, out, indices);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::fractional_max_pool2d(Tensor self, int[2] kernel_size, int[2] output_size, Tensor random_samples) -> (Tensor, Tensor)", infer, run, plan>(
        "aten::fractional_max_pool2d.output"),
};

}  // namespace

extern constinit const OpFamily op_fractional_max_pool2d{kDefs};

}  // namespace glint::ops
