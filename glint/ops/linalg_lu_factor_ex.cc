// Gaussian elimination with row exchanges: P A = L U, both factors in one matrix.

#include "glint/ops/matrix.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& a, bool pivot, bool, TensorMeta& lu, TensorMeta& pivots, TensorMeta& info) {
  if (a.rank < 2) return invalid_argument("linalg_lu_factor: a matrix needs two dimensions or more");
  if (!is_real_float(a.dtype)) return unsupported("linalg_lu_factor: only for float32 and float64");
  if (!pivot) return unsupported("linalg_lu_factor: without pivoting there is no implementation on the CPU");
  GLINT_TRY(set_result(lu, a.dtype, a.sizes()));
  GLINT_TRY(set_batch(pivots, DType::kI32, a, std::min(matrix_rows(a), matrix_cols(a))));
  return set_batch(info, DType::kI32, a);
}

Status plan(const PlanContext&, const Tensor& a, bool, bool, const Tensor&, const Tensor&, const Tensor&, Plan& plan) {
  if (!matrix_scratch(matrix_rows(a), matrix_cols(a), 1, &plan.scratch_bytes)) return invalid_argument("linalg_lu_factor: the matrix is too large");
  return {};
}

/// Row of the largest element at or below the diagonal.
int64_t pivot_row(const Matrix& m, int64_t k) {
  int64_t best = k;
  for (int64_t r = k + 1; r < m.rows; ++r)
    if (std::fabs(m(r, k)) > std::fabs(m(best, k))) best = r;
  return best;
}

Status run(OpContext& c, const Tensor& a, bool, bool check_errors, Tensor& lu, Tensor& pivots, Tensor& info) {
  const Matrix m{reinterpret_cast<double*>(c.scratch()), matrix_rows(a), matrix_cols(a)};
  const TensorMeta batch = batch_of(a);
  for (int64_t b = 0; b < batch_count(a); ++b) {
    load_matrix(a, batch_offset(a, batch, b), m);
    const int64_t pivot_at = batch_offset(pivots, batch, b, 1);
    int64_t singular = 0;
    for (int64_t k = 0; k < std::min(m.rows, m.cols); ++k) {
      const int64_t p = pivot_row(m, k);
      kernels::store_one<int64_t>(pivots.dtype, pivots.data, pivot_at + k * pivots.stride[size_t(pivots.rank) - 1], p + 1);
      if (p != k) std::swap_ranges(&m(p, 0), &m(p, 0) + m.cols, &m(k, 0));
      if (m(k, k) == 0) {
        if (singular == 0) singular = k + 1;
        continue;
      }
      for (int64_t r = k + 1; r < m.rows; ++r) {
        const double f = m(r, k) /= m(k, k);
        for (int64_t j = k + 1; j < m.cols; ++j) m(r, j) -= f * m(k, j);
      }
    }
    if (check_errors && singular != 0) return invalid_argument("linalg: the matrix is singular");
    store_matrix(lu, batch_offset(lu, batch, b), m);
    kernels::store_one<int64_t>(info.dtype, info.data, batch_offset(info, batch, b, 0), singular);
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)", infer, run, plan>(),
};

}  // namespace

extern constinit const OpFamily op_linalg_lu_factor_ex{kDefs};

}  // namespace glint::ops
