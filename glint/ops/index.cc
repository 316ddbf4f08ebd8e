#include "glint/ops/advanced_index.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, TensorList indices, TensorMeta& out) {
  AdvancedIndex a;
  GLINT_TRY(take_apart(self, indices, true, a));
  return set_result(out, self.dtype, a.result.sizes());
}

Status plan(const PlanContext&, const Tensor& self, TensorList indices, const Tensor&, Plan& plan) {
  IndexScratch scratch;
  GLINT_TRY(index_scratch(self, indices, scratch));
  plan.scratch_bytes = scratch.bytes();
  return {};
}

Status gather(OpContext& context, const Tensor& self, TensorList indices, bool clamp, Tensor& out) {
  AdvancedIndex a;
  IndexScratch scratch;
  GLINT_TRY(take_apart(self, indices, true, a));
  GLINT_TRY(index_scratch(self, indices, scratch));
  // Strides of the result stay as they are where its sizes did not shrink.
  if (!out.same_sizes(a.result)) GLINT_TRY(set_result(out, self.dtype, a.result.sizes()));
  if (a.chosen.numel() > scratch.offsets) return internal_error("index: more choices than planned");
  int64_t* offsets = reinterpret_cast<int64_t*>(context.scratch());
  if (out.numel() == 0 && a.chosen.numel() == 0) return {};
  GLINT_TRY(chosen_offsets(self, indices, a, clamp, offsets, offsets + scratch.offsets));
  const int width = int(dtype_size(out.dtype));
  with_width(dtype_size(out.dtype), [&](auto unit) {
    using T = decltype(unit);
    const T* from = self.as<T>();
    T* to = out.as<T>();
    for_each_row(make_loop(out, rest_of(self, a), chosen_of(a)), [&](const auto& at, const auto& step, int64_t n) {
      if (step[2] == 0) return kernels::copy_row(width, from + at[1] + offsets[at[2]], step[1], to + at[0], step[0], n);
      for (int64_t i = 0; i < n; ++i) to[at[0] + i * step[0]] = from[at[1] + i * step[1] + offsets[at[2] + i * step[2]]];
    });
  });
  return {};
}

Status run(OpContext& context, const Tensor& self, TensorList indices, Tensor& out) { return gather(context, self, indices, false, out); }

// self[indices] where mask holds, else fill; indices outside self are allowed where it does not.
Status infer_masked(const Tensor& self, const Tensor& mask, TensorList indices, Scalar, TensorMeta& out) {
  if (self.dtype == DType::kC32) return unsupported("index: complex32 is not converted");
  if (!is_mask(mask.dtype)) return invalid_argument("index: mask must be bool");
  GLINT_TRY(infer(self, indices, out));
  TensorMeta both;
  GLINT_TRY(broadcast(out, mask, both));
  return both.same_sizes(out) ? Status() : invalid_argument("index: mask does not broadcast to the result");
}
Status plan_masked(const PlanContext& context, const Tensor& self, const Tensor&, TensorList indices, Scalar, const Tensor& out, Plan& p) {
  return plan(context, self, indices, out, p);
}
Status run_masked(OpContext& context, const Tensor& self, const Tensor& mask, TensorList indices, Scalar fill, Tensor& out) {
  alignas(16) std::byte element[16];
  store_scalar(self.dtype, fill, element);
  if (self.numel() == 0) {
    fill_elements(out, element);
    return {};
  }
  GLINT_TRY(gather(context, self, indices, true, out));
  bool tile[kernels::kTile];
  const int width = int(dtype_size(out.dtype));
  for_each_row(make_loop(out, mask), [&](const auto& at, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n; i += kernels::kTile) {
      const int64_t m = std::min(n - i, kernels::kTile);
      kernels::load<bool>(mask.dtype, address(mask, at[1] + i * step[1]), step[1], m, tile);
      for (int64_t k = 0; k < m; ++k)
        if (!tile[k]) kernels::copy_row(width, element, 0, address(out, at[0] + (i + k) * step[0]), 1, 1);
    }
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", infer, run, plan>("aten::index.Tensor_out", {.value_shape = true}),
    define_op<"aten::_unsafe_index.Tensor(Tensor self, Tensor?[] indices) -> Tensor", infer, run, plan>("", {.value_shape = true}),
    define_op<"aten::_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor", infer_masked, run_masked, plan_masked>(),
};

}  // namespace

extern constinit const OpFamily op_index{kDefs};

}  // namespace glint::ops
