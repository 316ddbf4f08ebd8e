#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::call, testing::expect_op, testing::expect_refusals, testing::f32, testing::HostTensor, testing::i64, testing::op, testing::Operand;

HostTensor square() { return f32({2, 2}, {4, 2, 2, 3}); }

TEST(Linalg, KnownValues) {
  expect_op("aten::_linalg_det", {square()}, {{8}, {4, 2, 0.5, 2}, {1, 2}});
  expect_op("aten::_linalg_slogdet", {f32({1, 1}, {-2})}, {{-1}, {std::log(2.0)}, {-2}, {1}});
  expect_op("aten::linalg_inv_ex", {square()}, {{0.375, -0.25, -0.25, 0.5}, {0}});
  expect_op("aten::linalg_inv_ex", {f32({2, 1, 1}, {2, 0})}, {{0.5, INFINITY}, {0, 1}});
  expect_op("aten::linalg_cholesky_ex", {square()}, {{2, 0, 1, std::sqrt(2.0)}, {0}});
  expect_op("aten::linalg_cholesky_ex", {square(), true}, {{2, 1, 0, std::sqrt(2.0)}, {0}});
  expect_op("aten::linalg_lu_factor_ex", {f32({2, 2}, {1, 2, 4, 2})}, {{4, 2, 0.25, 1.5}, {2, 2}, {0}});
  expect_op("aten::linalg_lu", {f32({2, 2}, {1, 2, 4, 2})}, {{0, 1, 1, 0}, {1, 0, 0.25, 1}, {4, 2, 0, 1.5}});
  expect_op("aten::_linalg_solve_ex", {square(), f32({2}, {8, 8})}, {{1, 2}});
  expect_op("aten::_linalg_solve_ex", {f32({2, 2}, {1, 1, 0, 1}), f32({1, 2}, {1, 3}), false}, {{1, 2}});
  expect_op("aten::linalg_solve_triangular", {f32({2, 2}, {2, 0, 1, 1}), f32({2, 1}, {2, 3}), false}, {{1, 2}});
  expect_op("aten::cholesky_solve", {f32({2, 1}, {8, 8}), f32({2, 2}, {2, 0, 1, std::sqrt(2.0)})}, {{1, 2}});
  expect_op("aten::cholesky_inverse", {f32({1, 1}, {2})}, {{0.25}});
  expect_op("aten::linalg_qr", {f32({2, 1}, {3, 4})}, {{-0.6, -0.8}, {-5}});
  expect_op("aten::geqrf", {f32({2, 1}, {3, 4})}, {{-5, 0.5}, {1.6}});
  expect_op("aten::linalg_householder_product", {f32({2, 1}, {-5, 0.5}), f32({1}, {1.6})}, {{-0.6, -0.8}});
  expect_op("aten::ormqr", {f32({2, 1}, {-5, 0.5}), f32({1}, {1.6}), f32({2, 1}, {3, 4}), true, true}, {{-5, 0}});
  expect_op("aten::_linalg_eigh", {f32({2, 2}, {2, 1, 1, 2}), "L", false}, {{1, 3}, {}});
  expect_op("aten::_linalg_svd", {f32({2, 3}, {3, 0, 0, 0, 4, 0}), false, false}, {{}, {4, 3}, {}});
  expect_op("aten::linalg_pinv.atol_rtol_tensor", {f32({2, 1}, {3, 4})}, {{0.12, 0.16}});
  expect_op("aten::linalg_matrix_sqrth", {f32({2, 2}, {4, 0, 0, 9})}, {{2, 0, 0, 3}});
  expect_op("aten::linalg_ldl_solve", {f32({2, 2}, {2, 0, 0.5, 3}), HostTensor(DType::kI32, {2}, {1, 2}), f32({2, 1}, {2, 7})}, {{0, 2}});
  expect_op("aten::linalg_ldl_solve", {f32({2, 2}, {0, 0, 2, 0}), HostTensor(DType::kI32, {2}, {-2, -2}), f32({2, 1}, {2, 4})}, {{2, 1}});
  expect_op("aten::linalg_matrix_exp", {f32({2, 2}, {0, 1, 0, 0})}, {{1, 1, 0, 1}});
}

// U S Vh gives the matrix back, and both factors are orthonormal, for every shape and rank.
TEST(Linalg, SingularVectors) {
  const HostTensor cases[] = {f32({3, 2}, {1, 2, 3, 4, 5, 6}), f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({2, 2}, {1, 1, 1, 1}), f32({2, 2})};
  for (const HostTensor& a : cases) {
    SCOPED_TRACE(a.describe());
    const auto out = call(op(all(), "aten::_linalg_svd"), {a, true, true});
    ASSERT_TRUE(out.status.ok());
    const auto u = out.results[0].values(), s = out.results[1].values(), v = out.results[2].values(), want = a.values();
    const size_t m = size_t(a.tensor().size[0]), n = size_t(a.tensor().size[1]);
    for (size_t i = 0; i < m; ++i)
      for (size_t j = 0; j < n; ++j) {
        double sum = 0;
        for (size_t k = 0; k < s.size(); ++k) sum += u[i * m + k] * s[k] * v[k * n + j];
        EXPECT_NEAR(sum, want[i * n + j], 1e-5);
      }
    for (size_t i = 0; i < m; ++i)
      for (size_t j = 0; j < m; ++j) {
        double dot = 0;
        for (size_t k = 0; k < m; ++k) dot += u[k * m + i] * u[k * m + j];
        EXPECT_NEAR(dot, i == j, 1e-5);
      }
  }
}

TEST(Linalg, Refusals) {
  expect_refusals({
      {"not square", "aten::_linalg_det", {f32({2, 3})}},
      {"vector", "aten::linalg_inv_ex", {f32({2})}},
      {"integers", "aten::linalg_inv_ex", {i64({2, 2})}, Code::kUnsupported},
      {"singular", "aten::linalg_inv_ex", {f32({1, 1}), true}},
      {"not positive", "aten::linalg_cholesky_ex", {f32({1, 1}, {-1}), false, true}},
      {"sizes", "aten::_linalg_solve_ex", {f32({2, 2}), f32({3, 1})}},
      {"pivot", "aten::linalg_lu_solve", {f32({1, 1}), HostTensor(DType::kI32, {1}, {2}), f32({1, 1})}},
      {"pivots", "aten::linalg_ldl_solve", {f32({1, 1}), HostTensor(DType::kI32, {1}, {-1}), f32({1, 1})}},
      {"mode", "aten::linalg_qr", {f32({2, 2}), "half"}},
      {"triangle", "aten::_linalg_eigh", {f32({2, 2}), "X"}},
      {"tau", "aten::linalg_householder_product", {f32({2, 1}), f32({2})}},
  });
}

}  // namespace
}  // namespace glint::ops
