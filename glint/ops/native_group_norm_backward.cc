#include "glint/ops/group_norm.h"

namespace glint::ops {
namespace {

// With xhat = (x - mean) * rstd and g = grad * weight: dx = rstd * (g - mean(g) - xhat * mean(g * xhat)) over each group.
Status infer(const Tensor& grad, const Tensor& input, const Tensor& mean, const Tensor& rstd, const Tensor* weight, int64_t n, int64_t c, int64_t hxw,
             int64_t group, Bools mask, TensorMeta& dx, TensorMeta& dweight, TensorMeta& dbias) {
  GLINT_TRY(check_group(input, weight, nullptr, n, c, hxw, group));
  if (!grad.same_sizes(input) || grad.dtype != input.dtype) return invalid_argument("group_norm backward: the gradient does not match the input");
  if (mask.size() != 3) return invalid_argument("group_norm backward: output_mask must have 3 entries");
  for (const Tensor* s : {&mean, &rstd})
    if (!is_floating(s->dtype) || s->rank != 2 || s->size[0] != n || s->size[1] != group)
      return invalid_argument("group_norm backward: the statistics must be [N, group] and floating");
  // What the mask leaves out is an empty tensor.
  const int64_t zero[] = {0}, channels[] = {c};
  const DType dtype = weight != nullptr ? weight->dtype : input.dtype;
  GLINT_TRY(set_result(dx, input.dtype, mask[0] ? input.sizes() : Ints(zero)));
  GLINT_TRY(set_result(dweight, dtype, mask[1] ? Ints(channels) : Ints(zero)));
  return set_result(dbias, dtype, mask[2] ? Ints(channels) : Ints(zero));
}

struct Sums { double g, gx; };

// Sums of grad and grad * x over the positions of one channel.
template <class C>
Sums channel_sums(const Tensor& grad, const Tensor& input, const Loop<2>& positions, int64_t i, int64_t c) {
  const int64_t g_at = i * grad.stride[0] + c * grad.stride[1], x_at = i * input.stride[0] + c * input.stride[1];
  return {sum_block<C>(positions, grad, g_at, input, x_at, [](C g, C) { return double(g); }),
          sum_block<C>(positions, grad, g_at, input, x_at, [](C g, C x) { return double(g) * double(x); })};
}

template <class C>
void group_gradients(const Tensor& grad, const Tensor& input, const Tensor& mean, const Tensor& rstd, const Tensor* weight, int64_t group, Tensor& dx) {
  const int64_t channels = input.size[1] / group;
  const TensorMeta gx = slice_dims(grad, 2, grad.rank), xx = slice_dims(input, 2, input.rank), dd = slice_dims(dx, 2, dx.rank);
  const Loop<2> positions = make_loop(gx, xx);
  const Loop<3> all = make_loop(dd, gx, xx);
  const double count = double(channels) * double(xx.numel());
  const auto weight_at = [&](int64_t c) { return weight != nullptr ? element(*weight, c * weight->stride[0]) : 1.0; };
  for (int64_t i = 0; i < input.size[0]; ++i)
    for (int64_t k = 0; k < group; ++k) {
      const double m = element(mean, i * mean.stride[0] + k * mean.stride[1]), r = element(rstd, i * rstd.stride[0] + k * rstd.stride[1]);
      double sum = 0, dot = 0;
      for (int64_t c = k * channels; c < (k + 1) * channels; ++c) {
        const Sums s = channel_sums<C>(grad, input, positions, i, c);
        sum += weight_at(c) * s.g;
        dot += weight_at(c) * (s.gx - m * s.g) * r;
      }
      for (int64_t c = k * channels; c < (k + 1) * channels; ++c) {
        const double w = weight_at(c);
        for_each_row(all, [&](const auto& o, const auto& step, int64_t n) {
          const Line g{grad.dtype, at(grad, i * grad.stride[0] + c * grad.stride[1] + o[1]), step[1], n};
          const Line x{input.dtype, at(input, i * input.stride[0] + c * input.stride[1] + o[2]), step[2], n};
          line_zip<C>(g, x, dx.dtype, at(dx, i * dx.stride[0] + c * dx.stride[1] + o[0]), step[0],
                      [&](C gv, C xv) { return C(r * (w * double(gv) - sum / count - (double(xv) - m) * r * dot / count)); });
        });
      }
    }
}

template <class C>
void parameter_gradients(const Tensor& grad, const Tensor& input, const Tensor& mean, const Tensor& rstd, int64_t group, Tensor* dweight, Tensor* dbias) {
  const Loop<2> positions = make_loop(slice_dims(grad, 2, grad.rank), slice_dims(input, 2, input.rank));
  for (int64_t c = 0; c < input.size[1]; ++c) {
    const int64_t k = c / (input.size[1] / group);
    double dw = 0, db = 0;
    for (int64_t i = 0; i < input.size[0]; ++i) {
      const Sums s = channel_sums<C>(grad, input, positions, i, c);
      dw += (s.gx - element(mean, i * mean.stride[0] + k * mean.stride[1]) * s.g) * element(rstd, i * rstd.stride[0] + k * rstd.stride[1]);
      db += s.g;
    }
    if (dweight != nullptr) set_element(*dweight, c * dweight->stride[0], dw);
    if (dbias != nullptr) set_element(*dbias, c * dbias->stride[0], db);
  }
}

Status run(OpContext&, const Tensor& grad, const Tensor& input, const Tensor& mean, const Tensor& rstd, const Tensor* weight, int64_t, int64_t, int64_t,
           int64_t group, Bools mask, Tensor& dx, Tensor& dweight, Tensor& dbias) {
  with_floating(input.dtype, [&](auto v) {
    using C = decltype(v);
    if (mask[0]) group_gradients<C>(grad, input, mean, rstd, weight, group, dx);
    if (mask[1] || mask[2]) parameter_gradients<C>(grad, input, mean, rstd, group, mask[1] ? &dweight : nullptr, mask[2] ? &dbias : nullptr);
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::native_group_norm_backward(Tensor grad_out, Tensor input, Tensor mean, Tensor rstd, Tensor? weight, SymInt N, SymInt C, SymInt HxW, int group, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
              infer, run>("aten::native_group_norm_backward.out"),
};

}  // namespace

extern constinit const OpFamily op_native_group_norm_backward{kDefs};

}  // namespace glint::ops
