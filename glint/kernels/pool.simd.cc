#include "glint/kernels/pool.h"

#include "glint/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace glint::kernels::GLINT_ISA {
namespace {

HWY_INLINE VF larger(VF a, VF b) { return hn::IfThenElse(hn::Or(hn::Gt(a, b), hn::IsNaN(a)), a, b); }

void max(const float* const* pixels, int64_t count, int64_t channels, float* out) {
  int64_t c = 0;
  for (; c + kLanes <= channels; c += kLanes) {
    VF v = hn::LoadU(kF32, pixels[0] + c);
    for (int64_t i = 1; i < count; ++i) v = larger(v, hn::LoadU(kF32, pixels[i] + c));
    hn::StoreU(v, kF32, out + c);
  }
  if (c == channels) return;
  const int64_t left = channels - c;
  VF v = load_first(pixels[0] + c, left);
  for (int64_t i = 1; i < count; ++i) v = larger(v, load_first(pixels[i] + c, left));
  store_first(v, out + c, left);
}

void average(const float* const* pixels, int64_t count, float divisor, int64_t channels, float* out) {
  const VF d = hn::Set(kF32, divisor);
  int64_t c = 0;
  // Four sums at a time: additions to one would wait for each other.
  for (; c + 4 * kLanes <= channels; c += 4 * kLanes) {
    VF sum[4];
    GLINT_UNROLL
    for (int v = 0; v < 4; ++v) sum[v] = hn::Zero(kF32);
    for (int64_t i = 0; i < count; ++i) {
      GLINT_UNROLL
      for (int v = 0; v < 4; ++v) sum[v] = hn::Add(sum[v], hn::LoadU(kF32, pixels[i] + c + v * kLanes));
    }
    GLINT_UNROLL
    for (int v = 0; v < 4; ++v) hn::StoreU(hn::Div(sum[v], d), kF32, out + c + v * kLanes);
  }
  for (; c < channels; c += kLanes) {
    const int64_t left = channels - c < kLanes ? channels - c : kLanes;
    VF sum = hn::Zero(kF32);
    for (int64_t i = 0; i < count; ++i) sum = hn::Add(sum, load_first(pixels[i] + c, left));
    store_first(hn::Div(sum, d), out + c, left);
  }
}

}  // namespace

extern constinit const PoolKernels pool_f32 = {max, average};

}  // namespace glint::kernels::GLINT_ISA
HWY_AFTER_NAMESPACE();
