#include "glint/ops/movement.h"

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

constexpr OpDef kDefs[] = {
    define_op<"aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)", View<unfold>::infer, View<unfold>::run>(),
    define_op<"aten::unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor", View<unfold>::infer, View<unfold>::run>("aten::unfold_copy.out"),
};

}  // namespace

extern constinit const OpFamily op_unfold{kDefs};

}  // namespace glint::ops
