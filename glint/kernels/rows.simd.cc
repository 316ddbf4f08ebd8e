#include "glint/kernels/rows.h"

#include "glint/kernels/elementwise/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace glint::kernels::GLINT_ISA {
namespace {

HWY_INLINE float sum_lanes(VF v) { return hn::GetLane(hn::SumOfLanes(kF32, v)); }

void softmax(const float* x, int64_t n, float* out) {
  float most = x[0];
  bool nan = false;
  if (n >= kLanes) {
    VF m = hn::LoadU(kF32, x);
    auto bad = hn::IsNaN(m);
    int64_t i = kLanes;
    for (; i + kLanes <= n; i += kLanes) {
      const VF v = hn::LoadU(kF32, x + i);
      bad = hn::Or(bad, hn::IsNaN(v));
      m = hn::IfThenElse(hn::Gt(v, m), v, m);
    }
    HWY_ALIGN float lanes[kLanes];
    hn::Store(m, kF32, lanes);
    most = lanes[0];
    for (int64_t k = 1; k < kLanes; ++k) most = lanes[k] > most ? lanes[k] : most;
    nan = !hn::AllFalse(kF32, bad);
    for (; i < n; ++i) {
      nan |= x[i] != x[i];
      most = x[i] > most ? x[i] : most;
    }
  } else {
    for (int64_t i = 0; i < n; ++i) {
      nan |= x[i] != x[i];
      most = x[i] > most ? x[i] : most;
    }
  }
  const VF shift = hn::Set(kF32, nan ? __builtin_nanf("") : most);
  VF sum = hn::Zero(kF32);
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    const VF e = exp(hn::Sub(hn::LoadU(kF32, x + i), shift));
    sum = hn::Add(sum, e);
    hn::StoreU(e, kF32, out + i);
  }
  float total = sum_lanes(sum);
  if (i < n) {
    HWY_ALIGN float lanes[kLanes];
    hn::Store(exp(hn::Sub(load_first(x + i, n - i), shift)), kF32, lanes);
    for (int64_t k = 0; k < n - i; ++k) {
      out[i + k] = lanes[k];
      total += lanes[k];
    }
  }
  const VF scale = hn::Set(kF32, 1.0f / total);
  for (i = 0; i + kLanes <= n; i += kLanes) hn::StoreU(hn::Mul(hn::LoadU(kF32, out + i), scale), kF32, out + i);
  for (; i < n; ++i) out[i] *= 1.0f / total;
}

}  // namespace

extern constinit const RowKernels rows_f32{softmax};

}  // namespace glint::kernels::GLINT_ISA
HWY_AFTER_NAMESPACE();
