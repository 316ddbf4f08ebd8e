#include "glint/ops/gemm.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar, Scalar, TensorMeta& out) {
  if (batch1.rank != 3 || batch2.rank != 3) return invalid_argument("baddbmm: batch1 and batch2 must have 3 dimensions");
  if (batch1.size[0] != batch2.size[0]) return invalid_argument("baddbmm: the batch sizes differ");
  if (batch1.size[2] != batch2.size[1]) return invalid_argument("baddbmm: the inner sizes differ");
  GLINT_TRY(check_product(batch1, batch2));
  return check_added(self, batch1.dtype, std::array{batch1.size[0], batch1.size[1], batch2.size[2]}, out);
}

Status run(OpContext&, const Tensor& self, const Tensor& batch1, const Tensor& batch2, Scalar beta, Scalar alpha, Tensor& out) {
  with_compute(out.dtype, [&](auto c) {
    for (int64_t b = 0; b < batch1.size[0]; ++b)
      product<decltype(c)>(batch1.size[1], batch2.size[2], batch1.size[2], matrix(batch1, b), matrix(batch2, b), {&self, beta, alpha}, b, out);
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", infer, run>("aten::baddbmm.out"),
};

}  // namespace

extern constinit const OpFamily op_baddbmm{kDefs};

}  // namespace glint::ops
