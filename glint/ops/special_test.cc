#include <cmath>

#include "glint/ops/ops.h"
#include "glint/testing/op_call.h"

#include <gtest/gtest.h>

namespace glint::ops {
namespace {

using testing::call, testing::f32, testing::i64, testing::HostTensor, testing::Operand, testing::op;
using Values = std::vector<double>;

testing::Outcome run(const char* name, std::vector<Operand> operands) {
  auto out = call(op(all(), name), std::move(operands));
  EXPECT_TRUE(out.status.ok()) << name << ": " << out.status.why();
  return out;
}

TEST(Special, Golden) {
  struct Case { const char* name; double x, want; };
  const Case cases[] = {
      {"aten::digamma", 0.5, -1.9635100260214235}, {"aten::digamma", -1.5, 0.7031566406452432}, {"aten::i0", 2, 2.2795853023360673},
      {"aten::special_i1e", -40, -0.06248222907444206}, {"aten::special_modified_bessel_k0", 1, 0.42102443824070834},
      {"aten::special_modified_bessel_k1", 0.1, 9.853844780870606}, {"aten::special_bessel_j0", 1, 0.7651976865579666},
      {"aten::special_airy_ai", 1, 0.13529241631288142}, {"aten::special_airy_ai", -8, -0.05270505035638676},
      {"aten::special_erfcx", 3, 0.1790011511813899}, {"aten::special_log_ndtr", -20, -203.91715537109727}, {"aten::special_ndtri", 0.975, 1.959963984540054},
      {"aten::special_ndtri", 1e-10, -6.361340902404056}, {"aten::special_entr", 0.5, 0.34657359027997264}, {"aten::sinc", 0, 1},
  };
  for (const Case& c : cases)
    EXPECT_NEAR(run(c.name, {HostTensor(DType::kF64, {}, {c.x})}).results[0].values()[0], c.want, 2e-9 * std::fmax(1, std::fabs(c.want))) << c.name;
  EXPECT_NEAR(run("aten::special_zeta.other_scalar", {f32({}, {3}), 1}).results[0].values()[0], 1.2020569031595942, 1e-6);
  EXPECT_NEAR(run("aten::polygamma", {2, f32({}, {1})}).results[0].values()[0], -2.4041138063, 1e-6);
  EXPECT_NEAR(run("aten::igamma", {f32({}, {2}), f32({}, {1})}).results[0].values()[0], 0.2642411176571153, 1e-7);
  EXPECT_NEAR(run("aten::special_legendre_polynomial_p.n_scalar", {f32({}, {0.5}), 3}).results[0].values()[0], -0.4375, 1e-7);
  EXPECT_EQ(call(op(all(), "aten::polygamma"), {-1, f32({})}).status.code(), Code::kInvalidArgument);
}

TEST(Search, FindsPlaces) {
  const HostTensor edges = f32({4}, {1, 2, 2, 3});
  EXPECT_EQ(run("aten::bucketize.Tensor", {f32({4}, {2, 0, 9, NAN}), edges}).results[0].values(), (Values{1, 0, 4, 4}));
  EXPECT_EQ(run("aten::bucketize.Tensor", {i64({2}, {2, 3}), edges, true, true}).results[0].describe(), "int32[2]");
  EXPECT_EQ(run("aten::searchsorted.Tensor", {i64({2, 3}, {1, 3, 5, 2, 4, 6}), i64({2, 1}, {3, 6}), false, false, "right"}).results[0].values(), (Values{2, 3}));
  const HostTensor shuffled = f32({3}, {3, 1, 2}), order = i64({3}, {1, 2, 0}), broken = i64({3}, {1, 7, 0});
  EXPECT_EQ(run("aten::searchsorted.Scalar", {shuffled, 2.5, false, false, Operand(), order}).results[0].values(), (Values{2}));
  EXPECT_EQ(call(op(all(), "aten::searchsorted.Scalar"), {shuffled, 2.5, false, false, Operand(), broken}).status.code(), Code::kInvalidArgument);
  EXPECT_EQ(call(op(all(), "aten::searchsorted.Tensor"), {edges, edges, false, true, "left"}).status.code(), Code::kInvalidArgument);
  EXPECT_EQ(call(op(all(), "aten::bucketize.Tensor"), {edges, f32({})}).status.code(), Code::kInvalidArgument);
}

TEST(OrderStatistics, Lines) {
  const HostTensor x = f32({2, 4}, {4, 1, 3, 2, NAN, 5, 7, 6});
  const auto median = run("aten::median.dim", {x, 1});
  EXPECT_EQ(median.results[0].values()[0], 2);
  EXPECT_EQ(median.results[1].values(), (Values{3, 0}));
  EXPECT_EQ(run("aten::nanmedian.dim", {x, -1}).results[0].values(), (Values{2, 6}));
  EXPECT_EQ(run("aten::nanmedian", {x.with_strides({1, 2})}).results[0].values(), (Values{4}));
  EXPECT_EQ(run("aten::mode", {i64({5}, {3, 1, 3, 1, 2})}).results[0].values(), (Values{1}));
  EXPECT_EQ(call(op(all(), "aten::median.dim"), {f32({0}), 0}).status.code(), Code::kInvalidArgument);
}

TEST(Counts, Bins) {
  EXPECT_EQ(run("aten::bincount", {i64({4}, {0, 2, 2, 5})}).results[0].values(), (Values{1, 0, 2, 0, 0, 1}));
  EXPECT_EQ(run("aten::bincount", {i64({2}, {0, 1}), f32({2}, {0.5, 2}), 3}).results[0].values(), (Values{0.5, 2, 0}));
  EXPECT_EQ(run("aten::histc", {f32({5}, {0, 1, 2, 3, NAN}), 3, 0, 3}).results[0].values(), (Values{1, 1, 2}));
  EXPECT_EQ(call(op(all(), "aten::bincount"), {i64({1}, {-1})}).status.code(), Code::kInvalidArgument);
  EXPECT_EQ(call(op(all(), "aten::histc"), {f32({1}, {INFINITY})}).status.code(), Code::kInvalidArgument);
}

}  // namespace
}  // namespace glint::ops
