#include "glint/ops/layer_norm.h"

namespace glint::ops {
namespace {

// dx = rstd * (g - mean(g) - xhat * mean(g * xhat)) with g = grad * weight and xhat = (x - mean) * rstd.
Status infer(const Tensor& grad, const Tensor& input, Ints shape, const Tensor& mean, const Tensor& rstd, const Tensor* weight, const Tensor* bias,
             Bools mask, TensorMeta& dx, TensorMeta& dweight, TensorMeta& dbias) {
  GLINT_TRY(check_layer(input, shape, weight, bias));
  if (!grad.same_sizes(input) || grad.dtype != input.dtype) return invalid_argument("layer_norm backward: the gradient does not match the input");
  if (mask.size() != 3) return invalid_argument("layer_norm backward: output_mask must have 3 entries");
  const int leading = input.rank - int(shape.size());
  for (const Tensor* s : {&mean, &rstd}) {
    if (!is_floating(s->dtype)) return invalid_argument("layer_norm backward: the statistics must be floating");
    if (s->rank != input.rank) return invalid_argument("layer_norm backward: the statistics have the wrong sizes");
    for (int d = 0; d < input.rank; ++d)
      if (s->size[size_t(d)] != (d < leading ? input.size[size_t(d)] : 1)) return invalid_argument("layer_norm backward: the statistics have the wrong sizes");
  }
  // What the mask leaves out is an empty tensor.
  const int64_t zero[] = {0};
  GLINT_TRY(set_result(dx, input.dtype, mask[0] ? input.sizes() : Ints(zero)));
  GLINT_TRY(set_result(dweight, weight != nullptr ? weight->dtype : input.dtype, mask[1] && weight != nullptr ? shape : Ints(zero)));
  return set_result(dbias, bias != nullptr ? bias->dtype : input.dtype, mask[2] && bias != nullptr ? shape : Ints(zero));
}

template <class C>
void input_gradient(const Tensor& grad, const Tensor& input, int leading, const Tensor& mean, const Tensor& rstd, const Tensor* weight, Tensor& dx) {
  const TensorMeta x = slice_dims(input, leading, input.rank), g = slice_dims(grad, leading, input.rank), d = slice_dims(dx, leading, input.rank);
  const Loop<4> loop = make_loop(d, g, x, companion(x, weight));
  const double count = double(x.numel());
  for_each_block(leading, [&](const auto& o) {
    const double m = element(mean, o[3]), r = element(rstd, o[4]);
    double sum = 0, dot = 0;
    const auto each = [&](auto&& f) {
      for_each_row(loop, [&](const auto& at_row, const auto& step, int64_t n) {
        for_each_tile(n, [&](int64_t start, int64_t tile) {
          C gv[kernels::kTile], xv[kernels::kTile], wv[kernels::kTile];
          kernels::load(grad.dtype, at(grad, o[1] + at_row[1] + start * step[1]), step[1], tile, gv);
          kernels::load(input.dtype, at(input, o[2] + at_row[2] + start * step[2]), step[2], tile, xv);
          if (weight != nullptr) {
            kernels::load(weight->dtype, at(*weight, at_row[3] + start * step[3]), step[3], tile, wv);
            for (int64_t i = 0; i < tile; ++i) gv[i] *= wv[i];
          }
          f(gv, xv, at(dx, o[0] + at_row[0] + start * step[0]), step[0], tile);
        });
      });
    };
    each([&](C* gv, const C* xv, void*, int64_t, int64_t n) {
      for (int64_t i = 0; i < n; ++i) sum += double(gv[i]), dot += double(gv[i]) * (double(xv[i]) - m) * r;
    });
    each([&](C* gv, const C* xv, void* to, int64_t step, int64_t n) {
      for (int64_t i = 0; i < n; ++i) gv[i] = C(r * (double(gv[i]) - sum / count - (double(xv[i]) - m) * r * dot / count));
      kernels::store(dx.dtype, to, step, n, gv);
    });
  }, dx, grad, input, mean, rstd);
}

// One element of the parameters: sums over all blocks.
void parameter_gradients(const Tensor& grad, const Tensor& input, int leading, const Tensor& mean, const Tensor& rstd, Tensor& dweight, Tensor& dbias) {
  const TensorMeta inner = slice_dims(input, leading, input.rank), inner_grad = slice_dims(grad, leading, input.rank);
  for (int64_t i = 0, n = inner.numel(); i < n; ++i) {
    const int64_t x_at = element_offset(inner, i), g_at = element_offset(inner_grad, i);
    double dw = 0, db = 0;
    for_each_block(leading, [&](const auto& o) {
      const double g = element(grad, o[0] + g_at);
      dw += g * (element(input, o[1] + x_at) - element(mean, o[2])) * element(rstd, o[3]);
      db += g;
    }, grad, input, mean, rstd);
    if (dweight.numel() == n) set_element(dweight, element_offset(dweight, i), dw);
    if (dbias.numel() == n) set_element(dbias, element_offset(dbias, i), db);
  }
}

Status run(OpContext&, const Tensor& grad, const Tensor& input, Ints shape, const Tensor& mean, const Tensor& rstd, const Tensor* weight, const Tensor* bias,
           Bools mask, Tensor& dx, Tensor& dweight, Tensor& dbias) {
  const int leading = input.rank - int(shape.size());
  if (mask[0]) with_floating(input.dtype, [&](auto c) { input_gradient<decltype(c)>(grad, input, leading, mean, rstd, weight, dx); });
  Tensor none;
  none.set(DType::kF32, std::array{int64_t(0)});
  if ((mask[1] && weight != nullptr) || (mask[2] && bias != nullptr))
    parameter_gradients(grad, input, leading, mean, rstd, mask[1] && weight != nullptr ? dweight : none, mask[2] && bias != nullptr ? dbias : none);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::native_layer_norm_backward(Tensor grad_out, Tensor input, SymInt[] normalized_shape, Tensor mean, Tensor rstd, Tensor? weight, Tensor? bias, bool[3] output_mask) -> (Tensor, Tensor, Tensor)",
              infer, run>("aten::native_layer_norm_backward.out"),
};

}  // namespace

extern constinit const OpFamily op_native_layer_norm_backward{kDefs};

}  // namespace glint::ops
