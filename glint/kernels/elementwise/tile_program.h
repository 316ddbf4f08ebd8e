#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "glint/base/status.h"
#include "glint/core/dtype.h"

// Elementwise tile programs: the one encoding of fused elementwise work, whether an
// operator of its own (glint::tile) or the epilogue of a convolution or matrix
// multiply. See docs/tile_programs.md for the bytes.

namespace glint::kernels {

/// What a step computes. Numbers are part of the encoding: never reuse one.
enum class TileOp : uint8_t {
  kAcc = 0,       // the accumulator that an epilogue starts from; only as step 0
  kLoad = 1,      // operand a
  kConst = 2,     // imm; b: 0 f32, 1 i32
  // f32 or i32: both operands alike
  kAdd = 3, kSub = 4, kMul = 5, kMin = 6, kMax = 7, kNeg = 8, kAbs = 9, kRelu = 10,
  kClamp = 11,    // min(max(a, b), c)
  kSelect = 12,   // a (i32) != 0 ? b : c
  kEq = 13, kNe = 14, kLt = 15, kLe = 16, kGt = 17, kGe = 18,  // -> i32, 0 or 1
  // i32
  kAnd = 19, kOr = 20, kXor = 21,
  kToF32 = 22,    // i32 -> f32
  kToI32 = 23,    // f32 -> i32, truncating
  // f32
  kDiv = 24, kSigmoid = 25, kTanh = 26, kGelu = 27, kGeluTanh = 28, kSilu = 29, kHardSwish = 30, kHardSigmoid = 31,
  kExp = 32, kLog = 33, kSqrt = 34, kRsqrt = 35, kSquare = 36, kReciprocal = 37, kErf = 38,
  kFloor = 39, kCeil = 40, kRound = 41, kTrunc = 42,
  kLeakyRelu = 43,  // a > 0 ? a : a * b
  kElu = 44,        // a > 0 ? a : b * (exp(a) - 1)
  kRoundF16 = 45, kRoundBF16 = 46,  // to the nearest value of a half type
  kMulAdd = 47,     // a * b + c, rounded twice
  kCount = 48,
};

enum class TileType : uint8_t { kF32 = 0, kI32 = 1 };

/// How an operand spreads over the result.
enum class TileMode : uint8_t {
  kFull = 0,    // numpy's broadcasting to the result's sizes
  kRow = 1,     // one element for each index of the last dimension (of a convolution: each channel)
  kColumn = 2,  // one element for each row (of a convolution: each pixel)
  kScalar = 3,  // one element
};

inline constexpr int kTileVersion = 1;
inline constexpr int kTileMaxOperands = 7, kTileMaxSteps = 64, kTileMaxSlots = 16;
inline constexpr int kTileHeaderBytes = 4, kTileOperandBytes = 2, kTileStepBytes = 8;
/// Elements of one tile: 2 KB of f32.
inline constexpr int64_t kTileElements = 512;

/// Operands a step reads: how many of a, b, c.
constexpr int tile_op_inputs(TileOp op) {
  switch (op) {
    case TileOp::kAcc: case TileOp::kLoad: case TileOp::kConst: return 0;
    case TileOp::kClamp: case TileOp::kSelect: case TileOp::kMulAdd: return 3;
    case TileOp::kAdd: case TileOp::kSub: case TileOp::kMul: case TileOp::kMin: case TileOp::kMax: case TileOp::kEq:
    case TileOp::kNe: case TileOp::kLt: case TileOp::kLe: case TileOp::kGt: case TileOp::kGe: case TileOp::kAnd: case TileOp::kOr:
    case TileOp::kXor: case TileOp::kDiv: case TileOp::kLeakyRelu: case TileOp::kElu: return 2;
    default: return 1;
  }
}

/// The type that a storage dtype is computed in; false when tiles do not hold it.
constexpr bool tile_type_of(DType d, TileType* type) {
  switch (d) {
    case DType::kF32: case DType::kF16: case DType::kBF16: *type = TileType::kF32; return true;
    case DType::kI32: case DType::kI16: case DType::kI8: case DType::kU8: case DType::kU16: case DType::kBool: *type = TileType::kI32; return true;
    default: return false;
  }
}

/// Writes a program. Fixed capacity: when it is exceeded, ok() turns false and stays so.
/// Steps return the number of the value that they yield. Two steps among the arguments of one call come in
/// an order that the compiler picks: give each its own statement where the order matters (operands).
class TileBuilder {
 public:
  /// An epilogue starts with value 0, the accumulator.
  explicit constexpr TileBuilder(bool epilogue = false) { if (epilogue) step(TileOp::kAcc); }

