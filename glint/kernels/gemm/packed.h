#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// Packed weight formats; docs/packed_formats.md specifies them. Portable code: any host packs for any target.

namespace glint::kernels {

/// A weight before packing: [outputs, depth, taps] of one group after the other.
struct WeightView {
  const float* data;
  int64_t outputs, depth, taps;                          // outputs of all groups; depth: inputs of one group
  int64_t output_step, depth_step;                       // elements
  int64_t (*tap_offset)(const void* context, int64_t tap);  // null: taps are 1 element apart
  const void* tap_context;
  const float* bias;                                     // null: zeros
  int64_t bias_step;
  int64_t groups;
};

/// Panels of `f32.n16` for these outputs and groups (groups divide outputs).
constexpr int64_t n16_panels(int64_t outputs, int64_t groups) { return groups * ((outputs / groups + 15) / 16); }

/// Bytes of one panel with `k` rows.
constexpr int64_t n16_panel_bytes(int64_t k) { return (1 + k) * 64; }

/// Writes n16_panels(...) panels of n16_panel_bytes(depth * taps) each.
void pack_f32_n16(const WeightView& w, float* out);
/// The inverse: weight [outputs, depth, taps] row-major, bias [outputs]; either may be null.
void unpack_f32_n16(const float* packed, int64_t outputs, int64_t depth, int64_t taps, int64_t groups, float* weight, float* bias);

/// Depthwise (one input and output a group): ceil(channels / 16) panels with `taps` rows.
void pack_f32_dw16(const WeightView& w, float* out);
void unpack_f32_dw16(const float* packed, int64_t channels, int64_t taps, float* weight, float* bias);

}  // namespace glint::kernels
