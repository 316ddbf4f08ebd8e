#include "glint/ops/pool.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& grad, const Tensor& self, Ints kernel, Ints stride, Ints padding, Ints dilation, bool ceil_mode, const Tensor& indices, TensorMeta& out) {
  TensorMeta pooled;
  GLINT_TRY(infer_max_pool(2, self, kernel, stride, padding, dilation, ceil_mode, pooled, out));
  if (!grad.same_sizes(pooled) || grad.dtype != self.dtype) return invalid_argument("max_pool2d backward: the gradient does not match the output");
  if (!indices.same_sizes(pooled) || indices.dtype != DType::kI64) return invalid_argument("max_pool2d backward: the indices do not match the output");
  return set_result(out, self.dtype, self.sizes());
}

Status plan(const PlanContext&, const Tensor&, const Tensor& self, Ints, Ints, Ints, Ints, bool, const Tensor&, const Tensor&, Plan& plan) {
  return plane_scratch(self, 2, true, plan);
}

Status run(OpContext& c, const Tensor& grad, const Tensor&, Ints, Ints, Ints, Ints, bool, const Tensor& indices, Tensor& out) {
  const Volume in = volume(out, 2), from = volume(grad, 2), index = volume(indices, 2);
  const int64_t count = in.count();
  bool valid = true;
  with_real(out.dtype, [&](auto v) {
    using C = decltype(v);
    C* sums = reinterpret_cast<C*>(c.scratch());
    for_each_plane(2, [&](const auto& o) {
      std::fill_n(sums, count, C());
      for (int64_t y = 0; y < from.size[1]; ++y)
        for (int64_t x = 0; x < from.size[2]; ++x) {
          const int64_t to = indices.as<int64_t>()[o[2] + y * index.step[1] + x * index.step[2]];
          if (to < 0 || to >= count) valid = false;
          else sums[to] = add(sums[to], kernels::load_one<C>(grad.dtype, grad.data, o[1] + y * from.step[1] + x * from.step[2]));
        }
      store_plane(out, o[0], in, sums);
    }, out, grad, indices);
  });
  return valid ? Status() : invalid_argument("max_pool2d backward: an index is out of range");
}

constexpr OpDef kDefs[] = {
    define_op<"aten::max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor",
              infer, run, plan>("aten::max_pool2d_with_indices_backward.grad_input"),
};

}  // namespace

extern constinit const OpFamily op_max_pool2d_with_indices_backward{kDefs};

}  // namespace glint::ops
