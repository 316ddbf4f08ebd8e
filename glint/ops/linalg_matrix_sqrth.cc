#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

// The square root of a Hermitian matrix through its eigenvalues.
Status infer(const Tensor& a, TensorMeta& out) {
  GLINT_TRY(check_matrix(a, true));
  return set_result(out, a.dtype, a.sizes());
}

Status plan(const PlanContext&, const Tensor& a, const Tensor&, Plan& plan) {
  const std::pair<int64_t, int64_t> size{rows(a), cols(a)};
  return matrix_scratch({size, size, {rows(a), 1}}, plan);
}

Status run(OpContext& c, const Tensor& a, Tensor& out) {
  const int64_t n = rows(a);
  with_field(a.dtype, [&](auto kind) {
    using C = decltype(kind);
    MatrixRoom room{c.scratch()};
    C *m = room.take<C>(n, n), *v = room.take<C>(n, n);
    double* w = room.take<double>(n, 1);
    for_each_row(make_loop(batch_of(out, 2), batch_of(a, 2)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[1] + i * step[1], m);
        for (int64_t r = 0; r < n; ++r) {
          m[r * n + r] = from_real<C>(real_part(m[r * n + r]));
          for (int64_t s = 0; s < r; ++s) m[s * n + r] = conj(m[r * n + s]);
        }
        hermitian_eigen(m, n, w, v);
        for (int64_t r = 0; r < n; ++r)
          for (int64_t s = 0; s < n; ++s) {
            C sum{};
            for (int64_t k = 0; k < n; ++k) sum = add(sum, mul(mul(v[r * n + k], from_real<C>(std::sqrt(std::max(w[k], 0.0)))), conj(v[s * n + k])));
            m[r * n + s] = sum;
          }
        store_matrix(out, o[0] + i * step[0], m);
      }
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_matrix_sqrth(Tensor self) -> Tensor", infer, run, plan>("aten::linalg_matrix_sqrth.out"),
};

}  // namespace

extern constinit const OpFamily op_linalg_matrix_sqrth{kDefs};

}  // namespace glint::ops
