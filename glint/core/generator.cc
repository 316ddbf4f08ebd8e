#include "glint/core/generator.h"

#include <cmath>

namespace glint {

void Generator::seed(uint64_t seed) {
  words_[0] = uint32_t(seed);
  for (uint32_t i = 1; i < kWords; ++i) words_[i] = 1812433253u * (words_[i - 1] ^ (words_[i - 1] >> 30)) + i;
  next_ = kWords;
  has_normal_ = 0;
  normal_ = 0;
}

void Generator::refill() {
  constexpr size_t kShift = 397;
  const auto twist = [](uint32_t high, uint32_t low) {
    const uint32_t mixed = (high & 0x80000000u) | (low & 0x7fffffffu);
    return (mixed >> 1) ^ ((low & 1) != 0 ? 0x9908b0dfu : 0);
  };
  for (size_t i = 0; i < kWords; ++i) words_[i] = words_[(i + kShift) % kWords] ^ twist(words_[i], words_[(i + 1) % kWords]);
  next_ = 0;
}

uint32_t Generator::next32() {
  if (next_ == kWords) refill();
  uint32_t y = words_[next_++];
  y ^= y >> 11;
  y ^= (y << 7) & 0x9d2c5680u;
  y ^= (y << 15) & 0xefc60000u;
  return y ^ (y >> 18);
}

uint64_t Generator::next64() {
  const uint64_t high = next32();
  return high << 32 | next32();
}

double Generator::normal() {
  if (has_normal_ != 0) {
    has_normal_ = 0;
    return normal_;
  }
  const double u1 = uniform_double(), u2 = uniform_double();
  const double radius = std::sqrt(-2 * std::log1p(-u2)), angle = 2 * 3.14159265358979323846 * u1;
  normal_ = radius * std::sin(angle);
  has_normal_ = 1;
  return radius * std::cos(angle);
}

}  // namespace glint
