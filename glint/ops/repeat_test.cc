#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Repeat, Gives) {
  testing::expect_call("aten::repeat", {f32({2}, {1, 2}), std::vector<int64_t>{2, 2}}, {f32({2, 4}, {1, 2, 1, 2, 1, 2, 1, 2})});
}

TEST(Repeat, Edges) {
  testing::expect_call("aten::repeat", {f32({}, {3}), std::vector<int64_t>{}}, {f32({}, {3})});
  testing::expect_call("aten::repeat", {f32({2}, {1, 2}), std::vector<int64_t>{0}}, {f32({0})});
}

TEST(Repeat, Refuses) {
  testing::expect_refused("aten::repeat", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{2}}, "fewer");
  testing::expect_refused("aten::repeat", {f32({2}), std::vector<int64_t>{-1}}, "negative");
  testing::expect_refused("aten::repeat", {f32({2}), std::vector<int64_t>{4611686018427387904}}, "too large");
}

}  // namespace
}  // namespace glint::ops
