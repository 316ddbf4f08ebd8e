// Vector mathematics for f32, within a few ulp; NaN and infinities as the C library gives. The
// polynomials are weighted minimax fits of our own.
#pragma once

#include "glint/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace glint::kernels::GLINT_ISA {
namespace {

HWY_INLINE VF splat(float v) { return hn::Set(kF32, v); }

/// c[0] + c[1] x + ..., by Horner's rule.
template <size_t N>
HWY_INLINE VF polynomial(VF x, const float (&c)[N]) {
  VF sum = splat(c[N - 1]);
  GLINT_UNROLL
  for (size_t i = 2; i <= N; ++i) sum = hn::MulAdd(sum, x, splat(c[N - i]));
  return sum;
}

/// 2^n for n in [-127, 127] (0 for -127).
HWY_INLINE VF power_of_two(VI n) { return hn::BitCast(kF32, hn::ShiftLeft<23>(hn::Add(n, hn::Set(kI32, 127)))); }

HWY_INLINE VF exp(VF x) {
  // Beyond these the result is 0 or infinity anyway.
  x = at_most(at_least(x, splat(-104.0f)), splat(89.0f));
  const VF n = hn::Round(hn::Mul(x, splat(1.44269504f)));
  VF r = hn::NegMulAdd(n, splat(0.693359375f), x);       // ln 2 in two parts, the first exact in products
  r = hn::NegMulAdd(n, splat(-2.12194440e-4f), r);
  constexpr float c[] = {0.5f, 0.16666512191295624f, 0.0416661873459816f, 0.008369598537683487f, 0.0013951717410236597f};
  const VF p = hn::Add(splat(1.0f), hn::MulAdd(hn::Mul(r, r), polynomial(r, c), r));
  // Two factors, so that neither overflows before the result does.
  const VI whole = hn::ConvertTo(kI32, n), half = hn::ShiftRight<1>(whole);
  return hn::Mul(hn::Mul(p, power_of_two(half)), power_of_two(hn::Sub(whole, half)));
}

HWY_INLINE VF log(VF x) {
  const VF smallest = splat(1.17549435e-38f);
  const auto subnormal = hn::Lt(x, smallest);
  const VF scaled = hn::IfThenElse(subnormal, hn::Mul(x, splat(8388608.0f)), x);
  const VI bits = hn::BitCast(kI32, scaled);
  // m = scaled / 2^e lies in [sqrt(1/2), sqrt(2)).
  const VI e = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(kI32, 0x3f3504f3)));
  const VF f = hn::Sub(hn::BitCast(kF32, hn::Sub(bits, hn::ShiftLeft<23>(e))), splat(1.0f));
  const VF exponent = hn::Sub(hn::ConvertTo(kF32, e), hn::IfThenElseZero(subnormal, splat(23.0f)));
  constexpr float c[] = {0.3333331346511841f, -0.25000008940696716f, 0.2000211924314499f, -0.1666799634695053f, 0.14219550788402557f,
                         -0.12405591458082199f, 0.11888174712657928f, -0.11675640940666199f, 0.06746601313352585f};
  const VF f2 = hn::Mul(f, f);
  VF tail = hn::Mul(hn::Mul(f2, f), polynomial(f, c));
  tail = hn::MulAdd(exponent, splat(-2.12194440e-4f), tail);
  tail = hn::NegMulAdd(splat(0.5f), f2, tail);
  VF result = hn::MulAdd(exponent, splat(0.693359375f), hn::Add(f, tail));
  const VF inf = splat(__builtin_inff());
  result = hn::IfThenElse(hn::Eq(x, inf), inf, result);
  result = hn::IfThenElse(hn::Eq(x, hn::Zero(kF32)), hn::Neg(inf), result);
  const auto has_log = hn::Ge(x, hn::Zero(kF32));  // false for NaN
  return hn::IfThenElse(has_log, result, splat(__builtin_nanf("")));
}

HWY_INLINE VF tanh(VF x) {
  const VF a = hn::Abs(x), z = hn::Mul(x, x);
  constexpr float c[] = {-0.3333328366279602f, 0.13331490755081177f, -0.05374349653720856f, 0.020650578662753105f, -0.005717036779969931f};
  const VF small = hn::MulAdd(hn::Mul(x, z), polynomial(z, c), x);
  const VF large = hn::Sub(splat(1.0f), hn::Div(splat(2.0f), hn::Add(exp(hn::Add(a, a)), splat(1.0f))));
  return hn::IfThenElse(hn::Lt(a, splat(0.625f)), small, hn::CopySign(large, x));
}

HWY_INLINE VF sigmoid(VF x) {
  const VF e = exp(hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(kF32)), e, splat(1.0f)), hn::Add(e, splat(1.0f)));
}

/// exp(-a * b) for 0 <= a * b, with the rounding error of the product put back.
HWY_INLINE VF exp_minus_product(VF a, VF b) {
  const VF product = hn::Mul(a, b), error = hn::MulSub(a, b, product), e = exp(hn::Neg(product));
  return hn::NegMulAdd(e, error, e);
}

