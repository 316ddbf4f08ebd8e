// Included by every *.simd.cc, which is compiled once per instruction set. Everything
// here has internal linkage: an inline function with a shared name would let
// the linker hand one set's code to another.
#pragma once

#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#if defined(__clang__)
#define GLINT_UNROLL _Pragma("unroll")
#else
#define GLINT_UNROLL _Pragma("GCC unroll 64")
#endif

HWY_BEFORE_NAMESPACE();
namespace glint::kernels::GLINT_ISA {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using F32 = hn::ScalableTag<float>;
using I32 = hn::ScalableTag<int32_t>;
using VF = hn::Vec<F32>;
using VI = hn::Vec<I32>;
constexpr F32 kF32;
constexpr I32 kI32;
/// Floats in a vector: 16, 8, 4 or 1.
constexpr int64_t kLanes = int64_t(hn::MaxLanes(F32()));
static_assert(16 % kLanes == 0);

/// The larger of `bound` and v; v where it is NaN. (Highway leaves NaN to the target.)
HWY_INLINE VF at_least(VF v, VF bound) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  return hn::Max(bound, v);
#else
  return hn::IfThenElse(hn::Lt(v, bound), bound, v);
#endif
}
HWY_INLINE VF at_most(VF v, VF bound) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  return hn::Min(bound, v);
#else
  return hn::IfThenElse(hn::Gt(v, bound), bound, v);
#endif
}

/// The first n (1 .. kLanes) lanes from memory, the others zero. Nothing else is touched.
HWY_INLINE VF load_first(const float* p, int64_t n) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  return hn::MaskedLoad(hn::FirstN(kF32, size_t(n)), kF32, p);
#else
  HWY_ALIGN float lanes[kLanes] = {};
  for (int64_t i = 0; i < n; ++i) lanes[i] = p[i];
  return hn::Load(kF32, lanes);
#endif
}
HWY_INLINE void store_first(VF v, float* p, int64_t n) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR
  hn::BlendedStore(v, hn::FirstN(kF32, size_t(n)), kF32, p);
#else
  HWY_ALIGN float lanes[kLanes];
  hn::Store(v, kF32, lanes);
  for (int64_t i = 0; i < n; ++i) p[i] = lanes[i];
#endif
}

}  // namespace
}  // namespace glint::kernels::GLINT_ISA
HWY_AFTER_NAMESPACE();
