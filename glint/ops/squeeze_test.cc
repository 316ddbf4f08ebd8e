#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Squeeze, Gives) {
  testing::expect_call("aten::squeeze", {f32({1, 2, 1}, {1, 2})}, {f32({2}, {1, 2})});
  testing::expect_call("aten::squeeze.dim", {f32({1, 2, 1}, {1, 2}), -1}, {f32({1, 2}, {1, 2})});
  testing::expect_call("aten::squeeze.dims", {f32({1, 2, 1}, {1, 2}), std::vector<int64_t>{0, 1}}, {f32({2, 1}, {1, 2})});
}

TEST(Squeeze, Scalar) {
  testing::expect_call("aten::squeeze_copy.dim", {f32({}, {4}), -1}, {f32({}, {4})});
}

TEST(Squeeze, Refuses) {
  testing::expect_refused("aten::squeeze.dim", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 2}, "out of range");
  testing::expect_refused("aten::squeeze.dims", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{0, -2}}, "repeats");
}

}  // namespace
}  // namespace glint::ops
