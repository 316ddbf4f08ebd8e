#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Flip, Gives) {
  testing::expect_call("aten::flip", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{0, -1}},
                       {f32({2, 3}, {6, 5, 4, 3, 2, 1})});
}

TEST(Flip, Empty) {
  testing::expect_call("aten::flip", {f32({0, 2}), std::vector<int64_t>{0}}, {f32({0, 2})});
}

TEST(Flip, Scalar) {
  testing::expect_call("aten::flip", {f32({}, {2}), std::vector<int64_t>{0}}, {f32({}, {2})});
}

TEST(Flip, Refuses) {
  testing::expect_refused("aten::flip", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{2}}, "out of range");
  testing::expect_refused("aten::flip", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{1, -1}}, "repeats");
}

}  // namespace
}  // namespace glint::ops
