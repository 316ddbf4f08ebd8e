#include "glint/kernels/gemm/gemm.h"

#include "glint/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace glint::kernels::GLINT_ISA {
namespace {

constexpr int kPanelVectors = int(kPanel / kLanes);

template <int kRows, int kVectors>
HWY_INLINE void finish(const GemmTile& t, VF (&sum)[kRows][kVectors]) {
  const VF lo = hn::Set(kF32, t.lo), hi = hn::Set(kF32, t.hi);
  GLINT_UNROLL
  for (int v = 0; v < kVectors; ++v) {
    const int64_t at = v * kLanes, left = t.cols - at;
    if (left >= kLanes) {
      if (t.residual != nullptr) {
        GLINT_UNROLL
        for (int i = 0; i < kRows; ++i) sum[i][v] = hn::Add(sum[i][v], hn::LoadU(kF32, t.residual[i] + t.out_offset + at));
      }
      GLINT_UNROLL
      for (int i = 0; i < kRows; ++i) hn::StoreU(at_most(at_least(sum[i][v], lo), hi), kF32, t.out[i] + t.out_offset + at);
    } else if (left > 0) {
      // Columns beyond `cols` belong to somebody else: they are neither read nor written.
      GLINT_UNROLL
      for (int i = 0; i < kRows; ++i) {
        if (t.residual != nullptr) sum[i][v] = hn::Add(sum[i][v], load_first(t.residual[i] + t.out_offset + at, left));
        store_first(at_most(at_least(sum[i][v], lo), hi), t.out[i] + t.out_offset + at, left);
      }
    }
  }
}

template <int kPanels, int kRows, bool kGather>
void tile(const GemmTile& t) {
  constexpr int kVectors = kPanels * kPanelVectors;
  VF sum[kRows][kVectors];
  const float* w[kPanels];
  GLINT_UNROLL
  for (int p = 0; p < kPanels; ++p) {
    w[p] = t.panel + p * t.panel_floats;
    GLINT_UNROLL
    for (int v = 0; v < kPanelVectors; ++v) {
      GLINT_UNROLL
      for (int i = 0; i < kRows; ++i) sum[i][p * kPanelVectors + v] = hn::LoadU(kF32, w[p] + v * kLanes);
    }
    w[p] += kPanel;
  }
  const float* const* rows = t.rows;
  for (int64_t tap = 0; tap < t.taps; ++tap, rows += kRows) {
    const float* x[kRows];
    GLINT_UNROLL
    for (int i = 0; i < kRows; ++i) x[i] = rows[i] + t.row_offset;
    for (int64_t k = 0; k < t.depth; ++k) {
      VF weights[kVectors];
      GLINT_UNROLL
      for (int p = 0; p < kPanels; ++p) {
        GLINT_UNROLL
        for (int v = 0; v < kPanelVectors; ++v) weights[p * kPanelVectors + v] = hn::LoadU(kF32, w[p] + v * kLanes);
        w[p] += kPanel;
      }
      const int64_t at = kGather ? int64_t(t.gather[k]) : k;
      GLINT_UNROLL
      for (int i = 0; i < kRows; ++i) {
        const VF value = hn::Set(kF32, x[i][at]);
        GLINT_UNROLL
        for (int v = 0; v < kVectors; ++v) sum[i][v] = hn::MulAdd(value, weights[v], sum[i][v]);
      }
    }
  }
  finish<kRows, kVectors>(t, sum);
}

#define GLINT_TILES_1_2(panels, gather) tile<panels, 1, gather>, tile<panels, 2, gather>
#define GLINT_TILES_1_4(panels, gather) GLINT_TILES_1_2(panels, gather), tile<panels, 3, gather>, tile<panels, 4, gather>
#define GLINT_TILES_1_6(panels, gather) GLINT_TILES_1_4(panels, gather), tile<panels, 5, gather>, tile<panels, 6, gather>
#define GLINT_TILES_1_8(panels, gather) GLINT_TILES_1_6(panels, gather), tile<panels, 7, gather>, tile<panels, 8, gather>

}  // namespace

// As many accumulators as the registers hold beside the weights and one input.
extern constinit const GemmKernels gemm_f32 =
#if HWY_TARGET == HWY_SCALAR
    {2, 1, {{GLINT_TILES_1_2(1, false)}}, {{GLINT_TILES_1_2(1, true)}}};
#elif HWY_CAP_GE512
    {8, 2, {{GLINT_TILES_1_8(1, false)}, {GLINT_TILES_1_8(2, false)}}, {{GLINT_TILES_1_8(1, true)}, {GLINT_TILES_1_8(2, true)}}};
#else
    {6, 1, {{GLINT_TILES_1_6(1, false)}}, {{GLINT_TILES_1_6(1, true)}}};
#endif

}  // namespace glint::kernels::GLINT_ISA
HWY_AFTER_NAMESPACE();
