#include "glint/ops/pool.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& grad, const Tensor& self, Ints kernel, Ints stride, Ints padding, bool ceil_mode, bool, std::optional<int64_t> divisor, TensorMeta& out) {
  GLINT_TRY(infer_avg_pool(3, self, kernel, stride, padding, ceil_mode, divisor, out));
  if (!grad.same_sizes(out) || grad.dtype != self.dtype) return invalid_argument("avg_pool backward: the gradient does not match the output");
  return set_result(out, self.dtype, self.sizes());
}

Status plan(const PlanContext&, const Tensor&, const Tensor& self, Ints, Ints, Ints, bool, bool, std::optional<int64_t>, const Tensor&, Plan& plan) {
  return plane_scratch(self, 3, true, plan);
}

Status run(OpContext& c, const Tensor& grad, const Tensor& self, Ints kernel, Ints stride, Ints padding, bool ceil_mode, bool count_padding,
           std::optional<int64_t> divisor, Tensor& out) {
  PoolShape s;
  const int64_t one[] = {1};
  GLINT_TRY(pool_shape(self, 3, kernel, stride, padding, one, ceil_mode, s));
  average_backward(3, c, grad, {count_padding, divisor}, out, [&](size_t d, int64_t i) { return slide(s, s.in, d, i); });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::avg_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor",
              infer, run, plan>("aten::avg_pool3d_backward.grad_input"),
};

}  // namespace

extern constinit const OpFamily op_avg_pool3d_backward{kDefs};

}  // namespace glint::ops
