#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Split, Gives) {
  testing::expect_call("aten::split.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 2, 1},
                       {f32({2, 2}, {1, 2, 4, 5}), f32({2, 1}, {3, 6})});
  testing::expect_call("aten::split_with_sizes", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{0, 3}, -1},
                       {f32({2, 0}), f32({2, 3}, {1, 2, 3, 4, 5, 6})});
}

TEST(Split, Empty) {
  testing::expect_call("aten::split_copy.Tensor", {f32({0}), 0}, {f32({0})});
}

TEST(Split, Refuses) {
  testing::expect_refused("aten::split.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 1}, "number of results");
  testing::expect_refused("aten::split.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0}, "positive");
  testing::expect_refused("aten::split_with_sizes", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{3}}, "add up");
  testing::expect_refused("aten::split_with_sizes_copy", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{1}}, "add up");
}

}  // namespace
}  // namespace glint::ops
