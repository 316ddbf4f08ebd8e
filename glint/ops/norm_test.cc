#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::expect_op, testing::expect_refusals, testing::f32, testing::HostTensor, testing::i64, testing::Operand;
using IntList = std::vector<int64_t>;

TEST(Normalisation, KnownValues) {
  expect_op("aten::native_layer_norm", {f32({2, 2}, {1, 3, 2, 2}), IntList{2}, f32({2}, {1, 2}), f32({2}, {0, 1}), 0.0}, {{-1, 3, NAN, NAN}, {2, 2}, {1, INFINITY}});
  expect_op("aten::native_group_norm", {f32({1, 2, 2}, {1, 3, 5, 7}), f32({2}, {1, 2}), Operand(), 1, 2, 2, 2, 0.0}, {{-1, 1, -2, 2}, {2, 6}, {1, 1}});
  expect_op("aten::_native_batch_norm_legit_functional", {f32({2, 1}, {1, 3}), Operand(), Operand(), f32({1}, {0}), f32({1}, {1}), true, 0.5, 0.0},
            {{-1, 1}, {2}, {1}, {1}, {1.5}});
  expect_op("aten::_native_batch_norm_legit_no_training", {f32({1, 2}, {1, 3}), f32({2}, {2, 2}), Operand(), f32({2}, {0, 1}), f32({2}, {1, 4}), 0.1, 0.0}, {{2, 2}, {}, {}});
  expect_op("aten::native_batch_norm", {f32({2, 1}, {1, 3}), Operand(), Operand(), Operand(), Operand(), true, 0.1, 0.0}, {{-1, 1}, {2}, {1}});
}

TEST(Normalisation, StridesAndEmpty) {
  const auto x = f32({2, 3}, {1, 2, 3, 4, 5, 6});
  const double r = std::sqrt(1.5);
  expect_op("aten::native_layer_norm", {x.with_strides({1, 2}), IntList{3}, Operand(), Operand(), 0.0}, {{-r, 0, r, -r, 0, r}});
  expect_op("aten::native_layer_norm", {f32({0, 3}), IntList{3}, Operand(), Operand(), 0.0}, {{}, {}, {}});
}

TEST(Normalisation, Refusals) {
  expect_refusals({
      {"shape", "aten::native_layer_norm", {f32({2, 3}), IntList{2}, Operand(), Operand(), 0.0}},
      {"no shape", "aten::native_layer_norm", {f32({2, 3}), IntList{}, Operand(), Operand(), 0.0}},
      {"weight", "aten::native_layer_norm", {f32({2, 3}), IntList{3}, f32({2}), Operand(), 0.0}},
      {"integers", "aten::native_layer_norm", {i64({2, 3}), IntList{3}, Operand(), Operand(), 0.0}, Code::kUnsupported},
      {"groups", "aten::native_group_norm", {f32({1, 3}), Operand(), Operand(), 1, 3, 1, 2, 0.0}},
      {"HxW", "aten::native_group_norm", {f32({1, 4}), Operand(), Operand(), 1, 4, 2, 2, 0.0}},
      {"channels", "aten::_native_batch_norm_legit_no_training", {f32({1, 2}), Operand(), Operand(), f32({3}), f32({2}), 0.1, 0.0}},
      {"no statistics", "aten::native_batch_norm", {f32({1, 2}), Operand(), Operand(), Operand(), Operand(), false, 0.1, 0.0}},
  });
}

}  // namespace
}  // namespace glint::ops
