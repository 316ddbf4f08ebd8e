#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Unfold, Gives) {
  testing::expect_call("aten::unfold", {f32({5}, {1, 2, 3, 4, 5}), 0, 3, 2}, {f32({2, 3}, {1, 2, 3, 3, 4, 5})});
}

TEST(Unfold, Scalar) {
  testing::expect_call("aten::unfold_copy", {f32({}, {4}), 0, 1, 1}, {f32({1}, {4})});
}

TEST(Unfold, Backward) {
  testing::expect_call("aten::unfold_backward", {f32({2, 3}, {1, 1, 1, 1, 1, 1}), std::vector<int64_t>{5}, 0, 3, 2},
                       {f32({5}, {1, 1, 2, 1, 1})});
}

TEST(Unfold, Refuses) {
  testing::expect_refused("aten::unfold", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 1, 4, 1}, "size");
  testing::expect_refused("aten::unfold", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 1, 1, 0}, "step");
  testing::expect_refused("aten::unfold_backward", {f32({2, 2}), std::vector<int64_t>{5}, 0, 3, 2}, "sizes of the windows");
}

}  // namespace
}  // namespace glint::ops
