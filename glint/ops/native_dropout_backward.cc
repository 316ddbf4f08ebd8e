#include "glint/ops/rows.h"

namespace glint::ops {
namespace {

// grad * mask * scale; integers become float32, as any product with a Python float.
Status infer(const Tensor& grad, const Tensor& mask, double, TensorMeta& out) {
  if (grad.dtype == DType::kC32) return unsupported("native_dropout_backward: not for complex32");
  if (mask.dtype != DType::kBool) return invalid_argument("native_dropout_backward: the mask must be bool");
  if (!mask.same_sizes(grad)) return invalid_argument("native_dropout_backward: the mask differs from the gradient in size");
  return set_result(out, is_floating(grad.dtype) || is_complex(grad.dtype) ? grad.dtype : DType::kF32, grad.sizes());
}

Status run(OpContext&, const Tensor& grad, const Tensor& mask, double scale, Tensor& out) {
  if (is_complex(out.dtype)) {
    for_each_row(make_loop(out, grad, mask), [&](const auto& o, const auto& step, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        const c128 g = kernels::load_one<c128>(grad.dtype, grad.data, o[1] + i * step[1]);
        const double m = kernels::load_one<double>(mask.dtype, mask.data, o[2] + i * step[2]) * scale;
        kernels::store_one(out.dtype, out.data, o[0] + i * step[0], c128{g.re * m, g.im * m});
      }
    });
    return {};
  }
  with_floating(out.dtype, [&](auto c) {
    using C = decltype(c);
    for_each_row(make_loop(out, grad, mask), [&](const auto& o, const auto& step, int64_t n) {
      line_zip<C>({grad.dtype, at(grad, o[1]), step[1], n}, {mask.dtype, at(mask, o[2]), step[2], n}, out.dtype, at(out, o[0]), step[0],
                  [scale](C g, C m) { return g * (m * C(scale)); });
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor", infer, run>("aten::native_dropout_backward.out"),
};

}  // namespace

extern constinit const OpFamily op_native_dropout_backward{kDefs};

}  // namespace glint::ops
