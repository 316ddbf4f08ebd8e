#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::expect_op, testing::expect_refusals, testing::f32, testing::HostTensor, testing::i64, testing::Operand;
using IntList = std::vector<int64_t>;

using FloatList = std::vector<double>;

TEST(Upsample, KnownValues) {
  expect_op("aten::upsample_bilinear2d.vec", {f32({1, 1, 2, 2}, {0, 2, 4, 6}), IntList{3, 3}, true, Operand()}, {{0, 1, 2, 2, 3, 4, 4, 5, 6}});
  expect_op("aten::upsample_nearest1d", {f32({1, 1, 3}, {1, 2, 3}), IntList{5}}, {{1, 1, 2, 2, 3}});
  expect_op("aten::upsample_nearest2d.vec", {f32({1, 1, 1, 2}, {1, 2}), Operand(), FloatList{2, 2}}, {{1, 1, 2, 2, 1, 1, 2, 2}});
  expect_op("aten::_upsample_nearest_exact1d", {f32({1, 1, 3}, {1, 2, 3}), IntList{2}}, {{1, 3}});
  expect_op("aten::upsample_bicubic2d", {f32({1, 1, 1, 2}, {0, 4}), IntList{1, 4}, false}, {{-0.421875, 0.90625, 3.09375, 4.421875}});
  expect_op("aten::_upsample_bilinear2d_aa", {f32({1, 1, 1, 4}, {0, 2, 4, 6}), IntList{1, 2}, false}, {{10 / 7.0, 32 / 7.0}});
  expect_op("aten::upsample_trilinear3d", {f32({1, 1, 1, 1, 2}, {1, 3}), IntList{1, 1, 3}, true}, {{1, 2, 3}});
  expect_op("aten::upsample_linear1d", {HostTensor(DType::kBF16, {1, 1, 2}, {1, 3}), IntList{3}, true}, {{1, 2, 3}});
}

TEST(GridSampler, KnownValues) {
  const auto x = f32({1, 1, 2, 2}, {1, 2, 3, 4}), grid = f32({1, 1, 3, 2}, {-1, -1, 0, 0, 2, 0});
  expect_op("aten::grid_sampler_2d", {x, grid, 0, 0, true}, {{1, 2.5, 1.5}});
  expect_op("aten::grid_sampler_2d", {x, grid, 1, 1, true}, {{1, 1, 2}});
  expect_op("aten::grid_sampler_2d", {x, f32({1, 1, 3, 2}, {NAN, 0, INFINITY, 0, 1e30, 0}), 0, 0, true}, {{NAN, NAN, 0}});
  expect_op("aten::grid_sampler_2d", {x, f32({1, 1, 2, 2}, {NAN, INFINITY, INFINITY, 0}), 0, 1, true}, {{3, 3}});
  expect_op("aten::grid_sampler_3d", {f32({1, 1, 2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}), f32({1, 1, 1, 2, 3}, {NAN, 0, 0, INFINITY, 0, 0}), 0, 0, true}, {{0, 0}});
}

TEST(Upsample, Refusals) {
  const auto x = f32({1, 1, 2, 2});
  expect_refusals({
      {"neither", "aten::upsample_nearest2d.vec", {x, Operand(), Operand()}},
      {"both", "aten::upsample_nearest2d.vec", {x, IntList{2, 2}, FloatList{1, 1}}},
      {"sizes", "aten::upsample_nearest2d", {x, IntList{2}}},
      {"zero", "aten::upsample_bilinear2d", {x, IntList{0, 2}, false}},
      {"huge", "aten::upsample_bilinear2d", {x, IntList{INT64_MAX, INT64_MAX}, false}},
      {"factor", "aten::upsample_nearest2d.vec", {x, Operand(), FloatList{NAN, 1}}},
      {"rank", "aten::upsample_nearest2d", {f32({1, 2, 2}), IntList{2, 2}}},
      {"integers", "aten::upsample_nearest2d", {i64({1, 1, 2, 2}), IntList{2, 2}}, Code::kUnsupported},
      {"mode", "aten::grid_sampler_2d", {x, f32({1, 1, 1, 2}), 3, 0, false}},
      {"grid", "aten::grid_sampler_2d", {x, f32({1, 1, 1, 3}), 0, 0, false}},
  });
}

}  // namespace
}  // namespace glint::ops
