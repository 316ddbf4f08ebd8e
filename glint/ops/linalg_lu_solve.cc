#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

// LU and pivots as linalg_lu_factor gives them; batches broadcast.
Status infer(const Tensor& lu, const Tensor& pivots, const Tensor& b, bool left, bool, TensorMeta& out) {
  GLINT_TRY(check_matrix(lu, true));
  GLINT_TRY(check_matrix(b, false));
  if (b.dtype != lu.dtype) return invalid_argument("linalg_lu_solve: the operands differ in dtype");
  TensorMeta expected, batch;
  GLINT_TRY(set_batched(lu, 2, {rows(lu)}, DType::kI32, expected));
  if (pivots.dtype != DType::kI32 || !pivots.same_sizes(expected)) return invalid_argument("linalg_lu_solve: the pivots must be int32 and fit LU");
  if ((left ? rows(b) : cols(b)) != rows(lu)) return invalid_argument("linalg_lu_solve: the sizes do not match");
  GLINT_TRY(broadcast(batch_of(lu, 2), batch_of(b, 2), batch));
  return set_batched(batch, 0, {rows(b), cols(b)}, b.dtype, out);
}

Status plan(const PlanContext&, const Tensor& lu, const Tensor&, const Tensor& b, bool, bool, const Tensor&, Plan& plan) {
  return matrix_scratch({{rows(lu), cols(lu)}, {rows(b), cols(b)}, {rows(lu), 1}}, plan);
}

Status run(OpContext& c, const Tensor& lu, const Tensor& pivots, const Tensor& b, bool left, bool adjoint, Tensor& out) {
  const int64_t n = rows(lu);
  bool valid = true;
  with_field(lu.dtype, [&](auto v) {
    using C = decltype(v);
    MatrixRoom room{c.scratch()};
    C *m = room.take<C>(n, n), *x = room.take<C>(rows(b), cols(b));
    int64_t* swaps = room.take<int64_t>(n, 1);
    for_each_row(make_loop(batch_of(out, 2), batch_of(b, 2), batch_of(lu, 2), batch_of(pivots, 1)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(lu, o[2] + i * step[2], m);
        kernels::load(pivots.dtype, at(pivots, o[3] + i * step[3]), pivots.stride[size_t(pivots.rank - 1)], n, swaps);
        for (int64_t k = 0; k < n; ++k)
          if (swaps[k] < 1 || swaps[k] > n) valid = false, swaps[k] = 1;
        load_matrix(b, o[1] + i * step[1], x, !left);
        // X A = B is A^T X^T = B^T; X A^H = B is conj(A) X^T = B^T.
        if (!left && adjoint) for (int64_t k = 0; k < n * n; ++k) m[k] = conj(m[k]);
        lu_solve(m, swaps, n, x, left ? cols(b) : rows(b), left == adjoint, left && adjoint);
        store_matrix(out, o[0] + i * step[0], x, !left);
      }
    });
  });
  return valid ? Status() : invalid_argument("linalg_lu_solve: a pivot is out of range");
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_lu_solve(Tensor LU, Tensor pivots, Tensor B, *, bool left=True, bool adjoint=False) -> Tensor", infer, run, plan>("aten::linalg_lu_solve.out"),
};

}  // namespace

extern constinit const OpFamily op_linalg_lu_solve{kDefs};

}  // namespace glint::ops