/// exp(t * t) * erfc(t) for t >= 0.
HWY_INLINE VF erfc_scaled(VF t) {
  const VF u = hn::Div(splat(1.0f), hn::MulAdd(t, splat(0.4f), splat(1.0f)));
  constexpr float c[] = {0.22569012641906738f, 0.22529569268226624f, 0.21192803978919983f, 0.14422279596328735f, 0.2284490168094635f,
                         -0.20049148797988892f, 0.44375213980674744f, -0.4191516935825348f, 0.16340704262256622f, -0.02310163713991642f};
  return hn::Mul(u, polynomial(u, c));
}

HWY_INLINE VF erf(VF x) {
  const VF a = at_most(hn::Abs(x), splat(8.0f)), z = hn::Mul(a, a);
  constexpr float c[] = {1.128379225730896f, -0.37612634897232056f, 0.11283715069293976f, -0.02686050906777382f,
                         0.005203858949244022f, -0.0008175639086402953f, 0.00008513102511642501f};
  const VF small = hn::Mul(x, polynomial(z, c));
  const VF large = hn::NegMulAdd(exp_minus_product(a, a), erfc_scaled(a), splat(1.0f));
  return hn::IfThenElse(hn::Lt(a, splat(0.9f)), small, hn::CopySign(large, x));
}

HWY_INLINE VF gelu(VF x) {
  const VF a = at_most(hn::Abs(x), splat(20.0f)), half = splat(0.5f);
  const VF below = hn::Mul(half, hn::Mul(exp_minus_product(a, hn::Mul(a, half)), erfc_scaled(hn::Mul(a, splat(0.707106781f)))));  // Phi(-|x|)
  return hn::Mul(x, hn::IfThenElse(hn::Lt(x, hn::Zero(kF32)), below, hn::Sub(splat(1.0f), below)));
}

HWY_INLINE VF gelu_tanh(VF x) {
  // 0.5 x (1 + tanh(u)) is x sigmoid(2 u), which does not cancel.
  const VF cube = hn::Mul(hn::Mul(x, x), x);
  const VF u = hn::Mul(splat(0.797884561f), hn::MulAdd(splat(0.044715f), cube, x));
  return hn::Mul(x, sigmoid(hn::Add(u, u)));
}

HWY_INLINE VF hard_sigmoid(VF x) {
  return hn::Div(at_most(at_least(hn::Add(x, splat(3.0f)), hn::Zero(kF32)), splat(6.0f)), splat(6.0f));
}
HWY_INLINE VF hard_swish(VF x) {
  return hn::Div(hn::Mul(x, at_most(at_least(hn::Add(x, splat(3.0f)), hn::Zero(kF32)), splat(6.0f))), splat(6.0f));
}

/// f32 in a lane from the f16 whose bits are the lane's low half, and back, rounding to even.
HWY_INLINE VF f16_to_f32(VI bits) {
  const VI sign = hn::ShiftLeft<16>(hn::And(bits, hn::Set(kI32, 0x8000))), magnitude = hn::And(bits, hn::Set(kI32, 0x7fff));
  const VI shifted = hn::ShiftLeft<13>(magnitude);
  const VI finite = hn::BitCast(kI32, hn::Mul(hn::BitCast(kF32, shifted), splat(0x1p112f)));
  const VI special = hn::Or(shifted, hn::Set(kI32, 0x7f800000));
  return hn::BitCast(kF32, hn::Or(sign, hn::IfThenElse(hn::Gt(magnitude, hn::Set(kI32, 0x7bff)), special, finite)));
}
HWY_INLINE VI f32_to_f16(VF v) {
  const VI bits = hn::BitCast(kI32, v), magnitude = hn::And(bits, hn::Set(kI32, 0x7fffffff));
  const VI sign = hn::And(hn::ShiftRight<16>(bits), hn::Set(kI32, 0x8000));
  const VI odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(kI32, 1));
  const VI normal = hn::ShiftRight<13>(hn::Add(hn::Sub(magnitude, hn::Set(kI32, 0x38000000 - 0xfff)), odd));
  // Adding 0.5 aligns a subnormal's mantissa and rounds it.
  const VI subnormal = hn::Sub(hn::BitCast(kI32, hn::Add(hn::BitCast(kF32, magnitude), splat(0.5f))), hn::Set(kI32, 0x3f000000));
  VI half = hn::IfThenElse(hn::Lt(magnitude, hn::Set(kI32, 0x38800000)), subnormal, normal);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(kI32, 0x477fefff)), hn::Set(kI32, 0x7c00), half);
  half = hn::IfThenElse(hn::Gt(magnitude, hn::Set(kI32, 0x7f800000)), hn::Set(kI32, 0x7e00), half);
  return hn::Or(sign, half);
}
HWY_INLINE VF bf16_to_f32(VI bits) { return hn::BitCast(kF32, hn::ShiftLeft<16>(bits)); }
HWY_INLINE VI f32_to_bf16(VF v) {
  const VI bits = hn::BitCast(kI32, v), odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(kI32, 1));
  const VI rounded = hn::And(hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(kI32, 0x7fff)))), hn::Set(kI32, 0xffff));
  const VI magnitude = hn::And(bits, hn::Set(kI32, 0x7fffffff));
  return hn::IfThenElse(hn::Gt(magnitude, hn::Set(kI32, 0x7f800000)), hn::Set(kI32, 0x7fc0), rounded);
}

}  // namespace
}  // namespace glint::kernels::GLINT_ISA
HWY_AFTER_NAMESPACE();
