#include "glint/ops/indexed.h"

namespace glint::ops {
namespace {

// Windows of `size` elements every `step` along a dimension; the window is the last dimension.
Status unfold(Tensor& view, int64_t dimension, int64_t size, int64_t step) {
  const int d = wrap_dim(dimension, view.rank);
  if (d < 0) return invalid_argument("unfold: dimension is out of range");
  if (view.rank == kMaxRank) return unsupported("unfold: too many dimensions");
  const int64_t length = view.rank == 0 ? 1 : view.size[size_t(d)], stride = view.rank == 0 ? 1 : view.stride[size_t(d)];
  if (size < 0 || size > length) return invalid_argument("unfold: size is out of range");
  if (step <= 0) return invalid_argument("unfold: step must be positive");
  if (view.rank > 0) {
    const int64_t windows = (length - size) / step + 1;
    view.size[size_t(d)] = windows;
    if (windows > 1) view.stride[size_t(d)] = stride * step;
  }
  insert_dim(view, view.rank, size, stride);
  return {};
}

// The gradient: every window's elements added back to where they came from.
Status infer_backward(const Tensor& grad, Ints sizes, int64_t dim, int64_t size, int64_t step, TensorMeta& out) {
  GLINT_TRY(set_result(out, grad.dtype, sizes));
  GLINT_TRY(check_reduction(grad.dtype, {}));
  Tensor windows;
  static_cast<TensorMeta&>(windows) = out;
  GLINT_TRY(unfold(windows, dim, size, step));
  return windows.same_sizes(grad) ? Status() : invalid_argument("unfold_backward: the gradient must have the sizes of the windows");
}

Status plan_backward(const PlanContext&, const Tensor&, Ints, int64_t, int64_t, int64_t, const Tensor& out, Plan& plan) {
  plan.scratch_bytes = accumulator_bytes(out);
  return {};
}

template <class C>
void add_windows(const Tensor& grad, const TensorMeta& windows, C* acc) {
  C tile[kernels::kTile];
  int64_t target[kernels::kTile];
  for_each_row(make_loop(row_major(grad), grad, windows), [&](const auto& at, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n; i += kernels::kTile) {
      const int64_t m = std::min(n - i, kernels::kTile);
      kernels::load<C>(grad.dtype, address(grad, at[1] + i * step[1]), step[1], m, tile);
      for (int64_t k = 0; k < m; ++k) target[k] = at[2] + (i + k) * step[2];
      kernels::accumulate<C>(kernels::Reduction::kSum, target, tile, m, acc);
    }
  });
}

Status run_backward(OpContext& context, const Tensor& grad, Ints, int64_t dim, int64_t size, int64_t step, Tensor& out) {
  Status status;
  with_accumulator(out.dtype, [&](auto c) {
    Accumulator<decltype(c)> acc(out, context.scratch());
    std::fill_n(acc.data, out.numel(), decltype(c){});
    Tensor windows = acc.view();
    status = unfold(windows, dim, size, step);
    if (status.ok()) add_windows(grad, windows, acc.data);
    acc.store();
  });
  return status;
}

constexpr OpDef kDefs[] = {
    define_op<"aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)", View<unfold>::infer, View<unfold>::run>(),
    define_op<"aten::unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor", View<unfold>::infer, View<unfold>::run>("aten::unfold_copy.out"),
    define_op<"aten::unfold_backward(Tensor grad_in, SymInt[] input_sizes, int dim, int size, int step) -> Tensor", infer_backward, run_backward,
              plan_backward>("aten::unfold_backward.out"),
};

}  // namespace

extern constinit const OpFamily op_unfold{kDefs};

}  // namespace glint::ops
