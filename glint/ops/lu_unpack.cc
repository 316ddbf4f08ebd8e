#include "glint/ops/lu_unpack.h"

namespace glint::ops {
namespace {

// What is not wanted is an empty tensor.
Status infer(const Tensor& a, const Tensor& pivots, bool data, bool permutation, TensorMeta& p, TensorMeta& l, TensorMeta& u) {
  GLINT_TRY(check_matrix(a, false));
  const int64_t m = rows(a), n = cols(a), k = std::min(m, n), zero[] = {0};
  TensorMeta expected;
  GLINT_TRY(set_batched(a, 2, {k}, DType::kI32, expected));
  if (permutation && (pivots.dtype != DType::kI32 || !pivots.same_sizes(expected))) return invalid_argument("lu_unpack: the pivots must be int32 and fit LU_data");
  GLINT_TRY(permutation ? set_batched(a, 2, {m, m}, a.dtype, p) : set_result(p, a.dtype, zero));
  GLINT_TRY(data ? set_batched(a, 2, {m, k}, a.dtype, l) : set_result(l, a.dtype, zero));
  return data ? set_batched(a, 2, {k, n}, a.dtype, u) : set_result(u, a.dtype, zero);
}

Status plan(const PlanContext&, const Tensor& a, const Tensor&, bool, bool, const Tensor&, const Tensor&, const Tensor&, Plan& plan) {
  return matrix_scratch({{rows(a), cols(a)}, {rows(a), 1}, {rows(a), 1}}, plan);
}

Status run(OpContext& c, const Tensor& a, const Tensor& pivots, bool data, bool permutation, Tensor& p, Tensor& l, Tensor& u) {
  const int64_t m = rows(a), n = cols(a), k = std::min(m, n);
  bool valid = true;
  const TensorMeta none = batch_of(a, 2);
  with_field(a.dtype, [&](auto v) {
    using C = decltype(v);
    MatrixRoom room{c.scratch()};
    C* x = room.take<C>(m, n);
    int64_t *swaps = room.take<int64_t>(m, 1), *order = room.take<int64_t>(m, 1);
    const auto loop = make_loop(batch_of(a, 2), permutation ? batch_of(pivots, 1) : none, permutation ? batch_of(p, 2) : none, data ? batch_of(l, 2) : none, data ? batch_of(u, 2) : none);
    for_each_row(loop, [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[0] + i * step[0], x);
        if (permutation) {
          kernels::load(pivots.dtype, at(pivots, o[1] + i * step[1]), pivots.stride[size_t(pivots.rank - 1)], k, swaps);
          for (int64_t r = 0; r < k; ++r)
            if (swaps[r] < 1 || swaps[r] > m) valid = false, swaps[r] = 1;
        }
        unpack_lu(x, m, n, swaps, order, permutation ? &p : nullptr, o[2] + i * step[2], data ? &l : nullptr, o[3] + i * step[3], data ? &u : nullptr, o[4] + i * step[4]);
      }
    });
  });
  return valid ? Status() : invalid_argument("lu_unpack: a pivot is out of range");
}

constexpr OpDef kDefs[] = {
    define_op<"aten::lu_unpack(Tensor LU_data, Tensor LU_pivots, bool unpack_data=True, bool unpack_pivots=True) -> (Tensor P, Tensor L, Tensor U)", infer, run, plan>(
        "aten::lu_unpack.out"),
};

}  // namespace

extern constinit const OpFamily op_lu_unpack{kDefs};

}  // namespace glint::ops
