#include "glint/ops/ops.h"
#include "glint/testing/op_call.h"

#include <gtest/gtest.h>

namespace glint::ops {
namespace {

TEST(Softmax, KeepsTheSizes) {
  const auto out = testing::call(testing::op(all(), "aten::_softmax"), {testing::f32({2, 3}), 1, false});
  ASSERT_TRUE(out.status.ok()) << out.status.why();
  EXPECT_EQ(out.results[0].describe(), "float32[2, 3]");
}

}  // namespace
}  // namespace glint::ops
