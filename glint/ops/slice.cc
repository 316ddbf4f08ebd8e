#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

// A bound counted from the front, inside [0, size].
int64_t clamp_bound(int64_t bound, int64_t size) {
  if (bound < 0) bound = bound < -size ? 0 : bound + size;
  return bound < size ? bound : size;
}

Status slice(Tensor& view, int64_t dim, std::optional<int64_t> start, std::optional<int64_t> end, int64_t step) {
  if (view.rank == 0) return invalid_argument("slice: a tensor without dimensions has no slices");
  const int d = wrap_dim(dim, view.rank);
  if (d < 0) return invalid_argument("slice: dim is out of range");
  if (step < 1) return invalid_argument("slice: step must be positive");
  const int64_t size = view.size[size_t(d)];
  const int64_t from = clamp_bound(start.value_or(0), size), to = clamp_bound(end.value_or(size), size);
  const int64_t length = to > from ? ceil_div(to - from, step) : 0;
  narrow(view, d, from, length);
  // With one element or none the step is never taken, and step * stride could overflow.
  if (length > 1) view.stride[size_t(d)] *= step;
  return {};
}

Status slice_within(Tensor& view, int64_t dim, int64_t start, int64_t end, int64_t step) { return slice(view, dim, start, end, step); }

Status narrowed(Tensor& view, int64_t dim, int64_t start, int64_t length) {
  if (view.rank == 0) return invalid_argument("narrow: a tensor without dimensions cannot be narrowed");
  const int d = wrap_dim(dim, view.rank);
  if (d < 0) return invalid_argument("narrow: dim is out of range");
  const int64_t size = view.size[size_t(d)];
  if (start < -size || start > size || length < 0) return invalid_argument("narrow: start or length is out of range");
  if (start < 0) start += size;
  if (length > size - start) return invalid_argument("narrow: start + length is past the end");
  narrow(view, d, start, length);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)",
              View<slice>::infer, View<slice>::run>(),
    define_op<"aten::slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor",
              View<slice>::infer, View<slice>::run>("aten::slice_copy.Tensor_out"),
    define_op<"aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor",
              ViewScatter<slice>::infer, ViewScatter<slice>::run>("aten::slice_scatter.out", kUpdate),
    define_op<"aten::slice_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt start, SymInt end, SymInt step) -> Tensor",
              ViewBackward<slice_within>::infer, ViewBackward<slice_within>::run>("aten::slice_backward.out"),
    define_op<"aten::narrow_copy(Tensor self, int dim, SymInt start, SymInt length) -> Tensor",
              View<narrowed>::infer, View<narrowed>::run>("aten::narrow_copy.out"),
};

}  // namespace

extern constinit const OpFamily op_slice{kDefs};

}  // namespace glint::ops
