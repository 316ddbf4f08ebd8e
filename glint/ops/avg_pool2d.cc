#include "glint/ops/pool.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, Ints kernel, Ints stride, Ints padding, bool ceil_mode, bool, std::optional<int64_t> divisor, TensorMeta& out) {
  return infer_avg_pool(2, self, kernel, stride, padding, ceil_mode, divisor, out);
}

Status plan(const PlanContext&, const Tensor& self, Ints, Ints, Ints, bool, bool, std::optional<int64_t>, const Tensor&, Plan& plan) {
  return plane_scratch(self, 2, false, plan);
}

Status run(OpContext& c, const Tensor& self, Ints kernel, Ints stride, Ints padding, bool ceil_mode, bool count_padding, std::optional<int64_t> divisor, Tensor& out) {
  run_avg_pool(2, c, self, kernel, stride, padding, ceil_mode, {count_padding, divisor}, out);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
              infer, run, plan>("aten::avg_pool2d.out", {.strided_results = true}),
};

}  // namespace

extern constinit const OpFamily op_avg_pool2d{kDefs};

}  // namespace glint::ops
