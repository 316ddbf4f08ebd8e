#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Unsqueeze, Gives) {
  testing::expect_call("aten::unsqueeze", {f32({2}, {1, 2}), -1}, {f32({2, 1}, {1, 2})});
  testing::expect_call("aten::unsqueeze_copy", {f32({}, {1}), 0}, {f32({1}, {1})});
}

TEST(Unsqueeze, Refuses) {
  testing::expect_refused("aten::unsqueeze", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 3}, "out of range");
  testing::expect_refused("aten::unsqueeze", {f32(std::vector<int64_t>(16, 1)), 0}, "too many", Code::kUnsupported);
}

}  // namespace
}  // namespace glint::ops
