#pragma once

namespace glint {
/// Prints and aborts. Only GLINT_CHECK calls it: a failed check is our own bug,
/// never bad input. Implemented by base/platform.cc.
[[noreturn]] void check_failed(const char* condition, const char* file, int line);
}  // namespace glint

#define GLINT_CHECK(condition) \
  do {                         \
    if (!(condition)) [[unlikely]] ::glint::check_failed(#condition, __FILE__, __LINE__); \
  } while (0)
