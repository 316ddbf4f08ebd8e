#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(IndexPut, Gives) {
  testing::expect_call("aten::index_put", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<HostTensor>{i64({2}, {-1, 0}), i64({2}, {0, 2})}, f32({2}, {8, 9})},
                       {f32({2, 3}, {1, 2, 9, 8, 5, 6})});
  testing::expect_call("aten::index_put", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<HostTensor>{HostTensor(DType::kBool, {2, 3}, {1, 0, 0, 0, 1, 1})}, f32({}, {0})},
                       {f32({2, 3}, {0, 2, 3, 4, 0, 0})});
}

TEST(IndexPut, Accumulates) {
  testing::expect_call("aten::index_put", {i64({2}, {1, 2}), std::vector<HostTensor>{i64({3}, {0, 0, 1})}, i64({3}, {1, 2, 3}), true},
                       {i64({2}, {4, 5})});
  testing::expect_call("aten::_unsafe_masked_index_put_accumulate", {f32({2}, {1, 2}), HostTensor(DType::kBool, {3}, {1, 0, 1}), std::vector<HostTensor>{i64({3}, {0, 9, 0})}, f32({3}, {1, 5, 2})},
                       {f32({2}, {4, 2})});
}

TEST(IndexPut, Refuses) {
  testing::expect_refused("aten::index_put", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<HostTensor>{i64({1}, {2})}, f32({})}, "index is out of range");
  testing::expect_refused("aten::index_put", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<HostTensor>{i64({1}, {2})}, i64({})}, "dtype");
  testing::expect_refused("aten::index_put", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<HostTensor>{i64({1}, {1})}, f32({2})}, "do not broadcast");
  testing::expect_refused("aten::index_put", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<HostTensor>{HostTensor(DType::kBool, {2, 3}, {1, 0, 0, 0, 1, 1})}, f32({2})}, "do not broadcast");
}

}  // namespace
}  // namespace glint::ops
