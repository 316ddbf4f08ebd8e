#include "glint/ops/group_norm.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& input, const Tensor* weight, const Tensor* bias, int64_t n, int64_t c, int64_t hxw, int64_t group, double, TensorMeta& out,
             TensorMeta& mean, TensorMeta& rstd) {
  GLINT_TRY(check_group(input, weight, bias, n, c, hxw, group));
  const DType statistics = statistics_dtype(input, weight, bias);
  GLINT_TRY(set_result(mean, statistics, std::array{n, group}));
  GLINT_TRY(set_result(rstd, statistics, std::array{n, group}));
  return set_result(out, input.dtype, input.sizes());
}

Status run(OpContext&, const Tensor& input, const Tensor* weight, const Tensor* bias, int64_t n, int64_t c, int64_t, int64_t group, double eps, Tensor& out,
           Tensor& mean, Tensor& rstd) {
  const int64_t channels = c / group;
  const TensorMeta x = group_block(input, group), y = group_block(out, group);
  const NormBlock block{make_loop(y, x, along(x, 0, weight), along(x, 0, bias)), weight, bias};
  const Loop<1> statistics = make_loop(x);
  const auto first = [&](const Tensor* p, int64_t g) { return p != nullptr ? g * channels * p->stride[0] : 0; };
  with_floating(input.dtype, [&](auto v) {
    using C = decltype(v);
    for (int64_t i = 0; i < n; ++i)
      for (int64_t g = 0; g < group; ++g) {
        const int64_t x_base = i * input.stride[0] + g * channels * input.stride[1], y_base = i * out.stride[0] + g * channels * out.stride[1];
        const Moments m = moments<C>(statistics, input.dtype, input.data, x_base);
        const double scale = 1 / std::sqrt(m.variance + eps);
        normalise<C>(block, input, x_base, out, y_base, first(weight, g), first(bias, g), m.mean, scale);
        set_element(mean, i * mean.stride[0] + g * mean.stride[1], m.mean);
        set_element(rstd, i * rstd.stride[0] + g * rstd.stride[1], scale);
      }
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::native_group_norm(Tensor input, Tensor? weight, Tensor? bias, SymInt N, SymInt C, SymInt HxW, int group, float eps) -> (Tensor, Tensor, Tensor)", infer, run>(
        "aten::native_group_norm.out"),
};

}  // namespace

extern constinit const OpFamily op_native_group_norm{kDefs};

}  // namespace glint::ops
