#include <gtest/gtest.h>

#include <cmath>
#include <random>

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

HostTensor random_tensor(std::vector<int64_t> sizes, uint32_t seed) {
  HostTensor t(DType::kF32, std::move(sizes));
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  for (int64_t i = 0; i < t.tensor().numel(); ++i) t.tensor().as<float>()[i] = values(random);
  return t;
}

// Runs tasks last to first, on "workers" in turn: an order that results must not depend on.
struct Backwards final : Parallel {
  void run(size_t count, Task fn, void* context) override {
    for (size_t i = count; i-- > 0;) fn(context, i, i % 3);
  }
  size_t workers() const override { return 3; }
};

void check(int64_t rows, int64_t depth, int64_t outputs) {
  SCOPED_TRACE(::testing::Message() << rows << " x " << depth << " x " << outputs);
  const HostTensor x = random_tensor({2, rows, depth}, 1), weight = random_tensor({outputs, depth}, 2), bias = random_tensor({outputs}, 3);
  const Outcome packed = testing::call(testing::op(all(), "glint::pack"), {weight, bias, "f32.n16", 1});
  ASSERT_TRUE(packed.status.ok()) << packed.status.why();
  const auto xv = x.values(), wv = weight.values(), bv = bias.values();
  std::vector<double> wanted;
  for (int64_t r = 0; r < 2 * rows; ++r)
    for (int64_t o = 0; o < outputs; ++o) {
      double sum = bv[size_t(o)];
      for (int64_t k = 0; k < depth; ++k) sum += xv[size_t(r * depth + k)] * wv[size_t(o * depth + k)];
      wanted.push_back(sum);
    }
  TileBuilder gelu(true);
  gelu.step(TileOp::kAdd, gelu.step(TileOp::kGelu, 0), gelu.load(DType::kF32, TileMode::kFull));
  const HostTensor residual = random_tensor({outputs}, 4);
  const auto rv = residual.values();
  for (const char* name : {"scalar", "avx2", "avx512", "neon"}) {
    CallOptions options;
    options.cpu = cpu_by_name(name);
    if (!detect_cpu().supports(options.cpu.isa) || isa_name(options.cpu.isa) != std::string(name)) continue;
    for (int layout = 0; layout < 4; ++layout) {
      for (int end = 0; end < 2; ++end) {
        SCOPED_TRACE(::testing::Message() << name << " layout " << layout << " epilogue " << end);
        Backwards backwards;
        options.parallel = layout & 1 ? &backwards : nullptr;
        HostTensor input = x;
        options.result_strides = {};
        if (layout == 1) input = x.with_strides({rows * (depth + 2), depth + 2, 1}), options.result_strides = {outputs + 7, 2 * (outputs + 7), 1};
        if (layout == 2) input = x.with_strides({rows * depth, 1, rows}), options.result_strides = {outputs * rows, 1, rows};
        if (layout == 3) input = x.with_strides({depth, 2 * depth, 1});
        const Outcome out = testing::call(testing::op(all(), "glint::linear"),
                                          {input, packed.results[0], outputs, end ? gelu.finish() : std::string_view(), end ? std::vector<HostTensor>{residual} : std::vector<HostTensor>()}, options);
        ASSERT_TRUE(out.status.ok()) << out.status.why();
        const auto got = out.results[0].values();
        for (size_t i = 0; i < got.size(); ++i) {
          double v = wanted[i];
          if (end) v = 0.5 * v * (1 + std::erf(v * M_SQRT1_2)) + rv[i % size_t(outputs)];
          ASSERT_NEAR(got[i], v, 1e-6 * double(depth + 8)) << "at " << i;
        }
      }
    }
  }
}

TEST(GlintLinear, MatchesTheDefinition) {
  for (int64_t rows : {1, 2, 7, 8, 9, 65})
    for (int64_t outputs : {1, 15, 16, 17, 32, 40}) check(rows, 19, outputs);
  check(3, 1, 130);
  check(3, 0, 5);
  check(0, 4, 5);
  check(4, 4, 0);
  check(130, 33, 300);
}

TEST(GlintLinear, Refuses) {
  const HostTensor x = random_tensor({2, 4}, 1), packed(DType::kU8, {1, 5 * 64});
  struct {
    const char* why;
    HostTensor x, packed;
    int64_t outputs;
    std::string program;
  } const cases[] = {
      {"linear: only float32 inputs", HostTensor(DType::kF16, {2, 4}), packed, 16, ""},
      {"linear: the input has no dimension", random_tensor({}, 1), packed, 16, ""},
      {"linear: out_features is out of range", x, packed, -1, ""},
      {"linear: out_features is out of range", x, packed, INT64_MAX, ""},
      {"linear: the packed weight has other sizes", x, packed, 17, ""},
      {"linear: the packed weight has other sizes", random_tensor({2, 5}, 1), packed, 16, ""},
      {"linear: the weight is not packed", x, x, 16, ""},
      {"tile program: too short", x, packed, 16, "x"},
  };
  for (const auto& c : cases) {
    const Outcome out = testing::call(testing::op(all(), "glint::linear"), {c.x, c.packed, c.outputs, std::string_view(c.program), std::vector<HostTensor>()});
    EXPECT_FALSE(out.status.ok());
    EXPECT_STREQ(out.status.why(), c.why);
  }
}

}  // namespace
}  // namespace glint::ops
