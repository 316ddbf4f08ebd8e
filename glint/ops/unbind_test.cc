#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Unbind, Gives) {
  testing::expect_call("aten::unbind.int", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0}, {f32({3}, {1, 2, 3}), f32({3}, {4, 5, 6})});
}

TEST(Unbind, Refuses) {
  testing::expect_refused("aten::unbind.int", {f32({2, 3}, {1, 2, 3, 4, 5, 6})}, "number of results");
  testing::expect_refused("aten::unbind_copy.int", {f32({}, {1})}, "without dimensions");
}

}  // namespace
}  // namespace glint::ops
