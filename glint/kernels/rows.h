#pragma once

#include <cstdint>

#include "glint/kernels/isa.h"

namespace glint::kernels {

/// Operations on one row of contiguous floats, n > 0. `out` may equal `x`.
struct RowKernels {
  /// exp(x - max) / sum(exp(x - max)); a row with NaN or +inf, or of -inf only, gives NaN.
  void (*softmax)(const float* x, int64_t n, float* out);
};

GLINT_KERNEL_TABLE(RowKernels, rows_f32)

}  // namespace glint::kernels
