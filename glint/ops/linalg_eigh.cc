// Eigenvalues (ascending) and eigenvectors (columns) of a symmetric matrix, by Jacobi's rotations.

#include "glint/ops/matrix.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& a, std::string_view uplo, bool compute_v, TensorMeta& values, TensorMeta& vectors) {
  if (a.rank < 2 || matrix_rows(a) != matrix_cols(a)) return invalid_argument("linalg_eigh: a square matrix is expected");
  if (!is_real_float(a.dtype)) return unsupported("linalg_eigh: only for float32 and float64");
  if (uplo != "L" && uplo != "U" && uplo != "l" && uplo != "u") return invalid_argument("linalg_eigh: UPLO is L or U");
  GLINT_TRY(set_batch(values, a.dtype, a, matrix_rows(a)));
  const int64_t none[] = {0};
  return compute_v ? set_result(vectors, a.dtype, a.sizes()) : set_result(vectors, a.dtype, none);
}

Status plan(const PlanContext&, const Tensor& a, std::string_view, bool, const Tensor&, const Tensor&, Plan& plan) {
  if (!matrix_scratch(matrix_rows(a), matrix_cols(a), 2, &plan.scratch_bytes)) return invalid_argument("linalg_eigh: the matrix is too large");
  return {};
}

double off_diagonal(const Matrix& m) {
  double sum = 0;
  for (int64_t r = 0; r < m.rows; ++r)
    for (int64_t k = 0; k < r; ++k) sum += m(r, k) * m(r, k);
  return sum;
}

/// Turns rows and columns p and q so that m(p, q) becomes 0.
void rotate(const Matrix& m, const Matrix& v, int64_t p, int64_t q) {
  if (m(p, q) == 0) return;
  const double theta = (m(q, q) - m(p, p)) / (2 * m(p, q));
  const double t = (theta < 0 ? -1 : 1) / (std::fabs(theta) + std::hypot(theta, 1.0));
  const double c = 1 / std::sqrt(t * t + 1), s = t * c;
  for (int64_t k = 0; k < m.rows; ++k) {
    const double a = m(k, p), b = m(k, q);
    m(k, p) = c * a - s * b;
    m(k, q) = s * a + c * b;
  }
  for (int64_t k = 0; k < m.rows; ++k) {
    const double a = m(p, k), b = m(q, k);
    m(p, k) = c * a - s * b;
    m(q, k) = s * a + c * b;
  }
  m(p, q) = m(q, p) = 0;
  for (int64_t k = 0; k < m.rows; ++k) {
    const double a = v(k, p), b = v(k, q);
    v(k, p) = c * a - s * b;
    v(k, q) = s * a + c * b;
  }
}

void diagonalise(const Matrix& m, const Matrix& v) {
  double scale = 0;
  for (int64_t i = 0; i < m.rows * m.cols; ++i) scale += m.data[i] * m.data[i];
  for (int64_t i = 0; i < v.rows * v.cols; ++i) v.data[i] = i % (v.cols + 1) == 0;
  for (int sweep = 0; sweep < 60 && off_diagonal(m) > scale * 1e-32; ++sweep)
    for (int64_t p = 0; p < m.rows; ++p)
      for (int64_t q = p + 1; q < m.rows; ++q) rotate(m, v, p, q);
}

void sort_ascending(const Matrix& m, const Matrix& v) {
  for (int64_t i = 0; i < m.rows; ++i) {
    int64_t least = i;
    for (int64_t j = i + 1; j < m.rows; ++j)
      if (m(j, j) < m(least, least)) least = j;
    if (least == i) continue;
    std::swap(m(i, i), m(least, least));
    for (int64_t k = 0; k < v.rows; ++k) std::swap(v(k, i), v(k, least));
  }
}

Status run(OpContext& c, const Tensor& a, std::string_view uplo, bool compute_v, Tensor& values, Tensor& vectors) {
  const Matrix m{reinterpret_cast<double*>(c.scratch()), matrix_rows(a), matrix_cols(a)};
  const Matrix v{m.data + m.rows * m.cols, m.rows, m.cols};
  const bool upper = uplo == "U" || uplo == "u";
  const TensorMeta batch = batch_of(a);
  for (int64_t b = 0; b < batch_count(a); ++b) {
    load_matrix(a, batch_offset(a, batch, b), m);
    for (int64_t r = 0; r < m.rows; ++r)
      for (int64_t k = 0; k < r; ++k) (upper ? m(r, k) : m(k, r)) = upper ? m(k, r) : m(r, k);
    diagonalise(m, v);
    sort_ascending(m, v);
    if (compute_v) store_matrix(vectors, batch_offset(vectors, batch, b), v);
    for (int64_t i = 0; i < m.rows; ++i) m.data[i] = m(i, i);
    store_vector(values, batch_offset(values, batch, b, 1), m.data, m.rows);
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_linalg_eigh(Tensor A, str UPLO=\"L\", bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)", infer, run, plan>(),
};

}  // namespace

extern constinit const OpFamily op_linalg_eigh{kDefs};

}  // namespace glint::ops
