#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Gather, Gives) {
  testing::expect_call("aten::gather", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 1, i64({2, 2}, {2, 0, 1, 1})},
                       {f32({2, 2}, {3, 1, 5, 5})});
}

TEST(Gather, Int32AndStrides) {
  testing::expect_call("aten::gather", {f32({2, 3}, {1, 2, 3, 4, 5, 6}).with_strides({1, 2}), 0, HostTensor(DType::kI32, {1, 3}, {1, 0, 1})},
                       {f32({1, 3}, {4, 2, 6})});
}

TEST(Gather, Scalar) {
  testing::expect_call("aten::gather", {f32({}, {3}), 0, i64({1}, {0})}, {f32({1}, {3})});
}

TEST(Gather, Refuses) {
  testing::expect_refused("aten::gather", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, i64({1, 1}, {2})}, "index is out of range");
  testing::expect_refused("aten::gather", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, i64({1, 1}, {-1})}, "index is out of range");
  testing::expect_refused("aten::gather", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, i64({1, 4})}, "larger");
  testing::expect_refused("aten::gather", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, f32({1, 1})}, "int64");
}

}  // namespace
}  // namespace glint::ops
