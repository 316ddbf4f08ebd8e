#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(EmbeddingBag, Gives) {
  testing::expect_call("aten::_embedding_bag", {f32({3, 2}, {0, 1, 2, 3, 4, 5}), i64({3}, {0, 2, 1}), i64({3}, {0, 2, 2})},
                       {f32({3, 2}, {4, 6, 0, 0, 2, 3}), i64({0}), i64({3}, {0, 0, 0}), i64({3}, {0, 0, 0})});
}

TEST(EmbeddingBag, MeanAndMax) {
  testing::expect_call("aten::_embedding_bag", {f32({3, 2}, {0, 1, 2, 3, 4, 5}), i64({3}, {0, 2, 1}), i64({3}, {0, 2, 3}), false, 1, false, Operand(), true},
                       {f32({2, 2}, {2, 3, 2, 3}), i64({3}, {0, 0, 1}), i64({2}, {2, 1}), i64({2}, {2, 1})});
  testing::expect_call("aten::_embedding_bag", {f32({3, 2}, {0, 1, 2, 3, 4, 5}), i64({3}, {0, 2, 1}), i64({1}, {0}), false, 2, false, Operand(), false, 2},
                       {f32({1, 2}, {2, 3}), i64({3}, {0, 0, 0}), i64({1}, {2}), i64({1, 2}, {1, 1})});
}

TEST(EmbeddingBag, Weighted) {
  testing::expect_call("aten::_embedding_bag", {f32({3, 2}, {0, 1, 2, 3, 4, 5}), i64({2}, {1, 2}), i64({1}, {0}), false, 0, false, f32({2}, {0.5, 2})},
                       {f32({1, 2}, {9, 11.5}), i64({0}), i64({1}, {0}), i64({1}, {0})});
}

TEST(EmbeddingBag, Refuses) {
  testing::expect_refused("aten::_embedding_bag", {f32({3, 2}, {0, 1, 2, 3, 4, 5}), i64({1}, {3}), i64({1}, {0})}, "index is out of range");
  testing::expect_refused("aten::_embedding_bag", {f32({3, 2}, {0, 1, 2, 3, 4, 5}), i64({1}), i64({1}, {1})}, "offsets");
  testing::expect_refused("aten::_embedding_bag", {f32({3, 2}, {0, 1, 2, 3, 4, 5}), i64({1}), i64({2}, {0, 2})}, "offsets");
  testing::expect_refused("aten::_embedding_bag", {f32({3, 2}, {0, 1, 2, 3, 4, 5}), i64({1}), i64({1}), false, 3}, "mode");
}

}  // namespace
}  // namespace glint::ops
