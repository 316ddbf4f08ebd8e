#pragma once

#include <cstdint>

#include "glint/kernels/isa.h"

namespace glint::kernels {

/// The most outputs side by side in one depthwise tile.
inline constexpr int kMaxDepthwisePixels = 4;

/// Neighbouring outputs of a row, all channels. `inputs` points at channel 0 of each input pixel
/// that some output reads; pixels outside the image are zeros that somebody keeps.
struct DepthwiseTile {
  const float* const* inputs;   // [kernel_height][(pixels - 1) * stride + kernel_width]; of `any`: [taps]
  int64_t kernel_height;        // of `any`: all taps
  const float* panels;          // `f32.dw16`
  int64_t panel_floats;
  int64_t channels;
  float* const* out;            // [pixels]
  const float* const* residual; // [pixels], or null
  float lo, hi;
};

/// The kernels of one instruction set.
struct DepthwiseKernels {
  using Tile = void (*)(const DepthwiseTile&);
  Tile fixed[2][2][kMaxDepthwisePixels];  // [kernel width 3, 5][stride 1, 2][pixels - 1]
  Tile any;                               // one pixel, any taps
};

GLINT_KERNEL_TABLE(DepthwiseKernels, depthwise_f32)

}  // namespace glint::kernels
