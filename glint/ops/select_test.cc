#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Select, Gives) {
  testing::expect_call("aten::select.int", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 1, -1}, {f32({2}, {3, 6})});
}

TEST(Select, Scatters) {
  testing::expect_call("aten::select_scatter", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({3}, {7, 8, 9}), 0, 1},
                       {f32({2, 3}, {1, 2, 3, 7, 8, 9})});
}

TEST(Select, Backward) {
  testing::expect_call("aten::select_backward", {f32({}, {5}), std::vector<int64_t>{3}, 0, 1}, {f32({3}, {0, 5, 0})});
}

TEST(Select, Refuses) {
  testing::expect_refused("aten::select.int", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 1, 3}, "index is out of range");
  testing::expect_refused("aten::select.int", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 1, -4}, "index is out of range");
  testing::expect_refused("aten::select_copy.int", {f32({}, {1}), 0, 0}, "without dimensions");
  testing::expect_refused("aten::select_scatter", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({2}), 0, 1}, "sizes of the part");
}

}  // namespace
}  // namespace glint::ops
