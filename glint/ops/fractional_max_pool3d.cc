#include "glint/ops/fractional_pool.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, Ints kernel, Ints output_size, const Tensor& samples, TensorMeta& out, TensorMeta& indices) {
  return infer_fractional_pool(3, self, kernel, output_size, samples, out, indices);
}

Status plan(const PlanContext&, const Tensor& self, Ints, Ints, const Tensor&, const Tensor&, const Tensor&, Plan& plan) {
  return plane_scratch(self, 3, false, plan);
}

Status run(OpContext& c, const Tensor& self, Ints kernel, Ints, const Tensor& samples, Tensor& out, Tensor& indices) {
  run_fractional_pool(3, c, self, kernel, samples, out, indices);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::fractional_max_pool3d(Tensor self, int[3] kernel_size, int[3] output_size, Tensor random_samples) -> (Tensor, Tensor)", infer, run, plan>(
        "aten::fractional_max_pool3d.output"),
};

}  // namespace

extern constinit const OpFamily op_fractional_max_pool3d{kDefs};

}  // namespace glint::ops
