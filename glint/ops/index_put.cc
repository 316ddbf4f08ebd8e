#include "glint/ops/advanced_index.h"

namespace glint::ops {
namespace {

bool broadcasts_to(const TensorMeta& a, const TensorMeta& to) {
  TensorMeta both;
  return broadcast(a, to, both).ok() && both.same_sizes(to);
}

Status infer(const Tensor& self, TensorList indices, const Tensor& values, bool accumulate, TensorMeta& out) {
  if (values.dtype != self.dtype) return invalid_argument("index_put: values must have the dtype of self");
  if (accumulate) GLINT_TRY(check_reduction(self.dtype, {}));
  AdvancedIndex a;
  GLINT_TRY(take_apart(self, indices, true, a));
  bool exact = true;
  for (uint32_t i = 0; i < indices.size(); ++i)
    if (indices[i] != nullptr && is_mask(indices[i]->dtype) && indices[i]->data == nullptr) exact = false;
  if (exact && !broadcasts_to(values, a.result)) return invalid_argument("index_put: values do not broadcast to the chosen places");
  return set_result(out, self.dtype, self.sizes());
}

Status plan(const PlanContext&, const Tensor& self, TensorList indices, const Tensor&, bool accumulate, const Tensor& out, Plan& plan) {
  IndexScratch scratch;
  GLINT_TRY(index_scratch(self, indices, scratch));
  plan.scratch_bytes = align_up(scratch.bytes(), 16) + (accumulate ? accumulator_bytes(out) : 0);
  return {};
}

// self + values at the chosen places. With a mask, only where it holds, and indices may then lie outside self.
template <class C>
Status add_values(const Tensor& self, TensorList indices, const Tensor& values, const Tensor* mask, const AdvancedIndex& a, int64_t* offsets,
                  int64_t* positions, std::byte* scratch, Tensor& out) {
  Accumulator<C> acc(out, scratch);
  acc.load(self);
  GLINT_TRY(chosen_offsets(acc.meta, indices, a, mask != nullptr, offsets, positions));
  const TensorMeta& masked = mask != nullptr ? *mask : a.result;
  for_each_row(make_loop(a.result, values, rest_of(acc.meta, a), chosen_of(a), masked), [&](const auto& at, const auto& step, int64_t n) {
    C tile[kernels::kTile];
    int64_t target[kernels::kTile];
    bool wanted[kernels::kTile];
    for (int64_t i = 0; i < n; i += kernels::kTile) {
      const int64_t m = std::min(n - i, kernels::kTile);
      kernels::load<C>(values.dtype, address(values, at[1] + i * step[1]), step[1], m, tile);
      if (mask != nullptr) kernels::load<bool>(mask->dtype, address(*mask, at[4] + i * step[4]), step[4], m, wanted);
      int64_t kept = 0;
      for (int64_t k = 0; k < m; ++k) {
        if (mask != nullptr && !wanted[k]) continue;
        target[kept] = at[2] + (i + k) * step[2] + offsets[at[3] + (i + k) * step[3]];
        tile[kept++] = tile[k];
      }
      kernels::accumulate<C>(kernels::Reduction::kSum, target, tile, kept, acc.data);
    }
  });
  acc.store();
  return {};
}

Status put(OpContext& context, const Tensor& self, TensorList indices, const Tensor& values, bool accumulate, const Tensor* mask, Tensor& out) {
  AdvancedIndex a;
  IndexScratch scratch;
  GLINT_TRY(take_apart(self, indices, true, a));
  GLINT_TRY(index_scratch(self, indices, scratch));
  if (!broadcasts_to(values, a.result)) return invalid_argument("index_put: values do not broadcast to the chosen places");
  if (a.chosen.numel() > scratch.offsets) return internal_error("index_put: more choices than planned");
  int64_t* offsets = reinterpret_cast<int64_t*>(context.scratch());
  int64_t* positions = offsets + scratch.offsets;
  if (a.chosen.numel() == 0 || self.numel() == 0) {
    begin_with(self, out);
    return a.chosen.numel() == 0 || a.result.numel() == 0 || mask != nullptr ? Status() : invalid_argument(kIndexError);
  }
  Status status;
  if (accumulate) {
    std::byte* rest = context.scratch() + align_up(scratch.bytes(), 16);
    with_accumulator(out.dtype, [&](auto c) { status = add_values<decltype(c)>(self, indices, values, mask, a, offsets, positions, rest, out); });
    return status;
  }
  GLINT_TRY(chosen_offsets(out, indices, a, false, offsets, positions));
  begin_with(self, out);
  with_width(dtype_size(out.dtype), [&](auto unit) {
    using T = decltype(unit);
    T* to = out.as<T>();
    const T* from = values.as<T>();
    for_each_row(make_loop(a.result, values, rest_of(out, a), chosen_of(a)), [&](const auto& at, const auto& step, int64_t n) {
      for (int64_t i = 0; i < n; ++i) to[at[2] + i * step[2] + offsets[at[3] + i * step[3]]] = from[at[1] + i * step[1]];
    });
  });
  return {};
}

Status run(OpContext& context, const Tensor& self, TensorList indices, const Tensor& values, bool accumulate, Tensor& out) {
  return put(context, self, indices, values, accumulate, nullptr, out);
}

Status infer_masked(const Tensor& self, const Tensor& mask, TensorList indices, const Tensor& values, TensorMeta& out) {
  if (!is_mask(mask.dtype)) return invalid_argument("index_put: mask must be bool");
  GLINT_TRY(infer(self, indices, values, true, out));
  AdvancedIndex a;
  GLINT_TRY(take_apart(self, indices, true, a));
  return broadcasts_to(mask, a.result) ? Status() : invalid_argument("index_put: mask does not broadcast to the chosen places");
}
Status plan_masked(const PlanContext& context, const Tensor& self, const Tensor&, TensorList indices, const Tensor& values, const Tensor& out, Plan& p) {
  return plan(context, self, indices, values, true, out, p);
}
Status run_masked(OpContext& context, const Tensor& self, const Tensor& mask, TensorList indices, const Tensor& values, Tensor& out) {
  return put(context, self, indices, values, true, &mask, out);
}

constexpr OpDef kDefs[] = {
    define_op<"aten::index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor", infer, run, plan>("aten::index_put.out", kUpdate),
    define_op<"aten::_unsafe_index_put(Tensor self, Tensor?[] indices, Tensor values, bool accumulate=False) -> Tensor", infer, run, plan>("", kUpdate),
    define_op<"aten::_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor", infer_masked,
              run_masked, plan_masked>("", kUpdate),
};

}  // namespace

extern constinit const OpFamily op_index_put{kDefs};

}  // namespace glint::ops
