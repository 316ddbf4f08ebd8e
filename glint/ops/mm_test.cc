#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::expect_op, testing::expect_refusals, testing::f32, testing::HostTensor, testing::i64, testing::Operand;
using IntList = std::vector<int64_t>;

TEST(MatrixProduct, KnownValues) {
  const auto a = f32({2, 3}, {1, 2, 3, 4, 5, 6}), b = f32({3, 2}, {1, 0, 0, 1, 1, 1});
  expect_op("aten::mm", {a, b}, {{4, 5, 10, 11}});
  expect_op("aten::mm", {a.with_strides({1, 2}), b.with_strides({1, 3})}, {{4, 5, 10, 11}});
  expect_op("aten::addmm", {f32({2}, {1, 2}), a, b, 2, 10}, {{42, 54, 102, 114}});
  expect_op("aten::mv", {a, f32({3}, {1, 1, 1})}, {{6, 15}});
  expect_op("aten::addmv", {f32({}, {1}), a, f32({3}, {1, 1, 1})}, {{7, 16}});
  expect_op("aten::dot", {f32({2}, {3, 4}), f32({2}, {5, 6})}, {{39}});
  expect_op("aten::vdot", {f32({2}, {3, 4}), f32({2}, {5, 6})}, {{39}});
  expect_op("aten::bmm", {f32({2, 1, 1}, {2, 3}), f32({2, 1, 1}, {4, 5})}, {{8, 15}});
  expect_op("aten::baddbmm", {f32({1}, {1}), f32({2, 1, 1}, {2, 3}), f32({2, 1, 1}, {4, 5})}, {{9, 16}});
  expect_op("aten::addbmm", {f32({1}, {1}), f32({2, 1, 1}, {2, 3}), f32({2, 1, 1}, {4, 5})}, {{24}});
  expect_op("aten::addr", {f32({1}, {1}), f32({2}, {2, 3}), f32({2}, {4, 5})}, {{9, 11, 13, 16}});
  expect_op("aten::linalg_cross", {f32({1, 3}, {1, 0, 0}), f32({1, 3}, {0, 1, 0})}, {{0, 0, 1}});
  expect_op("aten::_trilinear", {f32({1, 2}, {1, 2}), f32({1, 2, 2}, {1, 2, 3, 4}), f32({1, 2}, {5, 6}), IntList{1, 3}, IntList{0}, IntList{1, 2}, IntList{2, 3}}, {{95}});
}

TEST(MatrixProduct, BlocksAndEdges) {
  std::vector<double> ones(70 * 67, 1), want(70 * 70, 67);
  expect_op("aten::mm", {f32({70, 67}, ones), f32({67, 70}, ones)}, {want});
  expect_op("aten::mm", {f32({2, 0}), f32({0, 2})}, {{0, 0, 0, 0}});
  // beta 0 ignores self, NaN and all; integers wrap.
  expect_op("aten::addmm", {f32({1, 1}, {NAN}), f32({1, 1}, {2}), f32({1, 1}, {3}), 0}, {{6}});
  expect_op("aten::mm", {HostTensor(DType::kU8, {1, 1}, {20}), HostTensor(DType::kU8, {1, 1}, {13})}, {{4}});
}

TEST(MatrixProduct, Refusals) {
  expect_refusals({
      {"inner sizes", "aten::mm", {f32({2, 3}), f32({2, 3})}},
      {"rank", "aten::mm", {f32({2}), f32({2, 3})}},
      {"dtypes", "aten::mm", {f32({2, 2}), i64({2, 2})}},
      {"bool", "aten::mm", {HostTensor(DType::kBool, {1, 1}), HostTensor(DType::kBool, {1, 1})}, Code::kUnsupported},
      {"batch", "aten::bmm", {f32({2, 1, 1}), f32({3, 1, 1})}},
      {"self does not broadcast", "aten::addmm", {f32({3}), f32({2, 2}), f32({2, 2})}},
      {"self is larger", "aten::addmv", {f32({2, 2}), f32({2, 2}), f32({2})}},
      {"sizes", "aten::dot", {f32({2}), f32({3})}},
      {"float beta", "aten::addr", {i64({1}), i64({1}), i64({1}), 0.5}},
      {"not three", "aten::linalg_cross", {f32({2}), f32({2})}},
      {"expand", "aten::_trilinear", {f32({1}), f32({1}), f32({1}), IntList{5}, IntList{0}, IntList{0}, IntList{}}},
  });
}

}  // namespace
}  // namespace glint::ops
