#include "glint/kernels/conv/depthwise.h"

#include "glint/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace glint::kernels::GLINT_ISA {
namespace {

// Outputs in `kPixels` columns share the loads of weights; kWidth 0 is "one pixel, any taps".
// With kTail only the first `n` channels of the vector exist.
template <int kWidth, int kStride, int kPixels, bool kTail>
HWY_INLINE void channels_at(const DepthwiseTile& t, int64_t c, const float* w, int64_t n, VF lo, VF hi) {
  constexpr int kColumns = kWidth == 0 ? 1 : (kPixels - 1) * kStride + kWidth;
  VF sum[kPixels];
  GLINT_UNROLL
  for (int i = 0; i < kPixels; ++i) sum[i] = hn::LoadU(kF32, w);
  w += 16;
  const float* const* in = t.inputs;
  for (int64_t ky = 0; ky < t.kernel_height; ++ky, in += kColumns) {
    VF x[kColumns];
    GLINT_UNROLL
    for (int i = 0; i < kColumns; ++i) x[i] = kTail ? load_first(in[i] + c, n) : hn::LoadU(kF32, in[i] + c);
    GLINT_UNROLL
    for (int kx = 0; kx < (kWidth == 0 ? 1 : kWidth); ++kx, w += 16) {
      const VF weight = hn::LoadU(kF32, w);
      GLINT_UNROLL
      for (int i = 0; i < kPixels; ++i) sum[i] = hn::MulAdd(x[i * kStride + kx], weight, sum[i]);
    }
  }
  if (t.residual != nullptr) {
    GLINT_UNROLL
    for (int i = 0; i < kPixels; ++i) sum[i] = hn::Add(sum[i], kTail ? load_first(t.residual[i] + c, n) : hn::LoadU(kF32, t.residual[i] + c));
  }
  GLINT_UNROLL
  for (int i = 0; i < kPixels; ++i) {
    const VF v = at_most(at_least(sum[i], lo), hi);
    if (kTail) store_first(v, t.out[i] + c, n);
    else hn::StoreU(v, kF32, t.out[i] + c);
  }
}

template <int kWidth, int kStride, int kPixels>
void tile(const DepthwiseTile& t) {
  const VF lo = hn::Set(kF32, t.lo), hi = hn::Set(kF32, t.hi);
  int64_t c = 0;
  for (; c + kLanes <= t.channels; c += kLanes)
    channels_at<kWidth, kStride, kPixels, false>(t, c, t.panels + c / 16 * t.panel_floats + c % 16, kLanes, lo, hi);
  if (c < t.channels)
    channels_at<kWidth, kStride, kPixels, true>(t, c, t.panels + c / 16 * t.panel_floats + c % 16, t.channels - c, lo, hi);
}

#define GLINT_PIXELS(width, stride) {tile<width, stride, 1>, tile<width, stride, 2>, tile<width, stride, 3>, tile<width, stride, 4>}

}  // namespace

extern constinit const DepthwiseKernels depthwise_f32 = {
    {{GLINT_PIXELS(3, 1), GLINT_PIXELS(3, 2)}, {GLINT_PIXELS(5, 1), GLINT_PIXELS(5, 2)}}, tile<0, 1, 1>};

}  // namespace glint::kernels::GLINT_ISA
HWY_AFTER_NAMESPACE();
