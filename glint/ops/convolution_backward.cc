#include "glint/ops/conv.h"

namespace glint::ops {
namespace {

// Gradients of a convolution (or of a transposed one, where input and output change places).

Status check(const Tensor& grad, const Tensor& input, const Tensor& weight, Ints stride, Ints padding, Ints dilation, bool transposed, Ints output_padding,
             int64_t groups, ConvShape& s) {
  std::array<int64_t, 5> sizes;
  GLINT_TRY(conv_shape(input, weight, stride, padding, dilation, transposed, output_padding, groups, s, sizes));
  if (grad.dtype != input.dtype || !std::equal(grad.sizes().begin(), grad.sizes().end(), sizes.begin(), sizes.begin() + input.rank))
    return invalid_argument("convolution backward: the gradient does not match the output");
  return {};
}

// What the mask leaves out is an empty tensor.
Status infer(const Tensor& grad, const Tensor& input, const Tensor& weight, std::optional<Ints>, Ints stride, Ints padding, Ints dilation, bool transposed,
             Ints output_padding, int64_t groups, Bools mask, TensorMeta& dx, TensorMeta& dweight, TensorMeta& dbias) {
  ConvShape s;
  GLINT_TRY(check(grad, input, weight, stride, padding, dilation, transposed, output_padding, groups, s));
  if (mask.size() != 3) return invalid_argument("convolution backward: output_mask must have 3 entries");
  const int64_t zero[] = {0}, channels[] = {grad.size[1]};
  GLINT_TRY(set_result(dx, input.dtype, mask[0] ? input.sizes() : Ints(zero)));
  GLINT_TRY(set_result(dweight, input.dtype, mask[1] ? weight.sizes() : Ints(zero)));
  return set_result(dbias, input.dtype, mask[2] ? Ints(channels) : Ints(zero));
}

Status plan(const PlanContext&, const Tensor&, const Tensor& input, const Tensor&, std::optional<Ints>, Ints, Ints, Ints, bool transposed, Ints, int64_t groups,
            Bools mask, const Tensor&, const Tensor&, const Tensor&, Plan& plan) {
  if (!transposed && mask[0] && !transposed_scratch(input.dtype, input.size[1] / groups, volume(input, input.rank - 2).count(), &plan.scratch_bytes))
    return invalid_argument("convolution backward: the input is too large");
  return {};
}

// dweight[a, b, tap] = sum over batch and positions of near[a, position] * far[b, position * stride + tap * dilation - padding].
template <class C>
void weight_gradient(const ConvShape& s, const Tensor& near, const Tensor& far, Tensor& dweight) {
  const Volume at_near = volume(near, s.dims), at_far = volume(far, s.dims), taps = volume(dweight, s.dims);
  const int64_t positions = at_near.count(), a = dweight.size[0] / s.groups, b = dweight.size[1], tap_count = s.taps();
  for (int64_t g = 0; g < s.groups; ++g) {
    const auto pack_near = [&](int64_t i, int64_t k0, int64_t kc, C* row) {
      for (int64_t k = k0; k < k0 + kc; ++k) {
        int64_t offset = k / positions * near.stride[0] + (g * a + i) * near.stride[1];
        int64_t p = k % positions;
        for (size_t d = 3; d-- > 0; p /= at_near.size[d]) offset += p % at_near.size[d] * at_near.step[d];
        row[k - k0] = kernels::load_one<C>(near.dtype, near.data, offset);
      }
    };
    const auto far_element = [&](int64_t k, int64_t j) {
      int64_t offset = k / positions * far.stride[0] + (g * b + j / tap_count) * far.stride[1];
      int64_t p = k % positions, tap = j % tap_count;
      for (size_t d = 3; d-- > 0; p /= at_near.size[d], tap /= s.kernel[d]) {
        const int64_t i = p % at_near.size[d] * s.stride[d] + tap % s.kernel[d] * s.dilation[d] - s.padding[d];
        if (i < 0 || i >= at_far.size[d]) return C();
        offset += i * at_far.step[d];
      }
      return kernels::load_one<C>(far.dtype, far.data, offset);
    };
    const auto pack_far = [&](int64_t k0, int64_t kc, int64_t j0, int64_t nc, C* panel) {
      for (int64_t k = 0; k < kc; ++k)
        for (int64_t j = 0; j < nc; ++j) panel[k * kGemmCols + j] = far_element(k0 + k, j0 + j);
    };
    gemm<C>(a, b * tap_count, near.size[0] * positions, pack_near, pack_far, [&](int64_t i, int64_t j0, int64_t nc, const C* sums) {
      for (int64_t j = 0; j < nc; ++j) {
        int64_t offset = (g * a + i) * dweight.stride[0] + (j0 + j) / tap_count * dweight.stride[1];
        int64_t tap = (j0 + j) % tap_count;
        for (size_t d = 3; d-- > 0; tap /= s.kernel[d]) offset += tap % s.kernel[d] * taps.step[d];
        kernels::store_one(dweight.dtype, dweight.data, offset, sums[j]);
      }
    });
  }
}

template <class C>
void bias_gradient(const Tensor& grad, int dims, Tensor& dbias) {
  const Volume v = volume(grad, dims);
  for (int64_t c = 0; c < grad.size[1]; ++c) {
    C sum{};
    for (int64_t n = 0; n < grad.size[0]; ++n)
      for_each_run(v.size, 0, v.count(), [&](int64_t z, int64_t y, int64_t x, int64_t, int64_t count) {
        const int64_t base = n * grad.stride[0] + c * grad.stride[1] + z * v.step[0] + y * v.step[1] + x * v.step[2];
        for (int64_t i = 0; i < count; ++i) sum = add(sum, kernels::load_one<C>(grad.dtype, grad.data, base + i * v.step[2]));
      });
    kernels::store_one(dbias.dtype, dbias.data, c * dbias.stride[0], sum);
  }
}

Status run(OpContext& c, const Tensor& grad, const Tensor& input, const Tensor& weight, std::optional<Ints>, Ints stride, Ints padding, Ints dilation,
           bool transposed, Ints output_padding, int64_t groups, Bools mask, Tensor& dx, Tensor& dweight, Tensor& dbias) {
  ConvShape s;
  GLINT_TRY(check(grad, input, weight, stride, padding, dilation, transposed, output_padding, groups, s));
  with_compute(input.dtype, [&](auto v) {
    using C = decltype(v);
    if (mask[0] && dx.numel() > 0) {
      if (transposed) convolve<C>(s, grad, weight, nullptr, dx);
      else convolve_transposed<C>(s, grad, weight, nullptr, reinterpret_cast<C*>(c.scratch()), dx);
    }
    if (mask[1]) transposed ? weight_gradient<C>(s, input, grad, dweight) : weight_gradient<C>(s, grad, input, dweight);
    if (mask[2]) bias_gradient<C>(grad, s.dims, dbias);
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::convolution_backward(Tensor grad_output, Tensor input, Tensor weight, SymInt[]? bias_sizes, SymInt[] stride, SymInt[] padding, SymInt[] dilation, bool transposed, SymInt[] output_padding, SymInt groups, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
              infer, run, plan>("aten::convolution_backward.out"),
};

}  // namespace

extern constinit const OpFamily op_convolution_backward{kDefs};

}  // namespace glint::ops
