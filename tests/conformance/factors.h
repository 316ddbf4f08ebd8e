#pragma once

// Factorisations whose factors are free up to signs or phases: what they multiply to is compared instead.

#include "glint/core/shape.h"
#include "glint/kernels/convert.h"
#include "glint/testing/op_call.h"

namespace glint::factors {

using testing::HostTensor;

/// One matrix of a batch, as complex numbers; `adjoint` reads it transposed and conjugated.
struct Matrix {
  const HostTensor& t;
  int64_t batch;
  bool adjoint = false;
  int64_t rows() const { return size(adjoint ? 1 : 2); }
  int64_t cols() const { return size(adjoint ? 2 : 1); }
  int64_t size(int from_end) const { return t.tensor().size[size_t(t.tensor().rank - from_end)]; }
  c128 at(int64_t i, int64_t j) const {
    const int64_t flat = batch * size(1) * size(2) + (adjoint ? j * size(1) + i : i * size(1) + j);
    const c128 v = kernels::load_one<c128>(t.tensor().dtype, t.tensor().data, element_offset(t.tensor(), flat));
    return adjoint ? c128{v.re, -v.im} : v;
  }
};

/// The largest distance of left diag(scale) right from `want` (null: the identity), over all entries.
inline double product_error(const Matrix& left, const HostTensor* scale, const Matrix& right, const HostTensor* want) {
  const int64_t inner = scale != nullptr ? scale->tensor().size[size_t(scale->tensor().rank - 1)] : left.cols();
  double worst = 0;
  for (int64_t i = 0; i < left.rows(); ++i)
    for (int64_t j = 0; j < right.cols(); ++j) {
      c128 sum{};
      for (int64_t k = 0; k < inner; ++k) {
        const c128 a = left.at(i, k), b = right.at(k, j);
        const double s = scale != nullptr ? scale->values()[size_t(left.batch * inner + k)] : 1;
        sum.re += s * (a.re * b.re - a.im * b.im), sum.im += s * (a.re * b.im + a.im * b.re);
      }
      const c128 expected = want != nullptr ? Matrix{*want, left.batch}.at(i, j) : c128{double(i == j), 0};
      worst = std::max(worst, std::hypot(sum.re - expected.re, sum.im - expected.im));
    }
  return worst;
}

/// Empty when the factors of "eigh" (values, vectors) or "svd" (U, S, Vh) of `a` are right.
inline std::string check(std::string_view kind, const HostTensor& a, const std::vector<HostTensor>& results, double eps) {
  const bool eigh = kind == "eigh";
  const HostTensor &left = results[eigh ? 1 : 0], &scale = results[eigh ? 0 : 1];
  const int64_t each = Matrix{a, 0}.rows() * Matrix{a, 0}.cols();
  double largest = 1;
  for (double v : scale.values()) largest = std::max(largest, std::abs(v));
  const double tolerance = 8 * eps * std::sqrt(double(std::max<int64_t>(each, 1)));
  for (int64_t b = 0; each > 0 && b < a.tensor().numel() / each; ++b) {
    const Matrix u{left, b}, v{eigh ? left : results[2], b, eigh}, u_adjoint{left, b, true}, v_adjoint{v.t, b, !eigh};
    if (!(product_error(u, &scale, v, &a) <= tolerance * largest)) return "the factors do not give the operand back";
    if (!(product_error(u_adjoint, nullptr, u, nullptr) <= tolerance) || !(product_error(v, nullptr, v_adjoint, nullptr) <= tolerance)) return "a factor is not orthonormal";
  }
  return "";
}

}  // namespace glint::factors
