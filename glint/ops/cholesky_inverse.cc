#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

// The inverse of L L^H (or U^H U).
Status infer(const Tensor& factor, bool, TensorMeta& out) {
  GLINT_TRY(check_matrix(factor, true));
  return set_result(out, factor.dtype, factor.sizes());
}

Status plan(const PlanContext&, const Tensor& factor, bool, const Tensor&, Plan& plan) {
  return matrix_scratch({{rows(factor), cols(factor)}, {rows(factor), cols(factor)}}, plan);
}

Status run(OpContext& c, const Tensor& factor, bool upper, Tensor& out) {
  const int64_t n = rows(factor);
  with_field(factor.dtype, [&](auto v) {
    using C = decltype(v);
    MatrixRoom room{c.scratch()};
    C *m = room.take<C>(n, n), *x = room.take<C>(n, n);
    for_each_row(make_loop(batch_of(out, 2), batch_of(factor, 2)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(factor, o[1] + i * step[1], m);
        for (int64_t k = 0; k < n * n; ++k) x[k] = from_real<C>(k % (n + 1) == 0 ? 1 : 0);
        solve_triangle(m, n, {upper, false, upper, upper}, x, n);
        solve_triangle(m, n, {upper, false, !upper, !upper}, x, n);
        store_matrix(out, o[0] + i * step[0], x);
      }
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::cholesky_inverse(Tensor self, bool upper=False) -> Tensor", infer, run, plan>("aten::cholesky_inverse.out"),
};

}  // namespace

extern constinit const OpFamily op_cholesky_inverse{kDefs};

}  // namespace glint::ops
