#include "glint/ops/ordered.h"

namespace glint::ops {
namespace {

using kernels::Ranked;

Status infer(const Tensor& self, int64_t k, int64_t dim, bool, bool, TensorMeta& values, TensorMeta& indices) {
  const int d = wrap_dim(dim, self.rank);
  if (d < 0) return invalid_argument("topk: dim is out of range");
  GLINT_TRY(check_order(self.dtype));
  if (k < 0 || k > at_least_1d(self).size[size_t(d)]) return invalid_argument("topk: k is out of range");
  TensorMeta sizes = self;
  if (self.rank > 0) sizes.size[size_t(d)] = k;
  GLINT_TRY(set_result(values, self.dtype, sizes.sizes()));
  return set_result(indices, DType::kI64, sizes.sizes());
}

Status plan(const PlanContext&, const Tensor& self, int64_t, int64_t dim, bool, bool, const Tensor&, const Tensor&, Plan& plan) {
  plan.scratch_bytes = lane_bytes(self, dim);
  return {};
}

Status run(OpContext& context, const Tensor& self, int64_t k, int64_t dim, bool largest, bool sorted, Tensor& values, Tensor& indices) {
  const size_t d = size_t(wrap_dim(dim, self.rank));
  const Tensor from = at_least_1d(self);
  Tensor to = at_least_1d(values), places = at_least_1d(indices);
  Ranked* items = reinterpret_cast<Ranked*>(context.scratch());
  if (values.numel() == 0) return {};
  const int64_t n = from.size[d];
  if (self.rank == 0) k = 1;  // a number is its own top, however many are asked for
  for_each_lane(int(d), [&](const auto& at) {
    kernels::rank_elements(from.dtype, address(from, at[0]), from.stride[d], n, largest, items);
    kernels::top_ranked(items, k, n, sorted);
    write_ranked(items, k, from, at[0], from.stride[d], to, at[1], to.stride[d], places, at[2], places.stride[d]);
  }, from, to, places);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::topk(Tensor self, SymInt k, int dim=-1, bool largest=True, bool sorted=True) -> (Tensor values, Tensor indices)", infer, run,
              plan>("aten::topk.values"),
};

}  // namespace

extern constinit const OpFamily op_topk{kDefs};

}  // namespace glint::ops
