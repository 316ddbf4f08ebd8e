#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Slice, Gives) {
  testing::expect_call("aten::slice.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 1, 0, 3, 2}, {f32({2, 2}, {1, 3, 4, 6})});
}

TEST(Slice, ClampsItsBounds) {
  testing::expect_call("aten::slice_copy.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 1, -100, int64_t(INT64_MAX), 1},
                       {f32({2, 3}, {1, 2, 3, 4, 5, 6})});
  testing::expect_call("aten::slice.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, 2, 1}, {f32({0, 3})});
  testing::expect_call("aten::slice.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, int64_t(INT64_MIN), int64_t(INT64_MAX), int64_t(INT64_MAX)},
                       {f32({1, 3}, {1, 2, 3})});
}

TEST(Slice, Scatters) {
  testing::expect_call("aten::slice_scatter", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), i64({2, 1}, {7, 8}), 1, 1, 2},
                       {f32({2, 3}, {1, 7, 3, 4, 8, 6})});
}

TEST(Slice, Backward) {
  testing::expect_call("aten::slice_backward", {f32({1}, {9}), std::vector<int64_t>{3}, 0, 1, 2, 1}, {f32({3}, {0, 9, 0})});
}

TEST(Slice, Narrows) {
  testing::expect_call("aten::narrow_copy", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 1, -2, 2}, {f32({2, 2}, {2, 3, 5, 6})});
}

TEST(Slice, Refuses) {
  testing::expect_refused("aten::slice.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, 0, 1, 0}, "positive");
  testing::expect_refused("aten::slice.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 2}, "out of range");
  testing::expect_refused("aten::slice.Tensor", {f32({}, {1}), 0}, "without dimensions");
  testing::expect_refused("aten::slice_scatter", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({2, 2}), 1, 1, 2}, "sizes of the part");
  testing::expect_refused("aten::narrow_copy", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, 1, 2}, "past the end");
  testing::expect_refused("aten::narrow_copy", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, 3, 0}, "out of range");
}

}  // namespace
}  // namespace glint::ops
