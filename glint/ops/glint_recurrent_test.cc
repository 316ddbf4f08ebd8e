#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "glint/ops/ops.h"
#include "glint/testing/op_call.h"

namespace glint::ops {
namespace {

using testing::CallOptions;
using testing::HostTensor;
using testing::Operand;

HostTensor random_tensor(DType dtype, std::vector<int64_t> sizes, uint32_t seed, double most = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> values(-most, most);
  int64_t n = 1;
  for (int64_t s : sizes) n *= s;
  std::vector<double> v(static_cast<size_t>(n));
  for (double& x : v) x = values(random);
  return HostTensor(dtype, std::move(sizes), v);
}

testing::Outcome recurrent(std::vector<Operand> operands, const CallOptions& options = {}) { return call(testing::op(all(), "glint::recurrent"), std::move(operands), options); }

struct Call {
  int64_t time, batch, hidden, out;
  const char* cell;
  bool bias, reverse;

  int64_t gates() const { return hidden * (std::string_view(cell) == "lstm" ? 4 : std::string_view(cell) == "gru" ? 3 : 1); }
  std::vector<Operand> operands(DType d) const {
    const bool lstm = std::string_view(cell) == "lstm";
    return {random_tensor(d, {time, batch, gates()}, 1), random_tensor(d, {gates(), out}, 2, 1 / std::sqrt(double(out))), bias ? Operand(random_tensor(d, {gates()}, 3)) : Operand(),
            out != hidden ? Operand(random_tensor(d, {out, hidden}, 4)) : Operand(), random_tensor(d, {batch, out}, 5), lstm ? Operand(random_tensor(d, {batch, hidden}, 6)) : Operand(), cell, reverse};
  }
};

// Every instruction set and both directions against the plain loops of float64.
TEST(GlintRecurrent, MatchesFloat64) {
  for (const Call& c : {Call{1, 1, 1, 1, "lstm", true, false}, Call{5, 3, 17, 17, "lstm", true, true}, Call{3, 70, 9, 4, "lstm", false, false}, Call{4, 2, 600, 600, "lstm", true, false},
                        Call{6, 2, 33, 33, "gru", true, false}, Call{2, 1, 5, 5, "gru", false, true}, Call{7, 2, 16, 16, "tanh", true, true}, Call{7, 2, 16, 16, "relu", false, false}}) {
    const auto wanted = recurrent(c.operands(DType::kF64));
    ASSERT_TRUE(wanted.status.ok()) << wanted.status.why();
    for (const char* name : {"scalar", "avx2", "avx512", "neon"}) {
      CallOptions options;
      options.cpu = cpu_by_name(name);
      if (!detect_cpu().supports(options.cpu.isa)) continue;
      for (const auto& [dtype, tolerance] : {std::pair(DType::kF32, 2e-5), std::pair(DType::kF16, 2e-2)}) {
        SCOPED_TRACE(::testing::Message() << c.cell << " " << c.hidden << " " << name << " " << dtype_name(dtype));
        const auto got = recurrent(c.operands(dtype), options);
        ASSERT_TRUE(got.status.ok()) << got.status.why();
        for (size_t r = 0; r < 3; ++r) {
          const auto a = got.results[r].values(), b = wanted.results[r].values();
          ASSERT_EQ(a.size(), b.size());
          for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance * std::max(1.0, std::abs(b[i]))) << "result " << r << ", element " << i;
        }
      }
    }
  }
}

TEST(GlintRecurrent, RefusesWhatDoesNotFit) {
  const Call good{2, 2, 3, 3, "lstm", true, false};
  ASSERT_TRUE(recurrent(good.operands(DType::kF32)).status.ok());
  const std::pair<size_t, Operand> bad[] = {
      {0, testing::f32({2, 2, 13})}, {0, testing::f32({0, 2, 12})}, {0, testing::f32({2, 12})},  {0, testing::i64({2, 2, 12})}, {1, testing::f32({12, 4})}, {2, testing::f32({11})},
      {3, testing::f32({3, 4})},     {4, testing::f32({3, 3})},     {5, testing::f32({2, 4})},   {5, Operand()},                {6, "gru"},                 {6, "no such cell"},
  };
  for (const auto& [index, operand] : bad) {
    auto operands = good.operands(DType::kF32);
    operands[index] = operand;
    EXPECT_FALSE(recurrent(operands).status.ok()) << index;
  }
}

}  // namespace
}  // namespace glint::ops
