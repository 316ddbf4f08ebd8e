#include <cmath>

#include <gtest/gtest.h>

#include "glint/ops/ops.h"
#include "glint/testing/op_call.h"

namespace glint::ops {
namespace {

using testing::call, testing::f32, testing::i64, testing::op;

void expect_near(const testing::Outcome& out, std::vector<double> want, double tolerance = 1e-6) {
  ASSERT_TRUE(out.status.ok()) << out.status.why();
  const auto got = out.results[0].values();
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < want.size(); ++i) EXPECT_NEAR(got[i], want[i], tolerance) << i;
}

TEST(Softmax, KnownValues) {
  const double log2 = std::log(2.0);
  expect_near(call(op(all(), "aten::_softmax"), {f32({2, 2}, {0, log2, 1000, 1000}), 1, false}), {1 / 3., 2 / 3., 0.5, 0.5});
  expect_near(call(op(all(), "aten::_softmax"), {f32({2, 2}, {0, 5, log2, 5}), -2, false}), {1 / 3., 0.5, 2 / 3., 0.5});
  expect_near(call(op(all(), "aten::_log_softmax"), {f32({2}, {0, log2}), 0, false}), {-std::log(3.0), log2 - std::log(3.0)});
  expect_near(call(op(all(), "aten::_softmax"), {f32({}, {7}), -1, false}), {1});
}

TEST(Softmax, ALineOfMinusInfinity) {
  const auto row = f32({1, 2}, {-INFINITY, -INFINITY});
  EXPECT_TRUE(std::isnan(call(op(all(), "aten::_softmax"), {row, 1, false}).results[0].values()[0]));
  expect_near(call(op(all(), "aten::_safe_softmax"), {row, 1}), {0, 0});
}

TEST(Softmax, Backward) {
  expect_near(call(op(all(), "aten::_softmax_backward_data"), {f32({2}, {1, 2}), f32({2}, {0.25, 0.75}), 0, DType::kF32}), {-0.1875, 0.1875});
  expect_near(call(op(all(), "aten::_log_softmax_backward_data"), {f32({2}, {1, 2}), f32({2}, {0, 0}), 0, DType::kF32}), {-2, -1});
}

TEST(Softmax, LongRowsAndStrides) {
  const auto x = f32({600, 2}, std::vector<double>(1200, 3)).with_strides({1, 600});
  expect_near(call(op(all(), "aten::_softmax"), {x, 0, false}), std::vector<double>(1200, 1 / 600.), 1e-8);
}

TEST(Softmax, Refusals) {
  struct {
    const char* what;
    testing::HostTensor x;
    int dim;
    bool half_to_float;
    Code code;
  } cases[] = {
      {"dim", f32({2}), 1, false, Code::kInvalidArgument},
      {"integers", i64({2}), 0, false, Code::kUnsupported},
      {"half_to_float of float", f32({2}), 0, true, Code::kInvalidArgument},
  };
  for (auto& c : cases) EXPECT_EQ(call(op(all(), "aten::_softmax"), {c.x, c.dim, c.half_to_float}).status.code(), c.code) << c.what;
}

}  // namespace
}  // namespace glint::ops
