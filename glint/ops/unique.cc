#include <algorithm>

#include "glint/ops/ordered.h"

namespace glint::ops {
namespace {

using kernels::Ranked;

// Results are as large as the operand at first; a call shrinks them to what it found.
void shrink(Tensor& t, int dim, int64_t size) {
  TensorMeta m = t;
  m.size[size_t(dim)] = size;
  m.set_contiguous();
  static_cast<TensorMeta&>(t) = m;
}

// Ranks all elements in row-major order.
void rank_all(const Tensor& self, Ranked* items) {
  int64_t next = 0;
  for_each_row(make_loop(row_major(self), self), [&](const auto& at, const auto& step, int64_t n) {
    kernels::rank_elements(self.dtype, address(self, at[1]), step[1], n, false, items + next);
    for (int64_t i = 0; i < n; ++i) items[next + i].index = next + i;
    next += n;
  });
}

// Walks runs of equal elements: values gets the first of each, inverse and counts (may be null) what they ask for.
int64_t write_runs(const Tensor& self, const Ranked* items, Tensor& values, int64_t* inverse, int64_t* counts) {
  int64_t found = 0;
  const int width = int(dtype_size(self.dtype));
  for (int64_t i = 0, n = self.numel(); i < n; ++i) {
    if (i == 0 || items[i].key != items[i - 1].key || kernels::is_nan_key(self.dtype, items[i].key)) {
      kernels::copy_row(width, address(self, element_offset(self, items[i].index)), 1, address(values, found), 1, 1);
      if (counts != nullptr) counts[found] = 0;
      ++found;
    }
    if (counts != nullptr) ++counts[found - 1];
    if (inverse != nullptr) inverse[items[i].index] = found - 1;
  }
  return found;
}

Status infer_flat(const Tensor& self, bool want_inverse, bool want_counts, TensorMeta& values, TensorMeta& inverse, TensorMeta& counts) {
  GLINT_TRY(check_order(self.dtype));
  const int64_t count[] = {self.numel()}, none[] = {0};
  GLINT_TRY(set_result(values, self.dtype, count));
  GLINT_TRY(set_result(inverse, DType::kI64, want_inverse ? self.sizes() : Ints(none)));
  return set_result(counts, DType::kI64, want_counts ? count : none);
}

void run_flat(OpContext& context, const Tensor& self, bool sorted, bool want_inverse, bool want_counts, Tensor& values, Tensor& inverse, Tensor* counts) {
  Ranked* items = reinterpret_cast<Ranked*>(context.scratch());
  rank_all(self, items);
  if (sorted) kernels::sort_ranked(items, self.numel());
  const int64_t found = write_runs(self, items, values, want_inverse ? inverse.as<int64_t>() : nullptr, want_counts ? counts->as<int64_t>() : nullptr);
  shrink(values, 0, found);
  if (want_counts) shrink(*counts, 0, found);
}

size_t flat_scratch(const Tensor& self) { return size_t(self.numel()) * sizeof(Ranked); }

// _unique2: sorted also when not asked for, as PyTorch does on a CPU.
Status infer2(const Tensor& self, bool, bool want_inverse, bool want_counts, TensorMeta& values, TensorMeta& inverse, TensorMeta& counts) {
  return infer_flat(self, want_inverse, want_counts, values, inverse, counts);
}
Status plan2(const PlanContext&, const Tensor& self, bool, bool, bool, const Tensor&, const Tensor&, const Tensor&, Plan& plan) {
  plan.scratch_bytes = flat_scratch(self);
  return {};
}
Status run2(OpContext& context, const Tensor& self, bool, bool want_inverse, bool want_counts, Tensor& values, Tensor& inverse, Tensor& counts) {
  run_flat(context, self, true, want_inverse, want_counts, values, inverse, &counts);
  return {};
}

Status infer1(const Tensor& self, bool, bool want_inverse, TensorMeta& values, TensorMeta& inverse) {
  TensorMeta counts;
  return infer_flat(self, want_inverse, false, values, inverse, counts);
}
Status plan1(const PlanContext&, const Tensor& self, bool, bool, const Tensor&, const Tensor&, Plan& plan) {
  plan.scratch_bytes = flat_scratch(self);
  return {};
}
Status run1(OpContext& context, const Tensor& self, bool, bool want_inverse, Tensor& values, Tensor& inverse) {
  run_flat(context, self, true, want_inverse, false, values, inverse, nullptr);
  return {};
}

// Slices along a dimension, compared element by element through their keys.
struct Slices {
  DType dtype;
  int64_t count = 0, each = 0;
  Ranked* keys = nullptr;    // [count, each]
  int64_t* order = nullptr;  // [count]

