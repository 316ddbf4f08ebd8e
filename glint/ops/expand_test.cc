#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Expand, Gives) {
  testing::expect_call("aten::expand", {f32({2, 1}, {1, 2}), std::vector<int64_t>{2, -1, 3}},
                       {f32({2, 2, 3}, {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2})});
}

TEST(Expand, ToNothing) {
  testing::expect_call("aten::expand_copy", {f32({1}, {1}), std::vector<int64_t>{0}}, {f32({0})});
}

TEST(Expand, Refuses) {
  testing::expect_refused("aten::expand", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{3}}, "fewer");
  testing::expect_refused("aten::expand", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{4, 3}}, "size 1");
  testing::expect_refused("aten::expand", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{-1, 2, 3}}, "negative");
  testing::expect_refused("aten::expand", {f32({1}, {1}), std::vector<int64_t>{1099511627776, 1099511627776}}, "too large");
  testing::expect_refused("aten::expand", {f32({1}, {1}), std::vector<int64_t>(17, 1)}, "too many");
}

}  // namespace
}  // namespace glint::ops
