#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Embedding, Gives) {
  testing::expect_call("aten::embedding", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), i64({2, 1}, {1, 0})},
                       {f32({2, 1, 3}, {4, 5, 6, 1, 2, 3})});
}

TEST(Embedding, Backward) {
  testing::expect_call("aten::embedding_dense_backward", {f32({3, 1}, {1, 2, 4}), i64({3}, {1, 1, 0}), 3, 0, true},
                       {f32({3, 1}, {0, 1.5, 0})});
}

TEST(Embedding, Refuses) {
  testing::expect_refused("aten::embedding", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), i64({1}, {2})}, "index is out of range");
  testing::expect_refused("aten::embedding", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), i64({1}, {-1})}, "index is out of range");
  testing::expect_refused("aten::embedding", {f32({2}), i64({1})}, "two dimensions");
  testing::expect_refused("aten::embedding", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({1})}, "int64");
  testing::expect_refused("aten::embedding_dense_backward", {f32({1, 1}), i64({1}, {5}), 3, -1, false}, "index is out of range");
  testing::expect_refused("aten::embedding_dense_backward", {f32({1, 1}), i64({2}), 3, -1, false}, "sizes of indices");
}

}  // namespace
}  // namespace glint::ops
