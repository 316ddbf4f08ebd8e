#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Transpose, Gives) {
  testing::expect_call("aten::transpose.int", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, -1}, {f32({3, 2}, {1, 4, 2, 5, 3, 6})});
  testing::expect_call("aten::t_copy", {f32({2, 3}, {1, 2, 3, 4, 5, 6})}, {f32({3, 2}, {1, 4, 2, 5, 3, 6})});
  testing::expect_call("aten::t", {f32({2}, {1, 2})}, {f32({2}, {1, 2})});
}

TEST(Transpose, Scalar) {
  testing::expect_call("aten::transpose_copy.int", {f32({}, {3}), 0, -1}, {f32({}, {3})});
}

TEST(Transpose, Refuses) {
  testing::expect_refused("aten::transpose.int", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, 2}, "out of range");
  testing::expect_refused("aten::t", {f32({1, 1, 1})}, "two dimensions");
}

}  // namespace
}  // namespace glint::ops
