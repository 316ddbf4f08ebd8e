#include "glint/ops/pool.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, Ints output_size, TensorMeta& out, TensorMeta& indices) {
  return infer_adaptive_max_pool(2, self, output_size, out, indices);
}

Status plan(const PlanContext&, const Tensor& self, Ints, const Tensor&, const Tensor&, Plan& plan) { return plane_scratch(self, 2, false, plan); }

Status run(OpContext& c, const Tensor& self, Ints, Tensor& out, Tensor& indices) {
  run_adaptive_max_pool(2, c, self, out, indices);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)", infer, run, plan>("aten::adaptive_max_pool2d.out"),
};

}  // namespace

extern constinit const OpFamily op_adaptive_max_pool2d{kDefs};

}  // namespace glint::ops
