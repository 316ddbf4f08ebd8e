#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

// exp(A) = exp(A / 2^k)^(2^k), the inner one by its series.
Status infer(const Tensor& a, TensorMeta& out) {
  GLINT_TRY(check_matrix(a, true, true));
  return set_result(out, a.dtype, a.sizes());
}

Status plan(const PlanContext&, const Tensor& a, const Tensor&, Plan& plan) {
  const std::pair<int64_t, int64_t> size{rows(a), cols(a)};
  return matrix_scratch({size, size, size, size}, plan);
}

template <class C>
void square_product(const C* a, const C* b, int64_t n, C* out) {
  std::fill_n(out, n * n, C());
  for (int64_t i = 0; i < n; ++i)
    for (int64_t k = 0; k < n; ++k)
      for (int64_t j = 0; j < n; ++j) out[i * n + j] = add(out[i * n + j], mul(a[i * n + k], b[k * n + j]));
}

template <class C>
void exponential(C* a, int64_t n, C* sum, C* term, C* next) {
  double norm = 0;
  for (int64_t i = 0; i < n * n; ++i) norm += magnitude(a[i]);
  int halvings = 0;
  for (; norm > 0.5 && halvings < 1100; ++halvings) norm /= 2;
  for (int64_t i = 0; i < n * n; ++i) {
    a[i] = mul(a[i], from_real<C>(std::ldexp(1.0, -halvings)));
    sum[i] = term[i] = from_real<C>(i % (n + 1) == 0 ? 1 : 0);
  }
  for (int k = 1; k <= 18; ++k) {
    square_product(term, a, n, next);
    for (int64_t i = 0; i < n * n; ++i) {
      term[i] = divide(next[i], from_real<C>(k));
      sum[i] = add(sum[i], term[i]);
    }
  }
  for (int k = 0; k < halvings; ++k) {
    square_product(sum, sum, n, next);
    std::copy_n(next, n * n, sum);
  }
}

Status run(OpContext& c, const Tensor& a, Tensor& out) {
  const int64_t n = rows(a);
  with_field(a.dtype, [&](auto v) {
    using C = decltype(v);
    MatrixRoom room{c.scratch()};
    C *x = room.take<C>(n, n), *sum = room.take<C>(n, n), *term = room.take<C>(n, n), *next = room.take<C>(n, n);
    for_each_row(make_loop(batch_of(out, 2), batch_of(a, 2)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[1] + i * step[1], x);
        exponential(x, n, sum, term, next);
        store_matrix(out, o[0] + i * step[0], sum);
      }
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_matrix_exp(Tensor self) -> Tensor", infer, run, plan>("aten::linalg_matrix_exp.out"),
};

}  // namespace

extern constinit const OpFamily op_linalg_matrix_exp{kDefs};

}  // namespace glint::ops
