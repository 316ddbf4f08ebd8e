// Solves with a matrix that linalg_lu_factor_ex has factored.

#include "glint/ops/matrix.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& lu, const Tensor& pivots, const Tensor& b, bool left, bool, TensorMeta& out) {
  if (lu.rank < 2 || b.rank < 2 || pivots.rank < 1) return invalid_argument("linalg_lu_solve: matrices need two dimensions or more");
  if (!is_real_float(lu.dtype)) return unsupported("linalg_lu_solve: only for float32 and float64");
  if (lu.dtype != b.dtype) return invalid_argument("linalg_lu_solve: the operands differ in dtype");
  if (pivots.dtype != DType::kI32) return invalid_argument("linalg_lu_solve: pivots must be int32");
  const int64_t n = matrix_rows(lu);
  if (matrix_cols(lu) != n) return invalid_argument("linalg_lu_solve: the factored matrix must be square");
  if ((left ? matrix_rows(b) : matrix_cols(b)) != n) return invalid_argument("linalg_lu_solve: the sizes of the operands disagree");
  if (pivots.rank + 1 != lu.rank || pivots.size[size_t(pivots.rank) - 1] != n) return invalid_argument("linalg_lu_solve: the pivots do not fit the matrix");
  for (int i = 0; i + 2 < lu.rank; ++i)
    if (pivots.size[size_t(i)] != lu.size[size_t(i)]) return invalid_argument("linalg_lu_solve: the pivots do not fit the matrix");
  TensorMeta batch;
  GLINT_TRY(broadcast(batch_of(lu), batch_of(b), batch));
  if (batch.rank + 2 > kMaxRank) return invalid_argument("linalg_lu_solve: too many dimensions");
  batch.size[batch.rank++] = matrix_rows(b);
  batch.size[batch.rank++] = matrix_cols(b);
  return set_result(out, b.dtype, batch.sizes());
}

Status plan(const PlanContext&, const Tensor& lu, const Tensor&, const Tensor& b, bool, bool, const Tensor&, Plan& plan) {
  size_t first = 0, second = 0;
  if (!matrix_scratch(matrix_rows(lu), matrix_cols(lu), 1, &first) || !matrix_scratch(matrix_rows(b), matrix_cols(b), 2, &second) ||
      __builtin_add_overflow(first, second, &plan.scratch_bytes))
    return invalid_argument("linalg_lu_solve: the matrix is too large");
  return {};
}

/// x = A^-1 x or, transposed, A^-T x. Exchanges rows as the factorisation did.
Status solve(const Matrix& lu, const Tensor& pivots, int64_t pivot_at, bool transposed, const Matrix& x) {
  const auto exchange = [&](int64_t k) {
    const int64_t p = kernels::load_one<int64_t>(pivots.dtype, pivots.data, pivot_at + k * pivots.stride[size_t(pivots.rank) - 1]) - 1;
    if (p < 0 || p >= x.rows) return false;
    if (p != k) std::swap_ranges(&x(p, 0), &x(p, 0) + x.cols, &x(k, 0));
    return true;
  };
  if (!transposed)
    for (int64_t k = 0; k < x.rows; ++k)
      if (!exchange(k)) return invalid_argument("linalg_lu_solve: a pivot is out of range");
  solve_triangular(lu, transposed, transposed, !transposed, x);
  solve_triangular(lu, !transposed, transposed, transposed, x);
  if (transposed)
    for (int64_t k = x.rows; k-- > 0;)
      if (!exchange(k)) return invalid_argument("linalg_lu_solve: a pivot is out of range");
  return {};
}

Status run(OpContext& c, const Tensor& lu, const Tensor& pivots, const Tensor& b, bool left, bool adjoint, Tensor& out) {
  const Matrix m{reinterpret_cast<double*>(c.scratch()), matrix_rows(lu), matrix_cols(lu)};
  const Matrix given{m.data + m.rows * m.cols, matrix_rows(b), matrix_cols(b)};
  const Matrix turned{given.data + given.rows * given.cols, given.cols, given.rows};
  const TensorMeta batch = batch_of(out);
  for (int64_t i = 0; i < batch_count(out); ++i) {
    load_matrix(lu, batch_offset(lu, batch, i), m);
    load_matrix(b, batch_offset(b, batch, i), given);
    if (!left) transpose_into(given, turned);  // X A = B is A^T X^T = B^T
    if (given.cols > 0 && given.rows > 0) GLINT_TRY(solve(m, pivots, batch_offset(pivots, batch, i, 1), adjoint == left, left ? given : turned));
    if (!left) transpose_into(turned, given);
    store_matrix(out, batch_offset(out, batch, i), given);
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor", infer, run, plan>(),
};

}  // namespace

extern constinit const OpFamily op_linalg_lu_solve{kDefs};

}  // namespace glint::ops
