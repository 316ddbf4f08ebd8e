#include "glint/core/tensor.h"

#include <vector>

#include <gtest/gtest.h>

namespace glint {
namespace {

TEST(TensorMeta, SetRefusesWhatNoTensorHas) {
  TensorMeta t;
  const int64_t fits[] = {2, 0, 3}, negative[] = {2, -1}, large[] = {int64_t(1) << 32, int64_t(1) << 31}, hidden[] = {0, int64_t(1) << 62, 4};
  const std::vector<int64_t> many(kMaxRank + 1, 1);
  ASSERT_TRUE(t.set(DType::kF32, fits));
  EXPECT_EQ(t.numel(), 0);
  EXPECT_FALSE(t.set(DType::kF32, negative));
  EXPECT_FALSE(t.set(DType::kF32, large));
  EXPECT_FALSE(t.set(DType::kF32, hidden)) << "a zero hides no overflow";
  EXPECT_FALSE(t.set(DType::kF32, many));
  for (const int number : {12, 13, 14, 16, 25, 30, 255}) EXPECT_FALSE(t.set(DType(number), fits)) << number;
  EXPECT_TRUE(t.rank == 3 && t.size[2] == 3) << "as it was";
}

}  // namespace
}  // namespace glint
