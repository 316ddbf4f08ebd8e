#include "glint/kernels/gemm/packed.h"

namespace glint::kernels {
namespace {

float bias_of(const WeightView& w, int64_t o) { return w.bias != nullptr ? w.bias[o * w.bias_step] : 0.0f; }
int64_t tap_offset(const WeightView& w, int64_t tap) { return w.tap_offset != nullptr ? w.tap_offset(w.tap_context, tap) : tap; }

}  // namespace

void pack_f32_n16(const WeightView& w, float* out) {
  const int64_t group_outputs = w.outputs / w.groups;
  for (int64_t g = 0; g < w.groups; ++g) {
    for (int64_t first = 0; first < group_outputs; first += 16) {
      const int64_t count = group_outputs - first < 16 ? group_outputs - first : 16;
      const int64_t base = g * group_outputs + first;
      for (int64_t j = 0; j < 16; ++j) *out++ = j < count ? bias_of(w, base + j) : 0.0f;
      for (int64_t tap = 0; tap < w.taps; ++tap) {
        const float* at_tap = w.data + base * w.output_step + tap_offset(w, tap);
        for (int64_t c = 0; c < w.depth; ++c) {
          const float* from = at_tap + c * w.depth_step;
          for (int64_t j = 0; j < 16; ++j) *out++ = j < count ? from[j * w.output_step] : 0.0f;
        }
      }
    }
  }
}

void unpack_f32_n16(const float* packed, int64_t outputs, int64_t depth, int64_t taps, int64_t groups, float* weight, float* bias) {
  const int64_t group_outputs = outputs / groups, panel_floats = (1 + depth * taps) * 16;
  const int64_t group_panels = (group_outputs + 15) / 16;
  for (int64_t o = 0; o < outputs; ++o) {
    const int64_t g = o / group_outputs, within = o % group_outputs;
    const float* panel = packed + (g * group_panels + within / 16) * panel_floats + within % 16;
    if (bias != nullptr) bias[o] = panel[0];
    if (weight == nullptr) continue;
    for (int64_t c = 0; c < depth; ++c)
      for (int64_t tap = 0; tap < taps; ++tap) weight[(o * depth + c) * taps + tap] = panel[(1 + tap * depth + c) * 16];
  }
}

void pack_f32_dw16(const WeightView& w, float* out) {
  for (int64_t first = 0; first < w.outputs; first += 16) {
    const int64_t count = w.outputs - first < 16 ? w.outputs - first : 16;
    for (int64_t j = 0; j < 16; ++j) *out++ = j < count ? bias_of(w, first + j) : 0.0f;
    for (int64_t tap = 0; tap < w.taps; ++tap)
      for (int64_t j = 0; j < 16; ++j) *out++ = j < count ? w.data[(first + j) * w.output_step + tap_offset(w, tap)] : 0.0f;
  }
}

void unpack_f32_dw16(const float* packed, int64_t channels, int64_t taps, float* weight, float* bias) {
  for (int64_t c = 0; c < channels; ++c) {
    const float* panel = packed + c / 16 * (1 + taps) * 16 + c % 16;
    if (bias != nullptr) bias[c] = panel[0];
    if (weight == nullptr) continue;
    for (int64_t tap = 0; tap < taps; ++tap) weight[c * taps + tap] = panel[(1 + tap) * 16];
  }
}

}  // namespace glint::kernels
