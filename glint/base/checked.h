#pragma once

#include <cstdint>

namespace glint {

/// Arithmetic that reports overflow: true when the exact result fits in *out.
[[nodiscard]] constexpr bool checked_add(int64_t a, int64_t b, int64_t* out) { return !__builtin_add_overflow(a, b, out); }
[[nodiscard]] constexpr bool checked_mul(int64_t a, int64_t b, int64_t* out) { return !__builtin_mul_overflow(a, b, out); }

/// a / b rounded up; a >= 0, b > 0.
constexpr int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

/// `n` rounded up to a multiple of `alignment`, a power of two. n + alignment must not overflow.
constexpr uint64_t align_up(uint64_t n, uint64_t alignment) { return (n + alignment - 1) & ~(alignment - 1); }

}  // namespace glint
