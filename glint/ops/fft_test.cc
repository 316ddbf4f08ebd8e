#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::expect_op, testing::expect_refusals, testing::f32, testing::HostTensor, testing::i64, testing::Operand;
using IntList = std::vector<int64_t>;

TEST(Fft, KnownValues) {
  // The loaders of the test drop imaginary parts, so a round trip checks them.
  expect_op("aten::_fft_r2c", {f32({4}, {1, 2, 3, 4}), IntList{0}, 0, true}, {{10, -2, -2}});
  expect_op("aten::_fft_r2c", {f32({1}, {5}), IntList{0}, 0, false}, {{5}});
  for (int64_t n : {1, 2, 5, 6, 12, 49, 97}) {
    std::vector<double> values;
    for (int64_t i = 0; i < n; ++i) values.push_back(double(i * i % 7));
    const auto spectrum = testing::call(testing::op(all(), "aten::_fft_r2c"), {f32({n}, values), IntList{0}, 0, true});
    ASSERT_TRUE(spectrum.status.ok());
    expect_op("aten::_fft_c2r", {spectrum.results[0], IntList{0}, 2, n}, {values});
  }
  const auto x = HostTensor(DType::kC64, {2, 2}, {1, 2, 3, 4});
  const auto there = testing::call(testing::op(all(), "aten::_fft_c2c"), {x, IntList{0, 1}, 1, true});
  expect_op("aten::_fft_c2c", {there.results[0], IntList{0, 1}, 1, false}, {{1, 2, 3, 4}});
}

TEST(Fft, Refusals) {
  expect_refusals({
      {"integers", "aten::_fft_r2c", {i64({4}), IntList{0}, 0, true}, Code::kUnsupported},
      {"dim", "aten::_fft_r2c", {f32({4}), IntList{1}, 0, true}},
      {"no dim", "aten::_fft_r2c", {f32({4}), IntList{}, 0, true}},
      {"twice", "aten::_fft_r2c", {f32({4, 4}), IntList{0, 0}, 0, true}},
      {"empty", "aten::_fft_r2c", {f32({0}), IntList{0}, 0, true}},
      {"normalization", "aten::_fft_r2c", {f32({4}), IntList{0}, 3, true}},
      {"size", "aten::_fft_c2r", {HostTensor(DType::kC64, {3}), IntList{0}, 0, 6}},
  });
}

}  // namespace
}  // namespace glint::ops
