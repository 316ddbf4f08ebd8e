#pragma once

#include "glint/ops/pool.h"

// Dense linear algebra on one matrix at a time, row-major in scratch, in double (or complex of
// double) whatever the dtype: small matrices, exact enough for every tolerance. Pivots count from 1 and
// reflectors have LAPACK's signs, as PyTorch's results do.

namespace glint::ops {

inline double sub(double a, double b) { return a - b; }
inline c128 sub(c128 a, c128 b) { return {a.re - b.re, a.im - b.im}; }
inline double magnitude(double a) { return std::fabs(a); }
inline double magnitude(c128 a) { return std::hypot(a.re, a.im); }
/// What LAPACK compares to find a pivot: of a complex number the sum of its parts.
inline double pivot_size(double a) { return std::fabs(a); }
inline double pivot_size(c128 a) { return std::fabs(a.re) + std::fabs(a.im); }
inline double real_part(double a) { return a; }
inline double real_part(c128 a) { return a.re; }
template <class C> C from_real(double v) {
  if constexpr (kIsComplex<C>) return {v, 0};
  else return v;
}
inline double divide(double a, double b) { return a / b; }
inline c128 divide(c128 a, c128 b) {
  const double scale = std::max(std::fabs(b.re), std::fabs(b.im));
  if (scale == 0) return {a.re / 0.0, a.im / 0.0};
  const double re = b.re / scale, im = b.im / scale, norm = (re * re + im * im) * scale;
  return {(a.re * re + a.im * im) / norm, (a.im * re - a.re * im) / norm};
}

/// f(double()) or f(c128()).
template <class F>
auto with_field(DType d, F&& f) {
  if (is_complex(d)) return f(c128());
  return f(double());
}

/// A floating or complex matrix, or a batch of them.
inline Status check_matrix(const Tensor& a, bool square, bool halves = false) {
  const bool half = !halves && (a.dtype == DType::kF16 || a.dtype == DType::kBF16);
  if (half || a.dtype == DType::kC32 || (!is_floating(a.dtype) && !is_complex(a.dtype))) return unsupported("linalg: only for float32, float64 and their complex dtypes");
  if (a.rank < 2) return invalid_argument("linalg: the operand must have at least 2 dimensions");
  if (square && a.size[size_t(a.rank - 1)] != a.size[size_t(a.rank - 2)]) return invalid_argument("linalg: the matrices must be square");
  return {};
}
inline DType real_dtype(DType d) { return d == DType::kC64 ? DType::kF32 : d == DType::kC128 ? DType::kF64 : d; }
inline int64_t rows(const TensorMeta& t) { return t.size[size_t(t.rank - 2)]; }
inline int64_t cols(const TensorMeta& t) { return t.size[size_t(t.rank - 1)]; }

/// The leading sizes of `t` followed by `more`.
inline Status set_batched(const TensorMeta& t, int cut, std::initializer_list<int64_t> more, DType dtype, TensorMeta& out) {
  std::array<int64_t, kMaxRank + 2> sizes{};
  size_t n = 0;
  for (int d = 0; d < t.rank - cut; ++d) sizes[n++] = t.size[size_t(d)];
  for (int64_t s : more) sizes[n++] = s;
  return set_result(out, dtype, {sizes.data(), n});
}
inline TensorMeta batch_of(const TensorMeta& t, int cut) {
  TensorMeta m = t;
  m.rank = uint8_t(t.rank - cut);
  return m;
}

/// Room for `count` matrices of rows x cols.
inline Status matrix_scratch(std::initializer_list<std::pair<int64_t, int64_t>> sizes, Plan& plan) {
  int64_t total = 0;
  for (auto [m, n] : sizes) {
    int64_t bytes = 0;
    if (!checked_mul(std::max<int64_t>(m, 1), std::max<int64_t>(n, 1), &bytes) || !checked_mul(bytes, int64_t(sizeof(c128)), &bytes) || !checked_add(total, bytes, &total))
      return invalid_argument("linalg: the matrices are too large");
  }
  plan.scratch_bytes = size_t(total);
  return {};
}
/// Hands out scratch in the order that plan counted it.
struct MatrixRoom {
  std::byte* next;
  template <class C> C* take(int64_t m, int64_t n) {
    C* p = reinterpret_cast<C*>(next);
    next += std::max<int64_t>(m, 1) * std::max<int64_t>(n, 1) * int64_t(sizeof(c128));
    return p;
  }
};

template <class C>
void load_matrix(const Tensor& t, int64_t offset, C* to, bool transpose = false) {
  const size_t r = size_t(t.rank - 2), c = size_t(t.rank - 1);
  const size_t outer = transpose ? c : r, inner = transpose ? r : c;
  for (int64_t i = 0; i < t.size[outer]; ++i)
    kernels::load(t.dtype, at(t, offset + i * t.stride[outer]), t.stride[inner], t.size[inner], to + i * t.size[inner]);
}
template <class C>
void store_matrix(Tensor& t, int64_t offset, const C* from, bool transpose = false) {
  const size_t r = size_t(t.rank - 2), c = size_t(t.rank - 1);
  const size_t outer = transpose ? c : r, inner = transpose ? r : c;
  for (int64_t i = 0; i < t.size[outer]; ++i)
    kernels::store(t.dtype, at(t, offset + i * t.stride[outer]), t.stride[inner], t.size[inner], from + i * t.size[inner]);
}
inline void store_pivots(Tensor& t, int64_t offset, const int64_t* pivots, int64_t n) {
  kernels::store(t.dtype, at(t, offset), t.stride[size_t(t.rank - 1)], n, pivots);
}

/// P A = L U in place; the place of the first zero pivot (from 1), or 0.
template <class C>
int64_t lu_factor(C* a, int64_t m, int64_t n, int64_t* pivots) {
  int64_t info = 0;
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    int64_t best = k;
    for (int64_t i = k + 1; i < m; ++i)
      if (pivot_size(a[i * n + k]) > pivot_size(a[best * n + k])) best = i;
    pivots[k] = best + 1;
    if (best != k)
      for (int64_t j = 0; j < n; ++j) std::swap(a[k * n + j], a[best * n + j]);
    if (magnitude(a[k * n + k]) == 0) {
      if (info == 0) info = k + 1;
      continue;
    }
    for (int64_t i = k + 1; i < m; ++i) {
      const C factor = a[i * n + k] = divide(a[i * n + k], a[k * n + k]);
      for (int64_t j = k + 1; j < n; ++j) a[i * n + j] = sub(a[i * n + j], mul(factor, a[k * n + j]));
    }
  }
  return info;
}

