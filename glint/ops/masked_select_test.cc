#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(MaskedSelect, Gives) {
  testing::expect_call("aten::masked_select", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), HostTensor(DType::kBool, {3}, {1, 0, 1})},
                       {f32({4}, {1, 3, 4, 6})});
}

TEST(MaskedSelect, Scatters) {
  testing::expect_call("aten::masked_scatter", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), HostTensor(DType::kBool, {3}, {0, 1, 0}), f32({3}, {8, 9, 0})},
                       {f32({2, 3}, {1, 8, 3, 4, 9, 6})});
}

TEST(MaskedSelect, Refuses) {
  testing::expect_refused("aten::masked_select", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({3})}, "must be bool");
  testing::expect_refused("aten::masked_scatter", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), HostTensor(DType::kBool, {}, {1}), f32({5})}, "fewer elements");
  testing::expect_refused("aten::masked_scatter", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), HostTensor(DType::kBool, {}, {1}), i64({6})}, "dtype");
}

}  // namespace
}  // namespace glint::ops
