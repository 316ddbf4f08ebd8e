// Singular values (descending) and vectors, by one-sided Jacobi rotations: columns are turned until all are orthogonal.

#include "glint/ops/matrix.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& a, bool full, bool compute_uv, std::optional<std::string_view>, TensorMeta& u, TensorMeta& s, TensorMeta& vh) {
  if (a.rank < 2) return invalid_argument("linalg_svd: a matrix needs two dimensions or more");
  if (!is_real_float(a.dtype)) return unsupported("linalg_svd: only for float32 and float64");
  const int64_t m = matrix_rows(a), n = matrix_cols(a), k = std::min(m, n);
  GLINT_TRY(set_batch(s, a.dtype, a, k));
  if (!compute_uv) {
    const int64_t none[] = {0};
    GLINT_TRY(set_result(u, a.dtype, none));
    return set_result(vh, a.dtype, none);
  }
  GLINT_TRY(set_matrix(u, a.dtype, a, m, full ? m : k));
  return set_matrix(vh, a.dtype, a, full ? n : k, n);
}

Status plan(const PlanContext&, const Tensor& a, bool, bool, std::optional<std::string_view>, const Tensor&, const Tensor&, const Tensor&, Plan& plan) {
  const int64_t tall = std::max(matrix_rows(a), matrix_cols(a)), wide = std::min(matrix_rows(a), matrix_cols(a));
  size_t work = 0, left = 0, right = 0, total = 0;
  if (!matrix_scratch(tall, wide + 1, 1, &work) || !matrix_scratch(tall, tall, 2, &left) || !matrix_scratch(wide, wide + 1, 2, &right) ||
      __builtin_add_overflow(work, left, &total) || __builtin_add_overflow(total, right, &plan.scratch_bytes))
    return invalid_argument("linalg_svd: the matrix is too large");
  return {};
}

double dot_columns(const Matrix& m, int64_t p, int64_t q) {
  double sum = 0;
  for (int64_t r = 0; r < m.rows; ++r) sum += m(r, p) * m(r, q);
  return sum;
}

void turn(const Matrix& m, int64_t p, int64_t q, double c, double s) {
  for (int64_t r = 0; r < m.rows; ++r) {
    const double a = m(r, p), b = m(r, q);
    m(r, p) = c * a - s * b;
    m(r, q) = s * a + c * b;
  }
}

void orthogonalise(const Matrix& w, const Matrix& v) {
  for (int64_t i = 0; i < v.rows * v.cols; ++i) v.data[i] = i % (v.cols + 1) == 0;
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool done = true;
    for (int64_t p = 0; p < w.cols; ++p)
      for (int64_t q = p + 1; q < w.cols; ++q) {
        const double alpha = dot_columns(w, p, p), beta = dot_columns(w, q, q), gamma = dot_columns(w, p, q);
        if (!(std::fabs(gamma) > 1e-16 * std::sqrt(alpha * beta))) continue;
        done = false;
        const double zeta = (beta - alpha) / (2 * gamma);
        const double t = (zeta < 0 ? -1 : 1) / (std::fabs(zeta) + std::hypot(zeta, 1.0));
        const double c = 1 / std::sqrt(1 + t * t), s = c * t;
        turn(w, p, q, c, s);
        turn(v, p, q, c, s);
      }
    if (done) return;
  }
}

void swap_columns(const Matrix& m, int64_t p, int64_t q) {
  for (int64_t r = 0; r < m.rows; ++r) std::swap(m(r, p), m(r, q));
}

/// Fills column `k` of u with a unit vector orthogonal to the columns before it.
void complete_column(const Matrix& u, int64_t k) {
  for (int64_t start = 0; start < u.rows; ++start) {
    for (int64_t r = 0; r < u.rows; ++r) u(r, k) = r == start;
    for (int twice = 0; twice < 2; ++twice)
      for (int64_t j = 0; j < k; ++j) {
        const double d = dot_columns(u, j, k);
        for (int64_t r = 0; r < u.rows; ++r) u(r, k) -= d * u(r, j);
      }
    const double norm = std::sqrt(dot_columns(u, k, k));
    if (!(norm > 0.1 / std::sqrt(double(u.rows)))) continue;
    for (int64_t r = 0; r < u.rows; ++r) u(r, k) /= norm;
    return;
  }
}

/// w [tall, wide] becomes u's columns, s and v: w = u diag(s) v^T.
void decompose(const Matrix& w, const Matrix& u, double* s, const Matrix& v, int64_t left_columns) {
  orthogonalise(w, v);
  for (int64_t j = 0; j < w.cols; ++j) s[j] = std::sqrt(dot_columns(w, j, j));
  for (int64_t i = 0; i < w.cols; ++i) {
    int64_t most = i;
    for (int64_t j = i + 1; j < w.cols; ++j)
      if (s[j] > s[most]) most = j;
    if (most == i) continue;
    std::swap(s[i], s[most]);
    swap_columns(w, i, most);
    swap_columns(v, i, most);
  }
  for (int64_t j = 0; j < left_columns; ++j) {
    if (j < w.cols && s[j] > s[0] * 1e-15) {
      for (int64_t r = 0; r < w.rows; ++r) u(r, j) = w(r, j) / s[j];
    } else {
      complete_column(u, j);
    }
  }
}

Status run(OpContext& c, const Tensor& a, bool full, bool compute_uv, std::optional<std::string_view>, Tensor& u, Tensor& s, Tensor& vh) {
  const int64_t m = matrix_rows(a), n = matrix_cols(a), tall = std::max(m, n), wide = std::min(m, n);
  double* p = reinterpret_cast<double*>(c.scratch());
  const Matrix w{p, tall, wide}, left{p + tall * (wide + 1), tall, tall}, spare{left.data + tall * tall, tall, tall};
  const Matrix right{spare.data + tall * tall, wide, wide}, turned{right.data + wide * (wide + 1), wide, wide};
  double* values = p + tall * wide;  // tall >= wide of them
  const TensorMeta batch = batch_of(a);
  for (int64_t b = 0; b < batch_count(a); ++b) {
    const Matrix given{m >= n ? w.data : spare.data, m, n};
    load_matrix(a, batch_offset(a, batch, b), given);
    if (m < n) transpose_into(given, w);
    decompose(w, left, values, right, compute_uv ? full ? tall : wide : 0);
    store_vector(s, batch_offset(s, batch, b, 1), values, wide);
    if (!compute_uv) continue;
    const int64_t kept = full ? tall : wide;
    // Of a wide matrix, A^T was taken apart: its left vectors are A's right ones.
    const Matrix long_side{spare.data, m >= n ? tall : kept, m >= n ? kept : tall};
    for (int64_t r = 0; r < tall; ++r)
      for (int64_t k = 0; k < kept; ++k) (m >= n ? long_side(r, k) : long_side(k, r)) = left(r, k);
    transpose_into(right, turned);
    store_matrix(m >= n ? u : vh, batch_offset(m >= n ? u : vh, batch, b), long_side);
    store_matrix(m >= n ? vh : u, batch_offset(m >= n ? vh : u, batch, b), m >= n ? turned : right);
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)",
              infer, run, plan>(),
};

}  // namespace

extern constinit const OpFamily op_linalg_svd{kDefs};

}  // namespace glint::ops
