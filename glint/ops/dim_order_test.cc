#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(DimOrder, Gives) {
  testing::expect_call("dim_order_ops::_to_dim_order_copy", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), DType::kI64, Operand(), Operand(), Operand(), false, std::vector<int64_t>{1, 0}},
                       {i64({2, 3}, {1, 2, 3, 4, 5, 6})});
  testing::expect_call("dim_order_ops::_clone_dim_order", {f32({2, 3}, {1, 2, 3, 4, 5, 6})}, {f32({2, 3}, {1, 2, 3, 4, 5, 6})});
  testing::expect_call("dim_order_ops::_empty_dim_order", {std::vector<int64_t>{2}}, {f32({2}, {0, 0})});
}

TEST(DimOrder, Refuses) {
  testing::expect_refused("dim_order_ops::_clone_dim_order", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), false, std::vector<int64_t>{0, 0}}, "every dimension once");
  testing::expect_refused("dim_order_ops::_to_dim_order_copy", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 99}, "unknown dtype");
  testing::expect_refused("dim_order_ops::_empty_dim_order", {std::vector<int64_t>{-1}}, "too large");
}

}  // namespace
}  // namespace glint::ops
