#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Tril, Gives) {
  testing::expect_call("aten::tril", {f32({2, 3}, {1, 2, 3, 4, 5, 6})}, {f32({2, 3}, {1, 0, 0, 4, 5, 0})});
  testing::expect_call("aten::triu", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 1}, {f32({2, 3}, {0, 2, 3, 0, 0, 6})});
}

TEST(Tril, ExtremeDiagonals) {
  testing::expect_call("aten::tril", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), int64_t(INT64_MAX)}, {f32({2, 3}, {1, 2, 3, 4, 5, 6})});
  testing::expect_call("aten::triu", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), int64_t(INT64_MIN)}, {f32({2, 3}, {1, 2, 3, 4, 5, 6})});
}

TEST(Tril, Indices) {
  testing::expect_call("aten::tril_indices", {3, 2}, {i64({2, 5}, {0, 1, 1, 2, 2, 0, 0, 1, 0, 1})});
  testing::expect_call("aten::triu_indices", {2, 3, 1, DType::kI32}, {HostTensor(DType::kI32, {2, 3}, {0, 0, 1, 1, 2, 2})});
  testing::expect_call("aten::tril_indices", {2, 2, int64_t(INT64_MIN)}, {i64({2, 0})});
}

TEST(Tril, Refuses) {
  testing::expect_refused("aten::tril", {f32({3})}, "two dimensions");
  testing::expect_refused("aten::tril_indices", {-1, 2}, "out of range");
  testing::expect_refused("aten::triu_indices", {int64_t(INT64_MAX), 2}, "out of range");
}

}  // namespace
}  // namespace glint::ops
