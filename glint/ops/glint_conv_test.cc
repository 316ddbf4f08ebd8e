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
using testing::Operand;
using testing::Outcome;

std::vector<Cpu> cpus() {
  std::vector<Cpu> list;
  const Cpu mine = detect_cpu();
  for (const char* name : {"scalar", "neon", "avx2", "avx512"})
    if (const Cpu cpu = cpu_by_name(name); mine.supports(cpu.isa)) list.push_back(cpu);
  return list;
}

HostTensor random_tensor(std::vector<int64_t> sizes, uint32_t seed) {
  HostTensor t(DType::kF32, std::move(sizes));
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> values(-1, 1);
  for (int64_t i = 0; i < t.tensor().numel(); ++i) t.tensor().as<float>()[i] = values(random);
  return t;
}

struct Case {
  int64_t n, c, h, w, o, kh, kw, stride, pad, dilation, groups;
};

HostTensor pack(const HostTensor& weight, const HostTensor& bias, int64_t groups, bool depthwise) {
  const Outcome packed = testing::call(testing::op(all(), "glint::pack"), {weight, bias, depthwise ? "f32.dw16" : "f32.n16", groups});
  EXPECT_TRUE(packed.status.ok()) << packed.status.why();
  return packed.results[0];
}

std::vector<double> reference(const Case& t, const HostTensor& x, const HostTensor& weight, const HostTensor& bias, int64_t oh, int64_t ow) {
  const auto xv = x.values(), wv = weight.values(), bv = bias.values();
  std::vector<double> out;
  const int64_t cg = t.c / t.groups, og = t.o / t.groups;
  for (int64_t n = 0; n < t.n; ++n)
    for (int64_t o = 0; o < t.o; ++o)
      for (int64_t y = 0; y < oh; ++y)
        for (int64_t x0 = 0; x0 < ow; ++x0) {
          double sum = bv[size_t(o)];
          for (int64_t c = 0; c < cg; ++c)
            for (int64_t ky = 0; ky < t.kh; ++ky)
              for (int64_t kx = 0; kx < t.kw; ++kx) {
                const int64_t iy = y * t.stride - t.pad + ky * t.dilation, ix = x0 * t.stride - t.pad + kx * t.dilation;
                if (iy < 0 || iy >= t.h || ix < 0 || ix >= t.w) continue;
                sum += xv[size_t(((n * t.c + o / og * cg + c) * t.h + iy) * t.w + ix)] * wv[size_t(((o * cg + c) * t.kh + ky) * t.kw + kx)];
              }
          out.push_back(sum);
        }
  return out;
}

std::vector<int64_t> channels_last(const std::vector<int64_t>& s, int64_t pitch) { return {s[2] * s[3] * pitch, 1, s[3] * pitch, pitch}; }

