#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Im2col, Gives) {
  testing::expect_call("aten::im2col", {f32({1, 2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{2, 2}, std::vector<int64_t>{1, 1}, std::vector<int64_t>{0, 0}, std::vector<int64_t>{1, 1}},
                       {f32({4, 2}, {1, 2, 2, 3, 4, 5, 5, 6})});
}

TEST(Im2col, Padding) {
  testing::expect_call("aten::im2col", {f32({1, 1, 1}, {5}), std::vector<int64_t>{1, 1}, std::vector<int64_t>{1, 1}, std::vector<int64_t>{0, 1}, std::vector<int64_t>{1, 1}},
                       {f32({1, 3}, {0, 5, 0})});
}

TEST(Im2col, Back) {
  testing::expect_call("aten::col2im", {f32({4, 2}, {1, 1, 1, 1, 1, 1, 1, 1}), std::vector<int64_t>{2, 3}, std::vector<int64_t>{2, 2}, std::vector<int64_t>{1, 1}, std::vector<int64_t>{0, 0}, std::vector<int64_t>{1, 1}},
                       {f32({1, 2, 3}, {1, 2, 1, 1, 2, 1})});
}

TEST(Im2col, Refuses) {
  testing::expect_refused("aten::im2col", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{1, 1}, std::vector<int64_t>{1, 1}, std::vector<int64_t>{0, 0}, std::vector<int64_t>{1, 1}}, "3 or 4");
  testing::expect_refused("aten::im2col", {f32({1, 2, 3}), std::vector<int64_t>{3, 1}, std::vector<int64_t>{1, 1}, std::vector<int64_t>{0, 0}, std::vector<int64_t>{1, 1}}, "larger");
  testing::expect_refused("aten::im2col", {f32({1, 2, 3}), std::vector<int64_t>{1, 1}, std::vector<int64_t>{1, 1}, std::vector<int64_t>{0, 0}, std::vector<int64_t>{0, 1}}, "out of range");
  testing::expect_refused("aten::col2im", {f32({4, 3}), std::vector<int64_t>{2, 3}, std::vector<int64_t>{2, 2}, std::vector<int64_t>{1, 1}, std::vector<int64_t>{0, 0}, std::vector<int64_t>{1, 1}}, "columns");
  testing::expect_refused("aten::col2im", {f32({3, 2}), std::vector<int64_t>{2, 3}, std::vector<int64_t>{2, 2}, std::vector<int64_t>{1, 1}, std::vector<int64_t>{0, 0}, std::vector<int64_t>{1, 1}}, "divide");
}

}  // namespace
}  // namespace glint::ops
