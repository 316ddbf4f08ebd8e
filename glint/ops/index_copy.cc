#include "glint/ops/indexed.h"

namespace glint::ops {
namespace {

Status check_index(const Tensor& self, int64_t dim, const Tensor& index, TensorMeta& out) {
  if (wrap_dim(dim, self.rank) < 0) return invalid_argument("index_copy: dim is out of range");
  if (!is_index(index.dtype)) return invalid_argument("index_copy: index must be int64 or int32");
  if (index.rank > 1) return invalid_argument("index_copy: index must be a vector");
  return set_result(out, self.dtype, self.sizes());
}

// The shape of what goes to (or comes from) the chosen places: self with index's length along dim.
bool fits(const Tensor& source, const Tensor& self, int dim, int64_t length) {
  const Tensor a = at_least_1d(source);
  Tensor b = at_least_1d(self);
  b.size[size_t(dim)] = length;
  return a.same_sizes(b);
}

Status infer(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, TensorMeta& out) {
  GLINT_TRY(check_index(self, dim, index, out));
  if (source.dtype != self.dtype) return invalid_argument("index_copy: source must have the dtype of self");
  if (!fits(source, self, wrap_dim(dim, self.rank), index.numel())) return invalid_argument("index_copy: source must have the sizes of self but index's along dim");
  return {};
}

Status run(OpContext&, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Tensor& out) {
  begin_with(self, out);
  Tensor to = at_least_1d(out);
  const int d = wrap_dim(dim, self.rank);
  const Tensor from = at_least_1d(source);
  return scatter_elements(to, d, along(index, from, d), from);
}

Status infer_fill(const Tensor& self, int64_t dim, const Tensor& index, Scalar, TensorMeta& out) {
  if (self.dtype == DType::kC32) return unsupported("index_fill: complex32 is not converted");
  return check_index(self, dim, index, out);
}

Status fill(const Tensor& self, int64_t dim, const Tensor& index, const void* element, Tensor& out) {
  begin_with(self, out);
  Tensor to = at_least_1d(out), value = to;
  const int d = wrap_dim(dim, self.rank);
  value.size[size_t(d)] = index.numel();
  value.stride = {};
  value.data = const_cast<void*>(element);
  return scatter_elements(to, d, along(index, value, d), value, true);
}

Status run_fill(OpContext&, const Tensor& self, int64_t dim, const Tensor& index, Scalar value, Tensor& out) {
  alignas(16) std::byte element[16];
  store_scalar(self.dtype, value, element);
  return fill(self, dim, index, element, out);
}

Status infer_fill_tensor(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value, TensorMeta& out) {
  if (value.rank != 0) return invalid_argument("index_fill: value must have no dimensions");
  if (is_complex(value.dtype) && !is_complex(self.dtype)) return invalid_argument("index_fill: value is complex and self is not");
  if (!converts(value.dtype, self.dtype)) return unsupported("index_fill: complex32 is not converted");
  return check_index(self, dim, index, out);
}

Status run_fill_tensor(OpContext&, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& value, Tensor& out) {
  alignas(16) std::byte element[16];
  Tensor one;
  one.dtype = self.dtype;
  one.data = element;
  convert_elements(value, one);
  return fill(self, dim, index, element, out);
}

Status infer_add(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Scalar, TensorMeta& out) {
  GLINT_TRY(check_reduction(self.dtype, {}));
  return infer(self, dim, index, source, out);
}
Status plan_add(const PlanContext&, const Tensor&, int64_t, const Tensor&, const Tensor&, Scalar, const Tensor& out, Plan& plan) {
  plan.scratch_bytes = reduce_scratch(out, false);
  return {};
}
Status run_add(OpContext& context, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, Scalar alpha, Tensor& out) {
  Combine how;
  how.alpha = alpha;
  Tensor to = at_least_1d(out);
  const int d = wrap_dim(dim, self.rank);
  const Tensor from = at_least_1d(source);
  return reduce_indexed(context, at_least_1d(self), d, along(index, from, d), from, how, to);
}

bool parse(std::string_view reduce, Combine& how) { return reduce != "sum" && parse_reduction(reduce, how); }

Status infer_reduce(const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, std::string_view reduce, bool, TensorMeta& out) {
  Combine how;
  if (!parse(reduce, how)) return invalid_argument("index_reduce: reduce must be prod, mean, amax or amin");
  GLINT_TRY(check_reduction(self.dtype, how));
  return infer(self, dim, index, source, out);
}
Status plan_reduce(const PlanContext&, const Tensor&, int64_t, const Tensor&, const Tensor&, std::string_view reduce, bool, const Tensor& out,
                   Plan& plan) {
  plan.scratch_bytes = reduce_scratch(out, reduce == "mean");
  return {};
}
Status run_reduce(OpContext& context, const Tensor& self, int64_t dim, const Tensor& index, const Tensor& source, std::string_view reduce,
                  bool include_self, Tensor& out) {
  Combine how;
  parse(reduce, how);
  how.include_self = include_self;
  Tensor to = at_least_1d(out);
  const int d = wrap_dim(dim, self.rank);
  const Tensor from = at_least_1d(source);
  return reduce_indexed(context, at_least_1d(self), d, along(index, from, d), from, how, to);
}

constexpr OpDef kDefs[] = {
    define_op<"aten::index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor", infer, run>("aten::index_copy.out", kUpdate),
    define_op<"aten::index_fill.int_Scalar(Tensor self, int dim, Tensor index, Scalar value) -> Tensor", infer_fill, run_fill>(
        "aten::index_fill.int_Scalar_out", kUpdate),
    define_op<"aten::index_fill.int_Tensor(Tensor self, int dim, Tensor index, Tensor value) -> Tensor", infer_fill_tensor, run_fill_tensor>(
        "aten::index_fill.int_Tensor_out", kUpdate),
    define_op<"aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor", infer_add, run_add, plan_add>(
        "aten::index_add.out", kUpdate),
    define_op<"aten::index_reduce(Tensor self, int dim, Tensor index, Tensor source, str reduce, *, bool include_self=True) -> Tensor",
              infer_reduce, run_reduce, plan_reduce>("aten::index_reduce.out", kUpdate),
};

}  // namespace

extern constinit const OpFamily op_index_copy{kDefs};

}  // namespace glint::ops