// All combinations of layouts and instruction sets give what the definition says.
void check(const Case& t) {
  SCOPED_TRACE(::testing::Message() << "n" << t.n << " c" << t.c << " h" << t.h << " w" << t.w << " o" << t.o << " k" << t.kh << "x" << t.kw << " s" << t.stride
                                    << " p" << t.pad << " d" << t.dilation << " g" << t.groups);
  const HostTensor x = random_tensor({t.n, t.c, t.h, t.w}, 1), weight = random_tensor({t.o, t.c / t.groups, t.kh, t.kw}, 2), bias = random_tensor({t.o}, 3);
  const bool depthwise = t.groups > 1 && t.groups == t.c && t.groups == t.o;
  const HostTensor packed = pack(weight, bias, t.groups, depthwise);
  const int64_t oh = (t.h + 2 * t.pad - t.dilation * (t.kh - 1) - 1) / t.stride + 1, ow = (t.w + 2 * t.pad - t.dilation * (t.kw - 1) - 1) / t.stride + 1;
  const std::vector<double> wanted = reference(t, x, weight, bias, oh, ow);
  const HostTensor residual = random_tensor({t.n, t.o, oh, ow}, 4);
  TileBuilder relu(true), gated(true);
  relu.step(TileOp::kRelu, relu.step(TileOp::kAdd, 0, relu.load(DType::kF32, TileMode::kFull)));
  gated.step(TileOp::kMul, gated.step(TileOp::kHardSwish, 0), gated.load(DType::kF32, TileMode::kRow));
  for (const Cpu& cpu : cpus()) {
    for (int layout = 0; layout < 4; ++layout) {
      for (int end = 0; end < 3; ++end) {
        SCOPED_TRACE(::testing::Message() << isa_name(cpu.isa) << " layout " << layout << " epilogue " << end);
        CallOptions options;
        options.cpu = cpu;
        const bool in_last = layout & 1, out_last = layout & 2;
        const HostTensor input = in_last ? x.with_strides(channels_last({t.n, t.c, t.h, t.w}, t.c + 3)) : x;
        if (out_last) options.result_strides = channels_last({t.n, t.o, oh, ow}, t.o + 5);
        std::vector<HostTensor> operands;
        if (end == 1) operands = {in_last ? residual.with_strides(channels_last({t.n, t.o, oh, ow}, t.o)) : residual};
        if (end == 2) operands = {bias};
        const std::string_view program = end == 0 ? std::string_view() : end == 1 ? relu.finish() : gated.finish();
        const Outcome out = testing::call(testing::op(all(), "glint::conv"),
                                          {input, packed, std::vector<int64_t>{t.o, t.c / t.groups, t.kh, t.kw}, std::vector<int64_t>{t.stride, t.stride},
                                           std::vector<int64_t>{t.pad, t.pad}, std::vector<int64_t>{t.dilation, t.dilation}, t.groups, program, operands, out_last},
                                          options);
        ASSERT_TRUE(out.status.ok()) << out.status.why();
        ASSERT_EQ(out.results[0].values().size(), wanted.size());
        if (out_last && !wanted.empty()) {  // what lies between the pixels belongs to others
          const uint32_t* memory = out.results[0].tensor().as<uint32_t>();
          for (int64_t p = 0; p + 1 < t.n * oh * ow; ++p)
            for (int64_t k = t.o; k < t.o + 5; ++k) ASSERT_EQ(memory[p * (t.o + 5) + k], 0xa5a5a5a5u);
        }
        const auto got = out.results[0].values(), r = residual.values(), b = bias.values();
        const double tolerance = 1e-6 * double(t.c / t.groups * t.kh * t.kw + 8);
        for (size_t i = 0; i < got.size(); ++i) {
          double v = wanted[i];
          if (end == 1) v = std::max(0.0, v + r[i]);
          if (end == 2) v = v * std::min(6.0, std::max(0.0, v + 3)) / 6 * b[i / size_t(oh * ow) % size_t(t.o)];
          ASSERT_NEAR(got[i], v, tolerance) << "at " << i;
        }
      }
    }
  }
}

TEST(GlintConv, Pointwise) {
  check({1, 16, 5, 7, 32, 1, 1, 1, 0, 1, 1});
  check({2, 3, 3, 3, 5, 1, 1, 1, 0, 1, 1});
  check({1, 24, 9, 8, 33, 1, 1, 1, 0, 1, 1});
  check({1, 17, 7, 7, 100, 1, 1, 2, 0, 1, 1});
  check({1, 8, 3, 3, 16, 1, 1, 1, 1, 1, 1});
  check({1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1});
  check({1, 1, 4, 4, 3, 1, 1, 1, 0, 1, 1});
}

TEST(GlintConv, FirstLayer) {
  check({1, 3, 19, 150, 32, 3, 3, 2, 1, 1, 1});
  check({2, 3, 12, 13, 17, 7, 7, 2, 3, 1, 1});
  check({1, 1, 6, 6, 4, 3, 3, 1, 1, 2, 1});
  check({1, 4, 5, 5, 16, 5, 5, 1, 4, 1, 1});
}

TEST(GlintConv, AnyKernel) {
  check({1, 20, 6, 7, 19, 3, 3, 1, 1, 1, 1});
  check({2, 32, 5, 5, 48, 3, 3, 2, 1, 1, 1});
  check({1, 18, 9, 9, 20, 3, 2, 3, 2, 2, 1});
  check({1, 8, 4, 9, 8, 1, 5, 4, 3, 1, 1});
  check({1, 9, 3, 3, 16, 3, 3, 5, 4, 1, 1});  // padding and stride larger than the kernel
}

TEST(GlintConv, Groups) {
  check({1, 12, 5, 5, 18, 3, 3, 1, 1, 1, 3});
  check({1, 40, 4, 4, 80, 1, 1, 1, 0, 1, 2});
  check({1, 6, 5, 5, 12, 3, 3, 1, 1, 1, 6});  // two outputs for each input
}

TEST(GlintConv, Depthwise) {
  for (int64_t c : {2, 7, 16, 24, 33, 64})
    for (int64_t stride : {1, 2})
      for (int64_t k : {3, 5}) check({1, c, 9, 10, c, k, k, stride, k / 2, 1, c});
  check({2, 19, 7, 6, 19, 3, 3, 1, 2, 2, 19});
  check({1, 19, 7, 7, 19, 7, 2, 3, 1, 1, 19});
  check({1, 130, 3, 3, 130, 3, 3, 1, 1, 1, 130});
}

TEST(GlintConv, Empty) {
  check({0, 3, 5, 5, 4, 3, 3, 1, 1, 1, 1});
  check({1, 0, 5, 5, 4, 3, 3, 1, 1, 1, 1});
  check({1, 4, 5, 5, 0, 3, 3, 1, 1, 1, 1});
}

