#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "glint/ops/ops.h"
#include "glint/testing/op_call.h"

namespace glint::ops {
namespace {

using testing::CallOptions;
using testing::HostTensor;
using testing::Outcome;

HostTensor random_tensor(std::vector<int64_t> sizes, uint32_t seed) {
  HostTensor t(DType::kF32, std::move(sizes));
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  for (int64_t i = 0; i < t.tensor().numel(); ++i) t.tensor().as<float>()[i] = values(random);
  return t;
}

// [2, heads, m, k] x [2 or 1, heads, k, n], b and a also with their last two dimensions swapped in memory.
void check(int64_t heads, int64_t m, int64_t k, int64_t n, int64_t b_batch) {
  SCOPED_TRACE(::testing::Message() << heads << " x " << m << " x " << k << " x " << n);
  const HostTensor a = random_tensor({2, heads, m, k}, 1), b = random_tensor({b_batch, heads, k, n}, 2);
  HostTensor bt(DType::kF32, {b_batch, heads, n, k});
  for (int64_t h = 0; h < b_batch * heads; ++h)
    for (int64_t i = 0; i < k; ++i)
      for (int64_t j = 0; j < n; ++j) bt.tensor().as<float>()[(h * n + j) * k + i] = b.tensor().as<float>()[(h * k + i) * n + j];
  const auto av = a.values(), bv = b.values();
  for (const char* name : {"scalar", "avx2", "avx512", "neon"}) {
    CallOptions options;
    options.cpu = cpu_by_name(name);
    if (!detect_cpu().supports(options.cpu.isa)) continue;
    for (int layout = 0; layout < 4; ++layout) {
      SCOPED_TRACE(::testing::Message() << name << " layout " << layout);
      const HostTensor x = layout & 2 ? a.with_strides({heads * m * k, m * k, 1, m}) : a;
      options.result_strides = layout & 2 ? std::vector<int64_t>{m * heads * n, n, heads * n, 1} : std::vector<int64_t>();  // heads side by side
      const Outcome out = testing::call(testing::op(all(), "glint::matmul"), {x, layout & 1 ? bt : b, bool(layout & 1), 0.5}, options);
      ASSERT_TRUE(out.status.ok()) << out.status.why();
      const auto got = out.results[0].values();
      for (int64_t i = 0; i < int64_t(got.size()); ++i) {
        const int64_t column = i % n, row = i / n % m, h = i / n / m, bh = b_batch == 1 ? h % heads : h;
        double sum = 0;
        for (int64_t q = 0; q < k; ++q) sum += av[size_t((h * m + row) * k + q)] * bv[size_t((bh * k + q) * n + column)];
        ASSERT_NEAR(got[size_t(i)], sum * 0.5, 1e-6 * double(k + 8)) << i;
      }
    }
  }
}

TEST(GlintMatmul, MatchesTheDefinition) {
  check(3, 5, 7, 9, 2);
  check(2, 70, 16, 33, 1);
  check(1, 1, 64, 1, 2);
  check(2, 9, 1, 16, 1);
  check(2, 0, 3, 4, 1);
  check(2, 3, 0, 4, 1);
  check(2, 3, 4, 0, 1);
  check(1, 130, 40, 100, 1);
}

TEST(GlintMatmul, Refuses) {
  const HostTensor x = testing::f32({2, 3});
  struct {
    const char* why;
    HostTensor a, b;
  } const cases[] = {
      {"matmul: only float32 inputs", x, testing::i64({3, 2})},
      {"matmul: an input has fewer than two dimensions", x, testing::f32({3})},
      {"matmul: the inner sizes differ", x, x},
      {"matmul: the batches do not broadcast", testing::f32({2, 2, 3}), testing::f32({3, 3, 2})},
  };
  for (const auto& c : cases) {
    const Outcome out = testing::call(testing::op(all(), "glint::matmul"), {c.a, c.b, false, 1.0});
    EXPECT_FALSE(out.status.ok());
    EXPECT_STREQ(out.status.why(), c.why);
  }
}

}  // namespace
}  // namespace glint::ops
