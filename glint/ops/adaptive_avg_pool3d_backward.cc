#include "glint/ops/pool.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& grad, const Tensor& self, TensorMeta& out) {
  std::array<int64_t, 3> sizes{1, 1, 1};
  if (grad.rank != self.rank || grad.dtype != self.dtype) return invalid_argument("adaptive pooling backward: the gradient does not match the input");
  GLINT_TRY(check_adaptive(3, self, grad.sizes().last(std::min<size_t>(3, grad.rank)), sizes));
  for (int d = 0; d < grad.rank - 3; ++d)
    if (grad.size[size_t(d)] != self.size[size_t(d)]) return invalid_argument("adaptive pooling backward: the gradient does not match the input");
  return set_result(out, self.dtype, self.sizes());
}

Status plan(const PlanContext&, const Tensor&, const Tensor& self, const Tensor&, Plan& plan) { return plane_scratch(self, 3, true, plan); }

Status run(OpContext& c, const Tensor& grad, const Tensor& self, Tensor& out) {
  const Volume in = volume(self, 3), from = volume(grad, 3);
  average_backward(3, c, grad, Average{}, out, [&](size_t d, int64_t i) { return adapt(in.size[d], from.size[d], i); });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_adaptive_avg_pool3d_backward(Tensor grad_output, Tensor self) -> Tensor", infer, run, plan>("aten::_adaptive_avg_pool3d_backward.out"),
};

}  // namespace

extern constinit const OpFamily op_adaptive_avg_pool3d_backward{kDefs};

}  // namespace glint::ops
