#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(ConstantPadNd, Gives) {
  testing::expect_call("aten::constant_pad_nd", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{1, -1, 0, 1}, 7},
                       {f32({3, 3}, {7, 1, 2, 7, 4, 5, 7, 7, 7})});
}

TEST(ConstantPadNd, CropsToNothing) {
  testing::expect_call("aten::constant_pad_nd", {i64({2}, {1, 2}), std::vector<int64_t>{-2, 0}}, {i64({0})});
  testing::expect_call("aten::constant_pad_nd", {i64({2}, {1, 2}), std::vector<int64_t>{-3, 2}, 5.5}, {i64({1}, {5})});
}

TEST(ConstantPadNd, Refuses) {
  testing::expect_refused("aten::constant_pad_nd", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{1}}, "two numbers");
  testing::expect_refused("aten::constant_pad_nd", {f32({2}), std::vector<int64_t>{1, 1, 1, 1}}, "two numbers");
  testing::expect_refused("aten::constant_pad_nd", {f32({2}), std::vector<int64_t>{-3, 0}}, "negative");
}

}  // namespace
}  // namespace glint::ops
