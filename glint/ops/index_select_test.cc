#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(IndexSelect, Gives) {
  testing::expect_call("aten::index_select", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, i64({3}, {1, 1, 0})},
                       {f32({3, 3}, {4, 5, 6, 4, 5, 6, 1, 2, 3})});
  testing::expect_call("aten::index_select", {f32({2, 3}, {1, 2, 3, 4, 5, 6}).with_strides({1, 2}), 1, i64({}, {2})},
                       {f32({2, 1}, {3, 6})});
}

TEST(IndexSelect, Scalar) {
  testing::expect_call("aten::index_select", {f32({}, {4}), 0, i64({1}, {0})}, {f32({}, {4})});
}

TEST(IndexSelect, Refuses) {
  testing::expect_refused("aten::index_select", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, i64({1}, {2})}, "index is out of range");
  testing::expect_refused("aten::index_select", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, i64({1}, {-1})}, "index is out of range");
  testing::expect_refused("aten::index_select", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, i64({1, 1})}, "vector");
}

}  // namespace
}  // namespace glint::ops
