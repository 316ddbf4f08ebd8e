#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(Sort, Gives) {
  testing::expect_call("aten::sort", {f32({5}, {NAN, 2, -INFINITY, 2, -1})},
                       {f32({5}, {-INFINITY, -1, 2, 2, NAN}), i64({5}, {2, 4, 1, 3, 0})});
  testing::expect_call("aten::sort", {i64({2, 2}, {3, 1, 2, 5}), 0, true}, {i64({2, 2}, {3, 5, 2, 1}), i64({2, 2}, {0, 1, 1, 0})});
}

TEST(Sort, StableWithSignedZeros) {
  testing::expect_call("aten::sort.stable", {f32({3}, {0.0, -0.0, -1}), true}, {f32({3}, {-1, 0, 0}), i64({3}, {2, 0, 1})});
}

TEST(Sort, Args) {
  testing::expect_call("aten::argsort", {HostTensor(DType::kU8, {3}, {200, 3, 100}), -1, true}, {i64({3}, {0, 2, 1})});
  testing::expect_call("aten::argsort.stable", {HostTensor(DType::kBF16, {3}, {2, -3, -4}), true}, {i64({3}, {2, 1, 0})});
}

TEST(Sort, Scalar) {
  testing::expect_call("aten::sort", {f32({}, {3})}, {f32({}, {3}), i64({}, {0})});
}

TEST(Sort, Refuses) {
  testing::expect_refused("aten::sort", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), 2}, "out of range");
  testing::expect_refused("aten::sort", {HostTensor(DType::kC64, {2})}, "no order", Code::kUnsupported);
}

}  // namespace
}  // namespace glint::ops
