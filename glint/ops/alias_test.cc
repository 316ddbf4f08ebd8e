#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Alias, Gives) {
  testing::expect_call("aten::alias", {f32({2, 3}, {1, 2, 3, 4, 5, 6})}, {f32({2, 3}, {1, 2, 3, 4, 5, 6})});
  testing::expect_call("aten::alias_copy", {HostTensor(DType::kC64, {2}, {1, 2})}, {HostTensor(DType::kC64, {2}, {1, 2})});
}

}  // namespace
}  // namespace glint::ops
