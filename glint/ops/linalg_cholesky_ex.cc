#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

// Only the triangle that is asked for is read. info is the order of the first minor that is not positive, or 0.
Status infer(const Tensor& a, bool, bool, TensorMeta& l, TensorMeta& info) {
  GLINT_TRY(check_matrix(a, true));
  GLINT_TRY(set_batched(a, 2, {}, DType::kI32, info));
  return set_result(l, a.dtype, a.sizes());
}

Status plan(const PlanContext&, const Tensor& a, bool, bool, const Tensor&, const Tensor&, Plan& plan) { return matrix_scratch({{rows(a), cols(a)}}, plan); }

Status run(OpContext& c, const Tensor& a, bool upper, bool check_errors, Tensor& l, Tensor& info) {
  const int64_t n = rows(a);
  bool failed = false;
  with_field(a.dtype, [&](auto v) {
    using C = decltype(v);
    C* m = MatrixRoom{c.scratch()}.take<C>(n, n);
    const auto conjugate = [&] { for (int64_t k = 0; k < n * n; ++k) m[k] = conj(m[k]); };
    for_each_row(make_loop(info, batch_of(a, 2), batch_of(l, 2)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[1] + i * step[1], m, upper);
        if (upper) conjugate();
        const int64_t order = cholesky(m, n);
        if (upper) conjugate();
        store_matrix(l, o[2] + i * step[2], m, upper);
        kernels::store_one(info.dtype, info.data, o[0] + i * step[0], order);
        failed = failed || order != 0;
      }
    });
  });
  return failed && check_errors ? invalid_argument("linalg_cholesky: a matrix is not positive-definite") : Status();
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_cholesky_ex(Tensor self, *, bool upper=False, bool check_errors=False) -> (Tensor L, Tensor info)", infer, run, plan>(
        "aten::linalg_cholesky_ex.L"),
};

}  // namespace

extern constinit const OpFamily op_linalg_cholesky_ex{kDefs};

}  // namespace glint::ops
