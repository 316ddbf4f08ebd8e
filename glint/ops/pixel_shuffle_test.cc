#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(PixelShuffle, Gives) {
  testing::expect_call("aten::pixel_shuffle", {f32({4, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), 2},
                       {f32({1, 2, 4}, {1, 3, 2, 4, 5, 7, 6, 8})});
  testing::expect_call("aten::pixel_unshuffle", {f32({1, 2, 4}, {1, 3, 2, 4, 5, 7, 6, 8}), 2},
                       {f32({4, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8})});
}

TEST(PixelShuffle, Channels) {
  testing::expect_call("aten::channel_shuffle", {f32({1, 4, 1}, {1, 2, 3, 4}), 2}, {f32({1, 4, 1}, {1, 3, 2, 4})});
}

TEST(PixelShuffle, Refuses) {
  testing::expect_refused("aten::pixel_shuffle", {f32({3, 1, 1}), 2}, "divide");
  testing::expect_refused("aten::pixel_shuffle", {f32({4, 1, 1}), 0}, "factor");
  testing::expect_refused("aten::pixel_shuffle", {f32({4, 1, 1}), int64_t(1) << 33}, "factor");
  testing::expect_refused("aten::pixel_unshuffle", {f32({1, 3, 2}), 2}, "divide");
  testing::expect_refused("aten::channel_shuffle", {f32({1, 4, 1}), 3}, "divide");
}

}  // namespace
}  // namespace glint::ops
