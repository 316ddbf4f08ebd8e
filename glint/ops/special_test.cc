#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::call, testing::expect_refusals, testing::f32, testing::HostTensor, testing::i64, testing::op, testing::Operand;

// Against values from tables, relative to the value's size.
TEST(Special, KnownValues) {
  struct { const char* name; double x, want; } cases[] = {
      {"aten::special_bessel_j0", 1, 0.76519768655796655145}, {"aten::special_bessel_j0", 40, 0.0073668905842374072}, {"aten::special_bessel_j1", -1, -0.44005058574493351596},
      {"aten::special_bessel_y0", 1, 0.08825696421567695798}, {"aten::special_bessel_y0", 0, -INFINITY}, {"aten::special_bessel_y0", -1, NAN},
      {"aten::special_bessel_y1", 3, 0.32467442479179997}, {"aten::i0", 1, 1.2660658777520083356}, {"aten::special_i1", 7, 156.03909286995534},
      {"aten::special_i0e", 120, 0.036456396116413915}, {"aten::special_modified_bessel_k0", 1, 0.42102443824070833334}, {"aten::special_modified_bessel_k1", 0.3, 3.0559920334573252},
      {"aten::special_scaled_modified_bessel_k0", 120, 0.11429277942292938}, {"aten::special_airy_ai", 1, 0.13529241631288141552}, {"aten::special_airy_ai", -8, -0.052705050356386200},
      {"aten::special_spherical_bessel_j0", 0.1, 0.99833416646828152307}, {"aten::special_erfcx", 1, 0.42758357615580700441}, {"aten::special_erfcx", 30, 0.018795888861416752},
      {"aten::special_ndtri", 0.1, -1.2815515655446004}, {"aten::special_ndtri", 1e-10, -6.3613409024040562}, {"aten::special_ndtri", 2, NAN},
      {"aten::special_log_ndtr", -100, -5005.5242086942050}, {"aten::special_entr", 0.5, 0.34657359027997265}, {"aten::special_entr", -1, -INFINITY},
  };
  for (auto& c : cases) {
    SCOPED_TRACE(c.name);
    const auto out = call(op(all(), c.name), {HostTensor(DType::kF64, {1}, {c.x})});
    ASSERT_TRUE(out.status.ok()) << out.status.why();
    const double got = out.results[0].values()[0];
    if (std::isnan(c.want)) EXPECT_TRUE(std::isnan(got)) << got;
    else if (std::isinf(c.want)) EXPECT_EQ(got, c.want);
    else EXPECT_NEAR(got, c.want, 4e-15 * std::max(1.0, std::fabs(c.want))) << c.x;
  }
}

TEST(Special, TwoArguments) {
  using testing::expect_op;
  expect_op("aten::special_zeta", {f32({3}, {2, 1, 2}), f32({3}, {1, 1, -0.5})}, {{1.6449340668482264, INFINITY, 8.9348022005446793}});
  expect_op("aten::special_zeta.self_scalar", {2.0, f32({1}, {-1000.5})}, {{9.868605}});
  expect_op("aten::igamma", {f32({4}, {1, 0.5, 100, 0}), f32({4}, {1, 0.25, 100, 1})}, {{0.63212055882855767, 0.52049987781304654, 0.51329879827914868, 1}});
  expect_op("aten::igammac", {f32({3}, {1, 0.5, 2}), f32({3}, {1, 0.25, 30})}, {{0.36787944117144233, 0.47950012218695346, 2.9008e-12}});
  expect_op("aten::polygamma", {1, f32({1}, {1})}, {{1.6449340668482264}});
  expect_op("aten::polygamma", {2, f32({1}, {1})}, {{-2.4041138063191886}});
  expect_op("aten::special_chebyshev_polynomial_t", {f32({3}, {0.5, 2, -1}), i64({3}, {2, 3, 3})}, {{-0.5, 26, -1}});
  expect_op("aten::special_chebyshev_polynomial_u.n_scalar", {f32({1}, {0.5}), 2}, {{0}});
  expect_op("aten::special_shifted_chebyshev_polynomial_t.x_scalar", {0.75, i64({1}, {2})}, {{-0.5}});
  expect_op("aten::special_hermite_polynomial_h", {f32({1}, {2}), i64({1}, {3})}, {{40}});
  expect_op("aten::special_hermite_polynomial_he", {f32({1}, {2}), i64({1}, {3})}, {{2}});
  expect_op("aten::special_laguerre_polynomial_l", {f32({1}, {2}), i64({1}, {2})}, {{-1}});
  expect_op("aten::special_legendre_polynomial_p", {f32({1}, {0.5}), i64({1}, {2})}, {{-0.125}});
}

TEST(Special, Refusals) {
  expect_refusals({
      {"order", "aten::polygamma", {-1, f32({1})}},
      {"complex", "aten::i0", {HostTensor(DType::kC64, {1})}, Code::kUnsupported},
      {"sizes", "aten::special_zeta", {f32({2}), f32({3})}},
  });
}

}  // namespace
}  // namespace glint::ops
