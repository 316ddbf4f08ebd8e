#include "glint/ops/lu_unpack.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& a, bool pivot, TensorMeta& p, TensorMeta& l, TensorMeta& u) {
  GLINT_TRY(check_matrix(a, false));
  if (!pivot) return unsupported("linalg_lu: pivot=False is not supported on the CPU");
  const int64_t m = rows(a), n = cols(a), k = std::min(m, n);
  GLINT_TRY(set_batched(a, 2, {m, m}, a.dtype, p));
  GLINT_TRY(set_batched(a, 2, {m, k}, a.dtype, l));
  return set_batched(a, 2, {k, n}, a.dtype, u);
}

Status plan(const PlanContext&, const Tensor& a, bool, const Tensor&, const Tensor&, const Tensor&, Plan& plan) {
  return matrix_scratch({{rows(a), cols(a)}, {rows(a), 1}, {rows(a), 1}}, plan);
}

Status run(OpContext& c, const Tensor& a, bool, Tensor& p, Tensor& l, Tensor& u) {
  const int64_t m = rows(a), n = cols(a);
  with_field(a.dtype, [&](auto v) {
    using C = decltype(v);
    MatrixRoom room{c.scratch()};
    C* x = room.take<C>(m, n);
    int64_t *swaps = room.take<int64_t>(m, 1), *order = room.take<int64_t>(m, 1);
    for_each_row(make_loop(batch_of(p, 2), batch_of(a, 2), batch_of(l, 2), batch_of(u, 2)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[1] + i * step[1], x);
        lu_factor(x, m, n, swaps);
        unpack_lu(x, m, n, swaps, order, &p, o[0] + i * step[0], &l, o[2] + i * step[2], &u, o[3] + i * step[3]);
      }
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_lu(Tensor A, *, bool pivot=True) -> (Tensor P, Tensor L, Tensor U)", infer, run, plan>("aten::linalg_lu.out"),
};

}  // namespace

extern constinit const OpFamily op_linalg_lu{kDefs};

}  // namespace glint::ops
