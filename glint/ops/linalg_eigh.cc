#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

// Eigenvalues in ascending order; eigenvectors (columns) are unique up to a phase. Only one triangle is read.
Status infer(const Tensor& a, std::string_view triangle, bool vectors, TensorMeta& values, TensorMeta& v) {
  GLINT_TRY(check_matrix(a, true));
  if (triangle != "L" && triangle != "U" && triangle != "l" && triangle != "u") return invalid_argument("linalg_eigh: UPLO must be L or U");
  const int64_t zero[] = {0};
  GLINT_TRY(set_batched(a, 2, {rows(a)}, real_dtype(a.dtype), values));
  return set_result(v, a.dtype, vectors ? a.sizes() : Ints(zero));
}

Status plan(const PlanContext&, const Tensor& a, std::string_view, bool, const Tensor&, const Tensor&, Plan& plan) {
  return matrix_scratch({{rows(a), cols(a)}, {rows(a), cols(a)}, {rows(a), 1}}, plan);
}

Status run(OpContext& c, const Tensor& a, std::string_view triangle, bool vectors, Tensor& values, Tensor& out) {
  const int64_t n = rows(a);
  const bool upper = triangle == "U" || triangle == "u";
  with_field(a.dtype, [&](auto kind) {
    using C = decltype(kind);
    MatrixRoom room{c.scratch()};
    C *m = room.take<C>(n, n), *v = room.take<C>(n, n);
    double* w = room.take<double>(n, 1);
    for_each_row(make_loop(batch_of(values, 1), batch_of(a, 2), vectors ? batch_of(out, 2) : batch_of(a, 2)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[1] + i * step[1], m);
        for (int64_t r = 0; r < n; ++r) {
          m[r * n + r] = from_real<C>(real_part(m[r * n + r]));
          for (int64_t s = 0; s < r; ++s) upper ? m[r * n + s] = conj(m[s * n + r]) : m[s * n + r] = conj(m[r * n + s]);
        }
        hermitian_eigen(m, n, w, v);
        kernels::store(values.dtype, at(values, o[0] + i * step[0]), values.stride[size_t(values.rank - 1)], n, w);
        if (vectors) store_matrix(out, o[2] + i * step[2], v);
      }
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_linalg_eigh(Tensor A, str UPLO=\"L\", bool compute_v=True) -> (Tensor eigenvalues, Tensor eigenvectors)", infer, run, plan>("aten::_linalg_eigh.eigenvalues"),
};

}  // namespace

extern constinit const OpFamily op_linalg_eigh{kDefs};

}  // namespace glint::ops
