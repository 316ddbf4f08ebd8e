#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

Status select(Tensor& view, int64_t dim, int64_t index) {
  if (view.rank == 0) return invalid_argument("select: a tensor without dimensions has nothing to select");
  const int d = wrap_dim(dim, view.rank);
  if (d < 0) return invalid_argument("select: dim is out of range");
  const int64_t size = view.size[size_t(d)];
  if (index < -size || index >= size) return invalid_argument("select: index is out of range");
  narrow(view, d, index < 0 ? index + size : index, 1);
  erase_dim(view, d);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)", View<select>::infer, View<select>::run>(),
    define_op<"aten::select_copy.int(Tensor self, int dim, SymInt index) -> Tensor",
              View<select>::infer, View<select>::run>("aten::select_copy.int_out"),
    define_op<"aten::select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor",
              ViewScatter<select>::infer, ViewScatter<select>::run>("aten::select_scatter.out", kUpdate),
    define_op<"aten::select_backward(Tensor grad_output, SymInt[] input_sizes, int dim, SymInt index) -> Tensor",
              ViewBackward<select>::infer, ViewBackward<select>::run>("aten::select_backward.out"),
};

}  // namespace

extern constinit const OpFamily op_select{kDefs};

}  // namespace glint::ops
