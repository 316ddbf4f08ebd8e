#pragma once

#include <cstddef>
#include <cstdint>

namespace glint {

/// Random numbers as PyTorch's CPU generator draws them: the same seed and the same calls give the same values.
/// mt19937: Matsumoto and Nishimura, "Mersenne Twister", ACM TOMACS 8 (1998). Trivially copyable; not for secrets.
class Generator {
 public:
  /// What PyTorch starts with.
  static constexpr uint64_t kDefaultSeed = 67280421310721;

  explicit Generator(uint64_t seed = kDefaultSeed) { this->seed(seed); }
  /// As torch.manual_seed: only the low 32 bits matter.
  void seed(uint64_t seed);
  /// False for bytes that no generator consists of: nothing may be drawn from it then.
  bool is_valid() const { return next_ <= kWords && has_normal_ <= 1; }

  uint32_t next32();
  /// The first of two draws is the upper half.
  uint64_t next64();
  /// In [0, 1): a multiple of 2^-24, from one draw.
  float uniform_float() { return float(next32() & 0xffffff) * 0x1p-24f; }
  /// In [0, 1): a multiple of 2^-53, from two draws.
  double uniform_double() { return double(next64() & ((uint64_t(1) << 53) - 1)) * 0x1p-53; }
  /// Of the standard normal distribution (Box and Muller 1958): every second one is left over from the one before.
  double normal();

 private:
  static constexpr size_t kWords = 624;

  void refill();

  uint32_t words_[kWords];
  uint32_t next_;
  uint32_t has_normal_;
  double normal_;
};

}  // namespace glint
