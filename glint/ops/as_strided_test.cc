#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(AsStrided, Gives) {
  testing::expect_call("aten::as_strided", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{2, 2}, std::vector<int64_t>{3, 2}},
                       {f32({2, 2}, {1, 3, 4, 6})});
  testing::expect_call("aten::as_strided_copy", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{2}, std::vector<int64_t>{0}, 4},
                       {f32({2}, {5, 5})});
}

TEST(AsStrided, Scatters) {
  testing::expect_call("aten::as_strided_scatter", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({2}, {8, 9}), std::vector<int64_t>{2}, std::vector<int64_t>{2}, 1},
                       {f32({2, 3}, {1, 8, 3, 9, 5, 6})});
  // Places count in row-major order, however the operands lie.
  testing::CallOptions reversed;
  reversed.reversed_results = true;
  const std::vector<Operand> operands = {f32({2, 3}, {1, 2, 3, 4, 5, 6}).with_strides({1, 2}), f32({2, 2}, {8, 9, 10, 11}).with_strides({1, 2}),
                                         std::vector<int64_t>{2, 2}, std::vector<int64_t>{3, 1}, 1};
  const testing::Outcome out = testing::call(testing::op(ops::all(), "aten::as_strided_scatter"), operands, reversed);
  ASSERT_TRUE(out.status.ok()) << out.status.why();
  EXPECT_EQ(out.results[0].values(), (std::vector<double>{1, 8, 9, 4, 10, 11}));
}

TEST(AsStrided, Refuses) {
  testing::expect_refused("aten::as_strided", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{7}, std::vector<int64_t>{1}}, "outside the storage");
  testing::expect_refused("aten::as_strided", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{2}, std::vector<int64_t>{1, 1}}, "length");
  testing::expect_refused("aten::as_strided", {f32({2, 3}, {1, 2, 3, 4, 5, 6}), std::vector<int64_t>{1}, std::vector<int64_t>{1}, int64_t(INT64_MAX)}, "outside");
}

}  // namespace
}  // namespace glint::ops
