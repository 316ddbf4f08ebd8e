#pragma once

#include <cstdint>

#include "glint/kernels/isa.h"

namespace glint::kernels {

/// One output pixel of a pooling over channels-last pixels; `count` > 0 pixels of `channels` floats each.
struct PoolKernels {
  /// The largest; NaN where there is one.
  void (*max)(const float* const* pixels, int64_t count, int64_t channels, float* out);
  /// The sum divided by `divisor`.
  void (*average)(const float* const* pixels, int64_t count, float divisor, int64_t channels, float* out);
};

GLINT_KERNEL_TABLE(PoolKernels, pool_f32)

}  // namespace glint::kernels
