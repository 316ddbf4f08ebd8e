#include "glint/ops/complex.h"
#include "glint/ops/loss.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, const Tensor& target, int64_t reduction, TensorMeta& out) {
  ResultType type;
  type.add_tensor(self.dtype, self.rank > 0);
  type.add_tensor(target.dtype, target.rank > 0);
  if (!is_complex(type.get()) || type.get() == DType::kC32) return infer_loss(self, target, reduction, out);
  GLINT_TRY(check_reduction(reduction));
  out.dtype = type.get();
  GLINT_TRY(broadcast(self, target, out));
  return Reduction(reduction) == Reduction::kNone ? Status() : set_result(out, out.dtype, {});
}

Status run_complex(const Tensor& self, const Tensor& target, Reduction reduction, Tensor& out) {
  TensorMeta all;
  all.dtype = out.dtype;
  GLINT_TRY(broadcast(self, target, all));
  const bool keep = reduction == Reduction::kNone;
  c128 sum{};
  for_each_row(make_loop(all, self, target, keep ? static_cast<const TensorMeta&>(out) : all), [&](const auto& o, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      const c128 x = kernels::load_one<c128>(self.dtype, self.data, o[1] + i * step[1]), y = kernels::load_one<c128>(target.dtype, target.data, o[2] + i * step[2]);
      c128 power = exp(-(x * y));
      if (out.dtype == DType::kC64) power = {double(float(power.re)), double(float(power.im))};  // overflows as PyTorch's does
      const c128 loss = log1p(power);
      if (keep) kernels::store_one(out.dtype, out.data, o[3] + i * step[3], loss);
      sum = sum + loss;
    }
  });
  const double count = reduction == Reduction::kMean ? double(all.numel()) : 1;
  if (!keep) kernels::store_one(out.dtype, out.data, 0, c128{sum.re / count, sum.im / count});
  return {};
}

Status run(OpContext&, const Tensor& self, const Tensor& target, int64_t reduction, Tensor& out) {
  if (is_complex(out.dtype)) return run_complex(self, target, Reduction(reduction), out);
  const DType d = out.dtype;  // halves overflow in the middle, as PyTorch's do
  run_loss(self, target, reduction, out, [d](auto x, auto y) { return std::log1p(as_element(d, std::exp(as_element(d, -x * y)))); });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::soft_margin_loss(Tensor self, Tensor target, int reduction=1) -> Tensor", infer, run>("aten::soft_margin_loss.out"),
};

}  // namespace

extern constinit const OpFamily op_soft_margin_loss{kDefs};

}  // namespace glint::ops
