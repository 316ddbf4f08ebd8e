#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Cat, Gives) {
  testing::expect_call("aten::cat", {std::vector<HostTensor>{f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({2, 1}, {7, 8})}, 1},
                       {f32({2, 4}, {1, 2, 3, 7, 4, 5, 6, 8})});
}

TEST(Cat, SkipsEmptyVectors) {
  testing::expect_call("aten::cat", {std::vector<HostTensor>{f32({0}), f32({2, 3}, {1, 2, 3, 4, 5, 6})}},
                       {f32({2, 3}, {1, 2, 3, 4, 5, 6})});
}

TEST(Cat, Promotes) {
  testing::expect_call("aten::cat", {std::vector<HostTensor>{i64({1}, {3}), HostTensor(DType::kF16, {1}, {0.5})}},
                       {HostTensor(DType::kF16, {2}, {3, 0.5})});
}

TEST(Cat, Refuses) {
  testing::expect_refused("aten::cat", {std::vector<HostTensor>{f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({2, 2})}}, "besides");
  testing::expect_refused("aten::cat", {std::vector<HostTensor>{}}, "no tensors");
  testing::expect_refused("aten::cat", {std::vector<HostTensor>{f32({}, {1})}}, "without dimensions");
  testing::expect_refused("aten::cat", {std::vector<HostTensor>{f32({2, 3}, {1, 2, 3, 4, 5, 6})}, 2}, "out of range");
}

}  // namespace
}  // namespace glint::ops
