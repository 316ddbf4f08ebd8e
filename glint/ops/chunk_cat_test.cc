#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(ChunkCat, Gives) {
  testing::expect_call("aten::_chunk_cat", {std::vector<HostTensor>{f32({3}, {1, 2, 3}), f32({2}, {4, 5})}, 0, 2},
                       {f32({2, 3}, {1, 2, 4, 3, 0, 5})});
}

TEST(ChunkCat, Refuses) {
  testing::expect_refused("aten::_chunk_cat", {std::vector<HostTensor>{f32({3})}, 0, 0}, "positive");
  testing::expect_refused("aten::_chunk_cat", {std::vector<HostTensor>{f32({0})}, 0, 1}, "empty");
  testing::expect_refused("aten::_chunk_cat", {std::vector<HostTensor>{f32({1}), i64({1})}, 0, 1}, "dtype");
}

}  // namespace
}  // namespace glint::ops
