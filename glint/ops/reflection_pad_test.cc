#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(ReflectionPad, Gives) {
  testing::expect_call("aten::reflection_pad1d", {f32({1, 3}, {1, 2, 3}), std::vector<int64_t>{2, 1}},
                       {f32({1, 6}, {3, 2, 1, 2, 3, 2})});
  testing::expect_call("aten::reflection_pad2d", {f32({1, 2, 2}, {1, 2, 3, 4}), std::vector<int64_t>{0, 1, 1, 0}},
                       {f32({1, 3, 3}, {3, 4, 3, 1, 2, 1, 3, 4, 3})});
}

TEST(ReflectionPad, Crops) {
  testing::expect_call("aten::reflection_pad1d", {f32({1, 4}, {0, 1, 2, 3}), std::vector<int64_t>{-4, 3}},
                       {f32({1, 3}, {2, 1, 0})});
}

TEST(ReflectionPad, Refuses) {
  testing::expect_refused("aten::reflection_pad1d", {f32({1, 3}), std::vector<int64_t>{3, 0}}, "smaller");
  testing::expect_refused("aten::reflection_pad2d", {f32({1, 3}), std::vector<int64_t>{0, 0, 0, 0}}, "dimensions");
  testing::expect_refused("aten::reflection_pad1d", {f32({1, 3}), std::vector<int64_t>{-3, 0}}, "no elements");
  testing::expect_refused("aten::reflection_pad3d", {f32({1, 0, 2, 2}), std::vector<int64_t>{0, 0, 0, 0, 0, 0}}, "empty");
}

}  // namespace
}  // namespace glint::ops
