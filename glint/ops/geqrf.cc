#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

// The factored form of QR: R above the diagonal, the reflectors below it.
Status infer(const Tensor& a, TensorMeta& factored, TensorMeta& tau) {
  GLINT_TRY(check_matrix(a, false));
  GLINT_TRY(set_batched(a, 2, {std::min(rows(a), cols(a))}, a.dtype, tau));
  return set_result(factored, a.dtype, a.sizes());
}

Status plan(const PlanContext&, const Tensor& a, const Tensor&, const Tensor&, Plan& plan) { return matrix_scratch({{rows(a), cols(a)}, {cols(a), 1}}, plan); }

Status run(OpContext& c, const Tensor& a, Tensor& factored, Tensor& tau) {
  const int64_t m = rows(a), n = cols(a);
  with_field(a.dtype, [&](auto v) {
    using C = decltype(v);
    MatrixRoom room{c.scratch()};
    C *x = room.take<C>(m, n), *t = room.take<C>(n, 1);
    for_each_row(make_loop(batch_of(factored, 2), batch_of(a, 2), batch_of(tau, 1)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[1] + i * step[1], x);
        qr_factor(x, m, n, t);
        store_matrix(factored, o[0] + i * step[0], x);
        kernels::store(tau.dtype, at(tau, o[2] + i * step[2]), tau.stride[size_t(tau.rank - 1)], std::min(m, n), t);
      }
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::geqrf(Tensor self) -> (Tensor a, Tensor tau)", infer, run, plan>("aten::geqrf.a"),
};

}  // namespace

extern constinit const OpFamily op_geqrf{kDefs};

}  // namespace glint::ops
