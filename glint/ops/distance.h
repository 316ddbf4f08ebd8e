#pragma once

#include "glint/ops/rows.h"

namespace glint::ops {

/// The p-norm of the difference of two lines; p = 0 counts what differs, infinity takes the largest.
template <class C>
double distance(const Line& a, const Line& b, double p) {
  if (p == 0) return line_zip_sum<C>(a, b, [](C x, C y) { return x - y != x - y ? double(NAN) : x == y ? 0.0 : 1.0; });
  if (p == 1) return line_zip_sum<C>(a, b, [](C x, C y) { return std::abs(x - y); });
  if (p == 2) return std::sqrt(line_zip_sum<C>(a, b, [](C x, C y) { return double(x - y) * double(x - y); }));
  if (std::isinf(p)) {
    double most = 0;
    line_zip_sum<C>(a, b, [&most](C x, C y) {
      const double d = std::abs(double(x - y));
      if (d > most || d != d) most = d;
      return 0.0;
    });
    return most;
  }
  return std::pow(line_zip_sum<C>(a, b, [p](C x, C y) { return std::pow(std::abs(double(x - y)), p); }), 1 / p);
}

}  // namespace glint::ops
