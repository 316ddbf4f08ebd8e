#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

// The first columns of H_0 H_1 ... from the reflectors below the diagonal of the input.
Status infer(const Tensor& a, const Tensor& tau, TensorMeta& out) {
  GLINT_TRY(check_matrix(a, false));
  if (rows(a) < cols(a)) return invalid_argument("linalg_householder_product: more columns than rows");
  if (tau.dtype != a.dtype || tau.rank != a.rank - 1 || !std::equal(tau.sizes().begin(), tau.sizes().end() - 1, a.sizes().begin()) || tau.size[size_t(tau.rank - 1)] > cols(a))
    return invalid_argument("linalg_householder_product: tau does not fit the input");
  return set_result(out, a.dtype, a.sizes());
}

Status plan(const PlanContext&, const Tensor& a, const Tensor&, const Tensor&, Plan& plan) {
  return matrix_scratch({{rows(a), cols(a)}, {rows(a), cols(a)}, {cols(a), 1}}, plan);
}

Status run(OpContext& c, const Tensor& a, const Tensor& tau, Tensor& out) {
  const int64_t m = rows(a), n = cols(a), k = tau.size[size_t(tau.rank - 1)];
  with_field(a.dtype, [&](auto v) {
    using C = decltype(v);
    MatrixRoom room{c.scratch()};
    C *x = room.take<C>(m, n), *q = room.take<C>(m, n), *t = room.take<C>(n, 1);
    for_each_row(make_loop(batch_of(out, 2), batch_of(a, 2), batch_of(tau, 1)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[1] + i * step[1], x);
        kernels::load(tau.dtype, at(tau, o[2] + i * step[2]), tau.stride[size_t(tau.rank - 1)], k, t);
        form_q(x, m, n, t, k, q, n);
        store_matrix(out, o[0] + i * step[0], q);
      }
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_householder_product(Tensor input, Tensor tau) -> Tensor", infer, run, plan>("aten::linalg_householder_product.out"),
};

}  // namespace

extern constinit const OpFamily op_linalg_householder_product{kDefs};

}  // namespace glint::ops
