#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

// mode: "reduced" (Q m x k), "complete" (Q m x m) or "r" (Q empty), with k = min(m, n).
Status infer(const Tensor& a, std::string_view mode, TensorMeta& q, TensorMeta& r) {
  GLINT_TRY(check_matrix(a, false));
  const int64_t m = rows(a), n = cols(a), k = std::min(m, n), zero[] = {0};
  if (mode != "reduced" && mode != "complete" && mode != "r") return invalid_argument("linalg_qr: unknown mode");
  GLINT_TRY(set_batched(a, 2, {mode == "complete" ? m : k, n}, a.dtype, r));
  return mode == "r" ? set_result(q, a.dtype, zero) : set_batched(a, 2, {m, mode == "complete" ? m : k}, a.dtype, q);
}

Status plan(const PlanContext&, const Tensor& a, std::string_view, const Tensor&, const Tensor&, Plan& plan) {
  return matrix_scratch({{rows(a), cols(a)}, {rows(a), rows(a)}, {cols(a), 1}}, plan);
}

Status run(OpContext& c, const Tensor& a, std::string_view mode, Tensor& q, Tensor& r) {
  const int64_t m = rows(a), n = cols(a), k = std::min(m, n), kept = rows(r);
  const bool wants_q = mode != "r";
  with_field(a.dtype, [&](auto v) {
    using C = decltype(v);
    MatrixRoom room{c.scratch()};
    C *x = room.take<C>(m, n), *full = room.take<C>(m, m), *tau = room.take<C>(n, 1);
    for_each_row(make_loop(batch_of(r, 2), batch_of(a, 2), wants_q ? batch_of(q, 2) : batch_of(a, 2)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[1] + i * step[1], x);
        qr_factor(x, m, n, tau);
        if (wants_q) {
          form_q(x, m, n, tau, k, full, cols(q));
          store_matrix(q, o[2] + i * step[2], full);
        }
        for (int64_t y = 0; y < kept; ++y)
          for (int64_t z = 0; z < std::min(y, n); ++z) x[y * n + z] = C();
        store_matrix(r, o[0] + i * step[0], x);
      }
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_qr(Tensor A, str mode=\"reduced\") -> (Tensor Q, Tensor R)", infer, run, plan>("aten::linalg_qr.out"),
};

}  // namespace

extern constinit const OpFamily op_linalg_qr{kDefs};

}  // namespace glint::ops