  bool less(int64_t a, int64_t b) const {
    for (int64_t i = 0; i < each; ++i) {
      const uint64_t x = keys[a * each + i].key, y = keys[b * each + i].key;
      if (x != y) return x < y;
    }
    return a < b;
  }
  bool same(int64_t a, int64_t b) const {
    for (int64_t i = 0; i < each; ++i)
      if (keys[a * each + i].key != keys[b * each + i].key || kernels::is_nan_key(dtype, keys[a * each + i].key)) return false;
    return true;
  }
};

Status infer_slices(const Tensor& self, int64_t dim, bool want_inverse, bool want_counts, TensorMeta& values, TensorMeta& inverse, TensorMeta& counts) {
  const int d = wrap_dim(dim, self.rank);
  if (d < 0 || self.rank == 0) return invalid_argument("unique_dim: dim is out of range");
  GLINT_TRY(check_order(self.dtype));
  for (int i = 0; i < self.rank; ++i)
    if (self.size[size_t(i)] == 0 && self.size[size_t(d)] != 0) return invalid_argument("unique_dim: slices have no elements");
  const int64_t count[] = {self.size[size_t(d)]}, none[] = {0};
  GLINT_TRY(set_result(values, self.dtype, self.sizes()));
  GLINT_TRY(set_result(inverse, DType::kI64, want_inverse ? count : none));
  return set_result(counts, DType::kI64, want_counts ? count : none);
}

size_t slices_scratch(const Tensor& self, int64_t dim) {
  return size_t(self.numel()) * sizeof(Ranked) + size_t(self.size[size_t(wrap_dim(dim, self.rank))]) * sizeof(int64_t);
}

void run_slices(OpContext& context, const Tensor& self, int64_t dim, bool sorted, Tensor& values, int64_t* inverse, Tensor* counts) {
  const int d = wrap_dim(dim, self.rank);
  Slices s{self.dtype, self.size[size_t(d)]};
  s.keys = reinterpret_cast<Ranked*>(context.scratch());
  s.order = reinterpret_cast<int64_t*>(context.scratch() + size_t(self.numel()) * sizeof(Ranked));
  const auto slice = [d](const Tensor& t, int64_t i) {
    Tensor r = t;
    narrow(r, d, i, 1);
    return r;
  };
  if (s.count > 0) s.each = self.numel() / s.count;
  for (int64_t i = 0; i < s.count; ++i) {
    rank_all(slice(self, i), s.keys + i * s.each);
    s.order[i] = i;
  }
  if (sorted) std::sort(s.order, s.order + s.count, [&](int64_t a, int64_t b) { return s.less(a, b); });
  // Slices are moved one after the other to the front; sizes shrink at the end, so strides must be those of the final sizes.
  int64_t found = 0;
  for (int64_t i = 0; i < s.count; ++i) found += i == 0 || !s.same(s.order[i], s.order[i - 1]);
  shrink(values, d, found);
  if (counts != nullptr) shrink(*counts, 0, found);
  int64_t at = -1;
  for (int64_t i = 0; i < s.count; ++i) {
    if (i == 0 || !s.same(s.order[i], s.order[i - 1])) {
      ++at;
      Tensor to = slice(values, at);
      copy_elements(slice(self, s.order[i]), to);
      if (counts != nullptr) counts->as<int64_t>()[at] = 0;
    }
    if (counts != nullptr) ++counts->as<int64_t>()[at];
    if (inverse != nullptr) inverse[s.order[i]] = at;
  }
}

Status infer_dim(const Tensor& self, int64_t dim, bool, bool, bool, TensorMeta& values, TensorMeta& inverse, TensorMeta& counts) {
  return infer_slices(self, dim, true, true, values, inverse, counts);
}
Status plan_dim(const PlanContext&, const Tensor& self, int64_t dim, bool, bool, bool, const Tensor&, const Tensor&, const Tensor&, Plan& plan) {
  plan.scratch_bytes = slices_scratch(self, dim);
  return {};
}
Status run_dim(OpContext& context, const Tensor& self, int64_t dim, bool, bool, bool, Tensor& values, Tensor& inverse, Tensor& counts) {
  run_slices(context, self, dim, true, values, inverse.as<int64_t>(), &counts);
  return {};
}

Status infer_dim_consecutive(const Tensor& self, int64_t dim, bool, bool, TensorMeta& values, TensorMeta& inverse, TensorMeta& counts) {
  return infer_slices(self, dim, true, true, values, inverse, counts);
}
Status plan_dim_consecutive(const PlanContext&, const Tensor& self, int64_t dim, bool, bool, const Tensor&, const Tensor&, const Tensor&, Plan& plan) {
  plan.scratch_bytes = slices_scratch(self, dim);
  return {};
}
Status run_dim_consecutive(OpContext& context, const Tensor& self, int64_t dim, bool, bool, Tensor& values, Tensor& inverse, Tensor& counts) {
  run_slices(context, self, dim, false, values, inverse.as<int64_t>(), &counts);
  return {};
}

/// PyTorch's own case: the slices of a vector are its elements, and only then are unwanted results left out.
bool in_slices(const Tensor& self, std::optional<int64_t> dim) { return dim.has_value() && !(*dim == 0 && self.rank == 1); }

Status infer_consecutive(const Tensor& self, bool want_inverse, bool want_counts, std::optional<int64_t> dim, TensorMeta& values, TensorMeta& inverse,
                         TensorMeta& counts) {
  if (in_slices(self, dim)) return infer_slices(self, *dim, true, true, values, inverse, counts);
  return infer_flat(self, want_inverse, want_counts, values, inverse, counts);
}
Status plan_consecutive(const PlanContext&, const Tensor& self, bool, bool, std::optional<int64_t> dim, const Tensor&, const Tensor&, const Tensor&,
                        Plan& plan) {
  plan.scratch_bytes = in_slices(self, dim) ? slices_scratch(self, *dim) : flat_scratch(self);
  return {};
}
Status run_consecutive(OpContext& context, const Tensor& self, bool want_inverse, bool want_counts, std::optional<int64_t> dim, Tensor& values,
                       Tensor& inverse, Tensor& counts) {
  if (in_slices(self, dim)) run_slices(context, self, *dim, false, values, inverse.as<int64_t>(), &counts);
  else run_flat(context, self, false, want_inverse, want_counts, values, inverse, &counts);
  return {};
}

constexpr OpFlags kFlags = {.value_shape = true, .contiguous_only = true};

constexpr OpDef kDefs[] = {
    define_op<"aten::_unique(Tensor self, bool sorted=True, bool return_inverse=False) -> (Tensor, Tensor)", infer1, run1, plan1>(
        "aten::_unique.out", kFlags),
    define_op<"aten::_unique2(Tensor self, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)", infer2,
              run2, plan2>("aten::_unique2.out", kFlags),
    define_op<"aten::unique_dim(Tensor self, int dim, bool sorted=True, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, "
              "Tensor)", infer_dim, run_dim, plan_dim>("aten::unique_dim.out", kFlags),
    define_op<"aten::unique_dim_consecutive(Tensor self, int dim, bool return_inverse=False, bool return_counts=False) -> (Tensor, Tensor, Tensor)",
              infer_dim_consecutive, run_dim_consecutive, plan_dim_consecutive>("aten::unique_dim_consecutive.out", kFlags),
    define_op<"aten::unique_consecutive(Tensor self, bool return_inverse=False, bool return_counts=False, int? dim=None) -> (Tensor, Tensor, Tensor)",
              infer_consecutive, run_consecutive, plan_consecutive>("aten::unique_consecutive.out", kFlags),
};

}  // namespace

extern constinit const OpFamily op_unique{kDefs};

}  // namespace glint::ops
