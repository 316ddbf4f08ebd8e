// A = Q R by Householder's reflections, with LAPACK's choice of signs.

#include "glint/ops/matrix.h"

namespace glint::ops {
namespace {

enum class Mode { kReduced, kComplete, kR, kUnknown };
Mode parse_mode(std::string_view mode) {
  return mode == "reduced" ? Mode::kReduced : mode == "complete" ? Mode::kComplete : mode == "r" ? Mode::kR : Mode::kUnknown;
}

Status infer(const Tensor& a, std::string_view mode, TensorMeta& q, TensorMeta& r) {
  if (a.rank < 2) return invalid_argument("linalg_qr: a matrix needs two dimensions or more");
  if (!is_real_float(a.dtype)) return unsupported("linalg_qr: only for float32 and float64");
  const Mode m = parse_mode(mode);
  if (m == Mode::kUnknown) return invalid_argument("linalg_qr: mode is reduced, complete or r");
  const int64_t rows = matrix_rows(a), cols = matrix_cols(a), kept = m == Mode::kComplete ? rows : std::min(rows, cols);
  GLINT_TRY(set_matrix(r, a.dtype, a, kept, cols));
  const int64_t none[] = {0};
  return m == Mode::kR ? set_result(q, a.dtype, none) : set_matrix(q, a.dtype, a, rows, kept);
}

Status plan(const PlanContext&, const Tensor& a, std::string_view, const Tensor&, const Tensor&, Plan& plan) {
  size_t work = 0, q = 0;
  if (!matrix_scratch(matrix_rows(a) + 1, matrix_cols(a), 1, &work) || !matrix_scratch(matrix_rows(a), matrix_rows(a), 1, &q) ||
      __builtin_add_overflow(work, q, &plan.scratch_bytes))
    return invalid_argument("linalg_qr: the matrix is too large");
  return {};
}

/// Columns from `from` of x become those of (1 - tau v v^T) x, where v is 1 and then column k of m below the diagonal.
void reflect(const Matrix& m, int64_t k, double tau, const Matrix& x, int64_t from) {
  for (int64_t c = from; c < x.cols; ++c) {
    double dot = x(k, c);
    for (int64_t r = k + 1; r < m.rows; ++r) dot += m(r, k) * x(r, c);
    x(k, c) -= tau * dot;
    for (int64_t r = k + 1; r < m.rows; ++r) x(r, c) -= tau * dot * m(r, k);
  }
}

void factor(const Matrix& m, double* tau) {
  for (int64_t k = 0; k < std::min(m.rows, m.cols); ++k) {
    double below = 0;
    for (int64_t r = k + 1; r < m.rows; ++r) below += m(r, k) * m(r, k);
    tau[k] = 0;
    if (below == 0) continue;
    const double alpha = m(k, k), beta = -std::copysign(std::sqrt(alpha * alpha + below), alpha);
    tau[k] = (beta - alpha) / beta;
    for (int64_t r = k + 1; r < m.rows; ++r) m(r, k) /= alpha - beta;
    m(k, k) = beta;
    reflect(m, k, tau[k], m, k + 1);
  }
}

Status run(OpContext& c, const Tensor& a, std::string_view mode, Tensor& q, Tensor& r) {
  const int64_t rows = matrix_rows(a), cols = matrix_cols(a), kept = matrix_rows(r);
  const Matrix m{reinterpret_cast<double*>(c.scratch()), rows, cols};
  double* tau = m.data + rows * cols;
  const Matrix unit{tau + cols, rows, kept};
  const TensorMeta batch = batch_of(a);
  for (int64_t b = 0; b < batch_count(a); ++b) {
    load_matrix(a, batch_offset(a, batch, b), m);
    factor(m, tau);
    if (parse_mode(mode) != Mode::kR) {
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < kept; ++j) unit(i, j) = i == j;
      for (int64_t k = std::min(rows, cols); k-- > 0;) reflect(m, k, tau[k], unit, 0);
      store_matrix(q, batch_offset(q, batch, b), unit);
    }
    for (int64_t i = 0; i < rows; ++i)
      for (int64_t j = 0; j < std::min(i, cols); ++j) m(i, j) = 0;
    store_matrix(r, batch_offset(r, batch, b), {m.data, kept, cols});
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_qr(Tensor A, str mode=\"reduced\") -> (Tensor Q, Tensor R)", infer, run, plan>(),
};

}  // namespace

extern constinit const OpFamily op_linalg_qr{kDefs};

}  // namespace glint::ops
