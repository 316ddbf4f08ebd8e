#include "glint/ops/random.h"

namespace glint::ops {
namespace {

// In evaluation the input itself and a mask of ones. In training (train absent or true) each element is zeroed with
// probability p and the others scaled.
Status infer(const Tensor& input, double p, std::optional<bool> train, TensorMeta& out, TensorMeta& mask) {
  if (!(p >= 0 && p <= 1)) return invalid_argument("native_dropout: p must lie in [0, 1]");
  if (train.value_or(true) && !is_floating(input.dtype) && !is_complex(input.dtype)) return invalid_argument("native_dropout: the dtype must be floating or complex");
  GLINT_TRY(set_result(mask, DType::kBool, input.sizes()));
  return set_result(out, input.dtype, input.sizes());
}

Status drop(Generator& g, const Tensor& input, double p, Tensor& out, Tensor& mask) {
  const double keep = 1 - p, scale = keep == 0 ? 0 : 1 / keep;
  draw_each(mask, [&] { return int64_t(g.uniform_double() < keep); });
  with_compute(input.dtype, [&](auto zero) {
    using C = decltype(zero);
    for_each_row(make_loop(out, input, mask), [&](const auto& o, const auto& step, int64_t n) {
      C x[kernels::kTile];
      bool kept[kernels::kTile];
      for_each_tile(n, [&](int64_t start, int64_t m) {
        kernels::load<C>(input.dtype, at(input, o[1] + start * step[1]), step[1], m, x);
        kernels::load<bool>(DType::kBool, at(mask, o[2] + start * step[2]), step[2], m, kept);
        // Multiplied, not replaced by zero: NaN and infinities give NaN.
        for (int64_t i = 0; i < m; ++i) x[i] = mul(mul(x[i], number<C>(Scalar::of(kept[i] ? 1.0 : 0.0))), number<C>(Scalar::of(scale)));
        kernels::store<C>(out.dtype, at(out, o[0] + start * step[0]), step[0], m, x);
      });
    });
  });
  return {};
}

Status run(OpContext& c, const Tensor& input, double p, std::optional<bool> train, Tensor& out, Tensor& mask) {
  if (train.value_or(true)) return c.generator() == nullptr ? no_generator() : drop(*c.generator(), input, p, out, mask);
  for_each_row(make_loop(out, input), [&](const auto& o, const auto& step, int64_t n) {
    kernels::copy_row(int(dtype_size(input.dtype)), at(input, o[1]), step[1], at(out, o[0]), step[0], n);
  });
  std::fill_n(mask.as<bool>(), mask.numel(), true);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)", infer, run>(
        "aten::native_dropout.out", OpFlags{.pure = false, .random = true}),
};

}  // namespace

extern constinit const OpFamily op_native_dropout{kDefs};

}  // namespace glint::ops
