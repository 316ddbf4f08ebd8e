#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Trace, Gives) {
  testing::expect_call("aten::trace", {f32({2, 3}, {1, 2, 3, 4, 5, 6})}, {f32({}, {6})});
}

TEST(Trace, Integers) {
  testing::expect_call("aten::trace", {HostTensor(DType::kU8, {2, 2}, {200, 0, 0, 100})}, {i64({}, {300})});
  testing::expect_call("aten::trace", {HostTensor(DType::kBool, {2, 2}, {1, 0, 0, 1})}, {i64({}, {2})});
}

TEST(Trace, Refuses) {
  testing::expect_refused("aten::trace", {f32({2})}, "matrix");
}

}  // namespace
}  // namespace glint::ops
