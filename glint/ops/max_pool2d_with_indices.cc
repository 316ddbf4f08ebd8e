#include "glint/ops/pool.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, Ints kernel, Ints stride, Ints padding, Ints dilation, bool ceil_mode, TensorMeta& out, TensorMeta& indices) {
  return infer_max_pool(2, self, kernel, stride, padding, dilation, ceil_mode, out, indices);
}

Status plan(const PlanContext&, const Tensor& self, Ints, Ints, Ints, Ints, bool, const Tensor&, const Tensor&, Plan& plan) {
  return plane_scratch(self, 2, false, plan);
}

Status run(OpContext& c, const Tensor& self, Ints kernel, Ints stride, Ints padding, Ints dilation, bool ceil_mode, Tensor& out, Tensor& indices) {
  run_max_pool(2, c, self, kernel, stride, padding, dilation, ceil_mode, out, indices);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
              infer, run, plan>("aten::max_pool2d_with_indices.out", {.strided_results = true}),
};

}  // namespace

extern constinit const OpFamily op_max_pool2d_with_indices{kDefs};

}  // namespace glint::ops
