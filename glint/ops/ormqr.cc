#include "glint/ops/linalg.h"

namespace glint::ops {
namespace {

// Q C, Q^H C, C Q or C Q^H, with Q (all of it, square) given by its reflectors.
Status infer(const Tensor& a, const Tensor& tau, const Tensor& other, bool left, bool, TensorMeta& out) {
  GLINT_TRY(check_matrix(a, false));
  GLINT_TRY(check_matrix(other, false));
  const auto same_batch = [&](const Tensor& t, int cut) {
    return t.rank - cut == a.rank - 2 && std::equal(a.sizes().begin(), a.sizes().end() - 2, t.sizes().begin());
  };
  if (tau.dtype != a.dtype || other.dtype != a.dtype) return invalid_argument("ormqr: the operands differ in dtype");
  if (tau.rank < 1 || !same_batch(tau, 1) || !same_batch(other, 2)) return invalid_argument("ormqr: the batches differ");
  const int64_t m = left ? rows(other) : cols(other), k = tau.size[size_t(tau.rank - 1)];
  if (rows(a) != m || k > m || k > cols(a)) return invalid_argument("ormqr: the sizes do not match");
  return set_result(out, other.dtype, other.sizes());
}

Status plan(const PlanContext&, const Tensor& a, const Tensor& tau, const Tensor& other, bool, bool, const Tensor&, Plan& plan) {
  return matrix_scratch({{rows(a), cols(a)}, {rows(other), cols(other)}, {tau.size[size_t(tau.rank - 1)], 1}}, plan);
}

Status run(OpContext& c, const Tensor& a, const Tensor& tau, const Tensor& other, bool left, bool transpose, Tensor& out) {
  const int64_t m = rows(a), n = cols(a), k = tau.size[size_t(tau.rank - 1)];
  with_field(a.dtype, [&](auto v) {
    using C = decltype(v);
    MatrixRoom room{c.scratch()};
    C *x = room.take<C>(m, n), *y = room.take<C>(rows(other), cols(other)), *t = room.take<C>(k, 1);
    for_each_row(make_loop(batch_of(out, 2), batch_of(a, 2), batch_of(tau, 1), batch_of(other, 2)), [&](const auto& o, const auto& step, int64_t count) {
      for (int64_t i = 0; i < count; ++i) {
        load_matrix(a, o[1] + i * step[1], x);
        kernels::load(tau.dtype, at(tau, o[2] + i * step[2]), tau.stride[size_t(tau.rank - 1)], k, t);
        // From the right: C Q is the adjoint of Q^H C^H.
        load_matrix(other, o[3] + i * step[3], y, !left);
        const int64_t columns = left ? cols(other) : rows(other);
        const auto conjugate = [&] { for (int64_t e = 0; e < m * columns; ++e) y[e] = conj(y[e]); };
        if (!left) conjugate();
        const bool adjoint = left == transpose;
        for (int64_t r = 0; r < k; ++r) {
          const int64_t h = adjoint ? r : k - 1 - r;
          reflect_rows(x, m, n, h, t[h], adjoint, y, columns);
        }
        if (!left) conjugate();
        store_matrix(out, o[0] + i * step[0], y, !left);
      }
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor", infer, run, plan>("aten::ormqr.out"),
};

}  // namespace

extern constinit const OpFamily op_ormqr{kDefs};

}  // namespace glint::ops
