// A = L L^T of a positive definite matrix. Reads the lower triangle only (the upper one when `upper`, which gives L^T).

#include "glint/ops/matrix.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& a, bool, bool, TensorMeta& l, TensorMeta& info) {
  if (a.rank < 2 || matrix_rows(a) != matrix_cols(a)) return invalid_argument("linalg_cholesky: a square matrix is expected");
  if (!is_real_float(a.dtype)) return unsupported("linalg_cholesky: only for float32 and float64");
  GLINT_TRY(set_result(l, a.dtype, a.sizes()));
  return set_batch(info, DType::kI32, a);
}

Status plan(const PlanContext&, const Tensor& a, bool, bool, const Tensor&, const Tensor&, Plan& plan) {
  if (!matrix_scratch(matrix_rows(a), matrix_cols(a), 1, &plan.scratch_bytes)) return invalid_argument("linalg_cholesky: the matrix is too large");
  return {};
}

/// The order of the first leading minor that is not positive, or 0. Only the lower triangle is read and written.
int64_t factor(const Matrix& m) {
  for (int64_t j = 0; j < m.rows; ++j) {
    double d = m(j, j);
    for (int64_t k = 0; k < j; ++k) d -= m(j, k) * m(j, k);
    if (!(d > 0)) return j + 1;
    m(j, j) = d = std::sqrt(d);
    for (int64_t i = j + 1; i < m.rows; ++i) {
      double v = m(i, j);
      for (int64_t k = 0; k < j; ++k) v -= m(i, k) * m(j, k);
      m(i, j) = v / d;
    }
  }
  return 0;
}

Status run(OpContext& c, const Tensor& a, bool upper, bool check_errors, Tensor& l, Tensor& info) {
  const Matrix m{reinterpret_cast<double*>(c.scratch()), matrix_rows(a), matrix_cols(a)};
  const TensorMeta batch = batch_of(a);
  for (int64_t b = 0; b < batch_count(a); ++b) {
    load_matrix(a, batch_offset(a, batch, b), m);
    if (upper)
      for (int64_t r = 0; r < m.rows; ++r)
        for (int64_t k = 0; k < r; ++k) m(r, k) = m(k, r);
    const int64_t failed = factor(m);
    if (check_errors && failed != 0) return invalid_argument("linalg_cholesky: the matrix is not positive definite");
    for (int64_t r = 0; r < m.rows; ++r)
      for (int64_t k = r + 1; k < m.cols; ++k) {
        m(r, k) = upper ? m(k, r) : 0;
        if (upper) m(k, r) = 0;
      }
    store_matrix(l, batch_offset(l, batch, b), m);
    kernels::store_one<int64_t>(info.dtype, info.data, batch_offset(info, batch, b, 0), failed);
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)", infer, run, plan>(),
};

}  // namespace

extern constinit const OpFamily op_linalg_cholesky_ex{kDefs};

}  // namespace glint::ops