/// How a triangular matrix of n x n is read.
struct Triangle { bool upper, unit, transposed = false, conjugated = false; };

/// Solves op(T) X = B in place, B being n x k.
template <class C>
void solve_triangle(const C* t, int64_t n, Triangle kind, C* b, int64_t k) {
  const auto entry = [&](int64_t i, int64_t j) {
    const C v = kind.transposed ? t[j * n + i] : t[i * n + j];
    return kind.conjugated ? conj(v) : v;
  };
  const bool upper = kind.upper != kind.transposed;
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = upper ? n - 1 - step : step;
    for (int64_t j = upper ? i + 1 : 0; j < (upper ? n : i); ++j) {
      const C factor = entry(i, j);
      for (int64_t c = 0; c < k; ++c) b[i * k + c] = sub(b[i * k + c], mul(factor, b[j * k + c]));
    }
    if (kind.unit) continue;
    for (int64_t c = 0; c < k; ++c) b[i * k + c] = divide(b[i * k + c], entry(i, i));
  }
}

/// Rows of b (n x k) exchanged as the pivots say, or back.
template <class C>
void permute_rows(const int64_t* pivots, int64_t n, C* b, int64_t k, bool back) {
  for (int64_t step = 0; step < n; ++step) {
    const int64_t i = back ? n - 1 - step : step, other = pivots[i] - 1;
    if (other != i)
      for (int64_t c = 0; c < k; ++c) std::swap(b[i * k + c], b[other * k + c]);
  }
}

/// A X = B (or A^T X = B, A^H X = B) with A given by lu_factor; in place.
template <class C>
void lu_solve(const C* lu, const int64_t* pivots, int64_t n, C* b, int64_t k, bool transposed, bool conjugated) {
  if (!transposed) {
    permute_rows(pivots, n, b, k, false);
    solve_triangle(lu, n, {false, true}, b, k);
    solve_triangle(lu, n, {true, false}, b, k);
  } else {
    solve_triangle(lu, n, {true, false, true, conjugated}, b, k);
    solve_triangle(lu, n, {false, true, true, conjugated}, b, k);
    permute_rows(pivots, n, b, k, true);
  }
}

