#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

// info is the place of a zero pivot (from 1), or 0; check_errors makes one an error.
Status infer(const Tensor& a, bool, TensorMeta& inverse, TensorMeta& info) {
  GLINT_TRY(check_matrix(a, true));
  GLINT_TRY(set_batched(a, 2, {}, DType::kI32, info));
  return set_result(inverse, a.dtype, a.sizes());
}

Status plan(const PlanContext&, const Tensor& a, bool, const Tensor&, const Tensor&, Plan& plan) {
  return matrix_scratch({{rows(a), cols(a)}, {rows(a), cols(a)}, {rows(a), 1}}, plan);
}

Status run(OpContext& c, const Tensor& a, bool check_errors, Tensor& inverse, Tensor& info) {
  const int64_t n = rows(a);
  bool singular = false;
  with_field(a.dtype, [&](auto v) {
    using C = decltype(v);
    MatrixRoom room{c.scratch()};
    C *m = room.take<C>(n, n), *x = room.take<C>(n, n);
    int64_t* swaps = room.take<int64_t>(n, 1);
    for_each_row(make_loop(info, batch_of(a, 2), batch_of(inverse, 2)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[1] + i * step[1], m);
        const int64_t zero = lu_factor(m, n, n, swaps);
        for (int64_t k = 0; k < n * n; ++k) x[k] = from_real<C>(k % (n + 1) == 0 ? 1 : 0);
        lu_solve(m, swaps, n, x, n, false, false);
        store_matrix(inverse, o[2] + i * step[2], x);
        kernels::store_one(info.dtype, info.data, o[0] + i * step[0], zero);
        singular = singular || zero != 0;
      }
    });
  });
  return singular && check_errors ? invalid_argument("linalg_inv: a matrix is singular") : Status();
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)", infer, run, plan>("aten::linalg_inv_ex.inverse"),
};

}  // namespace

extern constinit const OpFamily op_linalg_inv_ex{kDefs};

}  // namespace glint::ops
