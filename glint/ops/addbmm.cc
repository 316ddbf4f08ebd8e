#include "glint/ops/gemm.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar, Scalar, TensorMeta& out) {
  if (batch1.rank != 3 || batch2.rank != 3) return invalid_argument("addbmm: batch1 and batch2 must have 3 dimensions");
  if (batch1.size[0] != batch2.size[0]) return invalid_argument("addbmm: the batch sizes differ");
  if (batch1.size[2] != batch2.size[1]) return invalid_argument("addbmm: the inner sizes differ");
  GLINT_TRY(check_product(batch1, batch2));
  return check_added(self, batch1.dtype, std::array{batch1.size[1], batch2.size[2]}, out);
}

// The sum over batches is a product over a longer inner dimension: rows of A and B move on to the next batch.
template <class C>
void sum_batches(const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta, Scalar alpha, Tensor& out) {
  const int64_t inner = batch1.size[2];
  const C scale = number<C>(alpha), keep = number<C>(beta);
  const auto pack_a = [&](int64_t i, int64_t k0, int64_t kc, C* row) {
    for (int64_t k = k0; k < k0 + kc;) {
      const int64_t n = std::min(inner - k % inner, k0 + kc - k);
      matrix(batch1, k / inner).load_row(i, k % inner, n, row + (k - k0));
      k += n;
    }
  };
  const auto pack_b = [&](int64_t k0, int64_t kc, int64_t j0, int64_t nc, C* panel) {
    for (int64_t k = k0; k < k0 + kc; ++k) matrix(batch2, k / inner).load_row(k % inner, j0, nc, panel + (k - k0) * kGemmCols);
  };
  TensorMeta added = self;
  for (int o = 1, k = self.rank - 1; o >= 0; --o, --k) {  // self broadcast to a matrix
    added.stride[size_t(o)] = k < 0 || self.size[size_t(k)] == 1 ? 0 : self.stride[size_t(k)];
  }
  gemm<C>(out.size[0], out.size[1], batch1.size[0] * inner, pack_a, pack_b, [&](int64_t i, int64_t j0, int64_t nc, const C* sums) {
    C result[kGemmCols], before[kGemmCols];
    for (int64_t j = 0; j < nc; ++j) result[j] = mul(scale, sums[j]);
    if (beta.to_double() != 0) {
      kernels::load(self.dtype, at(self, i * added.stride[0] + j0 * added.stride[1]), added.stride[1], nc, before);
      for (int64_t j = 0; j < nc; ++j) result[j] = add(mul(keep, before[j]), result[j]);
    }
    kernels::store(out.dtype, at(out, i * out.stride[0] + j0 * out.stride[1]), out.stride[1], nc, result);
  });
}

Status run(OpContext&, const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta, Scalar alpha, Tensor& out) {
  with_compute(out.dtype, [&](auto c) { sum_batches<decltype(c)>(self, batch1, batch2, beta, alpha, out); });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", infer, run>("aten::addbmm.out"),
};

}  // namespace

extern constinit const OpFamily op_addbmm{kDefs};

}  // namespace glint::ops
