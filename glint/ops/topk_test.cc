#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Topk, Gives) {
  testing::expect_call("aten::topk", {f32({4}, {1, NAN, 3, 2}), 2}, {f32({2}, {NAN, 3}), i64({2}, {1, 2})});
  testing::expect_call("aten::topk", {i64({2, 3}, {3, 1, 2, 5, 4, 6}), 1, 1, false}, {i64({2, 1}, {1, 4}), i64({2, 1}, {1, 1})});
}

TEST(Topk, Edges) {
  testing::expect_call("aten::topk", {f32({}, {4}), 1}, {f32({}, {4}), i64({}, {0})});
  testing::expect_call("aten::topk", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0}, {f32({2, 0}), i64({2, 0})});
}

TEST(Topk, Refuses) {
  testing::expect_refused("aten::topk", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 4}, "k is out of range");
  testing::expect_refused("aten::topk", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), -1}, "k is out of range");
}

}  // namespace
}  // namespace glint::ops
