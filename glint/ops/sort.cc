#include "glint/ops/ordered.h"

namespace glint::ops {
namespace {

using kernels::Ranked;

Status infer(const Tensor& self, int64_t dim, bool, TensorMeta& values, TensorMeta& indices) {
  if (wrap_dim(dim, self.rank) < 0) return invalid_argument("sort: dim is out of range");
  GLINT_TRY(check_order(self.dtype));
  GLINT_TRY(set_result(values, self.dtype, self.sizes()));
  return set_result(indices, DType::kI64, self.sizes());
}

Status plan(const PlanContext&, const Tensor& self, int64_t dim, bool, const Tensor&, const Tensor&, Plan& plan) {
  plan.scratch_bytes = lane_bytes(self, dim);
  return {};
}

// Always stable; values may be null.
void sort_lanes(OpContext& context, const Tensor& self, int64_t dim, bool descending, Tensor* values, Tensor& indices) {
  const size_t d = size_t(wrap_dim(dim, self.rank));
  const Tensor from = at_least_1d(self);
  Tensor to = at_least_1d(indices);
  Tensor sorted = values != nullptr ? at_least_1d(*values) : from;
  const int64_t n = from.size[d];
  Ranked* items = reinterpret_cast<Ranked*>(context.scratch());
  for_each_lane(int(d), [&](const auto& at) {
    kernels::rank_elements(from.dtype, address(from, at[0]), from.stride[d], n, descending, items);
    kernels::sort_ranked(items, n);
    if (values != nullptr) {
      write_ranked(items, n, from, at[0], from.stride[d], sorted, at[1], sorted.stride[d], to, at[2], to.stride[d]);
    } else {
      for (int64_t i = 0; i < n; ++i) to.as<int64_t>()[at[2] + i * to.stride[d]] = items[i].index;
    }
  }, from, sorted, to);
}

Status run(OpContext& context, const Tensor& self, int64_t dim, bool descending, Tensor& values, Tensor& indices) {
  sort_lanes(context, self, dim, descending, &values, indices);
  return {};
}

Status infer_stable(const Tensor& self, std::optional<bool>, int64_t dim, bool descending, TensorMeta& values, TensorMeta& indices) {
  return infer(self, dim, descending, values, indices);
}
Status plan_stable(const PlanContext& context, const Tensor& self, std::optional<bool>, int64_t dim, bool descending, const Tensor& values,
                   const Tensor& indices, Plan& p) {
  return plan(context, self, dim, descending, values, indices, p);
}
Status run_stable(OpContext& context, const Tensor& self, std::optional<bool>, int64_t dim, bool descending, Tensor& values, Tensor& indices) {
  return run(context, self, dim, descending, values, indices);
}

Status infer_arg(const Tensor& self, int64_t dim, bool descending, TensorMeta& indices) {
  TensorMeta values;
  return infer(self, dim, descending, values, indices);
}
Status plan_arg(const PlanContext&, const Tensor& self, int64_t dim, bool, const Tensor&, Plan& plan) {
  plan.scratch_bytes = lane_bytes(self, dim);
  return {};
}
Status run_arg(OpContext& context, const Tensor& self, int64_t dim, bool descending, Tensor& indices) {
  sort_lanes(context, self, dim, descending, nullptr, indices);
  return {};
}

Status infer_arg_stable(const Tensor& self, bool, int64_t dim, bool descending, TensorMeta& indices) { return infer_arg(self, dim, descending, indices); }
Status plan_arg_stable(const PlanContext& context, const Tensor& self, bool, int64_t dim, bool descending, const Tensor& indices, Plan& p) {
  return plan_arg(context, self, dim, descending, indices, p);
}
Status run_arg_stable(OpContext& context, const Tensor& self, bool, int64_t dim, bool descending, Tensor& indices) {
  return run_arg(context, self, dim, descending, indices);
}

constexpr OpDef kDefs[] = {
    define_op<"aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", infer, run, plan>("aten::sort.values"),
    define_op<"aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", infer_stable,
              run_stable, plan_stable>("aten::sort.values_stable"),
    define_op<"aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor", infer_arg, run_arg, plan_arg>(),
    define_op<"aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor", infer_arg_stable, run_arg_stable,
              plan_arg_stable>("aten::argsort.stable_out"),
};

}  // namespace

extern constinit const OpFamily op_sort{kDefs};

}  // namespace glint::ops
