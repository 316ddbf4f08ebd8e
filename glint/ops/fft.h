#pragma once

#include <numbers>

#include "glint/ops/rows.h"

namespace glint::ops {

/// Room for transforms of up to n elements: two lines and the roots of unity.
inline bool fft_scratch(int64_t n, size_t* bytes) {
  int64_t b = 0;
  if (!checked_mul(n, 3 * int64_t(sizeof(c128)), &b)) return false;
  *bytes = size_t(b);
  return true;
}

/// A discrete Fourier transform of any length, in double whatever the dtype: mixed radix over the
/// factors of n (Stockham, so the order comes out right), O(n * sum of prime factors).
class Fft {
 public:
  Fft(int64_t n, bool forward, std::byte* scratch) : n_(n), a_(reinterpret_cast<c128*>(scratch)), b_(a_ + n), root_(b_ + n) {
    for (int64_t k = 0; k < n; ++k) {
      const double angle = 2 * std::numbers::pi * double(k) / double(n);
      root_[k] = {std::cos(angle), forward ? -std::sin(angle) : std::sin(angle)};
    }
  }
  /// n elements, to be filled before run().
  c128* input() { return a_; }
  /// Where the n results are.
  const c128* run() {
    c128 *from = a_, *to = b_;
    int64_t done = 1;
    for (int64_t rest = n_; rest > 1;) {
      const int64_t p = smallest_factor(rest);
      pass(from, to, p, rest / p, done);
      std::swap(from, to);
      rest /= p;
      done *= p;
    }
    a_ = to, b_ = from;  // the next call's input must not be the result that the caller still reads
    return from;
  }

 private:
  static int64_t smallest_factor(int64_t n) {
    if (n % 4 == 0) return 4;
    if (n % 2 == 0) return 2;
    for (int64_t p = 3; p * p <= n; p += 2)
      if (n % p == 0) return p;
    return n;
  }
  void pass(const c128* from, c128* to, int64_t p, int64_t m, int64_t done) const {
    const int64_t unit = n_ / p;
    for (int64_t k = 0; k < m; ++k)
      for (int64_t j = 0; j < p; ++j) {
        const c128 twiddle = root_[j * k * done];
        for (int64_t q = 0; q < done; ++q) {
          c128 sum{};
          for (int64_t t = 0, turn = 0; t < p; ++t) {
            sum = add(sum, mul(from[q + done * (k + m * t)], root_[turn * unit]));
            turn += j;
            if (turn >= p) turn -= p;
          }
          to[q + done * (p * k + j)] = mul(sum, twiddle);
        }
      }
  }

  int64_t n_;
  c128 *a_, *b_, *root_;
};

/// dims, wrapped, must differ and be in range.
inline Status check_fft(const Tensor& self, Ints dim, int64_t normalization, int (&dims)[kMaxRank]) {
  if (dim.size() > self.rank) return invalid_argument("fft: too many dimensions");
  uint32_t seen = 0;
  for (size_t i = 0; i < dim.size(); ++i) {
    dims[i] = self.rank > 0 ? wrap_dim(dim[i], self.rank) : -1;
    if (dims[i] < 0) return invalid_argument("fft: a dimension is out of range");
    if (seen >> dims[i] & 1) return invalid_argument("fft: a dimension is repeated");
    if (self.size[size_t(dims[i])] == 0) return invalid_argument("fft: a dimension is empty");
    seen |= 1u << dims[i];
  }
  if (normalization < 0 || normalization > 2) return invalid_argument("fft: normalization must be 0, 1 or 2");
  return {};
}

/// The factor for a signal of `n` elements: 1, 1 / sqrt(n) or 1 / n.
inline double fft_scale(int64_t normalization, double n) { return normalization == 0 ? 1 : normalization == 1 ? 1 / std::sqrt(n) : 1 / n; }

inline double signal_size(const TensorMeta& t, const int* dims, size_t count) {
  double n = 1;
  for (size_t i = 0; i < count; ++i) n *= double(t.size[size_t(dims[i])]);
  return n;
}

/// Complex to complex along `dim`, into `out` (which may be `self`).
inline void fft_c2c(const Tensor& self, int dim, bool forward, double scale, std::byte* scratch, Tensor& out) {
  const int64_t n = self.size[size_t(dim)];
  Fft fft(n, forward, scratch);
  for_each_line(dim, [&](const auto& o) {
    c128* line = fft.input();
    kernels::load(self.dtype, at(self, o[1]), self.stride[size_t(dim)], n, line);
    const c128* result = fft.run();
    c128* scaled = fft.input();
    for (int64_t i = 0; i < n; ++i) scaled[i] = {result[i].re * scale, result[i].im * scale};
    kernels::store(out.dtype, at(out, o[0]), out.stride[size_t(dim)], n, scaled);
  }, out, self);
}

}  // namespace glint::ops
