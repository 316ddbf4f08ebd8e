#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(View, Gives) {
  testing::expect_call("aten::view", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{3, -1}},
                       {f32({3, 2}, {1, 2, 3, 4, 5, 6})});
  testing::expect_call("aten::view_copy", {f32({2, 3}, {1, 2, 3, 4, 5, 6}).with_strides({1, 2}), std::vector<int64_t>{6}},
                       {f32({6}, {1, 2, 3, 4, 5, 6})});
}

TEST(View, Empty) {
  testing::expect_call("aten::_unsafe_view", {f32({0, 3}), std::vector<int64_t>{-1, 3}}, {f32({0, 3})});
}

TEST(View, AsOtherDtype) {
  testing::expect_call("aten::view.dtype", {i64({2}, {1, -1}), DType::kI32}, {HostTensor(DType::kI32, {4}, {1, 0, -1, -1})});
  testing::expect_call("aten::view_copy.dtype", {HostTensor(DType::kI32, {2, 2}, {1, 2, 0, 0}).with_strides({1, 2}), DType::kI64},
                       {i64({2, 1}, {8589934593, 0})});
}

TEST(View, ByStrides) {
  testing::expect_call("glint::view", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{2, 2}, std::vector<int64_t>{1, 2}, 1},
                       {f32({2, 2}, {2, 4, 3, 5})});
  testing::expect_call("glint::view", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{3}, std::vector<int64_t>{0}, 5},
                       {f32({3}, {6, 6, 6})});
  testing::expect_call("glint::view", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{0}, std::vector<int64_t>{1}, 100},
                       {f32({0})});
}

TEST(View, Refuses) {
  testing::expect_refused("aten::view", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{4}}, "do not fit");
  testing::expect_refused("aten::view", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{-1, -1}}, "only one");
  testing::expect_refused("aten::view", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{-1, 4}}, "do not fit");
  testing::expect_refused("aten::view", {f32({0}), std::vector<int64_t>{-1, 0}}, "ambiguous");
  testing::expect_refused("aten::view", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{-2}}, "negative");
  testing::expect_refused("aten::view", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{4611686018427387904, 4}}, "do not fit");
  testing::expect_refused("aten::view.dtype", {f32({3}), DType::kF64}, "does not divide");
  testing::expect_refused("aten::view.dtype", {f32({}), DType::kF64}, "keeps its element size");
  testing::expect_refused("aten::view.dtype", {f32({2}), 12}, "unknown dtype");
  testing::expect_refused("glint::view", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{2}, std::vector<int64_t>{6}, 0}, "outside the storage");
  testing::expect_refused("glint::view", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{1}, std::vector<int64_t>{1}, 6}, "outside the storage");
  testing::expect_refused("glint::view", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{3}, std::vector<int64_t>{4611686018427387904}, 0}, "out of range");
  testing::expect_refused("glint::view", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{2}, std::vector<int64_t>{-1}, 3}, "negative");
  testing::expect_refused("glint::view", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{2}, std::vector<int64_t>{1}, -1}, "out of range");
}

}  // namespace
}  // namespace glint::ops