/// Householder reflectors H_i = 1 - tau v v^H with v[i] = 1 below the diagonal of a, R above: A = H_0 H_1 ... R.
template <class C>
void qr_factor(C* a, int64_t m, int64_t n, C* tau) {
  for (int64_t k = 0; k < std::min(m, n); ++k) {
    double tail = 0;
    for (int64_t i = k + 1; i < m; ++i) tail = std::hypot(tail, magnitude(a[i * n + k]));
    const C head = a[k * n + k];
    double imaginary = 0;
    if constexpr (kIsComplex<C>) imaginary = head.im;
    tau[k] = C();
    if (tail == 0 && imaginary == 0) continue;
    const double norm = std::hypot(magnitude(head), tail), beta = real_part(head) >= 0 ? -norm : norm;
    tau[k] = divide(sub(from_real<C>(beta), head), from_real<C>(beta));
    const C scale = sub(head, from_real<C>(beta));
    for (int64_t i = k + 1; i < m; ++i) a[i * n + k] = divide(a[i * n + k], scale);
    a[k * n + k] = from_real<C>(beta);
    for (int64_t j = k + 1; j < n; ++j) {  // H^H on the columns to the right
      C dot = a[k * n + j];
      for (int64_t i = k + 1; i < m; ++i) dot = add(dot, mul(conj(a[i * n + k]), a[i * n + j]));
      dot = mul(conj(tau[k]), dot);
      a[k * n + j] = sub(a[k * n + j], dot);
      for (int64_t i = k + 1; i < m; ++i) a[i * n + j] = sub(a[i * n + j], mul(a[i * n + k], dot));
    }
  }
}

/// c (m x k) becomes H c for reflector `v` (column i of a, m x n), or H^H c.
template <class C>
void reflect_rows(const C* a, int64_t m, int64_t n, int64_t i, C tau, bool adjoint, C* c, int64_t k) {
  if (adjoint) tau = conj(tau);
  for (int64_t j = 0; j < k; ++j) {
    C dot = c[i * k + j];
    for (int64_t r = i + 1; r < m; ++r) dot = add(dot, mul(conj(a[r * n + i]), c[r * k + j]));
    dot = mul(tau, dot);
    c[i * k + j] = sub(c[i * k + j], dot);
    for (int64_t r = i + 1; r < m; ++r) c[r * k + j] = sub(c[r * k + j], mul(a[r * n + i], dot));
  }
}

/// q (m x k) becomes the first k columns of H_0 H_1 ... H_{count-1}.
template <class C>
void form_q(const C* a, int64_t m, int64_t n, const C* tau, int64_t count, C* q, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < k; ++j) q[i * k + j] = from_real<C>(i == j ? 1 : 0);
  for (int64_t i = count; i-- > 0;) reflect_rows(a, m, n, i, tau[i], false, q, k);
}

/// A = L L^H into the lower triangle; the order of the first minor that is not positive, or 0. The upper triangle is cleared.
template <class C>
int64_t cholesky(C* a, int64_t n) {
  for (int64_t j = 0; j < n; ++j) {
    double d = real_part(a[j * n + j]);
    for (int64_t k = 0; k < j; ++k) d -= magnitude(a[j * n + k]) * magnitude(a[j * n + k]);
    if (!(d > 0)) return j + 1;
    d = std::sqrt(d);
    a[j * n + j] = from_real<C>(d);
    for (int64_t i = j + 1; i < n; ++i) {
      C v = a[i * n + j];
      for (int64_t k = 0; k < j; ++k) v = sub(v, mul(a[i * n + k], conj(a[j * n + k])));
      a[i * n + j] = divide(v, from_real<C>(d));
    }
    for (int64_t k = j + 1; k < n; ++k) a[j * n + k] = C();
  }
  return 0;
}

