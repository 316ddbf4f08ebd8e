#include "glint/core/generator.h"

#include <gtest/gtest.h>

#include <cstring>
#include <random>

namespace glint {
namespace {

TEST(Generator, DrawsAsTheStandardsMersenneTwister) {
  for (uint64_t seed : {uint64_t(0), uint64_t(5489), uint64_t(12345), Generator::kDefaultSeed, UINT64_MAX}) {
    Generator ours(seed);
    std::mt19937 theirs{std::mt19937::result_type(uint32_t(seed))};
    for (int i = 0; i < 2000; ++i) ASSERT_EQ(ours.next32(), theirs()) << seed << " draw " << i;
  }
}

TEST(Generator, TheFirstDrawIsTheUpperHalf) {
  Generator a(1), b(1);
  const uint64_t high = a.next32(), low = a.next32();
  EXPECT_EQ(b.next64(), high << 32 | low);
}

TEST(Generator, SeedForgetsTheNormalLeftOver) {
  Generator g(3);
  const double first = g.normal(), second = g.normal();
  EXPECT_NE(first, second);
  g.seed(3);
  EXPECT_EQ(g.normal(), first);
  g.seed(3);
  EXPECT_EQ(g.normal(), first);
}

TEST(Generator, UniformsStayBelowOne) {
  Generator g;
  for (int i = 0; i < 100000; ++i) {
    ASSERT_LT(g.uniform_float(), 1.0f);
    ASSERT_LT(g.uniform_double(), 1.0);
  }
}

TEST(Generator, KnowsBytesThatAreNone) {
  Generator g;
  EXPECT_TRUE(g.is_valid());
  std::memset(static_cast<void*>(&g), 0xff, sizeof g);
  EXPECT_FALSE(g.is_valid());
}

}  // namespace
}  // namespace glint
