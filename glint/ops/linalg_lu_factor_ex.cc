#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& a, bool pivot, bool, TensorMeta& lu, TensorMeta& pivots, TensorMeta& info) {
  GLINT_TRY(check_matrix(a, false));
  if (!pivot) return unsupported("linalg_lu_factor: pivot=False is not supported on the CPU");
  GLINT_TRY(set_batched(a, 2, {std::min(rows(a), cols(a))}, DType::kI32, pivots));
  GLINT_TRY(set_batched(a, 2, {}, DType::kI32, info));
  return set_result(lu, a.dtype, a.sizes());
}

Status plan(const PlanContext&, const Tensor& a, bool, bool, const Tensor&, const Tensor&, const Tensor&, Plan& plan) {
  return matrix_scratch({{rows(a), cols(a)}, {rows(a), 1}}, plan);
}

Status run(OpContext& c, const Tensor& a, bool, bool check_errors, Tensor& lu, Tensor& pivots, Tensor& info) {
  const int64_t m = rows(a), n = cols(a);
  bool singular = false;
  with_field(a.dtype, [&](auto v) {
    using C = decltype(v);
    MatrixRoom room{c.scratch()};
    C* x = room.take<C>(m, n);
    int64_t* swaps = room.take<int64_t>(m, 1);
    for_each_row(make_loop(info, batch_of(a, 2), batch_of(lu, 2), batch_of(pivots, 1)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[1] + i * step[1], x);
        const int64_t zero = lu_factor(x, m, n, swaps);
        store_matrix(lu, o[2] + i * step[2], x);
        store_pivots(pivots, o[3] + i * step[3], swaps, std::min(m, n));
        kernels::store_one(info.dtype, info.data, o[0] + i * step[0], zero);
        singular = singular || zero != 0;
      }
    });
  });
  return singular && check_errors ? invalid_argument("linalg_lu_factor: a matrix is singular") : Status();
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_lu_factor_ex(Tensor A, *, bool pivot=True, bool check_errors=False) -> (Tensor LU, Tensor pivots, Tensor info)", infer, run, plan>(
        "aten::linalg_lu_factor_ex.out"),
};

}  // namespace

extern constinit const OpFamily op_linalg_lu_factor_ex{kDefs};

}  // namespace glint::ops
