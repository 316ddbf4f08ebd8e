#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(RepeatInterleave, Gives) {
  testing::expect_call("aten::repeat_interleave.Tensor", {i64({3}, {1, 0, 2})}, {i64({3}, {0, 2, 2})});
  testing::expect_call("aten::repeat_interleave.self_Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), i64({2}, {0, 2}), 0},
                       {f32({2, 3}, {4, 5, 6, 4, 5, 6})});
  testing::expect_call("aten::repeat_interleave.self_int", {f32({2, 1}, {1, 2}), 2}, {f32({4}, {1, 1, 2, 2})});
  testing::expect_call("aten::repeat_interleave.self_int", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 2, 1, 6},
                       {f32({2, 6}, {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6})});
}

TEST(RepeatInterleave, Refuses) {
  testing::expect_refused("aten::repeat_interleave.Tensor", {i64({1}, {-1})}, "negative");
  testing::expect_refused("aten::repeat_interleave.self_Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), i64({4}), 0}, "each element");
  testing::expect_refused("aten::repeat_interleave.Tensor", {i64({1}, {2}), 3}, "output_size");
  testing::expect_refused("aten::repeat_interleave.Tensor", {f32({1})}, "int64");
}

}  // namespace
}  // namespace glint::ops
