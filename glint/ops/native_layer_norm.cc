#include "glint/ops/layer_norm.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& input, Ints shape, const Tensor* weight, const Tensor* bias, double, TensorMeta& out, TensorMeta& mean, TensorMeta& rstd) {
  GLINT_TRY(check_layer(input, shape, weight, bias));
  const DType statistics = statistics_dtype(input, weight, bias);
  GLINT_TRY(set_layer_statistics(input, shape.size(), statistics, mean));
  GLINT_TRY(set_layer_statistics(input, shape.size(), statistics, rstd));
  return set_result(out, input.dtype, input.sizes());
}

Status run(OpContext&, const Tensor& input, Ints shape, const Tensor* weight, const Tensor* bias, double eps, Tensor& out, Tensor& mean, Tensor& rstd) {
  const int leading = input.rank - int(shape.size());
  const TensorMeta x = slice_dims(input, leading, input.rank), y = slice_dims(out, leading, input.rank);
  const NormBlock block{make_loop(y, x, companion(x, weight), companion(x, bias)), weight, bias};
  const Loop<1> statistics = make_loop(x);
  with_floating(input.dtype, [&](auto c) {
    using C = decltype(c);
    for_each_block(leading, [&](const auto& o) {
      const Moments m = moments<C>(statistics, input.dtype, input.data, o[1]);
      const double scale = 1 / std::sqrt(m.variance + eps);
      normalise<C>(block, input, o[1], out, o[0], 0, 0, m.mean, scale);
      set_element(mean, o[2], m.mean);
      set_element(rstd, o[3], scale);
    }, out, input, mean, rstd);
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, Tensor, Tensor)", infer, run>(
        "aten::native_layer_norm.out"),
};

}  // namespace

extern constinit const OpFamily op_native_layer_norm{kDefs};

}  // namespace glint::ops
