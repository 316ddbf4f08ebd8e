#pragma once

// Arithmetic and elementary functions of c128, found by argument-dependent lookup, so that a generic
// expression reads the same for real and complex operands.

#include <cmath>

#include "glint/core/dtype.h"

namespace glint {

constexpr c128 operator+(c128 a, c128 b) { return {a.re + b.re, a.im + b.im}; }
constexpr c128 operator-(c128 a, c128 b) { return {a.re - b.re, a.im - b.im}; }
constexpr c128 operator-(c128 a) { return {-a.re, -a.im}; }
constexpr c128 operator*(c128 a, c128 b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
constexpr bool operator==(c128 a, c128 b) { return a.re == b.re && a.im == b.im; }

/// Scaled by the divisor's larger part, so that squares neither overflow nor vanish.
inline c128 operator/(c128 a, c128 b) {
  const double scale = std::fmax(std::fabs(b.re), std::fabs(b.im));
  if (b.re == 0 && b.im == 0) return {a.re / scale, a.im / scale};
  if (!std::isfinite(b.re + b.im)) {  // by the ratio of the parts: finite / inf is 0
    const bool real = std::fabs(b.re) >= std::fabs(b.im);
    const double ratio = real ? b.im / b.re : b.re / b.im, inverse = 1 / (real ? b.re + b.im * ratio : b.re * ratio + b.im);
    if (real) return {(a.re + a.im * ratio) * inverse, (a.im - a.re * ratio) * inverse};
    return {(a.re * ratio + a.im) * inverse, (a.im * ratio - a.re) * inverse};
  }
  const double re = b.re / scale, im = b.im / scale, d = (re * re + im * im) * scale;
  return {(a.re * re + a.im * im) / d, (a.im * re - a.re * im) / d};
}

namespace complex_detail {
using Native = __complex__ double;
inline Native to(c128 a) {
  Native z;
  __real__ z = a.re;
  __imag__ z = a.im;
  return z;
}
inline c128 from(Native z) { return {__real__ z, __imag__ z}; }
}  // namespace complex_detail

inline c128 acos(c128 a) { return complex_detail::from(__builtin_cacos(complex_detail::to(a))); }
inline c128 acosh(c128 a) { return complex_detail::from(__builtin_cacosh(complex_detail::to(a))); }
inline c128 asin(c128 a) { return complex_detail::from(__builtin_casin(complex_detail::to(a))); }
inline c128 asinh(c128 a) { return complex_detail::from(__builtin_casinh(complex_detail::to(a))); }
inline c128 atan(c128 a) { return complex_detail::from(__builtin_catan(complex_detail::to(a))); }
inline c128 atanh(c128 a) { return complex_detail::from(__builtin_catanh(complex_detail::to(a))); }
inline c128 cos(c128 a) { return complex_detail::from(__builtin_ccos(complex_detail::to(a))); }
inline c128 cosh(c128 a) { return complex_detail::from(__builtin_ccosh(complex_detail::to(a))); }
inline c128 sin(c128 a) { return complex_detail::from(__builtin_csin(complex_detail::to(a))); }
inline c128 sinh(c128 a) { return complex_detail::from(__builtin_csinh(complex_detail::to(a))); }
inline c128 tan(c128 a) { return complex_detail::from(__builtin_ctan(complex_detail::to(a))); }
inline c128 tanh(c128 a) { return complex_detail::from(__builtin_ctanh(complex_detail::to(a))); }
inline c128 exp(c128 a) { return complex_detail::from(__builtin_cexp(complex_detail::to(a))); }
inline c128 log(c128 a) { return complex_detail::from(__builtin_clog(complex_detail::to(a))); }
inline c128 sqrt(c128 a) { return complex_detail::from(__builtin_csqrt(complex_detail::to(a))); }
inline c128 pow(c128 a, c128 b) { return complex_detail::from(__builtin_cpow(complex_detail::to(a), complex_detail::to(b))); }
inline double abs(c128 a) { return std::hypot(a.re, a.im); }
inline c128 exp2(c128 a) { return exp(c128{0.69314718055994530942, 0} * a); }
inline c128 expm1(c128 a) {
  // exp(x + iy) - 1 without cancellation for small x and y.
  const double s = std::sin(a.im / 2), m = std::expm1(a.re);
  return {m * std::cos(a.im) - 2 * s * s, std::exp(a.re) * std::sin(a.im)};
}
inline c128 log1p(c128 a) {
  const double u = a.re + 1;
  if (std::fabs(a.re) > 0.5 || std::fabs(a.im) > 0.5) return {std::log(std::hypot(u, a.im)), std::atan2(a.im, u)};
  return {0.5 * std::log1p(a.re * (2 + a.re) + a.im * a.im), std::atan2(a.im, u)};
}
inline c128 log2(c128 a) { const c128 l = log(a); return {l.re / 0.69314718055994530942, l.im / 0.69314718055994530942}; }
inline c128 log10(c128 a) { const c128 l = log(a); return {l.re / 2.30258509299404568402, l.im / 2.30258509299404568402}; }

}  // namespace glint
