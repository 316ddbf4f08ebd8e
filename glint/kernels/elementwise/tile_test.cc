#include "glint/kernels/elementwise/tile.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "glint/core/cpu.h"

namespace glint::kernels {
namespace {

std::vector<Isa> isas() {
  std::vector<Isa> list;
  for (Isa isa : kBuiltIsas) {
    if (detect_cpu().supports(isa)) list.push_back(isa);
    else std::printf("not run here: %s\n", isa_name(isa));
  }
  return list;
}

// Runs a program of contiguous operands over n elements in one row.
template <class Out = float, class In = float>
std::vector<Out> run(Isa isa, std::string_view bytes, const std::vector<std::vector<In>>& operands, size_t n) {
  TileProgram program;
  const Status status = decode_tile_program(bytes, false, program);
  EXPECT_TRUE(status.ok()) << status.why();
  std::vector<Out> out(n);
  std::vector<std::byte> memory(tile_scratch_bytes(program.slots) + 64);
  void* scratch = memory.data() + (-reinterpret_cast<uintptr_t>(memory.data()) & 63);
  for (size_t first = 0; first < n; first += kTileElements) {
    const size_t count = std::min(n - first, size_t(kTileElements));
    const void* rows[kTileMaxOperands];
    TileRows list[kTileMaxOperands];
    for (size_t i = 0; i < operands.size(); ++i) {
      const bool scalar = program.operand[i].mode == TileMode::kScalar;
      rows[i] = operands[i].data() + (scalar ? 0 : first);
      list[i] = {&rows[i], scalar ? 0 : 1};
    }
    void* to = out.data() + first;
    tile_kernels(isa).run({&program, 1, int64_t(count), list, {}, &to, 1, scratch});
  }
  return out;
}

// Distance in representable floats.
double ulps(float got, double wanted) {
  const float w = float(wanted);
  if (std::isnan(wanted) || std::isinf(w) || std::isnan(got)) return (std::isnan(wanted) && std::isnan(got)) || got == w ? 0 : 1e9;
  const double spacing = std::max(double(std::nextafter(std::abs(w), INFINITY)) - std::abs(double(w)), 0x1p-149);
  return std::abs(double(got) - wanted) / spacing;
}

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

struct Function {
  const char* name;
  TileOp op;
  double (*exact)(double);
  double most_ulps;   // with fused multiply-adds
  double floor;       // absolute error that is forgiven
};

const Function kFunctions[] = {
    {"exp", TileOp::kExp, [](double x) { return std::exp(x); }, 2, 0},
    {"log", TileOp::kLog, [](double x) { return std::log(x); }, 2, 0},
    {"tanh", TileOp::kTanh, [](double x) { return std::tanh(x); }, 3, 0},
    {"sigmoid", TileOp::kSigmoid, sigmoid, 4, 1e-44},
    {"silu", TileOp::kSilu, [](double x) { return x * sigmoid(x); }, 4, 1e-42},
    {"erf", TileOp::kErf, [](double x) { return std::erf(x); }, 3, 0},
    {"gelu", TileOp::kGelu, [](double x) { return x * 0.5 * std::erfc(-x * M_SQRT1_2); }, 6, 1e-8},
    {"sqrt", TileOp::kSqrt, [](double x) { return std::sqrt(x); }, 0.51, 0},
    {"rsqrt", TileOp::kRsqrt, [](double x) { return 1 / std::sqrt(x); }, 1.6, 0},
    {"reciprocal", TileOp::kReciprocal, [](double x) { return 1 / x; }, 0.51, 0},
    {"square", TileOp::kSquare, [](double x) { return x * x; }, 0.51, 0},
    {"floor", TileOp::kFloor, [](double x) { return std::floor(x); }, 0, 0},
    {"ceil", TileOp::kCeil, [](double x) { return std::ceil(x); }, 0, 0},
    {"round", TileOp::kRound, [](double x) { return std::nearbyint(x); }, 0, 0},
    {"trunc", TileOp::kTrunc, [](double x) { return std::trunc(x); }, 0, 0},
    {"hardsigmoid", TileOp::kHardSigmoid, [](double x) { return std::isnan(x) ? x : std::min(6.0, std::max(0.0, x + 3)) / 6; }, 2, 1e-7},
    {"neg", TileOp::kNeg, [](double x) { return -x; }, 0, 0},
    {"abs", TileOp::kAbs, [](double x) { return std::abs(x); }, 0, 0},
    {"relu", TileOp::kRelu, [](double x) { return x < 0 ? 0 : x; }, 0, 0},
};

TEST(Tile, FunctionsAreWithinAFewUlp) {
  std::vector<float> x = {0.0f, -0.0f, INFINITY, -INFINITY, NAN, 1, -1, 88.7f, 88.8f, -87.4f, -103.9f, -104.5f, 1e-40f, -1e-40f, 3e38f, -3e38f, 1e-38f, 0x1p-149f, 8388609.0f, 2.5f, 3.5f, -0.5f};
  std::mt19937 random(1);
  std::uniform_real_distribution<float> small(-1, 1), wide(-20, 20), exponent(-120, 120);
  for (int i = 0; i < 20000; ++i) x.push_back(small(random)), x.push_back(wide(random)), x.push_back(std::exp2(exponent(random)) * (i % 2 ? 1 : -1));
  for (Isa isa : isas()) {
    for (const Function& f : kFunctions) {
      TileBuilder b;
      b.step(f.op, b.load(DType::kF32, TileMode::kFull));
      const auto out = run(isa, b.finish(), {x}, x.size());
      double worst = 0;
      float where = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        // An infinite argument of x * f(x) may give NaN, as PyTorch does.
        if (std::isinf(x[i]) && (f.op == TileOp::kSilu || f.op == TileOp::kGelu) && x[i] < 0) continue;
        const double wanted = f.exact(double(x[i])), error = ulps(out[i], wanted);
        if (std::abs(out[i] - wanted) <= f.floor) continue;
        if (error > worst) worst = error, where = x[i];
      }
      EXPECT_LE(worst, isa == Isa::kScalar ? f.most_ulps + 2 : f.most_ulps) << isa_name(isa) << " " << f.name << " at " << where;
    }
  }
}

TEST(Tile, AllSizes) {
  std::vector<float> x, y;
  for (int i = 0; i < 1100; ++i) x.push_back(float(i % 37) - 18), y.push_back(float(i % 11) * 0.5f);
  for (Isa isa : isas()) {
    for (size_t n : {size_t(1), size_t(3), size_t(15), size_t(16), size_t(17), size_t(31), size_t(511), size_t(512), size_t(513), size_t(1100)}) {
      TileBuilder b;
      const int a = b.load(DType::kF32, TileMode::kFull), c = b.load(DType::kF32, TileMode::kFull), s = b.load(DType::kF32, TileMode::kScalar);
      b.clamp(b.step(TileOp::kMulAdd, a, c, b.step(TileOp::kSub, s, b.constant(2))), -3, 40);
      const auto out = run(isa, b.finish(), {x, y, {0.5f}}, n);
      for (size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], std::min(40.0f, std::max(-3.0f, x[i] * y[i] - 1.5f))) << isa_name(isa) << " " << n << " " << i;
    }
  }
}

