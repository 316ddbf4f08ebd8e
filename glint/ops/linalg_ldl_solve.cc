#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

// A X = B with A = L D L^T (L D L^H) as LAPACK factors it: a positive pivot is a 1 x 1 block of D and an
// exchange of its row, two equal negative ones a 2 x 2 block and an exchange of its second row.
Status infer(const Tensor& ld, const Tensor& pivots, const Tensor& b, bool, TensorMeta& out) {
  GLINT_TRY(check_matrix(ld, true));
  GLINT_TRY(check_matrix(b, false));
  if (b.dtype != ld.dtype) return invalid_argument("linalg_ldl_solve: the operands differ in dtype");
  TensorMeta expected, batch;
  GLINT_TRY(set_batched(ld, 2, {rows(ld)}, DType::kI32, expected));
  if (!is_integer(pivots.dtype) || !pivots.same_sizes(expected)) return invalid_argument("linalg_ldl_solve: the pivots must be integers and fit LD");
  if (rows(b) != rows(ld)) return invalid_argument("linalg_ldl_solve: the sizes do not match");
  GLINT_TRY(broadcast(batch_of(ld, 2), batch_of(b, 2), batch));
  return set_batched(batch, 0, {rows(b), cols(b)}, b.dtype, out);
}

Status plan(const PlanContext&, const Tensor& ld, const Tensor&, const Tensor& b, bool, const Tensor&, Plan& plan) {
  return matrix_scratch({{rows(ld), cols(ld)}, {rows(b), cols(b)}, {rows(ld), 1}}, plan);
}

bool valid_pivots(const int64_t* p, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    if (p[k] == 0 || p[k] > n || p[k] < -n) return false;
    if (p[k] < 0 && (k + 1 >= n || p[k + 1] >= 0)) return false;
    if (p[k] < 0) ++k;
  }
  return true;
}

template <class C>
struct Ldl {
  const C* a;
  const int64_t* p;
  int64_t n;
  bool hermitian;
  C* x;
  int64_t k;  // columns of x

  C turned(C v) const { return hermitian ? conj(v) : v; }
  void exchange(int64_t i, int64_t j) const {
    for (int64_t c = 0; c < k && i != j; ++c) std::swap(x[i * k + c], x[j * k + c]);
  }
  void subtract(int64_t to, C factor, int64_t from) const {
    for (int64_t c = 0; c < k; ++c) x[to * k + c] = sub(x[to * k + c], mul(factor, x[from * k + c]));
  }
  void forward() const {
    for (int64_t i = 0; i < n;) {
      const int64_t width = p[i] > 0 ? 1 : 2;
      exchange(i + width - 1, std::abs(p[i]) - 1);
      for (int64_t r = i + width; r < n; ++r)
        for (int64_t w = 0; w < width; ++w) subtract(r, a[r * n + i + w], i + w);
      width == 1 ? divide_one(i) : divide_two(i);
      i += width;
    }
  }
  void backward() const {
    for (int64_t i = n - 1; i >= 0;) {
      const int64_t width = p[i] > 0 ? 1 : 2;
      for (int64_t w = 0; w < width; ++w)
        for (int64_t r = i + 1; r < n; ++r) subtract(i - w, turned(a[r * n + i - w]), r);
      exchange(i, std::abs(p[i]) - 1);
      i -= width;
    }
  }
  void divide_one(int64_t i) const {
    for (int64_t c = 0; c < k; ++c) x[i * k + c] = divide(x[i * k + c], a[i * n + i]);
  }
  void divide_two(int64_t i) const {
    const C d0 = a[i * n + i], e = a[(i + 1) * n + i], d1 = a[(i + 1) * n + i + 1];
    const C det = sub(mul(d0, d1), mul(e, turned(e)));
    for (int64_t c = 0; c < k; ++c) {
      const C u = x[i * k + c], v = x[(i + 1) * k + c];
      x[i * k + c] = divide(sub(mul(d1, u), mul(turned(e), v)), det);
      x[(i + 1) * k + c] = divide(sub(mul(d0, v), mul(e, u)), det);
    }
  }
};

Status run(OpContext& c, const Tensor& ld, const Tensor& pivots, const Tensor& b, bool hermitian, Tensor& out) {
  const int64_t n = rows(ld);
  bool valid = true;
  with_field(ld.dtype, [&](auto v) {
    using C = decltype(v);
    MatrixRoom room{c.scratch()};
    C *m = room.take<C>(n, n), *x = room.take<C>(rows(b), cols(b));
    int64_t* p = room.take<int64_t>(n, 1);
    for_each_row(make_loop(batch_of(out, 2), batch_of(b, 2), batch_of(ld, 2), batch_of(pivots, 1)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(ld, o[2] + i * step[2], m);
        kernels::load(pivots.dtype, at(pivots, o[3] + i * step[3]), pivots.stride[size_t(pivots.rank - 1)], n, p);
        if (!valid_pivots(p, n)) { valid = false; return; }
        load_matrix(b, o[1] + i * step[1], x);
        const Ldl<C> solver{m, p, n, hermitian && kIsComplex<C>, x, cols(b)};
        solver.forward();
        solver.backward();
        store_matrix(out, o[0] + i * step[0], x);
      }
    });
  });
  return valid ? Status() : invalid_argument("linalg_ldl_solve: bad pivots");
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_ldl_solve(Tensor LD, Tensor pivots, Tensor B, *, bool hermitian=False) -> Tensor", infer, run, plan>("aten::linalg_ldl_solve.out"),
};

}  // namespace

extern constinit const OpFamily op_linalg_ldl_solve{kDefs};

}  // namespace glint::ops
