#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(BlockDiag, Gives) {
  testing::expect_call("aten::block_diag", {std::vector<HostTensor>{f32({1, 2}, {1, 2}), i64({}, {3})}},
                       {f32({2, 3}, {1, 2, 0, 0, 0, 3})});
}

TEST(BlockDiag, Empty) {
  testing::expect_call("aten::block_diag", {std::vector<HostTensor>{}}, {f32({1, 0})});
}

TEST(BlockDiag, Refuses) {
  testing::expect_refused("aten::block_diag", {std::vector<HostTensor>{f32({1, 1, 1})}}, "two dimensions");
}

}  // namespace
}  // namespace glint::ops
