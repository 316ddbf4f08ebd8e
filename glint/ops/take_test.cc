#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Take, Gives) {
  testing::expect_call("aten::take", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), i64({2, 1}, {-1, 0})}, {f32({2, 1}, {6, 1})});
  testing::expect_call("aten::take", {f32({2, 3}, {1, 2, 3, 4, 5, 6}).with_strides({1, 2}), i64({1}, {1})}, {f32({1}, {2})});
}

TEST(Take, Puts) {
  testing::expect_call("aten::put", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), i64({2}, {-1, 0}), f32({2, 1}, {8, 9})},
                       {f32({2, 3}, {9, 2, 3, 4, 5, 8})});
  testing::expect_call("aten::put", {i64({2}, {1, 2}), i64({2}, {0, 0}), i64({2}, {3, 4}), true}, {i64({2}, {8, 2})});
}

TEST(Take, Refuses) {
  testing::expect_refused("aten::take", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), i64({1}, {6})}, "index is out of range");
  testing::expect_refused("aten::take", {f32({0}), i64({1}, {0})}, "index is out of range");
  testing::expect_refused("aten::put", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), i64({2}), f32({1})}, "length");
  testing::expect_refused("aten::put", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), i64({1}, {-7}), f32({1})}, "index is out of range");
}

}  // namespace
}  // namespace glint::ops
