#include "glint/ops/conv.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& input, const Tensor& weight, const Tensor* bias, Ints stride, Ints padding, Ints dilation, bool transposed,
             Ints output_padding, int64_t groups, TensorMeta& out) {
  ConvShape s;
  std::array<int64_t, 5> sizes;
  GLINT_TRY(conv_shape(input, weight, stride, padding, dilation, transposed, output_padding, groups, s, sizes));
  if (bias != nullptr && (bias->rank != 1 || bias->size[0] != sizes[1] || bias->dtype != input.dtype))
    return invalid_argument("convolution: the bias must have one element of the same dtype for each output channel");
  return set_result(out, input.dtype, {sizes.data(), input.rank});
}

Status plan(const PlanContext&, const Tensor& input, const Tensor& weight, const Tensor*, Ints, Ints, Ints, bool transposed, Ints, int64_t groups,
            const Tensor& out, Plan& plan) {
  const double taps = double(volume(weight, input.rank - 2).count());
  plan.flops = 2 * taps * double(weight.size[1]) * double((transposed ? input : out).numel());
  plan.bytes = double(input.size_bytes()) + double(weight.size_bytes()) + double(out.size_bytes());
  if (transposed && !transposed_scratch(out.dtype, out.size[1] / groups, volume(out, input.rank - 2).count(), &plan.scratch_bytes))
    return invalid_argument("convolution: the output is too large");
  return {};
}

Status run(OpContext& c, const Tensor& input, const Tensor& weight, const Tensor* bias, Ints stride, Ints padding, Ints dilation, bool transposed,
           Ints output_padding, int64_t groups, Tensor& out) {
  ConvShape s;
  std::array<int64_t, 5> sizes;
  GLINT_TRY(conv_shape(input, weight, stride, padding, dilation, transposed, output_padding, groups, s, sizes));
  if (out.numel() == 0) return {};
  with_compute(input.dtype, [&](auto v) {
    using C = decltype(v);
    if (transposed) convolve_transposed<C>(s, input, weight, bias, reinterpret_cast<C*>(c.scratch()), out);
    else convolve<C>(s, input, weight, bias, out);
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::convolution(Tensor input, Tensor weight, Tensor? bias, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups) -> Tensor",
              infer, run, plan>("aten::convolution.out"),
};

}  // namespace

extern constinit const OpFamily op_convolution{kDefs};

}  // namespace glint::ops
