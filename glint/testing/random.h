#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace glint::testing {

/// What fuzz tests draw from: equal seeds give equal series on every platform.
class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  /// 0 .. n - 1; n > 0.
  int64_t below(int64_t n) { return int64_t(engine_() % uint64_t(n)); }
  /// -2 .. 2 in hundredths: small numbers whose sums and products tell results apart.
  double number() { return double(below(401)) / 100 - 2; }
  std::vector<double> numbers(size_t n) {
    std::vector<double> v(n);
    for (double& x : v) x = number();
    return v;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace glint::testing
