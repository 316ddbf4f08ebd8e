#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Lift, Gives) {
  testing::expect_call("aten::lift_fresh_copy", {i64({}, {7})}, {i64({}, {7})});
}

}  // namespace
}  // namespace glint::ops
