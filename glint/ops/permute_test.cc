#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Permute, Gives) {
  testing::expect_call("aten::permute", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{1, -2}},
                       {f32({3, 2}, {1, 4, 2, 5, 3, 6})});
}

TEST(Permute, Scalar) {
  testing::expect_call("aten::permute_copy", {f32({}, {3}), std::vector<int64_t>{}}, {f32({}, {3})});
}

TEST(Permute, Refuses) {
  testing::expect_refused("aten::permute", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{0}}, "each dimension");
  testing::expect_refused("aten::permute", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{0, 2}}, "out of range");
  testing::expect_refused("aten::permute", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{1, 1}}, "repeats");
}

}  // namespace
}  // namespace glint::ops
