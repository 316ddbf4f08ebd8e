#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(OneHot, Gives) {
  testing::expect_call("aten::one_hot", {i64({2}, {2, 0})}, {i64({2, 3}, {0, 0, 1, 1, 0, 0})});
  testing::expect_call("aten::one_hot", {i64({}, {1}), 2}, {i64({2}, {0, 1})});
}

TEST(OneHot, Refuses) {
  testing::expect_refused("aten::one_hot", {i64({1}, {2}), 2}, "index is out of range");
  testing::expect_refused("aten::one_hot", {i64({1}, {-1})}, "negative");
  testing::expect_refused("aten::one_hot", {i64({0})}, "positive");
  testing::expect_refused("aten::one_hot", {f32({1})}, "int64");
}

}  // namespace
}  // namespace glint::ops
