#include "glint/ops/compute.h"

namespace glint::ops {
namespace {

// Evaluation only: the input itself and a mask of ones. Training draws random numbers, which a program cannot repeat.
Status infer(const Tensor& input, double p, std::optional<bool> train, TensorMeta& out, TensorMeta& mask) {
  if (!(p >= 0 && p <= 1)) return invalid_argument("native_dropout: p must lie in [0, 1]");
  if (train.value_or(true) && p != 0) return unsupported("native_dropout: training is not supported");
  GLINT_TRY(set_result(mask, DType::kBool, input.sizes()));
  return set_result(out, input.dtype, input.sizes());
}

Status run(OpContext&, const Tensor& input, double, std::optional<bool>, Tensor& out, Tensor& mask) {
  for_each_row(make_loop(out, input), [&](const auto& o, const auto& step, int64_t n) {
    kernels::copy_row(int(dtype_size(input.dtype)), at(input, o[1]), step[1], at(out, o[0]), step[0], n);
  });
  std::fill_n(mask.as<bool>(), mask.numel(), true);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::native_dropout(Tensor input, float p, bool? train) -> (Tensor, Tensor)", infer, run>("aten::native_dropout.out"),
};

}  // namespace

extern constinit const OpFamily op_native_dropout{kDefs};

}  // namespace glint::ops
