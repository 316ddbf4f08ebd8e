#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

// A X = B, or X A = B when not left. B is a batch of vectors when it has the sizes of A without the last one.
bool is_vector(const Tensor& a, const Tensor& b) {
  return b.rank == 1 || (b.rank == a.rank - 1 && std::equal(b.sizes().begin(), b.sizes().end(), a.sizes().begin()));
}

Status infer(const Tensor& a, const Tensor& b, bool left, bool, TensorMeta& result, TensorMeta& lu, TensorMeta& pivots, TensorMeta& info) {
  GLINT_TRY(check_matrix(a, true));
  if (b.dtype != a.dtype) return invalid_argument("linalg_solve: the operands differ in dtype");
  const bool vector = is_vector(a, b);
  if (vector ? b.rank < 1 : b.rank < 2) return invalid_argument("linalg_solve: B has too few dimensions");
  if (vector && !left) return invalid_argument("linalg_solve: left must be True for vectors");
  const int64_t n = rows(a);
  if ((vector ? b.size[size_t(b.rank - 1)] : left ? rows(b) : cols(b)) != n) return invalid_argument("linalg_solve: the sizes do not match");
  TensorMeta batch;
  GLINT_TRY(broadcast(batch_of(a, 2), batch_of(b, vector ? 1 : 2), batch));
  batch.dtype = a.dtype;
  GLINT_TRY(vector ? set_batched(batch, 0, {n}, a.dtype, result) : set_batched(batch, 0, {rows(b), cols(b)}, a.dtype, result));
  GLINT_TRY(set_batched(a, 2, {n}, DType::kI32, pivots));
  GLINT_TRY(set_batched(a, 2, {}, DType::kI32, info));
  return set_result(lu, a.dtype, a.sizes());
}

Status plan(const PlanContext&, const Tensor& a, const Tensor& b, bool, bool, const Tensor&, const Tensor&, const Tensor&, const Tensor&, Plan& plan) {
  const bool vector = is_vector(a, b);
  return matrix_scratch({{rows(a), cols(a)}, {vector ? rows(a) : rows(b), vector ? 1 : cols(b)}, {rows(a), 1}}, plan);
}

Tensor as_matrix(const Tensor& t) {
  Tensor m = t;
  m.size[m.rank] = 1;
  m.stride[m.rank++] = 0;
  return m;
}

// Solves against one factored matrix; from the right, X A = B is A^T X^T = B^T.
template <class C>
void solve(const Tensor& b, int64_t b_at, bool left, const C* lu, const int64_t* swaps, int64_t n, C* x, Tensor& result, int64_t result_at) {
  load_matrix(b, b_at, x, !left);
  lu_solve(lu, swaps, n, x, left ? cols(b) : rows(b), !left, false);
  store_matrix(result, result_at, x, !left);
}

Status run(OpContext& c, const Tensor& a, const Tensor& b, bool left, bool check_errors, Tensor& result, Tensor& lu, Tensor& pivots, Tensor& info) {
  const int64_t n = rows(a);
  const bool vector = is_vector(a, b);
  if (vector && (b.rank == kMaxRank || result.rank == kMaxRank)) return unsupported("linalg_solve: too many dimensions");
  const Tensor right = vector ? as_matrix(b) : b;
  Tensor to = vector ? as_matrix(result) : result;
  bool singular = false;
  with_field(a.dtype, [&](auto v) {
    using C = decltype(v);
    MatrixRoom room{c.scratch()};
    C *m = room.take<C>(n, n), *x = room.take<C>(rows(right), cols(right));
    int64_t* swaps = room.take<int64_t>(n, 1);
    for_each_row(make_loop(info, batch_of(a, 2), batch_of(lu, 2), batch_of(pivots, 1)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[1] + i * step[1], m);
        const int64_t zero = lu_factor(m, n, n, swaps);
        store_matrix(lu, o[2] + i * step[2], m);
        store_pivots(pivots, o[3] + i * step[3], swaps, n);
        kernels::store_one(info.dtype, info.data, o[0] + i * step[0], zero);
        singular = singular || zero != 0;
      }
    });
    for_each_row(make_loop(batch_of(to, 2), batch_of(right, 2), batch_of(lu, 2), batch_of(a, 2)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[3] + i * step[3], m);
        lu_factor(m, n, n, swaps);
        solve(right, o[1] + i * step[1], left, m, swaps, n, x, to, o[0] + i * step[0]);
      }
    });
  });
  return singular && check_errors ? invalid_argument("linalg_solve: a matrix is singular") : Status();
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_linalg_solve_ex(Tensor A, Tensor B, *, bool left=True, bool check_errors=False) -> (Tensor result, Tensor LU, Tensor pivots, Tensor info)", infer, run, plan>(
        "aten::_linalg_solve_ex.result"),
};

}  // namespace

extern constinit const OpFamily op_linalg_solve_ex{kDefs};

}  // namespace glint::ops
