#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Scatter, Gives) {
  testing::expect_call("aten::scatter.src", {f32({3}), 0, i64({2}, {2, 0}), f32({3}, {7, 8, 9})}, {f32({3}, {8, 0, 7})});
  testing::expect_call("aten::scatter.value", {i64({3}), 0, i64({1}, {1}), 2.9}, {i64({3}, {0, 2, 0})});
  testing::expect_call("aten::scatter.reduce", {f32({2}, {1, 2}), 0, i64({2}, {1, 1}), f32({2}, {3, 4}), "multiply"},
                       {f32({2}, {1, 24})});
  testing::expect_call("aten::scatter.value_reduce", {i64({2}, {1, 2}), 0, i64({2}, {1, 1}), 3, "add"}, {i64({2}, {1, 8})});
}

TEST(Scatter, Adds) {
  testing::expect_call("aten::scatter_add", {HostTensor(DType::kBF16, {2}, {1, 2}), 0, i64({3}, {0, 0, 1}), HostTensor(DType::kBF16, {3}, {1, 2, 3})},
                       {HostTensor(DType::kBF16, {2}, {4, 5})});
  testing::expect_call("aten::scatter_add", {HostTensor(DType::kBool, {2}, {0, 1}), 0, i64({1}, {0}), HostTensor(DType::kBool, {1}, {1})},
                       {HostTensor(DType::kBool, {2}, {1, 1})});
}

TEST(Scatter, Reduces) {
  testing::expect_call("aten::scatter_reduce.two", {i64({3}, {0, 9, 5}), 0, i64({4}, {0, 0, 1, 1}), i64({4}, {-3, -4, 1, 2}), "mean", false},
                       {i64({3}, {-4, 1, 5})});
  testing::expect_call("aten::scatter_reduce.two", {f32({2}, {5, 5}), 0, i64({3}, {0, 0, 1}), f32({3}, {NAN, 1, 3}), "amax"},
                       {f32({2}, {NAN, 5})});
  testing::expect_call("aten::scatter_reduce.two", {f32({2}, {5, 5}), 0, i64({3}, {0, 0, 1}), f32({3}, {2, 3, 3}), "prod", false},
                       {f32({2}, {6, 3})});
  testing::expect_call("aten::scatter_reduce.two", {i64({2}, {5, 5}), 0, i64({1}, {0}), i64({1}, {7}), "amin"}, {i64({2}, {5, 5})});
}

TEST(Scatter, Refuses) {
  testing::expect_refused("aten::scatter.src", {f32({3}), 0, i64({1}, {3}), f32({1})}, "index is out of range");
  testing::expect_refused("aten::scatter.src", {f32({3}), 0, i64({2}), f32({1})}, "larger than src");
  testing::expect_refused("aten::scatter.src", {f32({3}), 0, i64({1}), i64({1})}, "dtype");
  testing::expect_refused("aten::scatter.reduce", {f32({3}), 0, i64({1}), f32({1}), "mean"}, "add or multiply");
  testing::expect_refused("aten::scatter_reduce.two", {f32({3}), 0, i64({1}), f32({1}), "median"}, "sum, prod");
  testing::expect_refused("aten::scatter_add", {f32({3}), 0, i64({1}, {-1}), f32({1})}, "index is out of range");
  testing::expect_refused("aten::scatter_reduce.two", {HostTensor(DType::kC64, {1}), 0, i64({1}), HostTensor(DType::kC64, {1}), "amax"}, "no order", Code::kUnsupported);
}

}  // namespace
}  // namespace glint::ops
