#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Diagonal, Gives) {
  testing::expect_call("aten::diagonal", {f32({2, 3}, {1, 2, 3, 4, 5, 6})}, {f32({2}, {1, 5})});
  testing::expect_call("aten::diagonal_copy", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 1}, {f32({2}, {2, 6})});
  testing::expect_call("aten::diagonal", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), -1}, {f32({1}, {4})});
}

TEST(Diagonal, OutsideIsEmpty) {
  testing::expect_call("aten::diagonal", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), int64_t(INT64_MIN)}, {f32({0})});
}

TEST(Diagonal, Scatters) {
  testing::expect_call("aten::diagonal_scatter", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({2}, {7, 8})},
                       {f32({2, 3}, {7, 2, 3, 4, 8, 6})});
}

TEST(Diagonal, Backward) {
  testing::expect_call("aten::diagonal_backward", {f32({1}, {5}), std::vector<int64_t>{2, 2}, 1, 0, 1},
                       {f32({2, 2}, {0, 5, 0, 0})});
}

TEST(Diagonal, Embeds) {
  testing::expect_call("aten::diag_embed", {f32({2}, {1, 2}), -1}, {f32({3, 3}, {0, 0, 0, 1, 0, 0, 0, 2, 0})});
}

TEST(Diagonal, Refuses) {
  testing::expect_refused("aten::diagonal", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0, 1, -1}, "same dimension");
  testing::expect_refused("aten::diagonal", {f32({2})}, "out of range");
  testing::expect_refused("aten::diag_embed", {f32({2}), int64_t(INT64_MIN)}, "offset");
  testing::expect_refused("aten::diag_embed", {f32({2}), int64_t(INT64_MAX)}, "offset");
  testing::expect_refused("aten::diag_embed", {f32({2}), 0, 0, 0}, "same dimension");
}

}  // namespace
}  // namespace glint::ops
