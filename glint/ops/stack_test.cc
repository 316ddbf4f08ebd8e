#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Stack, Gives) {
  testing::expect_call("aten::stack", {std::vector<HostTensor>{f32({2}, {1, 2}), f32({2}, {3, 4})}, 1},
                       {f32({2, 2}, {1, 3, 2, 4})});
}

TEST(Stack, Scalars) {
  testing::expect_call("aten::stack", {std::vector<HostTensor>{i64({}, {1}), f32({}, {2})}}, {f32({2}, {1, 2})});
}

TEST(Stack, Refuses) {
  testing::expect_refused("aten::stack", {std::vector<HostTensor>{f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({2})}}, "differ");
  testing::expect_refused("aten::stack", {std::vector<HostTensor>{}}, "no tensors");
  testing::expect_refused("aten::stack", {std::vector<HostTensor>{f32({2, 3}, {1, 2, 3, 4, 5, 6})}, 3}, "out of range");
}

}  // namespace
}  // namespace glint::ops
