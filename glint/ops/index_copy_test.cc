#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(IndexCopy, Gives) {
  testing::expect_call("aten::index_copy", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 1, i64({1}, {2}), f32({2, 1}, {8, 9})},
                       {f32({2, 3}, {1, 2, 8, 4, 5, 9})});
}

TEST(IndexCopy, Fills) {
  testing::expect_call("aten::index_fill.int_Scalar", {i64({3}, {1, 2, 3}), 0, i64({2}, {-1, 0}), 7.5}, {i64({3}, {7, 2, 7})});
  testing::expect_call("aten::index_fill.int_Tensor", {f32({2}, {1, 2}), 0, i64({}, {1}), i64({}, {7})}, {f32({2}, {1, 7})});
}

TEST(IndexCopy, Adds) {
  testing::expect_call("aten::index_add", {i64({2}, {1, 2}), 0, i64({2}, {1, 1}), i64({2}, {10, 20}), 2}, {i64({2}, {1, 62})});
}

TEST(IndexCopy, Reduces) {
  testing::expect_call("aten::index_reduce", {f32({2}, {4, 4}), 0, i64({2}, {0, 0}), f32({2}, {1, 4}), "mean"}, {f32({2}, {3, 4})});
  testing::expect_call("aten::index_reduce", {HostTensor(DType::kF16, {2}, {4, 4}), 0, i64({2}, {0, 0}), HostTensor(DType::kF16, {2}, {1, 2}), "amin", false},
                       {HostTensor(DType::kF16, {2}, {1, 4})});
}

TEST(IndexCopy, Refuses) {
  testing::expect_refused("aten::index_copy", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 1, i64({1}, {3}), f32({2, 1})}, "index is out of range");
  testing::expect_refused("aten::index_copy", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 1, i64({1}, {0}), f32({1, 1})}, "sizes of self");
  testing::expect_refused("aten::index_fill.int_Scalar", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, i64({1}, {-3}), 1}, "index is out of range");
  testing::expect_refused("aten::index_fill.int_Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, i64({1}), f32({1})}, "no dimensions");
  testing::expect_refused("aten::index_reduce", {f32({2}), 0, i64({1}), f32({1}), "sum"}, "prod, mean");
}

}  // namespace
}  // namespace glint::ops
