#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::expect_op, testing::expect_refusals, testing::f32, testing::HostTensor, testing::i64, testing::Operand;
using IntList = std::vector<int64_t>;

TEST(Loss, KnownValues) {
  expect_op("aten::mse_loss", {f32({2}, {1, 2}), f32({2}, {3, 5})}, {{6.5}});
  expect_op("aten::mse_loss", {f32({2, 1}, {1, 2}), f32({2}, {3, 5}), 0}, {{4, 16, 1, 9}});
  expect_op("aten::smooth_l1_loss", {f32({2}, {0, 0}), f32({2}, {0.5, 3}), 0}, {{0.125, 2.5}});
  expect_op("aten::huber_loss", {f32({2}, {0, 0}), f32({2}, {1, 3}), 2, 2.0}, {{0.5 + 4}});
  expect_op("aten::binary_cross_entropy", {f32({2}, {0, 0.5}), f32({2}, {1, 1}), Operand(), 0}, {{100, std::log(2.0)}});
  expect_op("aten::nll_loss_forward", {f32({2, 2}, {-1, -2, -3, -4}), i64({2}, {0, 1}), f32({2}, {1, 3}), 1, -100}, {{3.25}, {4}});
  expect_op("aten::nll_loss_forward", {f32({1, 2}, {-1, -2}), i64({1}, {-100}), Operand(), 1, -100}, {{NAN}, {0}});
  expect_op("aten::nll_loss2d_forward", {f32({1, 2, 1, 1}, {-1, -2}), i64({1, 1, 1}, {1}), Operand(), 0, -100}, {{2}, {0}});
  expect_op("aten::multi_margin_loss", {f32({1, 3}, {0.1, 0.2, 0.7}), i64({1}, {2})}, {{0.3}});
  expect_op("aten::multilabel_margin_loss_forward", {f32({4}, {0.1, 0.2, 0.4, 0.8}), i64({4}, {3, 0, -1, 1}), 1}, {{0.85}, {1, 0, 0, 1}});
  expect_op("aten::binary_cross_entropy_with_logits", {f32({2}, {0, 2}), f32({2}, {1, 0}), Operand(), f32({1}, {3}), 0}, {{3 * std::log(2.0), 2.1269280}});
  expect_op("aten::dist", {f32({2}, {3, 0}), f32({1}, {0})}, {{3}});
  expect_op("aten::dist", {f32({2}, {3, -4}), f32({2}), INFINITY}, {{4}});
  expect_op("aten::segment_reduce", {f32({4}, {1, 2, 3, 4}), "mean", i64({3}, {1, 0, 3})}, {{1, NAN, 3}});
  expect_op("aten::_weight_norm_interface", {f32({2, 2}, {3, 4, 0, 2}), f32({2, 1}, {10, 1})}, {{6, 8, 0, 1}, {5, 2}});
  expect_op("aten::soft_margin_loss", {f32({1}, {0}), f32({1}, {1})}, {{std::log(2.0)}});
  expect_op("aten::glu", {f32({1, 2}, {3, 0})}, {{1.5}});
  expect_op("aten::_cdist_forward", {f32({2, 2}, {0, 0, 3, 4}), f32({1, 2}, {0, 0}), 2.0, Operand()}, {{0, 5}});
  expect_op("aten::_pdist_forward", {f32({3, 1}, {0, 1, 3}), 1.0}, {{1, 3, 2}});
  expect_op("aten::renorm", {f32({2, 2}, {3, 4, 0.3, 0.4}), 2, 0, 1}, {{0.6, 0.8, 0.3, 0.4}});
  expect_op("aten::native_dropout", {f32({2}, {1, 2}), 0.5, false}, {{1, 2}, {1, 1}});
  expect_op("aten::native_dropout_backward", {f32({2}, {1, 2}), HostTensor(DType::kBool, {2}, {1, 0}), 2.0}, {{2, 0}});
}

TEST(Loss, Refusals) {
  expect_refusals({
      {"reduction", "aten::mse_loss", {f32({1}), f32({1}), 3}},
      {"integers", "aten::mse_loss", {i64({1}), i64({1})}, Code::kUnsupported},
      {"broadcast", "aten::mse_loss", {f32({2}), f32({3})}},
      {"delta", "aten::huber_loss", {f32({1}), f32({1}), 1, 0.0}},
      {"not a probability", "aten::binary_cross_entropy", {f32({1}, {2}), f32({1})}},
      {"target", "aten::nll_loss_forward", {f32({1, 2}), i64({1}, {2}), Operand(), 1, -100}},
      {"target size", "aten::nll_loss_forward", {f32({1, 2}), i64({2}), Operand(), 1, -100}},
      {"target", "aten::multi_margin_loss", {f32({1, 2}), i64({1}, {-1})}},
      {"target", "aten::multilabel_margin_loss_forward", {f32({2}), i64({2}, {2, 0}), 1}},
      {"odd", "aten::glu", {f32({3})}},
      {"p", "aten::_pdist_forward", {f32({2, 2}), -1.0}},
      {"columns", "aten::_cdist_forward", {f32({2, 2}), f32({2, 3}), 2.0, Operand()}},
      {"segments", "aten::segment_reduce", {f32({4}), "sum", i64({2}, {1, 2})}},
      {"negative segment", "aten::segment_reduce", {f32({4}), "sum", i64({2}, {-1, 5})}},
      {"dim", "aten::_weight_norm_interface", {f32({2, 2, 2}), f32({2}), 1}},
      {"p", "aten::renorm", {f32({2, 2}), 0, 0, 1}},
  });
}

}  // namespace
}  // namespace glint::ops
