#include <gtest/gtest.h>

#include <cmath>

#include "glint/ops/ops.h"
#include "glint/testing/op_call.h"

namespace glint::ops {
namespace {

using testing::CallOptions;
using testing::HostTensor;
using testing::Operand;
using testing::Outcome;
using V = std::vector<int64_t>;

// Equal to aten's operator, for every instruction set and layout.
void check(const char* aten, std::vector<Operand> aten_arguments, std::vector<Operand> arguments, V sizes) {
  std::vector<double> values;
  for (int64_t i = 0; i < sizes[0] * sizes[1] * sizes[2] * sizes[3]; ++i) values.push_back(double(i * 7919 % 101) - 50);
  if (values.size() > 30) values[30] = NAN;
  const HostTensor x(DType::kF32, sizes, values);
  aten_arguments.insert(aten_arguments.begin(), x);
  const Outcome wanted = testing::call(testing::op(all(), aten), aten_arguments);
  ASSERT_TRUE(wanted.status.ok()) << wanted.status.why();
  for (const char* name : {"scalar", "avx2", "avx512", "neon"}) {
    CallOptions options;
    options.cpu = cpu_by_name(name);
    if (!detect_cpu().supports(options.cpu.isa)) continue;
    for (int layout = 0; layout < 4; ++layout) {
      SCOPED_TRACE(::testing::Message() << aten << " " << name << " layout " << layout);
      auto all_arguments = arguments;
      const int64_t pitch = sizes[1] + 3;
      all_arguments.insert(all_arguments.begin(), layout & 1 ? x.with_strides({sizes[2] * sizes[3] * pitch, 1, sizes[3] * pitch, pitch}) : x);
      const auto& o = wanted.results[0].tensor().size;
      options.result_strides = layout & 2 ? V{o[2] * o[3] * pitch, 1, o[3] * pitch, pitch} : V();
      const Outcome out = testing::call(testing::op(all(), "glint::pool"), all_arguments, options);
      ASSERT_TRUE(out.status.ok()) << out.status.why();
      ASSERT_EQ(out.results[0].describe(), wanted.results[0].describe());
      const auto got = out.results[0].values(), want = wanted.results[0].values();
      for (size_t i = 0; i < got.size(); ++i) ASSERT_TRUE(std::abs(got[i] - want[i]) < 1e-4 || (std::isnan(got[i]) && std::isnan(want[i]))) << got[i] << " " << want[i];
    }
  }
}

TEST(GlintPool, EqualsAten) {
  for (int64_t channels : {1, 5, 16, 35, 70}) {
    const V x = {2, channels, 9, 7};
    check("aten::max_pool2d_with_indices", {V{3, 2}, V{2, 2}, V{1, 1}, V{2, 1}, true}, {"max", V{3, 2}, V{2, 2}, V{1, 1}, V{2, 1}, true}, x);
    check("aten::avg_pool2d", {V{3, 3}, V{2, 1}, V{1, 1}, true, true}, {"avg", V{3, 3}, V{2, 1}, V{1, 1}, V{1, 1}, true, true}, x);
    check("aten::avg_pool2d", {V{3, 3}, V{3, 3}, V{1, 0}, false, false}, {"avg", V{3, 3}, V{3, 3}, V{1, 0}, V{1, 1}, false, false}, x);
    check("aten::avg_pool2d", {V{2, 2}, V{2, 2}, V{0, 0}, false, true, 3}, {"avg", V{2, 2}, V{2, 2}, V{0, 0}, V{1, 1}, false, true, 3}, x);
    check("aten::_adaptive_avg_pool2d", {V{1, 1}}, {"adaptive_avg", V{1, 1}}, x);
    check("aten::_adaptive_avg_pool2d", {V{4, 10}}, {"adaptive_avg", V{4, 10}}, x);
  }
}

TEST(GlintPool, Refuses) {
  const HostTensor x = testing::f32({1, 2, 4, 4});
  struct {
    const char* why;
    HostTensor x;
    const char* mode;
    V kernel;
  } const cases[] = {
      {"pool: unknown mode", x, "median", {2, 2}},
      {"pool: only float32 inputs", HostTensor(DType::kF64, {1, 2, 4, 4}), "max", {2, 2}},
      {"pool: the input is not [N, C, H, W]", testing::f32({2, 4, 4}), "max", {2, 2}},
      {"pooling: bad kernel_size", x, "max", {0, 2}},
      {"pooling: the window is larger than the padded input", x, "avg", {5, 2}},
      {"pool: bad output size", x, "adaptive_avg", {0, 1}},
  };
  for (const auto& c : cases) {
    const Outcome out = testing::call(testing::op(all(), "glint::pool"), {c.x, c.mode, c.kernel});
    EXPECT_FALSE(out.status.ok());
    EXPECT_STREQ(out.status.why(), c.why);
  }
}

}  // namespace
}  // namespace glint::ops
