#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Detach, Gives) {
  testing::expect_call("aten::detach_copy", {f32({2, 3}, {1, 2, 3, 4, 5, 6}).with_strides({1, 2})},
                       {f32({2, 3}, {1, 2, 3, 4, 5, 6})});
}

}  // namespace
}  // namespace glint::ops
