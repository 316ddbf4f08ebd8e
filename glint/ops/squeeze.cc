#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

void squeeze_all(Tensor& view, uint32_t which) {
  for (int d = view.rank; d-- > 0;)
    if (which >> d & 1 && view.size[size_t(d)] == 1) erase_dim(view, d);
}

Status squeeze(Tensor& view) {
  squeeze_all(view, ~0u);
  return {};
}

Status squeeze_dim(Tensor& view, int64_t dim) {
  const int d = wrap_dim(dim, view.rank);
  if (d < 0) return invalid_argument("squeeze: dim is out of range");
  squeeze_all(view, 1u << d);
  return {};
}

Status squeeze_dims(Tensor& view, Ints dims) {
  uint32_t which = 0;
  for (const int64_t dim : dims) {
    const int d = wrap_dim(dim, view.rank);
    if (d < 0) return invalid_argument("squeeze: dim is out of range");
    if (which >> d & 1) return invalid_argument("squeeze: dim repeats a dimension");
    which |= 1u << d;
  }
  squeeze_all(view, which);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::squeeze(Tensor(a) self) -> Tensor(a)", View<squeeze>::infer, View<squeeze>::run>(),
    define_op<"aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)", View<squeeze_dim>::infer, View<squeeze_dim>::run>(),
    define_op<"aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)", View<squeeze_dims>::infer, View<squeeze_dims>::run>(),
    define_op<"aten::squeeze_copy(Tensor self) -> Tensor", View<squeeze>::infer, View<squeeze>::run>("aten::squeeze_copy.out"),
    define_op<"aten::squeeze_copy.dim(Tensor self, int dim) -> Tensor",
              View<squeeze_dim>::infer, View<squeeze_dim>::run>("aten::squeeze_copy.dim_out"),
    define_op<"aten::squeeze_copy.dims(Tensor self, int[] dim) -> Tensor",
              View<squeeze_dims>::infer, View<squeeze_dims>::run>("aten::squeeze_copy.dims_out"),
};

}  // namespace

extern constinit const OpFamily op_squeeze{kDefs};

}  // namespace glint::ops