TEST(Tile, NanInMinMaxAndClamp) {
  for (Isa isa : isas()) {
    for (TileOp op : {TileOp::kMin, TileOp::kMax}) {
      TileBuilder b;
      const int x = b.load(DType::kF32, TileMode::kFull), y = b.load(DType::kF32, TileMode::kFull);
      b.step(op, x, y);
      const auto out = run(isa, b.finish(), {{NAN, 1, 2}, {1, NAN, 3}}, 3);
      EXPECT_TRUE(std::isnan(out[0]) && std::isnan(out[1]));
      EXPECT_EQ(out[2], op == TileOp::kMin ? 2 : 3);
    }
    TileBuilder b;
    const int x = b.load(DType::kF32, TileMode::kFull);
    b.step(TileOp::kNe, x, x);
    EXPECT_EQ((run<uint8_t, float>(isa, b.finish(DType::kBool), {{NAN, 1}}, 2)), (std::vector<uint8_t>{1, 0}));
  }
}

TEST(Tile, IntegersComparisonsAndSelection) {
  const std::vector<int32_t> x = {1, -5, INT32_MAX, INT32_MIN, 7}, y = {1, 3, 1, -1, 2};
  for (Isa isa : isas()) {
    TileBuilder b;
    const int a = b.load(DType::kI32, TileMode::kFull), c = b.load(DType::kI32, TileMode::kFull);
    b.step(TileOp::kSelect, b.step(TileOp::kLe, a, c), b.step(TileOp::kAdd, a, c), b.step(TileOp::kMul, a, c));
    EXPECT_EQ((run<int32_t, int32_t>(isa, b.finish(DType::kI32), {x, y}, 5)), (std::vector<int32_t>{2, -2, INT32_MAX, INT32_MAX, 14})) << isa_name(isa);
    TileBuilder gt;
    const int g = gt.load(DType::kI32, TileMode::kFull), h = gt.load(DType::kI32, TileMode::kFull);
    gt.step(TileOp::kGt, gt.step(TileOp::kToF32, g), gt.step(TileOp::kToF32, h));
    EXPECT_EQ((run<uint8_t, int32_t>(isa, gt.finish(DType::kBool), {x, y}, 5)), (std::vector<uint8_t>{0, 0, 1, 0, 1})) << isa_name(isa);
  }
}

