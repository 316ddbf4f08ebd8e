#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

// V diag(1 / s) U^H over the singular values above max(atol, rtol * largest). Hermitian input takes the same
// path: its singular values are the sizes of its eigenvalues. Without either, rtol is max(m, n) eps; with atol alone, 0.
Status infer(const Tensor& a, const Tensor* atol, const Tensor* rtol, bool hermitian, TensorMeta& out) {
  GLINT_TRY(check_matrix(a, hermitian));
  for (const Tensor* t : {atol, rtol}) {
    if (t == nullptr) continue;
    if (is_complex(t->dtype)) return invalid_argument("linalg_pinv: tolerances must be real");
    TensorMeta batch = batch_of(a, 2), both;
    GLINT_TRY(broadcast(*t, batch, both));
    if (!both.same_sizes(batch)) return invalid_argument("linalg_pinv: a tolerance does not broadcast to the batch");
  }
  return set_batched(a, 2, {cols(a), rows(a)}, a.dtype, out);
}

Status plan(const PlanContext&, const Tensor& a, const Tensor*, const Tensor*, bool, const Tensor&, Plan& plan) {
  const int64_t most = std::max(rows(a), cols(a)), least = std::min(rows(a), cols(a));
  return matrix_scratch({{most, least}, {least, least}, {least, 1}, {most, least}}, plan);
}

// result (n x m) = sum over j of v_j x_j^H / s_j^2, the columns of x being u_j s_j.
template <class C>
void combine(const C* x, const C* v, const double* s, double cut, int64_t m, int64_t n, C* result) {
  std::fill_n(result, n * m, C());
  for (int64_t j = 0; j < n; ++j) {
    if (!(s[j] > cut)) continue;
    for (int64_t r = 0; r < n; ++r)
      for (int64_t i = 0; i < m; ++i)
        result[r * m + i] = add(result[r * m + i], divide(mul(divide(v[r * n + j], from_real<C>(s[j])), conj(x[i * n + j])), from_real<C>(s[j])));
  }
}

Status run(OpContext& c, const Tensor& a, const Tensor* atol, const Tensor* rtol, bool, Tensor& out) {
  const bool wide = rows(a) < cols(a);
  const int64_t m = std::max(rows(a), cols(a)), n = std::min(rows(a), cols(a));
  const double eps = real_dtype(a.dtype) == DType::kF64 ? 0x1p-52 : 0x1p-23;
  const TensorMeta none = batch_of(a, 2);
  with_field(a.dtype, [&](auto kind) {
    using C = decltype(kind);
    MatrixRoom room{c.scratch()};
    C *x = room.take<C>(m, n), *v = room.take<C>(n, n);
    double* s = room.take<double>(n, 1);
    C* result = room.take<C>(m, n);
    const auto loop = make_loop(batch_of(out, 2), none, atol != nullptr ? static_cast<const TensorMeta&>(*atol) : none, rtol != nullptr ? static_cast<const TensorMeta&>(*rtol) : none);
    for_each_row(loop, [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[1] + i * step[1], x, wide);
        if (wide) for (int64_t e = 0; e < m * n; ++e) x[e] = conj(x[e]);
        singular_values(x, m, n, s, v);
        const auto value = [&](const Tensor& t, size_t k) { return kernels::load_one<double>(t.dtype, t.data, o[k] + i * step[k]); };
        const double absolute = atol != nullptr ? value(*atol, 2) : 0;
        const double relative = rtol != nullptr ? value(*rtol, 3) : absolute > 0 ? 0 : eps * double(m);
        combine(x, v, s, n > 0 ? std::max(absolute, relative * s[0]) : 0, m, n, result);
        if (wide) for (int64_t e = 0; e < m * n; ++e) result[e] = conj(result[e]);
        store_matrix(out, o[0] + i * step[0], result, wide);
      }
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_pinv.atol_rtol_tensor(Tensor self, *, Tensor? atol=None, Tensor? rtol=None, bool hermitian=False) -> Tensor", infer, run, plan>(
        "aten::linalg_pinv.atol_rtol_tensor_out"),
};

}  // namespace

extern constinit const OpFamily op_linalg_pinv{kDefs};

}  // namespace glint::ops
