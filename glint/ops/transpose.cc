#include <utility>

#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

Status transpose(Tensor& view, int64_t dim0, int64_t dim1) {
  const int a = wrap_dim(dim0, view.rank), b = wrap_dim(dim1, view.rank);
  if (a < 0 || b < 0) return invalid_argument("transpose: dim is out of range");
  std::swap(view.size[size_t(a)], view.size[size_t(b)]);
  std::swap(view.stride[size_t(a)], view.stride[size_t(b)]);
  return {};
}

Status t(Tensor& view) {
  if (view.rank > 2) return invalid_argument("t: more than two dimensions");
  return view.rank == 2 ? transpose(view, 0, 1) : Status();
}

constexpr OpDef kDefs[] = {
    define_op<"aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)", View<transpose>::infer, View<transpose>::run>(),
    define_op<"aten::transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor",
              View<transpose>::infer, View<transpose>::run>("aten::transpose_copy.int_out"),
    define_op<"aten::t(Tensor(a) self) -> Tensor(a)", View<t>::infer, View<t>::run>(),
    define_op<"aten::t_copy(Tensor self) -> Tensor", View<t>::infer, View<t>::run>("aten::t_copy.out"),
};

}  // namespace

extern constinit const OpFamily op_transpose{kDefs};

}  // namespace glint::ops
