#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

Operand with_none(std::vector<HostTensor> t, std::vector<bool> absent) {
  Operand o(std::move(t));
  o.absent = std::move(absent);
  return o;
}

TEST(Index, Gives) {
  testing::expect_call("aten::index.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<HostTensor>{i64({2}, {-1, 0})}},
                       {f32({2, 3}, {4, 5, 6, 1, 2, 3})});
  testing::expect_call("aten::index.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), with_none({HostTensor(), i64({2}, {2, 0})}, {true, false})},
                       {f32({2, 2}, {3, 1, 6, 4})});
  testing::expect_call("aten::index.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<HostTensor>{i64({2, 1}, {0, 1}), HostTensor(DType::kI32, {2}, {0, 2})}},
                       {f32({2, 2}, {1, 3, 4, 6})});
}

TEST(Index, Masks) {
  testing::expect_call("aten::index.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<HostTensor>{HostTensor(DType::kBool, {2, 3}, {1, 0, 0, 0, 1, 1})}},
                       {f32({3}, {1, 5, 6})});
  testing::expect_call("aten::index.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<HostTensor>{HostTensor(DType::kBool, {2}, {1, 1}), i64({2}, {2, 0})}},
                       {f32({2}, {3, 4})});
  testing::expect_call("aten::index.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<HostTensor>{HostTensor(DType::kBool, {2}, {0, 0})}},
                       {f32({0, 3})});
}

TEST(Index, SeparatedIndicesComeFirst) {
  testing::expect_call("aten::index.Tensor", {f32({2, 2, 2}, {0, 1, 2, 3, 4, 5, 6, 7}), with_none({i64({3}, {0, 1, 1}), HostTensor(), i64({3}, {0, 1, 0})}, {false, true, false})},
                       {f32({3, 2}, {0, 2, 5, 7, 4, 6})});
}

TEST(Index, MaskedIndexFills) {
  testing::expect_call("aten::_unsafe_masked_index", {f32({2}, {1, 2}), HostTensor(DType::kBool, {3}, {1, 0, 1}), std::vector<HostTensor>{i64({3}, {0, 9, 1})}, 7},
                       {f32({3}, {1, 7, 2})});
}

TEST(Index, Refuses) {
  testing::expect_refused("aten::index.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<HostTensor>{i64({1}, {2})}}, "index is out of range");
  testing::expect_refused("aten::index.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<HostTensor>{i64({1}, {-3})}}, "index is out of range");
  testing::expect_refused("aten::index.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<HostTensor>{i64({1}), i64({1}), i64({1})}}, "too many");
  testing::expect_refused("aten::index.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<HostTensor>{HostTensor(DType::kBool, {3})}}, "other sizes");
  testing::expect_refused("aten::index.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<HostTensor>{f32({1})}}, "must be int64");
  testing::expect_refused("aten::index.Tensor", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<HostTensor>{i64({2}), i64({3})}}, "broadcast");
}

}  // namespace
}  // namespace glint::ops
