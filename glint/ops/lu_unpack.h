#pragma once

#include "glint/ops/linalg.h"

namespace glint::ops {

/// P (m x m), L (m x k) and U (k x n) of a factored m x n matrix `x`; null results are not wanted.
template <class C>
void unpack_lu(const C* x, int64_t m, int64_t n, const int64_t* pivots, int64_t* order, Tensor* p, int64_t p_at, Tensor* l, int64_t l_at, Tensor* u, int64_t u_at) {
  const int64_t k = std::min(m, n);
  const auto put = [](Tensor& t, int64_t base, int64_t i, int64_t j, C v) {
    kernels::store_one(t.dtype, t.data, base + i * t.stride[size_t(t.rank - 2)] + j * t.stride[size_t(t.rank - 1)], v);
  };
  for (int64_t i = 0; i < m && l != nullptr; ++i)
    for (int64_t j = 0; j < k; ++j) put(*l, l_at, i, j, i == j ? from_real<C>(1) : i > j ? x[i * n + j] : C());
  for (int64_t i = 0; i < k && u != nullptr; ++i)
    for (int64_t j = 0; j < n; ++j) put(*u, u_at, i, j, i <= j ? x[i * n + j] : C());
  if (p == nullptr) return;
  for (int64_t i = 0; i < m; ++i) order[i] = i;
  for (int64_t i = 0; i < k; ++i) std::swap(order[i], order[pivots[i] - 1]);
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < m; ++j) put(*p, p_at, i, j, from_real<C>(order[j] == i ? 1 : 0));
}

}  // namespace glint::ops
