#include <gtest/gtest.h>

#include <cmath>

#include "glint/kernels/elementwise/tile_program.h"
#include "glint/ops/ops.h"
#include "glint/testing/op_call.h"

namespace glint::ops {
namespace {

using kernels::TileBuilder;
using kernels::TileMode;
using kernels::TileOp;
using testing::CallOptions;
using testing::HostTensor;
using testing::Outcome;

HostTensor ramp(DType dtype, std::vector<int64_t> sizes) {
  HostTensor t(dtype, sizes);
  std::vector<double> v(size_t(t.tensor().numel()));
  for (size_t i = 0; i < v.size(); ++i) v[i] = double(i % 61) * 0.25 - 3;
  return {dtype, std::move(sizes), v};
}

struct Backwards final : Parallel {
  void run(size_t count, Task fn, void* context) override {
    for (size_t i = count; i-- > 0;) fn(context, i, i % 3);
  }
  size_t workers() const override { return 3; }
};

// x * row + column - scalar, for every instruction set, threads and strides.
void check(std::vector<int64_t> sizes, std::vector<int64_t> in_strides, std::vector<int64_t> out_strides) {
  SCOPED_TRACE(::testing::PrintToString(sizes));
  std::vector<int64_t> row_sizes(sizes.size(), 1), column_sizes = sizes;
  row_sizes.back() = sizes.back();
  column_sizes.back() = 1;
  const HostTensor x = ramp(DType::kF32, sizes), row = ramp(DType::kF16, row_sizes), column = ramp(DType::kF32, column_sizes), scalar = testing::f32({}, {1.5});
  TileBuilder b;
  const int full = b.load(DType::kF32, TileMode::kFull), by_row = b.load(DType::kF16, TileMode::kRow);
  const int by_column = b.load(DType::kF32, TileMode::kColumn), one = b.load(DType::kF32, TileMode::kScalar);
  b.step(TileOp::kSub, b.step(TileOp::kAdd, b.step(TileOp::kMul, full, by_row), by_column), one);
  for (const char* name : {"scalar", "avx2", "avx512", "neon"}) {
    CallOptions options;
    options.cpu = cpu_by_name(name);
    if (!detect_cpu().supports(options.cpu.isa)) continue;
    options.result_strides = out_strides;
    Backwards backwards;
    options.parallel = &backwards;
    const HostTensor in = in_strides.empty() ? x : x.with_strides(in_strides);
    const Outcome out = testing::call(testing::op(all(), "glint::tile"), {std::vector<HostTensor>{in, row, column, scalar}, b.finish()}, options);
    ASSERT_TRUE(out.status.ok()) << out.status.why();
    const auto got = out.results[0].values(), xv = x.values(), rv = row.values(), cv = column.values();
    ASSERT_EQ(got.size(), xv.size());
    const size_t last = size_t(sizes.back());
    for (size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], float(xv[i] * rv[i % last] + cv[i / last] - 1.5)) << name << " at " << i;
  }
}

TEST(GlintTile, BroadcastsAndStrides) {
  check({7}, {}, {});
  check({1}, {}, {});
  check({3, 5}, {}, {});
  check({3, 5}, {1, 3}, {8, 1});
  check({2, 3, 700}, {}, {});
  check({40, 3, 33}, {1, 40, 200}, {100, 33, 1});
  check({300, 129}, {}, {1, 300});
  check({0, 4}, {}, {});
  check({4, 70000}, {}, {});
}

TEST(GlintTile, ResultsOfOtherTypes) {
  TileBuilder b;
  const int x = b.load(DType::kBF16, TileMode::kFull);
  b.step(TileOp::kGt, x, b.constant(0));
  const Outcome out = testing::call(testing::op(all(), "glint::tile"), {std::vector<HostTensor>{HostTensor(DType::kBF16, {4}, {-1, 0, 2, NAN})}, b.finish(DType::kBool)});
  ASSERT_TRUE(out.status.ok()) << out.status.why();
  EXPECT_EQ(out.results[0].values(), (std::vector<double>{0, 0, 1, 0}));
}

TEST(GlintTile, Refuses) {
  TileBuilder b;
  const int full = b.load(DType::kF32, TileMode::kFull), by_row = b.load(DType::kF32, TileMode::kRow);
  b.step(TileOp::kAdd, full, by_row);
  const HostTensor x = testing::f32({2, 3}), row = testing::f32({3});
  struct {
    const char* why;
    std::vector<HostTensor> operands;
  } const cases[] = {
      {"tile program: it wants another number of operands", {x}},
      {"tile program: the operands do not broadcast", {x, testing::f32({4})}},
      {"tile program: an operand has another dtype", {x, HostTensor(DType::kF16, {3})}},
      {"tile program: a row operand is not a vector of the last dimension's size", {x, x}},
  };
  for (const auto& c : cases) {
    const Outcome out = testing::call(testing::op(all(), "glint::tile"), {c.operands, b.finish()});
    EXPECT_FALSE(out.status.ok());
    EXPECT_STREQ(out.status.why(), c.why);
  }
}

}  // namespace
}  // namespace glint::ops
