#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Kthvalue, Gives) {
  testing::expect_call("aten::kthvalue", {f32({5}, {5, 1, 4, 2, NAN}), 2}, {f32({}, {2}), i64({}, {3})});
  testing::expect_call("aten::kthvalue", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 2, 0, true},
                       {f32({1, 3}, {4, 5, 6}), i64({1, 3}, {1, 1, 1})});
}

TEST(Kthvalue, Refuses) {
  testing::expect_refused("aten::kthvalue", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 0}, "k is out of range");
  testing::expect_refused("aten::kthvalue", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 4}, "k is out of range");
}

}  // namespace
}  // namespace glint::ops
