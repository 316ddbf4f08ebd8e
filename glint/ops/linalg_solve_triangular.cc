#include "glint/ops/matrix.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& a, const Tensor& b, bool, bool left, bool, TensorMeta& out) {
  if (a.rank < 2 || b.rank < 2) return invalid_argument("linalg_solve_triangular: matrices need two dimensions or more");
  if (!is_real_float(a.dtype)) return unsupported("linalg_solve_triangular: only for float32 and float64");
  if (a.dtype != b.dtype) return invalid_argument("linalg_solve_triangular: the operands differ in dtype");
  if (matrix_rows(a) != matrix_cols(a)) return invalid_argument("linalg_solve_triangular: the triangular matrix must be square");
  if ((left ? matrix_rows(b) : matrix_cols(b)) != matrix_rows(a)) return invalid_argument("linalg_solve_triangular: the sizes of the operands disagree");
  TensorMeta batch;
  GLINT_TRY(broadcast(batch_of(a), batch_of(b), batch));
  if (batch.rank + 2 > kMaxRank) return invalid_argument("linalg_solve_triangular: too many dimensions");
  batch.size[batch.rank++] = matrix_rows(b);
  batch.size[batch.rank++] = matrix_cols(b);
  return set_result(out, b.dtype, batch.sizes());
}

Status plan(const PlanContext&, const Tensor& a, const Tensor& b, bool, bool, bool, const Tensor&, Plan& plan) {
  size_t first = 0, second = 0;
  if (!matrix_scratch(matrix_rows(a), matrix_cols(a), 1, &first) || !matrix_scratch(matrix_rows(b), matrix_cols(b), 2, &second) ||
      __builtin_add_overflow(first, second, &plan.scratch_bytes))
    return invalid_argument("linalg_solve_triangular: the matrix is too large");
  return {};
}

Status run(OpContext& c, const Tensor& a, const Tensor& b, bool upper, bool left, bool unitriangular, Tensor& out) {
  const Matrix m{reinterpret_cast<double*>(c.scratch()), matrix_rows(a), matrix_cols(a)};
  const Matrix given{m.data + m.rows * m.cols, matrix_rows(b), matrix_cols(b)};
  const Matrix turned{given.data + given.rows * given.cols, given.cols, given.rows};
  const TensorMeta batch = batch_of(out);
  for (int64_t i = 0; i < batch_count(out); ++i) {
    load_matrix(a, batch_offset(a, batch, i), m);
    load_matrix(b, batch_offset(b, batch, i), given);
    if (left) {
      solve_triangular(m, upper, false, unitriangular, given);
    } else {  // X A = B is A^T X^T = B^T
      transpose_into(given, turned);
      solve_triangular(m, upper, true, unitriangular, turned);
      transpose_into(turned, given);
    }
    store_matrix(out, batch_offset(out, batch, i), given);
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor", infer, run, plan>(),
};

}  // namespace

extern constinit const OpFamily op_linalg_solve_triangular{kDefs};

}  // namespace glint::ops