  constexpr int operand(DType storage, TileMode mode) {
    if (operands_ == kTileMaxOperands) return ok_ = false, 0;
    operand_[operands_][0] = char(storage);
    operand_[operands_][1] = char(mode);
    return operands_++;
  }
  /// Declares an operand and loads it.
  constexpr int load(DType storage, TileMode mode) { return step(TileOp::kLoad, operand(storage, mode)); }
  constexpr int load(int operand_index) { return step(TileOp::kLoad, operand_index); }
  constexpr int constant(float v) { return step(TileOp::kConst, 0, 0, 0, std::bit_cast<uint32_t>(v)); }
  constexpr int constant_i32(int32_t v) { return step(TileOp::kConst, 0, 1, 0, uint32_t(v)); }
  constexpr int step(TileOp op, int a = 0, int b = 0, int c = 0, uint32_t imm = 0) {
    if (steps_ == kTileMaxSteps) return ok_ = false, 0;
    char* s = step_[steps_];
    s[0] = char(op); s[1] = char(a); s[2] = char(b); s[3] = char(c);
    for (int i = 0; i < 4; ++i) s[4 + i] = char(imm >> (8 * i));
    return steps_++;
  }
  constexpr int clamp(int a, float lo, float hi) { return step(TileOp::kClamp, a, constant(lo), constant(hi)); }

  constexpr int operands() const { return operands_; }
  constexpr int steps() const { return steps_; }
  constexpr bool ok() const { return ok_ && steps_ > 0; }

  /// The bytes; the last step is the result, stored as `result`. Valid until the next call that adds.
  constexpr std::string_view finish(DType result = DType::kF32) {
    char* p = bytes_;
    *p++ = char(kTileVersion); *p++ = char(operands_); *p++ = char(steps_); *p++ = char(result);
    for (int i = 0; i < operands_; ++i) for (char c : operand_[i]) *p++ = c;
    for (int i = 0; i < steps_; ++i) for (char c : step_[i]) *p++ = c;
    return {bytes_, size_t(p - bytes_)};
  }

 private:
  int operands_ = 0, steps_ = 0;
  bool ok_ = true;
  char operand_[kTileMaxOperands][kTileOperandBytes] = {};
  char step_[kTileMaxSteps][kTileStepBytes] = {};
  char bytes_[kTileHeaderBytes + kTileMaxOperands * kTileOperandBytes + kTileMaxSteps * kTileStepBytes] = {};
};

/// A program that was checked: what the interpreter runs.
struct TileProgram {
  struct Step { TileOp op; TileType type; uint8_t a, b, c, slot; uint32_t imm; };  // type: of the inputs
  uint8_t operands = 0, steps = 0, slots = 0;  // slots: tiles of scratch that are live at once
  DType result = DType::kF32;
  struct Operand { DType dtype; TileMode mode; };
  Operand operand[kTileMaxOperands] = {};
  Step step[kTileMaxSteps] = {};
};

/// Checks `bytes` and decodes them. An epilogue starts with the accumulator, a program that is none must
/// not; an epilogue of no bytes is the identity. Any bytes are safe to pass.
Status decode_tile_program(std::string_view bytes, bool epilogue, TileProgram& out);

/// An epilogue that needs no interpreter: clamp(accumulator + residual), in registers.
struct FusedEpilogue {
  int residual = -1;  // operand index
  float lo, hi;
};
/// False when `program` is not of that form.
bool match_fused(const TileProgram& program, FusedEpilogue& out);

}  // namespace glint::kernels
