#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::expect_op, testing::expect_refusals, testing::f32, testing::HostTensor, testing::i64, testing::Operand;
using IntList = std::vector<int64_t>;

HostTensor image() { return f32({1, 3, 3}, {1, 2, 3, 4, 9, 6, 7, 8, 5}); }

TEST(Pooling, KnownValues) {
  expect_op("aten::avg_pool2d", {image(), IntList{2, 2}, IntList{1, 1}}, {{4, 5, 7, 7}});
  expect_op("aten::avg_pool2d", {image(), IntList{2, 2}, IntList{2, 2}, IntList{1, 1}, false, true}, {{0.25, 1.25, 2.75, 7}});
  expect_op("aten::avg_pool2d", {image(), IntList{2, 2}, IntList{2, 2}, IntList{1, 1}, false, false}, {{1, 2.5, 5.5, 7}});
  expect_op("aten::max_pool2d_with_indices", {image(), IntList{2, 2}, IntList{1, 1}}, {{9, 9, 9, 9}, {4, 4, 4, 4}});
  expect_op("aten::max_pool2d_with_indices", {image(), IntList{2, 2}, IntList{2, 2}, IntList{0, 0}, IntList{1, 1}, true}, {{9, 6, 8, 5}, {4, 5, 7, 8}});
  expect_op("aten::_adaptive_avg_pool2d", {image(), IntList{2, 1}}, {{25 / 6.0, 39 / 6.0}});
  expect_op("aten::adaptive_max_pool2d", {image(), IntList{1, 2}}, {{9, 9}, {4, 4}});
  expect_op("aten::max_unpool2d", {f32({1, 1, 2}, {5, 6}), i64({1, 1, 2}, {3, 0}), IntList{2, 2}}, {{6, 0, 0, 5}});
  expect_op("aten::avg_pool2d_backward", {f32({1, 1, 1}, {4}), f32({1, 2, 2}), IntList{2, 2}, IntList{1, 1}, IntList{0, 0}, false, true, Operand()}, {{1, 1, 1, 1}});
  expect_op("aten::max_pool2d_with_indices_backward", {f32({1, 1, 1}, {4}), f32({1, 2, 2}), IntList{2, 2}, IntList{1, 1}, IntList{0, 0}, IntList{1, 1}, false, i64({1, 1, 1}, {2})}, {{0, 0, 4, 0}});
  expect_op("aten::fractional_max_pool2d", {image(), IntList{1, 1}, IntList{2, 2}, f32({1, 1, 2}, {0.5, 0.5})}, {{1, 3, 7, 5}, {0, 2, 6, 8}});
}

TEST(Pooling, NanAndIntegers) {
  expect_op("aten::max_pool2d_with_indices", {f32({1, 1, 3}, {1, NAN, 2}), IntList{1, 3}}, {{NAN}, {1}});
  expect_op("aten::max_pool2d_with_indices", {f32({1, 1, 2}, {-INFINITY, -INFINITY}), IntList{1, 2}}, {{-INFINITY}, {0}});
  expect_op("aten::avg_pool2d", {i64({1, 1, 2}, {-3, 0}), IntList{1, 2}}, {{-1}});
}

TEST(Pooling, Refusals) {
  expect_refusals({
      {"padding", "aten::avg_pool2d", {image(), IntList{2, 2}, IntList{1, 1}, IntList{2, 0}}},
      {"window", "aten::avg_pool2d", {image(), IntList{4, 4}}},
      {"rank", "aten::avg_pool2d", {f32({3, 3}), IntList{2, 2}}},
      {"divisor", "aten::avg_pool2d", {image(), IntList{2, 2}, IntList{1, 1}, IntList{0, 0}, false, true, 0}},
      {"kernel", "aten::max_pool2d_with_indices", {image(), IntList{0, 2}}},
      {"huge kernel", "aten::max_pool2d_with_indices", {image(), IntList{INT64_MAX, 2}}},
      {"bool", "aten::max_pool2d_with_indices", {HostTensor(DType::kBool, {1, 2, 2}), IntList{1, 1}}, Code::kUnsupported},
      {"output size", "aten::_adaptive_avg_pool2d", {image(), IntList{-1, 2}}},
      {"index", "aten::max_unpool2d", {f32({1, 1, 1}), i64({1, 1, 1}, {4}), IntList{2, 2}}},
      {"index", "aten::max_pool2d_with_indices_backward", {f32({1, 1, 1}), f32({1, 2, 2}), IntList{2, 2}, IntList{1, 1}, IntList{0, 0}, IntList{1, 1}, false, i64({1, 1, 1}, {-1})}},
  });
}

}  // namespace
}  // namespace glint::ops
