#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::expect_op, testing::expect_refusals, testing::f32, testing::HostTensor, testing::i64, testing::Operand;
using IntList = std::vector<int64_t>;

HostTensor image() { return f32({1, 1, 3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}); }
HostTensor square() { return f32({1, 1, 2, 2}, {1, 2, 3, 4}); }

TEST(Convolution, KnownValues) {
  expect_op("aten::convolution", {image(), square(), f32({1}, {10}), IntList{1, 1}, IntList{0, 0}, IntList{1, 1}, false, IntList{0, 0}, 1}, {{47, 57, 77, 87}});
  expect_op("aten::convolution", {image(), square(), Operand(), IntList{2, 2}, IntList{1, 1}, IntList{1, 1}, false, IntList{0, 0}, 1}, {{4, 18, 36, 77}});
  expect_op("aten::convolution", {f32({1, 2, 4}, {0, 1, 2, 3, 4, 5, 6, 7}), f32({2, 1, 2}, {1, -1, 2, 0}), Operand(), IntList{1}, IntList{0}, IntList{2}, false, IntList{0}, 2},
            {{-2, -2, 8, 10}});
  expect_op("aten::convolution", {square(), square(), Operand(), IntList{2, 2}, IntList{0, 0}, IntList{1, 1}, true, IntList{1, 0}, 1},
            {{1, 2, 2, 4, 3, 4, 6, 8, 3, 6, 4, 8, 9, 12, 12, 16, 0, 0, 0, 0}});
}

TEST(Convolution, Backward) {
  Operand all_three(true);
  all_three.kind = Operand::Kind::kBools;
  all_three.bools = {1, 1, 1};
  const auto ones = f32({1, 1, 2, 2}, {1, 1, 1, 1});
  expect_op("aten::convolution_backward",
            {ones, image(), square(), IntList{1}, IntList{1, 1}, IntList{0, 0}, IntList{1, 1}, false, IntList{0, 0}, 1, all_three},
            {{1, 3, 2, 4, 10, 6, 3, 7, 4}, {12, 16, 24, 28}, {4}});
}

TEST(Convolution, AnyLayout) {
  const auto image = f32({1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), weight = f32({2, 2, 1, 1}, {1, 1, 1, -1});
  testing::CallOptions channels_last;
  channels_last.channels_last_result = true;
  const auto out = testing::call(testing::op(all(), "aten::convolution"),
                                 {image.with_strides({8, 1, 4, 2}), weight.with_strides({1, 2, 2, 2}), Operand(), IntList{1}, IntList{0}, IntList{1}, false, IntList{0}, 1}, channels_last);
  ASSERT_TRUE(out.status.ok()) << out.status.why();
  EXPECT_EQ(out.results[0].values(), (std::vector<double>{6, 8, 10, 12, -4, -4, -4, -4}));
}

TEST(Convolution, Refusals) {
  const auto with = [](HostTensor x, HostTensor w, IntList stride, IntList padding, int groups) {
    return std::vector<Operand>{x, w, Operand(), stride, padding, IntList{1}, false, IntList{0}, groups};
  };
  expect_refusals({
      {"channels", "aten::convolution", with(f32({1, 2, 3}), f32({1, 1, 1}), {1}, {0}, 1)},
      {"groups", "aten::convolution", with(f32({1, 2, 3}), f32({3, 1, 1}), {1}, {0}, 2)},
      {"no groups", "aten::convolution", with(f32({1, 2, 3}), f32({3, 2, 1}), {1}, {0}, 0)},
      {"stride", "aten::convolution", with(f32({1, 1, 3}), f32({1, 1, 1}), {0}, {0}, 1)},
      {"padding", "aten::convolution", with(f32({1, 1, 3}), f32({1, 1, 1}), {1}, {-1}, 1)},
      {"huge padding", "aten::convolution", with(f32({1, 1, 3}), f32({1, 1, 1}), {1}, {INT64_MAX}, 1)},
      {"kernel", "aten::convolution", with(f32({1, 1, 3}), f32({1, 1, 4}), {1}, {0}, 1)},
      {"rank", "aten::convolution", with(f32({1, 3}), f32({1, 3}), {1}, {0}, 1)},
      {"dtype", "aten::convolution", with(f32({1, 1, 3}), i64({1, 1, 1}), {1}, {0}, 1)},
      {"output padding", "aten::convolution", {f32({1, 1, 3}), f32({1, 1, 2}), Operand(), IntList{1}, IntList{0}, IntList{1}, true, IntList{1}, 1}},
  });
}

}  // namespace
}  // namespace glint::ops
