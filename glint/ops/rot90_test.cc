#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Rot90, Gives) {
  testing::expect_call("aten::rot90", {f32({2, 3}, {1, 2, 3, 4, 5, 6})}, {f32({3, 2}, {3, 6, 2, 5, 1, 4})});
  testing::expect_call("aten::rot90", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), -1}, {f32({3, 2}, {4, 1, 5, 2, 6, 3})});
  testing::expect_call("aten::rot90", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 2}, {f32({2, 3}, {6, 5, 4, 3, 2, 1})});
}

TEST(Rot90, Refuses) {
  testing::expect_refused("aten::rot90", {f32({2})}, "two dimensions");
  testing::expect_refused("aten::rot90", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 1, std::vector<int64_t>{0, -2}}, "out of range");
}

}  // namespace
}  // namespace glint::ops
