#include "glint/kernels/elementwise/tile_program.h"

#include <bit>
#include <limits>

namespace glint::kernels {
namespace {

// What a step takes and yields, given the type of its first input.
bool types_fit(TileOp op, TileType a, TileType b, TileType c, TileType* result) {
  constexpr TileType f = TileType::kF32, i = TileType::kI32;
  *result = a;
  switch (op) {
    case TileOp::kAdd: case TileOp::kSub: case TileOp::kMul: case TileOp::kMin: case TileOp::kMax: return a == b;
    case TileOp::kNeg: case TileOp::kAbs: case TileOp::kRelu: return true;
    case TileOp::kClamp: return a == b && a == c;
    case TileOp::kSelect: *result = b; return a == i && b == c;
    case TileOp::kEq: case TileOp::kNe: case TileOp::kLt: case TileOp::kLe: case TileOp::kGt: case TileOp::kGe: *result = i; return a == b;
    case TileOp::kAnd: case TileOp::kOr: case TileOp::kXor: return a == i && b == i;
    case TileOp::kToF32: *result = f; return a == i;
    case TileOp::kToI32: *result = i; return a == f;
    case TileOp::kDiv: case TileOp::kLeakyRelu: case TileOp::kElu: return a == f && b == f;
    case TileOp::kMulAdd: return a == f && b == f && c == f;
    default: return a == f;
  }
}

// Gives every step a slot of scratch; a slot is free again after the last read of its value.
bool assign_slots(TileProgram& p) {
  uint8_t last_read[kTileMaxSteps] = {};
  for (int s = 0; s < p.steps; ++s) {
    const uint8_t inputs[] = {p.step[s].a, p.step[s].b, p.step[s].c};
    for (int k = 0; k < tile_op_inputs(p.step[s].op); ++k) last_read[inputs[k]] = uint8_t(s);
  }
  last_read[p.steps - 1] = uint8_t(p.steps);
  int owner[kTileMaxSlots];
  for (int& o : owner) o = -1;
  for (int s = 0; s < p.steps; ++s) {
    int slot = 0;
    // Steps are elementwise: one may overwrite an input that nobody reads later.
    while (slot < kTileMaxSlots && owner[slot] >= 0 && last_read[owner[slot]] > s) ++slot;
    if (slot == kTileMaxSlots) return false;
    owner[slot] = s;
    p.step[s].slot = uint8_t(slot);
    if (slot + 1 > p.slots) p.slots = uint8_t(slot + 1);
  }
  return true;
}

}  // namespace

Status decode_tile_program(std::string_view bytes, bool epilogue, TileProgram& out) {
  out = {};
  if (epilogue && bytes.empty()) {
    out.steps = out.slots = 1;
    out.step[0] = {TileOp::kAcc, TileType::kF32, 0, 0, 0, 0, 0};
    return {};
  }
  const auto at = [&](size_t i) { return uint8_t(bytes[i]); };
  if (bytes.size() < kTileHeaderBytes) return invalid_argument("tile program: too short");
  if (at(0) != kTileVersion) return unsupported("tile program: unknown version");
  out.operands = at(1);
  out.steps = at(2);
  out.result = DType(at(3));
  if (out.operands > kTileMaxOperands) return invalid_argument("tile program: too many operands");
  if (out.steps == 0 || out.steps > kTileMaxSteps) return invalid_argument("tile program: bad number of steps");
  if (bytes.size() != size_t(kTileHeaderBytes + out.operands * kTileOperandBytes + out.steps * kTileStepBytes))
    return invalid_argument("tile program: its length disagrees with its header");
  size_t pos = kTileHeaderBytes;
  TileType operand_type[kTileMaxOperands] = {}, type[kTileMaxSteps] = {}, result_type;
  for (int i = 0; i < out.operands; ++i, pos += kTileOperandBytes) {
    out.operand[i] = {DType(at(pos)), TileMode(at(pos + 1))};
    if (!tile_type_of(out.operand[i].dtype, &operand_type[i])) return invalid_argument("tile program: bad dtype of an operand");
    if (at(pos + 1) > uint8_t(TileMode::kScalar)) return invalid_argument("tile program: bad mode of an operand");
  }
  for (int s = 0; s < out.steps; ++s, pos += kTileStepBytes) {
    const TileOp op = TileOp(at(pos));
    const uint8_t a = at(pos + 1), b = at(pos + 2), c = at(pos + 3);
    uint32_t imm = 0;
    for (size_t i = 0; i < 4; ++i) imm |= uint32_t(at(pos + 4 + i)) << (8 * i);
    if (op >= TileOp::kCount) return invalid_argument("tile program: unknown step", s);
    if ((op == TileOp::kAcc) != (epilogue && s == 0)) return invalid_argument("tile program: the accumulator is step 0 of an epilogue and nothing else", s);
    const int inputs = tile_op_inputs(op);
    const uint8_t read[] = {a, b, c};
    for (int k = 0; k < inputs; ++k)
      if (read[k] >= s) return invalid_argument("tile program: a step reads a value that is not there yet", s);
    TileType in = TileType::kF32;
    if (op == TileOp::kLoad) {
      if (a >= out.operands) return invalid_argument("tile program: a step loads an operand that is not there", s);
      in = type[s] = operand_type[a];
    } else if (op == TileOp::kConst) {
      if (b > 1) return invalid_argument("tile program: bad type of a constant", s);
      in = type[s] = TileType(b);
    } else if (op == TileOp::kAcc) {
      type[s] = TileType::kF32;
    } else {
      if (!types_fit(op, type[a], type[inputs > 1 ? b : a], type[inputs > 2 ? c : a], &type[s]))
        return invalid_argument("tile program: a step cannot take these types", s);
      in = op == TileOp::kSelect ? type[b] : type[a];
    }
    out.step[s] = {op, in, a, b, c, 0, imm};
  }
  if (!tile_type_of(out.result, &result_type) || result_type != type[out.steps - 1])
    return invalid_argument("tile program: its result has another type");
  if (!assign_slots(out)) return unsupported("tile program: too many values live at once");
  return {};
}

bool match_fused(const TileProgram& p, FusedEpilogue& out) {
  constexpr float inf = std::numeric_limits<float>::infinity();
  out = {-1, -inf, inf};
  if (p.result != DType::kF32) return false;
  int current = 0;
  bool clamped = false;
  const auto constant = [&](int v, float* f) {
    *f = std::bit_cast<float>(p.step[v].imm);
    return p.step[v].op == TileOp::kConst && *f == *f;
  };
  const auto clamp = [&](float lo, float hi) {
    const auto bound = [&](float v) { return v < lo ? (lo < hi ? lo : hi) : v > hi ? hi : v; };
    out.lo = bound(out.lo);
    out.hi = bound(out.hi);
    clamped = true;
    return true;
  };
  for (int s = 1; s < p.steps; ++s) {
    const TileProgram::Step& step = p.step[s];
    float lo = -inf, hi = inf;
    const auto other = [&] { return step.a == current ? int(step.b) : int(step.a); };
    bool fits = step.a == current;
    switch (step.op) {
      case TileOp::kLoad: case TileOp::kConst: continue;
      case TileOp::kRelu: fits = fits && clamp(0, inf); break;
      case TileOp::kClamp: fits = fits && constant(step.b, &lo) && constant(step.c, &hi) && clamp(lo, hi); break;
      case TileOp::kMax: fits = (step.a == current || step.b == current) && constant(other(), &lo) && clamp(lo, inf); break;
      case TileOp::kMin: fits = (step.a == current || step.b == current) && constant(other(), &hi) && clamp(-inf, hi); break;
      case TileOp::kAdd: {
        const TileProgram::Step& r = p.step[other()];
        fits = (step.a == current) != (step.b == current) && !clamped && out.residual < 0 && r.op == TileOp::kLoad &&
               p.operand[r.a].dtype == DType::kF32 && p.operand[r.a].mode == TileMode::kFull;
        out.residual = r.a;
        break;
      }
      default: fits = false;
    }
    if (!fits) return false;
    current = s;
  }
  return current == p.steps - 1;
}

}  // namespace glint::kernels
