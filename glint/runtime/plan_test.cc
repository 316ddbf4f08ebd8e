#include "glint/runtime/plan.h"

#include <vector>

#include <gtest/gtest.h>

namespace glint {
namespace {

TEST(PlanBuffers, BuffersAliveTogetherDoNotOverlap) {
  std::vector<PlanBuffer> buffers;
  uint32_t seed = 1;
  const auto next = [&](uint32_t n) { return (seed = seed * 1664525 + 1013904223) / 65536 % n; };
  for (int i = 0; i < 300; ++i) {
    const int first = int(next(100));
    buffers.push_back({.bytes = next(5) == 0 ? 0 : next(10000), .first = first, .last = first + int(next(20))});
  }
  const uint64_t total = plan_buffers(buffers);
  for (const auto& a : buffers) {
    EXPECT_EQ(a.offset % kPlanAlignment, 0u);
    EXPECT_LE(a.offset + a.bytes, total);
    for (const auto& b : buffers) {
      if (&a == &b || a.last < b.first || b.last < a.first || a.bytes == 0 || b.bytes == 0) continue;
      EXPECT_TRUE(a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset);
    }
  }
}

TEST(PlanBuffers, ReusesWhatIsDead) {
  std::vector<PlanBuffer> chain;
  for (int i = 0; i < 10; ++i) chain.push_back({.bytes = 1024, .first = i, .last = i + 1});
  EXPECT_EQ(plan_buffers(chain), 2048u);
  std::vector<PlanBuffer> none;
  EXPECT_EQ(plan_buffers(none), 0u);
}

TEST(PlanBuffers, TakesTheSmallestGapThatFits) {
  // Two gaps open at step 2: 1024 bytes at the front, 256 in the middle. The last buffer fits both.
  std::vector<PlanBuffer> b = {{.bytes = 4096, .first = 0, .last = 9}, {.bytes = 1024, .first = 0, .last = 1}, {.bytes = 512, .first = 0, .last = 9},
                               {.bytes = 256, .first = 0, .last = 1}, {.bytes = 128, .first = 0, .last = 9}, {.bytes = 64, .first = 2, .last = 3}};
  plan_buffers(b);
  EXPECT_EQ(b[5].offset, b[3].offset);
}

}  // namespace
}  // namespace glint
