#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

Status permute(Tensor& view, Ints dims) {
  if (int64_t(dims.size()) != view.rank) return invalid_argument("permute: one entry of dims for each dimension");
  const TensorMeta self = view;
  uint32_t seen = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    const int d = wrap_dim(dims[i], self.rank);
    if (d < 0) return invalid_argument("permute: dims is out of range");
    if (seen >> d & 1) return invalid_argument("permute: dims repeats a dimension");
    seen |= 1u << d;
    view.size[i] = self.size[size_t(d)];
    view.stride[i] = self.stride[size_t(d)];
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)", View<permute>::infer, View<permute>::run>(),
    define_op<"aten::permute_copy(Tensor self, int[] dims) -> Tensor", View<permute>::infer, View<permute>::run>("aten::permute_copy.out"),
};

}  // namespace

extern constinit const OpFamily op_permute{kDefs};

}  // namespace glint::ops
