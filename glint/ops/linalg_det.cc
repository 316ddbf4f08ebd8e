#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

// PyTorch factors the transpose of a row-major real matrix (the determinant is the same); so does this.
bool factors_transpose(const Tensor& a) { return a.is_contiguous() && !is_complex(a.dtype); }

Status infer(const Tensor& a, TensorMeta& result, TensorMeta& lu, TensorMeta& pivots) {
  GLINT_TRY(check_matrix(a, true));
  GLINT_TRY(set_batched(a, 2, {}, a.dtype, result));
  GLINT_TRY(set_batched(a, 2, {rows(a)}, DType::kI32, pivots));
  return set_result(lu, a.dtype, a.sizes());
}

Status plan(const PlanContext&, const Tensor& a, const Tensor&, const Tensor&, const Tensor&, Plan& plan) {
  return matrix_scratch({{rows(a), cols(a)}, {rows(a), 1}}, plan);
}

Status run(OpContext& c, const Tensor& a, Tensor& result, Tensor& lu, Tensor& pivots) {
  const int64_t n = rows(a);
  with_field(a.dtype, [&](auto v) {
    using C = decltype(v);
    MatrixRoom room{c.scratch()};
    C* m = room.take<C>(n, n);
    int64_t* swaps = room.take<int64_t>(n, 1);
    for_each_row(make_loop(result, batch_of(a, 2), batch_of(lu, 2), batch_of(pivots, 1)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[1] + i * step[1], m, factors_transpose(a));
        lu_factor(m, n, n, swaps);
        C det = from_real<C>(1);
        for (int64_t k = 0; k < n; ++k) det = mul(det, swaps[k] != k + 1 ? sub(C(), m[k * n + k]) : m[k * n + k]);
        kernels::store_one(result.dtype, result.data, o[0] + i * step[0], det);
        store_matrix(lu, o[2] + i * step[2], m);
        store_pivots(pivots, o[3] + i * step[3], swaps, n);
      }
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)", infer, run, plan>("aten::_linalg_det.result"),
};

}  // namespace

extern constinit const OpFamily op_linalg_det{kDefs};

}  // namespace glint::ops
