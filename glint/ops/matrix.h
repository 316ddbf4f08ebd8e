#pragma once

// What the operators of torch.linalg share: matrices over the last two dimensions of a tensor, taken one at a time into
// scratch memory as doubles, whatever the dtype.

#include <cmath>

#include "glint/ops/compute.h"

namespace glint::ops {

/// A row-major matrix of doubles that somebody else owns.
struct Matrix {
  double* data;
  int64_t rows, cols;
  double& operator()(int64_t r, int64_t c) const { return data[r * cols + c]; }
};

inline bool is_real_float(DType d) { return d == DType::kF32 || d == DType::kF64; }
inline int64_t matrix_rows(const TensorMeta& t) { return t.size[size_t(t.rank) - 2]; }
inline int64_t matrix_cols(const TensorMeta& t) { return t.size[size_t(t.rank) - 1]; }
/// How many matrices (tail 2) or vectors (tail 1) a tensor holds.
inline int64_t batch_count(const TensorMeta& t, int tail = 2) {
  int64_t n = 1;
  for (int i = 0; i + tail < t.rank; ++i) n *= t.size[size_t(i)];
  return n;
}
/// The sizes but for the last `tail`, as a meta of their own.
inline TensorMeta batch_of(const TensorMeta& t, int tail = 2) {
  TensorMeta b = t;
  b.rank = uint8_t(t.rank - tail);
  return b;
}

/// Where the index-th item of `batch` (row-major) lies in t, whose own batch broadcasts to it. In elements.
inline int64_t batch_offset(const TensorMeta& t, const TensorMeta& batch, int64_t index, int tail = 2) {
  int64_t offset = 0;
  for (int i = batch.rank - 1; i >= 0; --i) {
    const int64_t n = batch.size[size_t(i)], at = index % n;
    index /= n;
    const int d = i - batch.rank + t.rank - tail;
    if (d >= 0 && t.size[size_t(d)] != 1) offset += at * t.stride[size_t(d)];
  }
  return offset;
}

inline void load_matrix(const Tensor& t, int64_t offset, const Matrix& m) {
  const char* p = static_cast<const char*>(t.data);
  const int64_t width = int64_t(dtype_size(t.dtype)), row = t.stride[size_t(t.rank) - 2], step = t.stride[size_t(t.rank) - 1];
  for (int64_t r = 0; r < m.rows; ++r) kernels::load<double>(t.dtype, p + (offset + r * row) * width, step, m.cols, m.data + r * m.cols);
}
inline void store_matrix(Tensor& t, int64_t offset, const Matrix& m) {
  char* p = static_cast<char*>(t.data);
  const int64_t width = int64_t(dtype_size(t.dtype)), row = t.stride[size_t(t.rank) - 2], step = t.stride[size_t(t.rank) - 1];
  for (int64_t r = 0; r < m.rows; ++r) kernels::store<double>(t.dtype, p + (offset + r * row) * width, step, m.cols, m.data + r * m.cols);
}
inline void store_vector(Tensor& t, int64_t offset, const double* v, int64_t n) {
  kernels::store<double>(t.dtype, static_cast<char*>(t.data) + offset * int64_t(dtype_size(t.dtype)), t.stride[size_t(t.rank) - 1], n, v);
}

/// Scratch for `count` doubles; false when that is more than fits.
inline bool matrix_scratch(int64_t rows, int64_t cols, int64_t copies, size_t* bytes) {
  int64_t n = 0;
  if (!checked_mul(rows, cols, &n) || !checked_mul(n, copies, &n) || !checked_mul(n, int64_t(sizeof(double)), &n)) return false;
  *bytes = size_t(n);
  return true;
}

/// Sizes of `like` with the last two replaced.
inline Status set_matrix(TensorMeta& out, DType dtype, const TensorMeta& like, int64_t rows, int64_t cols) {
  TensorMeta m = like;
  m.size[size_t(m.rank) - 2] = rows;
  m.size[size_t(m.rank) - 1] = cols;
  return set_result(out, dtype, m.sizes());
}
/// Sizes of the batch, and one more when n >= 0.
inline Status set_batch(TensorMeta& out, DType dtype, const TensorMeta& like, int64_t n = -1) {
  TensorMeta m = batch_of(like);
  if (n >= 0) m.size[m.rank++] = n;
  return set_result(out, dtype, m.sizes());
}

/// x = T^-1 x for a triangular T (its diagonal taken as 1 when `unit`), over all columns of x; `transposed` solves with T^T.
inline void solve_triangular(const Matrix& t, bool upper, bool transposed, bool unit, const Matrix& x) {
  const int64_t n = t.rows;
  const bool backward = upper != transposed;
  for (int64_t k = 0; k < n; ++k) {
    const int64_t i = backward ? n - 1 - k : k;
    for (int64_t j = backward ? i + 1 : 0; j < (backward ? n : i); ++j) {
      const double f = transposed ? t(j, i) : t(i, j);
      for (int64_t c = 0; c < x.cols; ++c) x(i, c) -= f * x(j, c);
    }
    if (!unit)
      for (int64_t c = 0; c < x.cols; ++c) x(i, c) /= t(i, i);
  }
}

inline void transpose_into(const Matrix& from, const Matrix& to) {
  for (int64_t r = 0; r < from.rows; ++r)
    for (int64_t c = 0; c < from.cols; ++c) to(c, r) = from(r, c);
}

}  // namespace glint::ops
