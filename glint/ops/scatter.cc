#include "glint/ops/indexed.h"

namespace glint::ops {
namespace {

Status check_index(const Tensor& self, int64_t dim, const Tensor& index, TensorMeta& out) {
  const int d = wrap_dim(dim, self.rank);
  if (d < 0) return invalid_argument("scatter: dim is out of range");
  if (!is_index(index.dtype)) return invalid_argument("scatter: index must be int64 or int32");
  GLINT_TRY(set_result(out, self.dtype, self.sizes()));
  if (index.numel() == 0) return {};
  const Tensor a = at_least_1d(self), b = at_least_1d(index);
  if (a.rank != b.rank) return invalid_argument("scatter: index must have as many dimensions as self");
  for (int i = 0; i < a.rank; ++i)
    if (i != d && b.size[size_t(i)] > a.size[size_t(i)]) return invalid_argument("scatter: index is larger than self");
  return {};
}

Status infer(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, TensorMeta& out) {
  GLINT_TRY(check_index(self, dim, index, out));
  if (src.dtype != self.dtype) return invalid_argument("scatter: src must have the dtype of self");
  if (index.numel() == 0) return {};
  const Tensor a = at_least_1d(index), b = at_least_1d(src);
  if (a.rank != b.rank) return invalid_argument("scatter: src must have as many dimensions as self");
  for (int i = 0; i < a.rank; ++i)
    if (a.size[size_t(i)] > b.size[size_t(i)]) return invalid_argument("scatter: index is larger than src");
  return {};
}

Status run_set(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Tensor& out) {
  begin_with(self, out);
  if (index.numel() == 0) return {};
  Tensor result = at_least_1d(out);
  return scatter_elements(result, wrap_dim(dim, self.rank), at_least_1d(index), at_least_1d(src));
}

Status run_combined(OpContext& context, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, const Combine& how, Tensor& out) {
  if (index.numel() == 0) {
    begin_with(self, out);
    return {};
  }
  Tensor result = at_least_1d(out);
  return reduce_indexed(context, at_least_1d(self), wrap_dim(dim, self.rank), at_least_1d(index), at_least_1d(src), how, result);
}

// A number as a tensor of index's sizes: one element, repeated.
struct Repeated {
  alignas(16) std::byte element[16];
  Tensor tensor;
  Repeated(DType dtype, Scalar value, const Tensor& index) {
    store_scalar(dtype, value, element);
    tensor = index;
    tensor.dtype = dtype;
    tensor.stride = {};
    tensor.data = element;
  }
};

Status run(OpContext&, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Tensor& out) {
  return run_set(self, dim, index, src, out);
}

Status infer_value(const Tensor& self, int64_t dim, const Tensor& index, Scalar, TensorMeta& out) {
  if (self.dtype == DType::kC32) return unsupported("scatter: complex32 has no arithmetic");
  return check_index(self, dim, index, out);
}
Status run_value(OpContext&, const Tensor& self, int64_t dim, const Tensor& index, Scalar value, Tensor& out) {
  const Repeated src(self.dtype, value, index);
  return run_set(self, dim, index, src.tensor, out);
}

// scatter's own names for sum and product.
Status old_reduction(std::string_view reduce, Combine& how) {
  if (reduce != "add" && reduce != "multiply") return invalid_argument("scatter: reduce must be add or multiply");
  how.op = reduce == "add" ? kernels::Reduction::kSum : kernels::Reduction::kProd;
  return {};
}

Status infer_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce, TensorMeta& out) {
  Combine how;
  GLINT_TRY(old_reduction(reduce, how));
  GLINT_TRY(check_reduction(self.dtype, how));
  return infer(self, dim, index, src, out);
}
Status plan_reduce(const PlanContext&, const Tensor&, int64_t, const Tensor&, const Tensor&, std::string_view, const Tensor& out, Plan& plan) {
  plan.scratch_bytes = reduce_scratch(out, false);
  return {};
}
Status run_reduce(OpContext& context, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce, Tensor& out) {
  Combine how;
  GLINT_TRY(old_reduction(reduce, how));
  return run_combined(context, self, dim, index, src, how, out);
}

Status infer_value_reduce(const Tensor& self, int64_t dim, const Tensor& index, Scalar, std::string_view reduce, TensorMeta& out) {
  Combine how;
  GLINT_TRY(old_reduction(reduce, how));
  GLINT_TRY(check_reduction(self.dtype, how));
  return check_index(self, dim, index, out);
}
Status plan_value_reduce(const PlanContext&, const Tensor&, int64_t, const Tensor&, Scalar, std::string_view, const Tensor& out, Plan& plan) {
  plan.scratch_bytes = reduce_scratch(out, false);
  return {};
}
Status run_value_reduce(OpContext& context, const Tensor& self, int64_t dim, const Tensor& index, Scalar value, std::string_view reduce, Tensor& out) {
  const Repeated src(self.dtype, value, index);
  return run_reduce(context, self, dim, index, src.tensor, reduce, out);
}

Status infer_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, TensorMeta& out) {
  GLINT_TRY(check_reduction(self.dtype, {}));
  return infer(self, dim, index, src, out);
}
Status plan_add(const PlanContext&, const Tensor&, int64_t, const Tensor&, const Tensor&, const Tensor& out, Plan& plan) {
  plan.scratch_bytes = reduce_scratch(out, false);
  return {};
}
Status run_add(OpContext& context, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, Tensor& out) {
  return run_combined(context, self, dim, index, src, {}, out);
}

Status infer_two(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce, bool, TensorMeta& out) {
  Combine how;
  if (!parse_reduction(reduce, how)) return invalid_argument("scatter_reduce: reduce must be sum, prod, mean, amax or amin");
  GLINT_TRY(check_reduction(self.dtype, how));
  return infer(self, dim, index, src, out);
}
Status plan_two(const PlanContext&, const Tensor&, int64_t, const Tensor&, const Tensor&, std::string_view reduce, bool, const Tensor& out, Plan& plan) {
  plan.scratch_bytes = reduce_scratch(out, reduce == "mean");
  return {};
}
Status run_two(OpContext& context, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& src, std::string_view reduce, bool include_self,
               Tensor& out) {
  Combine how;
  parse_reduction(reduce, how);
  how.include_self = include_self;
  return run_combined(context, self, dim, index, src, how, out);
}

constexpr OpDef kDefs[] = {
    define_op<"aten::scatter.src(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", infer, run>("aten::scatter.src_out", kUpdate),
    define_op<"aten::scatter.value(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", infer_value, run_value>("aten::scatter.value_out", kUpdate),
    define_op<"aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor", infer_reduce, run_reduce, plan_reduce>(
        "aten::scatter.reduce_out", kUpdate),
    define_op<"aten::scatter.value_reduce(Tensor self, int dim, Tensor index, Scalar value, *, str reduce) -> Tensor", infer_value_reduce,
              run_value_reduce, plan_value_reduce>("aten::scatter.value_reduce_out", kUpdate),
    define_op<"aten::scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", infer_add, run_add, plan_add>("aten::scatter_add.out", kUpdate),
    define_op<"aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor", infer_two,
              run_two, plan_two>("aten::scatter_reduce.two_out", kUpdate),
};

}  // namespace

extern constinit const OpFamily op_scatter{kDefs};

}  // namespace glint::ops
