#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::HostTensor, testing::i64, testing::Operand;
using Ints = std::vector<int64_t>;

int64_t hash(std::vector<Operand> operands) {
  const auto got = testing::call(testing::op(all(), "aten::hash_tensor"), std::move(operands));
  EXPECT_TRUE(got.status.ok()) << got.status.why();
  return got.results[0].tensor().as<int64_t>()[0];
}

TEST(HashTensor, IsTheExclusiveOrOfTheBits) {
  EXPECT_EQ(hash({f32({1}, {1})}), 4607182418800017408);
  EXPECT_EQ(hash({f32({2}, {1, 2.5})}), 9219994337134247936);
  EXPECT_EQ(hash({HostTensor(DType::kF16, {1}, {1.5})}), 4609434218613702656);
  EXPECT_EQ(hash({i64({2}, {3, 5})}), 6);
  EXPECT_EQ(hash({HostTensor(DType::kI8, {2}, {-1, 5})}), -6) << "18446744073709551610 as uint64";
  EXPECT_EQ(hash({f32({2, 3}, {1, 1, 1, 2, 2, 2}), Ints{1}}), 4607182418800017408);
}

TEST(HashTensor, Refuses) {
  testing::expect_refused("aten::hash_tensor", {f32({0})}, "no elements");
  testing::expect_refused("aten::hash_tensor", {f32({2}), Ints{1}}, "out of range");
  testing::expect_refused("aten::hash_tensor", {f32({2}), Ints{}, false, 1}, "mode");
  testing::expect_refused("aten::hash_tensor", {HostTensor(DType::kC64, {2})}, "complex");
}

}  // namespace
}  // namespace glint::ops