TEST(GlintConv, NanPassesThroughTheClamp) {
  HostTensor x = testing::f32({1, 1, 1, 2}, {NAN, -3});
  TileBuilder relu6(true);
  relu6.clamp(0, 0, 6);
  const HostTensor packed = pack(testing::f32({1, 1, 1, 1}, {1}), testing::f32({1}, {0}), 1, false);
  for (const Cpu& cpu : cpus()) {
    CallOptions options;
    options.cpu = cpu;
    const std::vector<int64_t> one = {1, 1}, zero = {0, 0};
    const Outcome out = testing::call(testing::op(all(), "glint::conv"),
                                      {x, packed, std::vector<int64_t>{1, 1, 1, 1}, one, zero, one, 1, relu6.finish(), std::vector<HostTensor>(), false}, options);
    ASSERT_TRUE(out.status.ok()) << out.status.why();
    EXPECT_TRUE(std::isnan(out.results[0].values()[0]));
    EXPECT_EQ(out.results[0].values()[1], 0);
  }
}

TEST(GlintConv, Refuses) {
  const HostTensor x = random_tensor({1, 4, 5, 5}, 1), packed(DType::kU8, {1, (1 + 36) * 64});
  using V = std::vector<int64_t>;
  struct {
    const char* why;
    HostTensor x, packed;
    V sizes, stride, padding, dilation;
    int64_t groups = 1;
  } const cases[] = {
      {"conv: only float32 inputs", HostTensor(DType::kF64, {1, 4, 5, 5}), packed, {16, 4, 3, 3}, {1, 1}, {0, 0}, {1, 1}},
      {"conv: the input is not [N, C, H, W]", random_tensor({4, 5, 5}, 1), packed, {16, 4, 3, 3}, {1, 1}, {0, 0}, {1, 1}},
      {"conv: weight_sizes is not [O, C / groups, H, W]", x, packed, {16, 4, 3}, {1, 1}, {0, 0}, {1, 1}},
      {"conv: stride and dilation want two numbers each", x, packed, {16, 4, 3, 3}, {1}, {0, 0}, {1, 1}},
      {"conv: a stride is not positive", x, packed, {16, 4, 3, 3}, {1, 0}, {0, 0}, {1, 1}},
      {"conv: a padding is negative", x, packed, {16, 4, 3, 3}, {1, 1}, {0, -1}, {1, 1}},
      {"conv: a dilation is not positive", x, packed, {16, 4, 3, 3}, {1, 1}, {0, 0}, {INT64_MIN, 1}},
      {"conv: the arguments are too large", x, packed, {16, 4, 3, 3}, {1, 1}, {INT64_MAX, 0}, {1, 1}},
      {"conv: the arguments are too large", x, packed, {16, 4, 3, 3}, {1, 1}, {0, 0}, {INT64_MAX, 1}},
      {"conv: the kernel is larger than the padded input", x, packed, {16, 4, 3, 3}, {1, 1}, {0, 0}, {3, 1}},
      {"conv: groups do not divide the outputs", x, packed, {16, 4, 3, 3}, {1, 1}, {0, 0}, {1, 1}, 3},
      {"conv: groups do not divide the outputs", x, packed, {16, 4, 3, 3}, {1, 1}, {0, 0}, {1, 1}, 0},
      {"conv: the weight wants another number of channels", x, packed, {16, 3, 3, 3}, {1, 1}, {0, 0}, {1, 1}},
      {"conv: a weight size is out of range", x, packed, {INT64_MAX, 4, 3, 3}, {1, 1}, {0, 0}, {1, 1}},
      {"conv: the packed weight has other sizes", x, packed, {17, 4, 3, 3}, {1, 1}, {0, 0}, {1, 1}},
      {"conv: the packed weight has other sizes", x, packed, {16, 4, 3, 4}, {1, 1}, {0, 0}, {1, 1}},
      {"conv: the weight is not packed", x, x, {16, 4, 3, 3}, {1, 1}, {0, 0}, {1, 1}},
      {"conv: the result is too large", x, packed, {16, 4, 3, 3}, {1, 1}, {INT64_MAX / 8, INT64_MAX / 8}, {1, 1}},
  };
  for (const auto& c : cases) {
    const Outcome out = testing::call(testing::op(all(), "glint::conv"), {c.x, c.packed, c.sizes, c.stride, c.padding, c.dilation, c.groups, "", std::vector<HostTensor>(), true});
    EXPECT_FALSE(out.status.ok());
    EXPECT_STREQ(out.status.why(), c.why);
  }
}

}  // namespace
}  // namespace glint::ops
