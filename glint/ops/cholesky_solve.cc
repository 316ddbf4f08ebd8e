#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

// A X = B with A = L L^H (or U^H U).
Status infer(const Tensor& b, const Tensor& factor, bool, TensorMeta& out) {
  GLINT_TRY(check_matrix(factor, true));
  GLINT_TRY(check_matrix(b, false));
  if (b.dtype != factor.dtype) return invalid_argument("cholesky_solve: the operands differ in dtype");
  if (rows(b) != rows(factor)) return invalid_argument("cholesky_solve: the sizes do not match");
  TensorMeta batch;
  GLINT_TRY(broadcast(batch_of(factor, 2), batch_of(b, 2), batch));
  return set_batched(batch, 0, {rows(b), cols(b)}, b.dtype, out);
}

Status plan(const PlanContext&, const Tensor& b, const Tensor& factor, bool, const Tensor&, Plan& plan) {
  return matrix_scratch({{rows(factor), cols(factor)}, {rows(b), cols(b)}}, plan);
}

Status run(OpContext& c, const Tensor& b, const Tensor& factor, bool upper, Tensor& out) {
  const int64_t n = rows(factor);
  with_field(b.dtype, [&](auto v) {
    using C = decltype(v);
    MatrixRoom room{c.scratch()};
    C *m = room.take<C>(n, n), *x = room.take<C>(rows(b), cols(b));
    for_each_row(make_loop(batch_of(out, 2), batch_of(factor, 2), batch_of(b, 2)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(factor, o[1] + i * step[1], m);
        load_matrix(b, o[2] + i * step[2], x);
        solve_triangle(m, n, {upper, false, upper, upper}, x, cols(b));
        solve_triangle(m, n, {upper, false, !upper, !upper}, x, cols(b));
        store_matrix(out, o[0] + i * step[0], x);
      }
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::cholesky_solve(Tensor self, Tensor input2, bool upper=False) -> Tensor", infer, run, plan>("aten::cholesky_solve.out"),
};

}  // namespace

extern constinit const OpFamily op_cholesky_solve{kDefs};

}  // namespace glint::ops
