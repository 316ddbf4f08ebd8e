#include "glint/ops/ordered.h"

namespace glint::ops {
namespace {

using kernels::Ranked;

Status infer(const Tensor& self, int64_t k, int64_t dim, bool keepdim, TensorMeta& values, TensorMeta& indices) {
  const int d = wrap_dim(dim, self.rank);
  if (d < 0) return invalid_argument("kthvalue: dim is out of range");
  GLINT_TRY(check_order(self.dtype));
  if (k < 1 || k > at_least_1d(self).size[size_t(d)]) return invalid_argument("kthvalue: k is out of range");
  TensorMeta sizes = self;
  if (self.rank > 0) {
    sizes.size[size_t(d)] = 1;
    if (!keepdim) erase_dim(sizes, d);
  }
  GLINT_TRY(set_result(values, self.dtype, sizes.sizes()));
  return set_result(indices, DType::kI64, sizes.sizes());
}

Status plan(const PlanContext&, const Tensor& self, int64_t, int64_t dim, bool, const Tensor&, const Tensor&, Plan& plan) {
  plan.scratch_bytes = lane_bytes(self, dim);
  return {};
}

Status run(OpContext& context, const Tensor& self, int64_t k, int64_t dim, bool, Tensor& values, Tensor& indices) {
  const size_t d = size_t(wrap_dim(dim, self.rank));
  const Tensor from = at_least_1d(self);
  Tensor to = values, places = indices;
  if (to.rank < from.rank) {
    insert_dim(to, int(d), 1, 1);
    insert_dim(places, int(d), 1, 1);
  }
  Ranked* items = reinterpret_cast<Ranked*>(context.scratch());
  const int64_t n = from.size[d];
  for_each_lane(int(d), [&](const auto& at) {
    kernels::rank_elements(from.dtype, address(from, at[0]), from.stride[d], n, false, items);
    kernels::select_ranked(items, k - 1, n);
    write_ranked(items + k - 1, 1, from, at[0], from.stride[d], to, at[1], 1, places, at[2], 1);
  }, from, to, places);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::kthvalue(Tensor self, SymInt k, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", infer, run, plan>(
        "aten::kthvalue.values"),
};

}  // namespace

extern constinit const OpFamily op_kthvalue{kDefs};

}  // namespace glint::ops
