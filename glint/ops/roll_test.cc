#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Roll, Gives) {
  testing::expect_call("aten::roll", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{1}, std::vector<int64_t>{1}},
                       {f32({2, 3}, {3, 1, 2, 6, 4, 5})});
  testing::expect_call("aten::roll", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{-2}},
                       {f32({2, 3}, {3, 4, 5, 6, 1, 2})});
  testing::expect_call("aten::roll", {f32({2, 3}, {1, 2, 3, 4, 5, 6}).with_strides({1, 2}), std::vector<int64_t>{-2}},
                       {f32({2, 3}, {3, 4, 5, 6, 1, 2})});
}

TEST(Roll, SameDimTwice) {
  testing::expect_call("aten::roll", {f32({3}, {1, 2, 3}), std::vector<int64_t>{1, -4}, std::vector<int64_t>{0, 0}},
                       {f32({3}, {1, 2, 3})});
}

TEST(Roll, Refuses) {
  testing::expect_refused("aten::roll", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{1, 2}, std::vector<int64_t>{0}}, "length");
  testing::expect_refused("aten::roll", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{1}, std::vector<int64_t>{2}}, "out of range");
}

}  // namespace
}  // namespace glint::ops