TEST(Tile, EveryHalfConvertsAsScalarCodeDoes) {
  std::vector<uint16_t> all(65536);
  for (size_t i = 0; i < all.size(); ++i) all[i] = uint16_t(i);
  std::vector<float> values(1 << 16);
  std::mt19937 random(1);
  for (float& v : values) {
    const uint32_t bits = random();
    std::memcpy(&v, &bits, 4);
  }
  for (int i = 0; i < 20000; ++i) values[size_t(i)] = std::ldexp(float(int32_t(random())), -31 - i % 30);
  for (Isa isa : isas()) {
    for (DType d : {DType::kF16, DType::kBF16}) {
      TileBuilder widen, narrow;
      widen.load(d, TileMode::kFull);
      narrow.load(DType::kF32, TileMode::kFull);
      const auto wide = run<float, uint16_t>(isa, widen.finish(), {all}, all.size());
      const auto half = run<uint16_t, float>(isa, narrow.finish(d), {values}, values.size());
      for (size_t i = 0; i < all.size(); ++i) {
        const float wanted = d == DType::kF16 ? to_float(f16{all[i]}) : to_float(bf16{all[i]});
        ASSERT_TRUE(wide[i] == wanted || (std::isnan(wide[i]) && std::isnan(wanted))) << i;
        ASSERT_EQ(half[i] & 0x7fff, (d == DType::kF16 ? to_f16(values[i]).bits : to_bf16(values[i]).bits) & 0x7fff) << values[i];
        ASSERT_TRUE(std::isnan(values[i]) || bool(half[i] >> 15) == std::signbit(values[i]));
      }
    }
  }
}

TEST(TileProgram, RefusesHostileBytes) {
  TileProgram program;
  TileBuilder b;
  b.step(TileOp::kAdd, b.load(DType::kF32, TileMode::kFull), b.constant(1));
  const std::string good(b.finish());
  ASSERT_TRUE(decode_tile_program(good, false, program).ok());
  EXPECT_FALSE(decode_tile_program(good, true, program).ok());  // no accumulator
  EXPECT_FALSE(decode_tile_program("", false, program).ok());
  for (size_t n = 0; n < good.size(); ++n) EXPECT_FALSE(decode_tile_program(std::string_view(good).substr(0, n), false, program).ok());
  // Any change of any byte is refused or decodes to something that stays within its bounds.
  std::mt19937 random(1);
  for (int round = 0; round < 200000; ++round) {
    std::string bad = good;
    for (int k = 0; k < 1 + round % 3; ++k) bad[random() % bad.size()] = char(round % 2 ? random() : random() % 50);
    if (!decode_tile_program(bad, false, program).ok()) continue;
    for (int s = 0; s < program.steps; ++s) {
      const TileProgram::Step& step = program.step[s];
      EXPECT_LT(step.slot, program.slots);
      const uint8_t reads[] = {step.a, step.b, step.c};
      for (int k = 0; k < tile_op_inputs(step.op); ++k) EXPECT_LT(reads[k], s);
    }
  }
}

TEST(TileProgram, TooManyLiveValues) {
  TileBuilder b;
  const int x = b.load(DType::kF32, TileMode::kFull);
  int values[20];
  for (int& v : values) v = b.step(TileOp::kExp, x);
  int sum = values[0];
  for (int v : values) sum = b.step(TileOp::kAdd, sum, v);
  TileProgram program;
  EXPECT_EQ(decode_tile_program(b.finish(), false, program).code(), Code::kUnsupported);
}

TEST(TileProgram, FusedEpilogues) {
  TileProgram program;
  FusedEpilogue fused;
  TileBuilder add_relu6(true);
  add_relu6.clamp(add_relu6.step(TileOp::kAdd, add_relu6.load(DType::kF32, TileMode::kFull), 0), 0, 6);
  ASSERT_TRUE(decode_tile_program(add_relu6.finish(), true, program).ok());
  ASSERT_TRUE(match_fused(program, fused));
  EXPECT_EQ(fused.residual, 0);
  EXPECT_EQ(fused.lo, 0);
  EXPECT_EQ(fused.hi, 6);
  TileBuilder relu_add(true);  // the other order needs the interpreter
  relu_add.step(TileOp::kAdd, relu_add.step(TileOp::kRelu, 0), relu_add.load(DType::kF32, TileMode::kFull));
  ASSERT_TRUE(decode_tile_program(relu_add.finish(), true, program).ok());
  EXPECT_FALSE(match_fused(program, fused));
  ASSERT_TRUE(decode_tile_program("", true, program).ok());
  ASSERT_TRUE(match_fused(program, fused));
  EXPECT_EQ(fused.hi, INFINITY);
}

}  // namespace
}  // namespace glint::kernels
