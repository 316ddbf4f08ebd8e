#include "glint/ops/indexed.h"

namespace glint::ops {
namespace {

// Calls f(offset in x, offset in other) for the elements that `index` chooses of x's row-major sequence.
template <class F>
Status for_each_taken(const TensorMeta& x, const Tensor& index, const TensorMeta& other, F&& f) {
  const int64_t count = x.numel();
  const bool simple = x.is_contiguous();
  bool good = true;
  for_each_row(make_loop(row_major(index), index, other), [&](const auto& at, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n && good; ++i) {
      const int64_t v = checked_index(kernels::load_one<int64_t>(index.dtype, index.data, at[1] + i * step[1]), count, true);
      good = v >= 0;
      if (good) f(simple ? v : element_offset(x, v), at[2] + i * step[2]);
    }
  });
  return good ? Status() : invalid_argument(kIndexError);
}

Status infer(const Tensor& self, const Tensor& index, TensorMeta& out) {
  if (!is_index(index.dtype)) return invalid_argument("take: index must be int64 or int32");
  return set_result(out, self.dtype, index.sizes());
}

Status run(OpContext&, const Tensor& self, const Tensor& index, Tensor& out) {
  Status status;
  with_width(dtype_size(out.dtype), [&](auto unit) {
    using T = decltype(unit);
    status = for_each_taken(self, index, out, [&](int64_t from, int64_t to) { out.as<T>()[to] = self.as<T>()[from]; });
  });
  return status;
}

Status infer_put(const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate, TensorMeta& out) {
  if (!is_index(index.dtype)) return invalid_argument("put: index must be int64 or int32");
  if (source.dtype != self.dtype) return invalid_argument("put: source must have the dtype of self");
  if (source.numel() != index.numel()) return invalid_argument("put: source and index differ in length");
  if (accumulate) GLINT_TRY(check_reduction(self.dtype, {}));
  return set_result(out, self.dtype, self.sizes());
}

Status plan_put(const PlanContext&, const Tensor&, const Tensor&, const Tensor&, bool accumulate, const Tensor& out, Plan& plan) {
  plan.scratch_bytes = accumulate ? accumulator_bytes(out) : 0;
  return {};
}

template <class C>
Status add_taken(const Tensor& self, const Tensor& index, const Tensor& source, std::byte* scratch, Tensor& out) {
  Accumulator<C> acc(out, scratch);
  acc.load(self);
  // source is read in its own row-major order, which may have other sizes than index.
  int64_t next = 0;
  GLINT_TRY(for_each_taken(acc.meta, index, index, [&](int64_t at, int64_t) {
    const C value = kernels::load_one<C>(source.dtype, source.data, element_offset(source, next++));
    kernels::accumulate<C>(kernels::Reduction::kSum, &at, &value, 1, acc.data);
  }));
  acc.store();
  return {};
}

Status run_put(OpContext& context, const Tensor& self, const Tensor& index, const Tensor& source, bool accumulate, Tensor& out) {
  Status status;
  if (accumulate) {
    with_accumulator(out.dtype, [&](auto c) { status = add_taken<decltype(c)>(self, index, source, context.scratch(), out); });
    return status;
  }
  begin_with(self, out);
  int64_t next = 0;
  with_width(dtype_size(out.dtype), [&](auto unit) {
    using T = decltype(unit);
    status = for_each_taken(out, index, index, [&](int64_t at, int64_t) { out.as<T>()[at] = source.as<T>()[element_offset(source, next++)]; });
  });
  return status;
}

constexpr OpDef kDefs[] = {
    define_op<"aten::take(Tensor self, Tensor index) -> Tensor", infer, run>("aten::take.out"),
    define_op<"aten::put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor", infer_put, run_put, plan_put>("aten::put.out", kUpdate),
};

}  // namespace

extern constinit const OpFamily op_take{kDefs};

}  // namespace glint::ops
