#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& b, const Tensor& a, bool, bool, bool, TensorMeta& solution, TensorMeta& copy) {
  GLINT_TRY(check_matrix(a, true));
  GLINT_TRY(check_matrix(b, false));
  if (b.dtype != a.dtype) return invalid_argument("triangular_solve: the operands differ in dtype");
  if (rows(b) != rows(a)) return invalid_argument("triangular_solve: the sizes do not match");
  TensorMeta batch;
  GLINT_TRY(broadcast(batch_of(a, 2), batch_of(b, 2), batch));
  GLINT_TRY(set_batched(batch, 0, {rows(a), cols(a)}, a.dtype, copy));
  return set_batched(batch, 0, {rows(b), cols(b)}, b.dtype, solution);
}

Status plan(const PlanContext&, const Tensor& b, const Tensor& a, bool, bool, bool, const Tensor&, const Tensor&, Plan& plan) {
  return matrix_scratch({{rows(a), cols(a)}, {rows(b), cols(b)}}, plan);
}

Status run(OpContext& c, const Tensor& b, const Tensor& a, bool upper, bool transpose, bool unit, Tensor& solution, Tensor& copy) {
  const int64_t n = rows(a);
  with_field(a.dtype, [&](auto v) {
    using C = decltype(v);
    MatrixRoom room{c.scratch()};
    C *m = room.take<C>(n, n), *x = room.take<C>(rows(b), cols(b));
    for_each_row(make_loop(batch_of(solution, 2), batch_of(a, 2), batch_of(b, 2), batch_of(copy, 2)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[1] + i * step[1], m);
        load_matrix(b, o[2] + i * step[2], x);
        store_matrix(copy, o[3] + i * step[3], m);
        solve_triangle(m, n, {upper, unit, transpose}, x, cols(b));
        store_matrix(solution, o[0] + i * step[0], x);
      }
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::triangular_solve(Tensor self, Tensor A, bool upper=True, bool transpose=False, bool unitriangular=False) -> (Tensor solution, Tensor cloned_coefficient)",
              infer, run, plan>("aten::triangular_solve.X"),
};

}  // namespace

extern constinit const OpFamily op_triangular_solve{kDefs};

}  // namespace glint::ops
