#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Unique, Gives) {
  testing::expect_call("aten::_unique2", {i64({2, 2}, {3, 1, 3, 2}), true, true, true},
                       {i64({3}, {1, 2, 3}), i64({2, 2}, {2, 0, 2, 1}), i64({3}, {1, 1, 2})});
}

TEST(Unique, NanIsNeverEqual) {
  testing::expect_call("aten::_unique2", {f32({4}, {NAN, 0.0, NAN, -0.0})}, {f32({3}, {0, NAN, NAN}), i64({0}), i64({0})});
}

TEST(Unique, Consecutive) {
  testing::expect_call("aten::unique_consecutive", {i64({4}, {1, 1, 2, 1}), true, true},
                       {i64({3}, {1, 2, 1}), i64({4}, {0, 0, 1, 2}), i64({3}, {2, 1, 1})});
  testing::expect_call("aten::unique_consecutive", {i64({2, 3}, {3, 3, 1, 1, 1, 1}), true, true, 1},
                       {i64({2, 2}, {3, 1, 1, 1}), i64({3}, {0, 0, 1}), i64({2}, {2, 1})});
}

TEST(Unique, Dim) {
  testing::expect_call("aten::unique_dim", {i64({2, 3}, {3, 1, 3, 1, 1, 1}), 1, true, true, true},
                       {i64({2, 2}, {1, 3, 1, 1}), i64({3}, {1, 0, 1}), i64({2}, {1, 2})});
}

TEST(Unique, Empty) {
  testing::expect_call("aten::_unique2", {f32({0}), true, true, true}, {f32({0}), i64({0}), i64({0})});
}

TEST(Unique, Refuses) {
  testing::expect_refused("aten::unique_dim", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 2}, "out of range");
  testing::expect_refused("aten::unique_dim", {f32({2, 0}), 0}, "no elements");
}

}  // namespace
}  // namespace glint::ops
