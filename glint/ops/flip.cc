#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

Status flip(Tensor& view, Ints dims) {
  uint32_t seen = 0;
  for (const int64_t dim : dims) {
    const int d = wrap_dim(dim, view.rank);
    if (d < 0) return invalid_argument("flip: dims is out of range");
    if (seen >> d & 1) return invalid_argument("flip: dims repeats a dimension");
    seen |= 1u << d;
    if (view.rank == 0) continue;
    int64_t& stride = view.stride[size_t(d)];
    advance(view, (view.size[size_t(d)] - 1) * stride);
    stride = -stride;
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::flip(Tensor self, int[] dims) -> Tensor", View<flip>::infer, View<flip>::run>("aten::flip.out"),
};

}  // namespace

extern constinit const OpFamily op_flip{kDefs};

}  // namespace glint::ops
