#include <cmath>

#include "glint/ops/ops.h"
#include "glint/testing/op_call.h"

#include <gtest/gtest.h>

namespace glint::ops {
namespace {

using testing::call, testing::f32, testing::i64, testing::HostTensor, testing::Operand, testing::op;
using Values = std::vector<double>;

const double kInf = INFINITY, kNan = NAN;

HostTensor run(const char* name, std::vector<Operand> operands) {
  const auto out = call(op(all(), name), std::move(operands));
  EXPECT_TRUE(out.status.ok()) << name << ": " << out.status.why();
  return out.results.empty() ? HostTensor() : out.results[0];
}

void expect_near(const HostTensor& got, const Values& want, double tolerance = 1e-6) {
  const Values values = got.values();
  ASSERT_EQ(values.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    if (std::isnan(want[i]) || std::isinf(want[i])) EXPECT_TRUE(std::isnan(want[i]) ? std::isnan(values[i]) : values[i] == want[i]) << i << ": " << values[i];
    else EXPECT_NEAR(values[i], want[i], tolerance) << i;
  }
}

TEST(Pointwise, IntegersBecomeFloat32) {
  const HostTensor out = run("aten::sqrt", {i64({3}, {0, 4, 9})});
  EXPECT_EQ(out.describe(), "float32[3]");
  EXPECT_EQ(out.values(), (Values{0, 2, 3}));
  EXPECT_EQ(run("aten::abs", {HostTensor(DType::kI8, {2}, {-128, 5})}).values(), (Values{-128, 5}));  // wraps, as in PyTorch
}

TEST(Pointwise, Golden) {
  struct Case { const char* name; double in, want; };
  const Case cases[] = {
      {"aten::erfinv", 0.5, 0.4769362762044699}, {"aten::erfinv", -0.984375, -1.7094723742995113}, {"aten::erfinv", 1, kInf}, {"aten::erfinv", 2, kNan},
      {"aten::digamma", 0.3, -3.5025242222001336}, {"aten::digamma", -1.5, 0.7031566406452433}, {"aten::digamma", -2, kNan}, {"aten::digamma", 0., -kInf},
      {"aten::lgamma", 4, 1.791759469228055},  {"aten::round", 2.5, 2}, {"aten::round", -3.5, -4}, {"aten::sign", kNan, 0}, {"aten::relu", kNan, kNan},
      {"aten::hardswish", kInf, kInf}, {"aten::sigmoid", -1000, 0}, {"aten::rsqrt", 4, 0.5}, {"aten::reciprocal", -0.0, -kInf}, {"aten::frac", -1.75, -0.75},
      {"aten::nan_to_num", kNan, 0}, {"aten::silu", 1, 0.7310585786300049}, {"aten::mish", 1, 0.8650983882673103}, {"aten::softplus", 30, 30},
      {"aten::softshrink", kNan, kNan}, {"aten::hardshrink", 0.5, 0}, {"aten::celu", -1, -0.6321205588285577}, {"aten::logit", 0.25, -1.0986122886681098},
      {"aten::gelu", 1, 0.8413447460685429}, {"aten::angle", -2, 3.141592653589793}, {"aten::expm1", 1e-10, 1e-10}, {"aten::log1p", 1e-10, 1e-10},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.name);
    expect_near(run(c.name, {f32({1}, {c.in})}), {c.want});
  }
}

TEST(Pointwise, AnyStridesAndHalfTypes) {
  const HostTensor x = f32({2, 3}, {-1, 2, -3, 4, -5, 6});
  EXPECT_EQ(run("aten::relu", {x.with_strides({1, 2})}).values(), (Values{0, 2, 0, 4, 0, 6}));
  EXPECT_EQ(run("aten::neg", {HostTensor(DType::kBF16, {2}, {1.5, -2})}).values(), (Values{-1.5, 2}));
  EXPECT_EQ(run("aten::exp", {f32({0, 3})}).describe(), "float32[0, 3]");
  EXPECT_EQ(run("aten::bitwise_not", {HostTensor(DType::kBool, {2}, {1, 0})}).values(), (Values{0, 1}));
  std::vector<double> many(1000, 2), squares(1000, 4);  // longer than a tile
  EXPECT_EQ(run("aten::square", {HostTensor(DType::kF16, {1000}, many)}).values(), squares);
}

TEST(Arithmetic, PromotesAndBroadcasts) {
  const HostTensor sum = run("aten::add.Tensor", {HostTensor(DType::kU8, {2, 1}, {250, 1}), HostTensor(DType::kI8, {2}, {10, -2}), 2});
  EXPECT_EQ(sum.describe(), "int16[2, 2]");
  EXPECT_EQ(sum.values(), (Values{270, 246, 21, -3}));
  EXPECT_EQ(run("aten::mul.Scalar", {i64({1}, {3}), 0.5}).describe(), "float32[1]");
  EXPECT_EQ(run("aten::add.Tensor", {f32({1}), HostTensor(DType::kF64, {}, {1})}).describe(), "float32[1]");
  EXPECT_EQ(run("aten::div.Tensor", {i64({2}, {1, -1}), i64({2}, {2, 0})}).values(), (Values{0.5, -kInf}));
}

TEST(Arithmetic, DivisionsAndPowers) {
  const HostTensor a = i64({4}, {7, -7, 7, -7}), b = i64({4}, {2, 2, -2, -2});
  EXPECT_EQ(run("aten::div.Tensor_mode", {a, b, "floor"}).values(), (Values{3, -4, -4, 3}));
  EXPECT_EQ(run("aten::div.Tensor_mode", {a, b, "trunc"}).values(), (Values{3, -3, -3, 3}));
  EXPECT_EQ(run("aten::remainder.Tensor", {a, b}).values(), (Values{1, 1, -1, -1}));
  EXPECT_EQ(run("aten::fmod.Tensor", {a, b}).values(), (Values{1, -1, 1, -1}));
  EXPECT_EQ(run("aten::floor_divide", {i64({1}, {-0x1p63}), i64({1}, {-1})}).values(), (Values{-0x1p63}));
  EXPECT_EQ(run("aten::div.Tensor_mode", {f32({2}, {1, -1}), f32({2}, {0.1, 0}), "floor"}).values(), (Values{9, -kInf}));
  EXPECT_EQ(run("aten::pow.Tensor_Tensor", {i64({4}, {2, -1, 3, 1}), i64({4}, {10, -3, -1, -5})}).values(), (Values{1024, -1, 0, 1}));
  expect_near(run("aten::pow.Tensor_Scalar", {f32({2}, {-kInf, 4}), 0.5}), {kNan, 2});
  expect_near(run("aten::pow.Scalar", {1, f32({1}, {kNan})}), {1});
  EXPECT_EQ(call(op(all(), "aten::remainder.Scalar"), {a, 0}).status.code(), Code::kInvalidArgument);
  EXPECT_EQ(call(op(all(), "aten::div.Tensor_mode"), {a, i64({4}, {1, 0, 1, 1}), "floor"}).status.code(), Code::kInvalidArgument);
}

TEST(Arithmetic, NanAndSelection) {
  expect_near(run("aten::maximum", {f32({3}, {1, kNan, 3}), f32({3}, {2, 0, kNan})}), {2, kNan, kNan});
  expect_near(run("aten::fmax", {f32({3}, {1, kNan, 3}), f32({3}, {2, 0, kNan})}), {2, 0, 3});
  expect_near(run("aten::clamp", {f32({4}, {-2, 0.5, 2, kNan}), -1, 1}), {-1, 0.5, 1, kNan});
  EXPECT_EQ(run("aten::clamp", {i64({2}, {3, 4}), Operand(), 3.5}).describe(), "float32[2]");
  EXPECT_EQ(run("aten::where.self", {HostTensor(DType::kBool, {2, 1}, {1, 0}), i64({2}, {1, 2}), f32({}, {0.5})}).values(), (Values{1, 2, 0.5, 0.5}));
  EXPECT_EQ(run("aten::masked_fill.Scalar", {i64({2}, {1, 2}), HostTensor(DType::kBool, {2}, {1, 0}), 1.5}).values(), (Values{1, 2}));
  expect_near(run("aten::lerp.Scalar", {f32({1}, {1}), f32({1}, {3}), 1.0}), {3});
  EXPECT_EQ(run("aten::gcd", {i64({3}, {12, -18, 0}), i64({3}, {18, 12, 0})}).values(), (Values{6, 6, 0}));
}

TEST(Pointwise, Refusals) {
  const HostTensor flags(DType::kBool, {2}, {1, 0});
  struct Case { const char* name; std::vector<Operand> operands; };
  const Case cases[] = {
      {"aten::neg", {flags}}, {"aten::sub.Tensor", {flags, i64({2})}}, {"aten::add.Tensor", {i64({2}), i64({3})}},
      {"aten::add.Tensor", {i64({2}), i64({2}), 0.5}}, {"aten::gelu", {f32({2}), "fast"}}, {"aten::gelu", {i64({2})}},
      {"aten::pow.Tensor_Scalar", {i64({2}), -1}}, {"aten::clamp", {f32({2})}}, {"aten::where.self", {i64({2}), i64({2}), i64({2})}},
      {"aten::div.Tensor_mode", {i64({2}), i64({2}), "up"}}, {"aten::lerp.Scalar", {f32({2}), i64({2}), 0.5}},
      {"aten::masked_fill.Tensor", {f32({2}), flags, f32({1})}}, {"aten::bitwise_and.Tensor", {f32({2}), f32({2})}},
  };
  for (const Case& c : cases) EXPECT_EQ(call(op(all(), c.name), c.operands).status.code(), Code::kInvalidArgument) << c.name;
}

TEST(Compare, PromotesBothSides) {
  EXPECT_EQ(run("aten::eq.Scalar", {HostTensor(DType::kF16, {1}, {0.1}), 0.1}).values(), (Values{1}));  // with the nearest float16
  EXPECT_EQ(run("aten::lt.Tensor", {i64({2}, {1, 2}), f32({2}, {1.5, 1.5})}).values(), (Values{1, 0}));
  EXPECT_EQ(run("aten::ne.Scalar", {f32({2}, {kNan, 1}), kNan}).values(), (Values{1, 1}));
  EXPECT_EQ(run("aten::ge.Scalar", {i64({1}, {0x1p53}), int64_t(1) << 53}).describe(), "bool[1]");
  EXPECT_EQ(run("aten::logical_xor", {f32({2}, {0.5, 0}), i64({2}, {0, 0})}).values(), (Values{1, 0}));
  EXPECT_EQ(run("aten::bitwise_left_shift.Tensor", {HostTensor(DType::kI8, {3}, {1, 1, 1}), HostTensor(DType::kI8, {3}, {7, 8, -1})}).values(), (Values{-128, 0, 0}));
}

}  // namespace
}  // namespace glint::ops
