#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

// Singular values in descending order; the vectors are unique up to a common phase of each pair.
Status infer(const Tensor& a, bool full, bool vectors, std::optional<std::string_view> driver, TensorMeta& u, TensorMeta& s, TensorMeta& vh) {
  GLINT_TRY(check_matrix(a, false));
  if (driver) return invalid_argument("linalg_svd: driver is for another device");
  const int64_t m = rows(a), n = cols(a), k = std::min(m, n), zero[] = {0};
  GLINT_TRY(set_batched(a, 2, {k}, real_dtype(a.dtype), s));
  GLINT_TRY(vectors ? set_batched(a, 2, {m, full ? m : k}, a.dtype, u) : set_result(u, a.dtype, zero));
  return vectors ? set_batched(a, 2, {full ? n : k, n}, a.dtype, vh) : set_result(vh, a.dtype, zero);
}

Status plan(const PlanContext&, const Tensor& a, bool, bool, std::optional<std::string_view>, const Tensor&, const Tensor&, const Tensor&, Plan& plan) {
  const int64_t most = std::max(rows(a), cols(a)), least = std::min(rows(a), cols(a));
  return matrix_scratch({{most, least}, {least, least}, {least, 1}, {most, most}}, plan);
}

// `x` (m x n, its columns u_j s_j) becomes an orthonormal basis in q (m x k): columns that are zero
// or beyond n are filled in by Gram-Schmidt on the unit vectors.
template <class C>
void complete_basis(const C* x, const double* s, int64_t m, int64_t n, C* q, int64_t k) {
  for (int64_t j = 0, next = 0; j < k; ++j) {
    if (j < n && s[j] > 1e-14 * s[0] && s[j] > 0) {
      for (int64_t i = 0; i < m; ++i) q[i * k + j] = divide(x[i * n + j], from_real<C>(s[j]));
      continue;
    }
    for (double norm = 0; norm < 0.5 / double(m) && next <= m; ++next) {
      for (int64_t i = 0; i < m; ++i) q[i * k + j] = from_real<C>(i == next % m ? 1 : 0);
      for (int pass = 0; pass < 2; ++pass)
        for (int64_t c = 0; c < j; ++c) {
          C dot{};
          for (int64_t i = 0; i < m; ++i) dot = add(dot, mul(conj(q[i * k + c]), q[i * k + j]));
          for (int64_t i = 0; i < m; ++i) q[i * k + j] = sub(q[i * k + j], mul(dot, q[i * k + c]));
        }
      norm = 0;
      for (int64_t i = 0; i < m; ++i) norm = std::hypot(norm, magnitude(q[i * k + j]));
      for (int64_t i = 0; i < m && norm > 0; ++i) q[i * k + j] = divide(q[i * k + j], from_real<C>(norm));
      norm *= norm;
    }
  }
}

template <class C>
void store_adjoint(Tensor& t, int64_t offset, C* x, int64_t count) {
  for (int64_t i = 0; i < count; ++i) x[i] = conj(x[i]);
  store_matrix(t, offset, x, true);
}

Status run(OpContext& c, const Tensor& a, bool, bool vectors, std::optional<std::string_view>, Tensor& u, Tensor& s, Tensor& vh) {
  // Works on the taller of A and A^H = V S U^H.
  const bool wide = rows(a) < cols(a);
  const int64_t m = std::max(rows(a), cols(a)), n = std::min(rows(a), cols(a));
  Tensor &tall_out = wide ? vh : u, &small_out = wide ? u : vh;
  with_field(a.dtype, [&](auto kind) {
    using C = decltype(kind);
    MatrixRoom room{c.scratch()};
    C *x = room.take<C>(m, n), *v = room.take<C>(n, n);
    double* w = room.take<double>(n, 1);
    C* basis = room.take<C>(m, m);
    const TensorMeta none = batch_of(a, 2);
    for_each_row(make_loop(batch_of(s, 1), none, vectors ? batch_of(tall_out, 2) : none, vectors ? batch_of(small_out, 2) : none), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[1] + i * step[1], x, wide);
        if (wide) for (int64_t e = 0; e < m * n; ++e) x[e] = conj(x[e]);
        singular_values(x, m, n, w, v);
        kernels::store(s.dtype, at(s, o[0] + i * step[0]), s.stride[size_t(s.rank - 1)], n, w);
        if (!vectors) continue;
        const int64_t k = wide ? rows(tall_out) : cols(tall_out);
        complete_basis(x, w, m, n, basis, k);
        if (wide) {
          store_adjoint(tall_out, o[2] + i * step[2], basis, m * k);
          store_matrix(small_out, o[3] + i * step[3], v);
        } else {
          store_matrix(tall_out, o[2] + i * step[2], basis);
          store_adjoint(small_out, o[3] + i * step[3], v, n * n);
        }
      }
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_linalg_svd(Tensor A, bool full_matrices=False, bool compute_uv=True, *, str? driver=None) -> (Tensor U, Tensor S, Tensor Vh)", infer, run, plan>(
        "aten::_linalg_svd.U"),
};

}  // namespace

extern constinit const OpFamily op_linalg_svd{kDefs};

}  // namespace glint::ops
