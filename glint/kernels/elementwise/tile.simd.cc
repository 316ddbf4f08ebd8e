#include "glint/kernels/elementwise/tile.h"

#include "glint/kernels/elementwise/math-inl.h"
#include "glint/kernels/simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace glint::kernels::GLINT_ISA {
namespace {

// A value of a step: a tile, or (mask 0) one vector's worth of equal elements.
struct Tile {
  const float* at;
  int64_t mask;  // all ones, or 0
};

HWY_INLINE VF get(Tile t, int64_t i) { return hn::LoadU(kF32, t.at + (i & t.mask)); }
HWY_INLINE VI get_int(Tile t, int64_t i) { return hn::BitCast(kI32, get(t, i)); }
HWY_INLINE void put(VF v, float* out, int64_t i) { hn::StoreU(v, kF32, out + i); }
HWY_INLINE void put(VI v, float* out, int64_t i) { hn::StoreU(hn::BitCast(kF32, v), kF32, out + i); }

// Elements in strided rows to and from 32-bit lanes side by side. The lanes are bytes to the
// language: a slot holds floats now and integers then.
template <class From, class To>
void widen(const TileRows& from, int64_t rows, int64_t cols, float* out) {
  static_assert(sizeof(To) == 4);
  for (int64_t r = 0; r < rows; ++r, out += cols) {
    const From* p = static_cast<const From*>(from.rows[r]);
    if constexpr (sizeof(From) == 4) {
      if (from.step == 1) {
        __builtin_memcpy(out, p, size_t(cols) * 4);
        continue;
      }
    }
    for (int64_t c = 0; c < cols; ++c) {
      const To v = To(p[c * from.step]);
      __builtin_memcpy(out + c, &v, 4);
    }
  }
}
template <class From, class To>
void narrow(const float* in, int64_t rows, int64_t cols, void* const* out, int64_t step) {
  static_assert(sizeof(From) == 4);
  for (int64_t r = 0; r < rows; ++r, in += cols) {
    To* p = static_cast<To*>(out[r]);
    if constexpr (sizeof(To) == 4) {
      if (step == 1) {
        __builtin_memcpy(p, in, size_t(cols) * 4);
        continue;
      }
    }
    for (int64_t c = 0; c < cols; ++c) {
      From v;
      __builtin_memcpy(&v, in + c, 4);
      p[c * step] = To(v);
    }
  }
}

template <class F>
HWY_INLINE void each(int64_t n, F f) {
  for (int64_t i = 0; i < n; i += kLanes) f(i);
}

void load(DType dtype, const TileRows& from, int64_t rows, int64_t cols, int64_t padded, float* out) {
  const Tile tile{out, ~int64_t(0)};
  for (int64_t i = rows * cols; i < padded; ++i) out[i] = 0;
  switch (dtype) {
    case DType::kF32: return widen<float, float>(from, rows, cols, out);
    case DType::kI32: return widen<int32_t, int32_t>(from, rows, cols, out);
    case DType::kI16: return widen<int16_t, int32_t>(from, rows, cols, out);
    case DType::kU16: return widen<uint16_t, int32_t>(from, rows, cols, out);
    case DType::kI8: return widen<int8_t, int32_t>(from, rows, cols, out);
    case DType::kU8: case DType::kBool: return widen<uint8_t, int32_t>(from, rows, cols, out);
    case DType::kF16:
      widen<uint16_t, int32_t>(from, rows, cols, out);
      return each(padded, [&](int64_t i) { put(f16_to_f32(get_int(tile, i)), out, i); });
    case DType::kBF16:
      widen<uint16_t, int32_t>(from, rows, cols, out);
      return each(padded, [&](int64_t i) { put(bf16_to_f32(get_int(tile, i)), out, i); });
    default: return;
  }
}

// `staging` may be the value's own memory.
void store(DType dtype, Tile value, int64_t rows, int64_t cols, int64_t padded, void* const* out, int64_t step, float* staging) {
  each(padded, [&](int64_t i) {
    if (dtype == DType::kF16) put(f32_to_f16(get(value, i)), staging, i);
    else if (dtype == DType::kBF16) put(f32_to_bf16(get(value, i)), staging, i);
    else put(get(value, i), staging, i);
  });
  switch (dtype) {
    case DType::kF32: return narrow<float, float>(staging, rows, cols, out, step);
    case DType::kI32: return narrow<int32_t, int32_t>(staging, rows, cols, out, step);
    case DType::kI16: case DType::kU16: case DType::kF16: case DType::kBF16: return narrow<int32_t, uint16_t>(staging, rows, cols, out, step);
    case DType::kBool: return narrow<int32_t, bool>(staging, rows, cols, out, step);
    case DType::kI8: case DType::kU8: return narrow<int32_t, uint8_t>(staging, rows, cols, out, step);
    default: return;
  }
}

// NaN in either operand gives NaN, as PyTorch's minimum and maximum do.
HWY_INLINE VF min_nan(VF a, VF b) { return hn::IfThenElse(hn::Or(hn::Lt(a, b), hn::IsNaN(a)), a, b); }
HWY_INLINE VF max_nan(VF a, VF b) { return hn::IfThenElse(hn::Or(hn::Gt(a, b), hn::IsNaN(a)), a, b); }

template <class M> HWY_INLINE VI truth(M mask) { return hn::BitCast(kI32, hn::IfThenElseZero(mask, hn::BitCast(kF32, hn::Set(kI32, 1)))); }
template <class M> HWY_INLINE VI truth_int(M mask) { return hn::IfThenElseZero(mask, hn::Set(kI32, 1)); }

void compute_int(TileOp op, Tile a, Tile b, Tile c, int64_t n, float* out) {
  const auto map = [&](auto f) { each(n, [&](int64_t i) { put(f(i), out, i); }); };
#define X get_int(a, i)
#define Y get_int(b, i)
#define Z get_int(c, i)
  switch (op) {
    case TileOp::kAdd: return map([&](int64_t i) { return hn::Add(X, Y); });
    case TileOp::kSub: return map([&](int64_t i) { return hn::Sub(X, Y); });
    case TileOp::kMul: return map([&](int64_t i) { return hn::Mul(X, Y); });
    case TileOp::kMin: return map([&](int64_t i) { return hn::Min(X, Y); });
    case TileOp::kMax: return map([&](int64_t i) { return hn::Max(X, Y); });
    case TileOp::kNeg: return map([&](int64_t i) { return hn::Sub(hn::Zero(kI32), X); });
    case TileOp::kAbs: return map([&](int64_t i) { return hn::Max(X, hn::Sub(hn::Zero(kI32), X)); });
    case TileOp::kRelu: return map([&](int64_t i) { return hn::Max(X, hn::Zero(kI32)); });
    case TileOp::kClamp: return map([&](int64_t i) { return hn::Min(hn::Max(X, Y), Z); });
    case TileOp::kSelect: return map([&](int64_t i) { return hn::IfThenElse(hn::Ne(X, hn::Zero(kI32)), Y, Z); });
    case TileOp::kEq: return map([&](int64_t i) { return truth_int(hn::Eq(X, Y)); });
    case TileOp::kNe: return map([&](int64_t i) { return truth_int(hn::Ne(X, Y)); });
    case TileOp::kLt: return map([&](int64_t i) { return truth_int(hn::Lt(X, Y)); });
    case TileOp::kLe: return map([&](int64_t i) { return hn::Sub(hn::Set(kI32, 1), truth_int(hn::Gt(X, Y))); });
    case TileOp::kGt: return map([&](int64_t i) { return truth_int(hn::Gt(X, Y)); });
    case TileOp::kGe: return map([&](int64_t i) { return hn::Sub(hn::Set(kI32, 1), truth_int(hn::Lt(X, Y))); });
    case TileOp::kAnd: return map([&](int64_t i) { return hn::And(X, Y); });
    case TileOp::kOr: return map([&](int64_t i) { return hn::Or(X, Y); });
    case TileOp::kXor: return map([&](int64_t i) { return hn::Xor(X, Y); });
    case TileOp::kToF32: return map([&](int64_t i) { return hn::ConvertTo(kF32, X); });
    default: return;
  }
#undef X
#undef Y
#undef Z
}

void compute(TileOp op, Tile a, Tile b, Tile c, int64_t n, float* out) {
  const auto map = [&](auto f) { each(n, [&](int64_t i) { put(f(i), out, i); }); };
  const VF zero = hn::Zero(kF32), one = splat(1.0f);
#define X get(a, i)
#define Y get(b, i)
#define Z get(c, i)
  switch (op) {
    case TileOp::kAdd: return map([&](int64_t i) { return hn::Add(X, Y); });
    case TileOp::kSub: return map([&](int64_t i) { return hn::Sub(X, Y); });
    case TileOp::kMul: return map([&](int64_t i) { return hn::Mul(X, Y); });
    case TileOp::kDiv: return map([&](int64_t i) { return hn::Div(X, Y); });
    case TileOp::kMulAdd: return map([&](int64_t i) { return hn::Add(hn::Mul(X, Y), Z); });
    case TileOp::kMin: return map([&](int64_t i) { return min_nan(X, Y); });
    case TileOp::kMax: return map([&](int64_t i) { return max_nan(X, Y); });
    case TileOp::kNeg: return map([&](int64_t i) { return hn::Neg(X); });
    case TileOp::kAbs: return map([&](int64_t i) { return hn::Abs(X); });
    case TileOp::kRelu: return map([&](int64_t i) { return at_least(X, zero); });
    case TileOp::kClamp: return map([&](int64_t i) { return min_nan(max_nan(X, Y), Z); });
    case TileOp::kEq: return map([&](int64_t i) { return truth(hn::Eq(X, Y)); });
    case TileOp::kNe: return map([&](int64_t i) { return hn::Sub(hn::Set(kI32, 1), truth(hn::Eq(X, Y))); });  // Highway's Ne(NaN, NaN) is false on x86
    case TileOp::kLt: return map([&](int64_t i) { return truth(hn::Lt(X, Y)); });
    case TileOp::kLe: return map([&](int64_t i) { return truth(hn::Le(X, Y)); });
    case TileOp::kGt: return map([&](int64_t i) { return truth(hn::Gt(X, Y)); });
    case TileOp::kGe: return map([&](int64_t i) { return truth(hn::Ge(X, Y)); });
    case TileOp::kToI32: return map([&](int64_t i) { return hn::ConvertTo(kI32, X); });
    case TileOp::kSigmoid: return map([&](int64_t i) { return sigmoid(X); });
    case TileOp::kTanh: return map([&](int64_t i) { return tanh(X); });
    case TileOp::kGelu: return map([&](int64_t i) { return gelu(X); });
    case TileOp::kGeluTanh: return map([&](int64_t i) { return gelu_tanh(X); });
    case TileOp::kSilu: return map([&](int64_t i) { return hn::Mul(X, sigmoid(X)); });
    case TileOp::kHardSwish: return map([&](int64_t i) { return hard_swish(X); });
    case TileOp::kHardSigmoid: return map([&](int64_t i) { return hard_sigmoid(X); });
    case TileOp::kExp: return map([&](int64_t i) { return exp(X); });
    case TileOp::kLog: return map([&](int64_t i) { return log(X); });
    case TileOp::kSqrt: return map([&](int64_t i) { return hn::Sqrt(X); });
    case TileOp::kRsqrt: return map([&](int64_t i) { return hn::Div(one, hn::Sqrt(X)); });
    case TileOp::kSquare: return map([&](int64_t i) { return hn::Mul(X, X); });
    case TileOp::kReciprocal: return map([&](int64_t i) { return hn::Div(one, X); });
    case TileOp::kErf: return map([&](int64_t i) { return erf(X); });
    case TileOp::kFloor: return map([&](int64_t i) { return hn::Floor(X); });
    case TileOp::kCeil: return map([&](int64_t i) { return hn::Ceil(X); });
    case TileOp::kRound: return map([&](int64_t i) { return hn::Round(X); });
    case TileOp::kTrunc: return map([&](int64_t i) { return hn::Trunc(X); });
    case TileOp::kLeakyRelu: return map([&](int64_t i) { return hn::IfThenElse(hn::Gt(X, zero), X, hn::Mul(X, Y)); });
    case TileOp::kElu: return map([&](int64_t i) { return hn::IfThenElse(hn::Gt(X, zero), X, hn::Mul(Y, hn::Sub(exp(X), one))); });
    case TileOp::kRoundF16: return map([&](int64_t i) { return f16_to_f32(f32_to_f16(X)); });
    case TileOp::kRoundBF16: return map([&](int64_t i) { return bf16_to_f32(f32_to_bf16(X)); });
    default: return;
  }
#undef X
#undef Y
#undef Z
}

void run(const TileRun& t) {
  const TileProgram& program = *t.program;
  constexpr int64_t all = ~int64_t(0);
  const int64_t n = t.rows * t.cols, padded = (n + 15) & ~int64_t(15);
  float* const splats = static_cast<float*>(t.scratch);
  float* const slots = splats + kTileMaxSteps * 16;
  float* const staging = slots + program.slots * kTileElements;
  // Whole contiguous tiles are read and written where they lie.
  const bool whole = t.rows == 1 && n == padded;
  const bool direct_out = whole && t.out_step == 1 && (program.result == DType::kF32 || program.result == DType::kI32);
  Tile value[kTileMaxSteps];
  for (int s = 0; s < program.steps; ++s) {
    const TileProgram::Step& step = program.step[s];
    float* slot = slots + step.slot * kTileElements;
    float* splat_slot = splats + s * 16;
    const bool last = s == program.steps - 1;
    if (step.op == TileOp::kLoad || step.op == TileOp::kAcc) {
      const bool acc = step.op == TileOp::kAcc;
      const TileRows& from = acc ? t.accumulator : t.operands[step.a];
      const DType dtype = acc ? DType::kF32 : program.operand[step.a].dtype;
      if (!acc && program.operand[step.a].mode == TileMode::kScalar) {
        load(dtype, TileRows{from.rows, 0}, 1, 16, 16, splat_slot);
        value[s] = {splat_slot, 0};
      } else if (whole && from.step == 1 && (dtype == DType::kF32 || dtype == DType::kI32)) {
        value[s] = {static_cast<const float*>(from.rows[0]), all};
      } else {
        load(dtype, from, t.rows, t.cols, padded, slot);
        value[s] = {slot, all};
      }
    } else if (step.op == TileOp::kConst) {
      each(16, [&](int64_t i) { put(hn::Set(kI32, int32_t(step.imm)), splat_slot, i); });
      value[s] = {splat_slot, 0};
    } else {
      const int inputs = tile_op_inputs(step.op);
      const Tile a = value[step.a], b = inputs > 1 ? value[step.b] : a, c = inputs > 2 ? value[step.c] : a;
      const bool equal = (a.mask | b.mask | c.mask) == 0;
      float* to = equal ? splat_slot : last && direct_out ? static_cast<float*>(t.out[0]) : slot;
      (step.type == TileType::kI32 || step.op == TileOp::kSelect ? compute_int : compute)(step.op, a, b, c, equal ? 16 : padded, to);
      value[s] = {to, equal ? 0 : all};
    }
  }
  const Tile result = value[program.steps - 1];
  if (direct_out && result.at == t.out[0]) return;
  store(program.result, result, t.rows, t.cols, padded, t.out, t.out_step, staging);
}

}  // namespace

extern constinit const TileKernels tile_kernels = {run};

}  // namespace glint::kernels::GLINT_ISA
HWY_AFTER_NAMESPACE();
