#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& a, const Tensor& b, bool, bool left, bool, TensorMeta& out) {
  GLINT_TRY(check_matrix(a, true));
  GLINT_TRY(check_matrix(b, false));
  if (b.dtype != a.dtype) return invalid_argument("linalg_solve_triangular: the operands differ in dtype");
  if ((left ? rows(b) : cols(b)) != rows(a)) return invalid_argument("linalg_solve_triangular: the sizes do not match");
  TensorMeta batch;
  GLINT_TRY(broadcast(batch_of(a, 2), batch_of(b, 2), batch));
  return set_batched(batch, 0, {rows(b), cols(b)}, b.dtype, out);
}

Status plan(const PlanContext&, const Tensor& a, const Tensor& b, bool, bool, bool, const Tensor&, Plan& plan) {
  return matrix_scratch({{rows(a), cols(a)}, {rows(b), cols(b)}}, plan);
}

Status run(OpContext& c, const Tensor& a, const Tensor& b, bool upper, bool left, bool unit, Tensor& out) {
  const int64_t n = rows(a);
  with_field(a.dtype, [&](auto v) {
    using C = decltype(v);
    MatrixRoom room{c.scratch()};
    C *m = room.take<C>(n, n), *x = room.take<C>(rows(b), cols(b));
    for_each_row(make_loop(batch_of(out, 2), batch_of(a, 2), batch_of(b, 2)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[1] + i * step[1], m);
        load_matrix(b, o[2] + i * step[2], x, !left);
        solve_triangle(m, n, {upper, unit, !left}, x, left ? cols(b) : rows(b));
        store_matrix(out, o[0] + i * step[0], x, !left);
      }
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor", infer, run, plan>(
        "aten::linalg_solve_triangular.out"),
};

}  // namespace

extern constinit const OpFamily op_linalg_solve_triangular{kDefs};

}  // namespace glint::ops