/// Eigenvalues (ascending) and eigenvectors (columns of v) of a Hermitian matrix, by Jacobi rotations; a is destroyed.
template <class C>
void hermitian_eigen(C* a, int64_t n, double* values, C* v) {
  for (int64_t i = 0; i < n * n; ++i) v[i] = from_real<C>(i % (n + 1) == 0 ? 1 : 0);
  for (int sweep = 0; sweep < 60; ++sweep) {
    double off = 0, on = 0;
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < n; ++j) (i == j ? on : off) += magnitude(a[i * n + j]) * magnitude(a[i * n + j]);
    if (!(off > on * 1e-32)) break;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        const double size = magnitude(a[p * n + q]);
        if (size == 0) continue;
        const C phase = divide(a[p * n + q], from_real<C>(size));
        const double theta = (real_part(a[q * n + q]) - real_part(a[p * n + p])) / (2 * size);
        const double t = (theta >= 0 ? 1 : -1) / (std::fabs(theta) + std::sqrt(theta * theta + 1)), c = 1 / std::sqrt(t * t + 1), s = t * c;
        const C cos = from_real<C>(c), sin = mul(from_real<C>(s), phase);
        const auto turn = [&](C* x, C* y, C wx, C wy) {  // x' = c x - wx y, y' = wy x + c y
          const C old = *x;
          *x = sub(mul(cos, old), mul(wx, *y));
          *y = add(mul(wy, old), mul(cos, *y));
        };
        for (int64_t i = 0; i < n; ++i) turn(a + i * n + p, a + i * n + q, conj(sin), sin);
        for (int64_t i = 0; i < n; ++i) turn(v + i * n + p, v + i * n + q, conj(sin), sin);
        for (int64_t i = 0; i < n; ++i) turn(a + p * n + i, a + q * n + i, sin, conj(sin));
      }
  }
  for (int64_t i = 0; i < n; ++i) values[i] = real_part(a[i * n + i]);
  for (int64_t i = 0; i < n; ++i) {  // selection sort of the columns
    int64_t least = i;
    for (int64_t j = i + 1; j < n; ++j)
      if (values[j] < values[least]) least = j;
    if (least == i) continue;
    std::swap(values[i], values[least]);
    for (int64_t r = 0; r < n; ++r) std::swap(v[r * n + i], v[r * n + least]);
  }
}

/// One-sided Jacobi: a (m x n, m >= n) becomes U diag(s), v (n x n) the right singular vectors, s descending.
template <class C>
void singular_values(C* a, int64_t m, int64_t n, double* s, C* v) {
  for (int64_t i = 0; i < n * n; ++i) v[i] = from_real<C>(i % (n + 1) == 0 ? 1 : 0);
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool turned = false;
    for (int64_t p = 0; p < n; ++p)
      for (int64_t q = p + 1; q < n; ++q) {
        double pp = 0, qq = 0;
        C pq{};
        for (int64_t i = 0; i < m; ++i) {
          const C x = a[i * n + p], y = a[i * n + q];
          pp += magnitude(x) * magnitude(x);
          qq += magnitude(y) * magnitude(y);
          pq = add(pq, mul(conj(x), y));
        }
        const double size = magnitude(pq);
        if (!(size > 1e-15 * std::sqrt(pp * qq)) || size < 1e-300) continue;
        turned = true;
        const C phase = divide(pq, from_real<C>(size));
        const double theta = (qq - pp) / (2 * size), t = (theta >= 0 ? 1 : -1) / (std::fabs(theta) + std::sqrt(theta * theta + 1));
        const double c = 1 / std::sqrt(t * t + 1), sn = t * c;
        const C sine = mul(from_real<C>(sn), phase);
        const auto turn = [&](C* x, C* y) {
          const C old = *x;
          *x = sub(mul(from_real<C>(c), old), mul(conj(sine), *y));
          *y = add(mul(sine, old), mul(from_real<C>(c), *y));
        };
        for (int64_t i = 0; i < m; ++i) turn(a + i * n + p, a + i * n + q);
        for (int64_t i = 0; i < n; ++i) turn(v + i * n + p, v + i * n + q);
      }
    if (!turned) break;
  }
  for (int64_t j = 0; j < n; ++j) {
    s[j] = 0;
    for (int64_t i = 0; i < m; ++i) s[j] = std::hypot(s[j], magnitude(a[i * n + j]));
  }
  for (int64_t i = 0; i < n; ++i) {
    int64_t most = i;
    for (int64_t j = i + 1; j < n; ++j)
      if (s[j] > s[most]) most = j;
    if (most == i) continue;
    std::swap(s[i], s[most]);
    for (int64_t r = 0; r < m; ++r) std::swap(a[r * n + i], a[r * n + most]);
    for (int64_t r = 0; r < n; ++r) std::swap(v[r * n + i], v[r * n + most]);
  }
}

/// Sign (or phase) and logarithm of the determinant's size.
template <class C>
C lu_sign(const C* lu, const int64_t* pivots, int64_t n, double* log_size) {
  C sign = from_real<C>(1);
  *log_size = 0;
  for (int64_t i = 0; i < n; ++i) {
    const double size = magnitude(lu[i * n + i]);
    *log_size += std::log(size);
    if (pivots[i] != i + 1) sign = sub(C(), sign);
    sign = size == 0 ? C() : mul(sign, divide(lu[i * n + i], from_real<C>(size)));
  }
  return sign;
}

}  // namespace glint::ops
