#pragma once

#include "glint/ops/compute.h"

namespace glint::ops {

/// A matrix of any dtype and strides (in elements).
struct Matrix {
  DType dtype;
  const void* data;
  int64_t row_step, col_step;

  template <class C> void load_row(int64_t row, int64_t col, int64_t n, C* out) const {
    kernels::load(dtype, at(dtype, data, row * row_step + col * col_step), col_step, n, out);
  }
};

inline constexpr int64_t kGemmRows = 32, kGemmCols = 32, kGemmDepth = 64;

/// The reference product: blocks of both operands are converted to C on the stack, so every dtype
/// and layout takes one path. pack_a(i, k0, kc, C* row) gives a piece of row i of A, pack_b(k0, kc,
/// j0, nc, C* panel) rows k0.. of B at a pitch of kGemmCols, sink(i, j0, nc, const C* sums) takes results.
template <class C, class A, class B, class Sink>
void gemm(int64_t m, int64_t n, int64_t k, A&& pack_a, B&& pack_b, Sink&& sink) {
  C a[kGemmRows * kGemmDepth], panel[kGemmDepth * kGemmCols] = {}, sums[kGemmRows * kGemmCols];
  for (int64_t j0 = 0; j0 < n; j0 += kGemmCols) {
    const int64_t nc = std::min(n - j0, kGemmCols);
    for (int64_t i0 = 0; i0 < m; i0 += kGemmRows) {
      const int64_t mc = std::min(m - i0, kGemmRows);
      std::fill_n(sums, mc * kGemmCols, C());
      for (int64_t k0 = 0; k0 < k; k0 += kGemmDepth) {
        const int64_t kc = std::min(k - k0, kGemmDepth);
        pack_b(k0, kc, j0, nc, panel);
        for (int64_t i = 0; i < mc; ++i) pack_a(i0 + i, k0, kc, a + i * kGemmDepth);
        for (int64_t i = 0; i < mc; ++i)
          for (int64_t kk = 0; kk < kc; ++kk) {
            const C left = a[i * kGemmDepth + kk];
            const C* __restrict right = panel + kk * kGemmCols;
            C* __restrict sum = sums + i * kGemmCols;
            for (int64_t j = 0; j < kGemmCols; ++j) sum[j] = add(sum[j], mul(left, right[j]));
          }
      }
      for (int64_t i = 0; i < mc; ++i) sink(i0 + i, j0, nc, sums + i * kGemmCols);
    }
  }
}

/// Rows of a stored B into the panel; walks columns when those are what lies together.
template <class C>
void pack_panel(const Matrix& b, int64_t k0, int64_t kc, int64_t j0, int64_t nc, C* panel) {
  if (b.row_step != 1 || b.col_step == 1) {
    for (int64_t kk = 0; kk < kc; ++kk) b.load_row(k0 + kk, j0, nc, panel + kk * kGemmCols);
    return;
  }
  C column[kGemmDepth];
  for (int64_t j = 0; j < nc; ++j) {
    kernels::load(b.dtype, at(b.dtype, b.data, k0 + (j0 + j) * b.col_step), 1, kc, column);
    for (int64_t kk = 0; kk < kc; ++kk) panel[kk * kGemmCols + j] = column[kk];
  }
}

template <class C, class Sink>
void multiply(int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b, Sink&& sink) {
  gemm<C>(m, n, k, [&](int64_t i, int64_t k0, int64_t kc, C* row) { a.load_row(i, k0, kc, row); },
          [&](int64_t k0, int64_t kc, int64_t j0, int64_t nc, C* panel) { pack_panel(b, k0, kc, j0, nc, panel); }, sink);
}

/// The matrix in the last two dimensions of `t`, at batch index `batch` of a rank-3 tensor.
inline Matrix matrix(const Tensor& t, int64_t batch = 0) {
  const int r = t.rank;
  return {t.dtype, at(t, r == 3 ? batch * t.stride[0] : 0), t.stride[size_t(r - 2)], t.stride[size_t(r - 1)]};
}

/// What out = beta * self + alpha * product needs besides the product; self may be null (beta is 0 then).
struct Axpby {
  const Tensor* self = nullptr;
  Scalar beta = Scalar::of(int64_t(0)), alpha = Scalar::of(int64_t(1));
};

/// The matrix of `out` at `batch` = beta * self + alpha * a b, self broadcast to [batches, m, n].
/// A beta of 0 ignores self, NaN and all.
template <class C>
void product(int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b, const Axpby& e, int64_t batch, Tensor& out) {
  const C alpha = number<C>(e.alpha);
  C beta = number<C>(e.beta);
  if (k == 0 && is_floating(out.dtype)) {  // nothing to multiply: PyTorch scales self by beta as an element of its dtype
    char element[16];
    kernels::store_one(out.dtype, element, 0, beta);
    beta = kernels::load_one<C>(out.dtype, element, 0);
  }
  const bool use_self = e.self != nullptr && !(e.beta.to_double() == 0);
  const int r = out.rank;
  const int64_t row = out.stride[size_t(r - 2)], col = out.stride[size_t(r - 1)], base = r == 3 ? batch * out.stride[0] : 0;
  const auto self_step = [&](int from_end) -> int64_t {
    const int d = e.self->rank - from_end;
    return d < 0 || e.self->size[size_t(d)] == 1 ? 0 : e.self->stride[size_t(d)];
  };
  multiply<C>(m, n, k, a, b, [&](int64_t i, int64_t j0, int64_t nc, const C* sums) {
    C result[kGemmCols], before[kGemmCols];
    void* to = at(out, base + i * row + j0 * col);
    for (int64_t j = 0; j < nc; ++j) result[j] = mul(alpha, sums[j]);
    if (use_self) {
      kernels::load(e.self->dtype, at(*e.self, batch * self_step(3) + i * self_step(2) + j0 * self_step(1)), self_step(1), nc, before);
      for (int64_t j = 0; j < nc; ++j) result[j] = add(mul(beta, before[j]), result[j]);
    }
    kernels::store(out.dtype, to, col, nc, result);
  });
}

/// Dtypes that products exist for.
inline Status check_product(const Tensor& a, const Tensor& b) {
  if (a.dtype != b.dtype) return invalid_argument("matrix product: the dtypes of the operands differ");
  if (a.dtype == DType::kBool || a.dtype == DType::kC32) return unsupported("matrix product: not for this dtype");
  return {};
}

/// The result of adding `self`, which must broadcast to sizes.
inline Status check_added(const Tensor& self, DType dtype, std::span<const int64_t> sizes, TensorMeta& out) {
  if (self.dtype != dtype) return invalid_argument("matrix product: self has another dtype than the product");
  GLINT_TRY(set_result(out, dtype, sizes));
  TensorMeta both;
  GLINT_TRY(broadcast(self, out, both));
  if (!both.same_sizes(out)) return invalid_argument("matrix product: self does not broadcast to the result");
  return {};
}

}  // namespace glint::ops
