#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::expect_op, testing::expect_refusals, testing::f32, testing::HostTensor, testing::i64;

HostTensor i32(std::vector<double> v) { return HostTensor(DType::kI32, {int64_t(v.size())}, v); }

TEST(GroupedMm, GroupsOfRows) {
  const auto x = f32({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), experts = f32({3, 2, 1}, {1, 1, 100, 100, 1, -1});
  expect_op("aten::_grouped_mm", {x, experts, i32({1, 1, 4})}, {{3, -1, -1, -1}});
  expect_op("aten::_grouped_mm", {x, experts, i64({3}, {0, 2, 3})}, {{300, 700, -1, 0}});  // a row of no group
  expect_op("aten::_grouped_mm", {f32({0, 2}), experts, i32({0, 0, 0})}, {{}});
}

TEST(GroupedMm, GroupsElsewhere) {
  const auto x = f32({1, 3}, {1, 2, 3}), y = f32({3, 2}, {1, 2, 3, 4, 5, 6});
  expect_op("aten::_grouped_mm", {x, y, i32({1, 1, 3})}, {{1, 2, 0, 0, 21, 26}});                                   // the inner dimension
  expect_op("aten::_grouped_mm", {f32({2, 1, 3}, {1, 0, 0, 0, 0, 1}), y, i32({1, 2})}, {{1, 6}});                    // columns
  expect_op("aten::_grouped_mm", {f32({2, 1, 1}, {2, 3}), f32({2, 1, 1}, {4, 5})}, {{8, 15}});                       // both have groups
}

TEST(GroupedMm, Refusals) {
  const auto x = f32({4, 2}), w = f32({3, 2, 1});
  expect_refusals({
      {"inner sizes", "aten::_grouped_mm", {x, f32({3, 3, 1}), i32({1, 2, 4})}},
      {"no offs", "aten::_grouped_mm", {x, w}},
      {"number of offs", "aten::_grouped_mm", {x, w, i32({1, 4})}},
      {"offs of floats", "aten::_grouped_mm", {x, w, f32({3}, {1, 2, 4})}},
      {"falling", "aten::_grouped_mm", {x, w, i32({2, 1, 4})}},
      {"beyond", "aten::_grouped_mm", {x, w, i32({2, 3, 5})}},
      {"negative", "aten::_grouped_mm", {x, w, i32({-1, 3, 4})}},
      {"rank", "aten::_grouped_mm", {f32({4}), w, i32({1, 2, 4})}},
      {"bias", "aten::_grouped_mm", {x, w, i32({1, 2, 4}), f32({3, 1})}, Code::kUnsupported},
  });
}

}  // namespace
}  // namespace glint::ops
