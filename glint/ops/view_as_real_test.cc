#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(ViewAsReal, Gives) {
  testing::expect_call("aten::view_as_real", {HostTensor(DType::kC64, {2}, {1, 2})}, {f32({2, 2}, {1, 0, 2, 0})});
  testing::expect_call("aten::view_as_complex_copy", {f32({2, 2}, {1, 0, 2, 0})}, {HostTensor(DType::kC64, {2}, {1, 2})});
}

TEST(ViewAsReal, Refuses) {
  testing::expect_refused("aten::view_as_real", {f32({2, 3}, {1, 2, 3, 4, 5, 6})}, "must be complex");
  testing::expect_refused("aten::view_as_complex", {f32({2, 3}, {1, 2, 3, 4, 5, 6})}, "must be 2");
}

}  // namespace
}  // namespace glint::ops
