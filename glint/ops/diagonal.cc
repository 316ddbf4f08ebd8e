#include <algorithm>

#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

// The diagonal of dimensions dim1 and dim2, `offset` above the main one, as the last dimension.
Status diagonal(Tensor& view, int64_t offset, int64_t dim1, int64_t dim2) {
  const int a = wrap_dim(dim1, view.rank), b = wrap_dim(dim2, view.rank);
  if (view.rank < 2 || a < 0 || b < 0) return invalid_argument("diagonal: dim is out of range");
  if (a == b) return invalid_argument("diagonal: dim1 and dim2 are the same dimension");
  const int64_t rows = view.size[size_t(a)], cols = view.size[size_t(b)];
  const int64_t step = view.stride[size_t(a)] + view.stride[size_t(b)];
  int64_t length = 0, start = 0;
  if (offset >= 0 && offset < cols) {
    length = std::min(rows, cols - offset);
    start = offset * view.stride[size_t(b)];
  } else if (offset < 0 && offset > -rows) {
    length = std::min(rows + offset, cols);
    start = -offset * view.stride[size_t(a)];
  }
  erase_dim(view, std::max(a, b));
  erase_dim(view, std::min(a, b));
  insert_dim(view, view.rank, length, step);
  advance(view, start);
  return {};
}

Status infer_embed(const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2, TensorMeta& out) {
  const int rank = self.rank + 1;
  if (self.rank == 0) return invalid_argument("diag_embed: a tensor without dimensions has no diagonal");
  if (rank > kMaxRank) return unsupported("diag_embed: too many dimensions");
  const int a = wrap_dim(dim1, rank), b = wrap_dim(dim2, rank);
  if (a < 0 || b < 0) return invalid_argument("diag_embed: dim is out of range");
  if (a == b) return invalid_argument("diag_embed: dim1 and dim2 are the same dimension");
  int64_t side = 0;
  if (offset == INT64_MIN || !checked_add(self.size[size_t(self.rank - 1)], offset < 0 ? -offset : offset, &side))
    return invalid_argument("diag_embed: offset is out of range");
  TensorMeta sizes = self;
  --sizes.rank;
  insert_dim(sizes, std::min(a, b), side, 1);
  insert_dim(sizes, std::max(a, b), side, 1);
  return set_result(out, self.dtype, sizes.sizes());
}

Status run_embed(OpContext&, const Tensor& self, int64_t offset, int64_t dim1, int64_t dim2, Tensor& out) {
  fill_zero(out);
  Tensor view = out;
  GLINT_TRY(diagonal(view, offset, dim1, dim2));
  copy_elements(self, view);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)",
              View<diagonal>::infer, View<diagonal>::run>(),
    define_op<"aten::diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor",
              View<diagonal>::infer, View<diagonal>::run>("aten::diagonal_copy.out"),
    define_op<"aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
              ViewScatter<diagonal>::infer, ViewScatter<diagonal>::run>("aten::diagonal_scatter.out", kUpdate),
    define_op<"aten::diagonal_backward(Tensor grad_output, SymInt[] input_sizes, int offset, int dim1, int dim2) -> Tensor",
              ViewBackward<diagonal>::infer, ViewBackward<diagonal>::run>("aten::diagonal_backward.out"),
    define_op<"aten::diag_embed(Tensor self, int offset=0, int dim1=-2, int dim2=-1) -> Tensor",
              infer_embed, run_embed>("aten::diag_embed.out"),
};

}  // namespace

extern constinit const OpFamily op_diagonal{kDefs};

}  // namespace glint::ops
