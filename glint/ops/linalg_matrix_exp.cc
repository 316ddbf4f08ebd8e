// The exponential of a matrix: the Taylor series of A / 2^k, squared k times.

#include "glint/ops/matrix.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& a, TensorMeta& out) {
  if (a.rank < 2 || matrix_rows(a) != matrix_cols(a)) return invalid_argument("linalg_matrix_exp: a square matrix is expected");
  if (!is_real_float(a.dtype)) return unsupported("linalg_matrix_exp: only for float32 and float64");
  return set_result(out, a.dtype, a.sizes());
}

Status plan(const PlanContext&, const Tensor& a, const Tensor&, Plan& plan) {
  if (!matrix_scratch(matrix_rows(a), matrix_cols(a), 4, &plan.scratch_bytes)) return invalid_argument("linalg_matrix_exp: the matrix is too large");
  return {};
}

void multiply(const Matrix& a, const Matrix& b, double scale, const Matrix& out) {
  for (int64_t r = 0; r < a.rows; ++r)
    for (int64_t c = 0; c < b.cols; ++c) {
      double sum = 0;
      for (int64_t k = 0; k < a.cols; ++k) sum += a(r, k) * b(k, c);
      out(r, c) = sum * scale;
    }
}

Status run(OpContext& c, const Tensor& a, Tensor& out) {
  const int64_t n = matrix_rows(a), count = n * n;
  double* p = reinterpret_cast<double*>(c.scratch());
  const Matrix x{p, n, n}, sum{p + count, n, n};
  const TensorMeta batch = batch_of(a);
  for (int64_t b = 0; b < batch_count(a); ++b) {
    Matrix term{p + 2 * count, n, n}, next{p + 3 * count, n, n};
    load_matrix(a, batch_offset(a, batch, b), x);
    double norm = 0;
    for (int64_t r = 0; r < n; ++r) {
      double row = 0;
      for (int64_t k = 0; k < n; ++k) row += std::fabs(x(r, k));
      norm = std::max(norm, row);
    }
    int halvings = 0;
    for (; norm > 0.5 && halvings < 1100; ++halvings) norm /= 2;
    for (int64_t i = 0; i < count; ++i) x.data[i] = std::ldexp(x.data[i], -halvings);
    for (int64_t i = 0; i < count; ++i) sum.data[i] = term.data[i] = i % (n + 1) == 0;
    for (int k = 1; k <= 18; ++k) {
      multiply(term, x, 1.0 / k, next);
      std::swap(term, next);
      for (int64_t i = 0; i < count; ++i) sum.data[i] += term.data[i];
    }
    Matrix result = sum, square = term;
    for (int k = 0; k < halvings; ++k) {
      multiply(result, result, 1, square);
      std::swap(result, square);
    }
    store_matrix(out, batch_offset(out, batch, b), result);
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_matrix_exp(Tensor self) -> Tensor", infer, run, plan>(),
};

}  // namespace

extern constinit const OpFamily op_linalg_matrix_exp{kDefs};

}  // namespace glint::ops
