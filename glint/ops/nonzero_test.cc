#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Nonzero, Gives) {
  testing::expect_call("aten::nonzero", {f32({2, 2}, {0, 3, NAN, 0})}, {i64({2, 2}, {0, 1, 1, 0})});
}

TEST(Nonzero, Scalar) {
  testing::expect_call("aten::nonzero", {f32({}, {3})}, {i64({1, 0})});
}

TEST(Nonzero, Static) {
  testing::expect_call("aten::nonzero_static", {f32({3}, {1, 0, 1}), 3, 7}, {i64({3, 1}, {0, 2, 7})});
  testing::expect_call("aten::nonzero_static", {f32({3}, {1, 0, 1}), 1}, {i64({1, 1}, {0})});
}

TEST(Nonzero, Refuses) {
  testing::expect_refused("aten::nonzero_static", {f32({3}), -1}, "negative");
}

}  // namespace
}  // namespace glint::ops
