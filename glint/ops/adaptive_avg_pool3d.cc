#include "glint/ops/pool.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, Ints output_size, TensorMeta& out) { return infer_adaptive_avg_pool(3, self, output_size, out); }

Status plan(const PlanContext&, const Tensor& self, Ints, const Tensor&, Plan& plan) { return plane_scratch(self, 3, false, plan); }

Status run(OpContext& c, const Tensor& self, Ints, Tensor& out) {
  run_adaptive_avg_pool(3, c, self, out);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor", infer, run, plan>("aten::_adaptive_avg_pool3d.out"),
};

}  // namespace

extern constinit const OpFamily op_adaptive_avg_pool3d{kDefs};

}  // namespace glint::ops
