#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Isin, Gives) {
  testing::expect_call("aten::isin.Tensor_Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), i64({2}, {2, 6})},
                       {HostTensor(DType::kBool, {2, 3}, {0, 1, 0, 0, 0, 1})});
  testing::expect_call("aten::isin.Tensor_Scalar", {i64({2}, {1, 2}), 2, false, true}, {HostTensor(DType::kBool, {2}, {1, 0})});
  testing::expect_call("aten::isin.Scalar_Tensor", {3, i64({2}, {1, 3})}, {HostTensor(DType::kBool, {}, {1})});
}

TEST(Isin, NanIsNeverIn) {
  testing::expect_call("aten::isin.Tensor_Tensor", {f32({1}, {NAN}), f32({1}, {NAN})}, {HostTensor(DType::kBool, {1}, {0})});
}

TEST(Isin, Refuses) {
  testing::expect_refused("aten::isin.Tensor_Tensor", {HostTensor(DType::kC64, {1}), f32({1})}, "no order", Code::kUnsupported);
}

}  // namespace
}  // namespace glint::ops
