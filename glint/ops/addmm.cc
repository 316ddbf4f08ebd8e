#include "glint/ops/gemm.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar, Scalar, TensorMeta& out) {
  if (mat1.rank != 2 || mat2.rank != 2) return invalid_argument("addmm: mat1 and mat2 must be matrices");
  if (mat1.size[1] != mat2.size[0]) return invalid_argument("addmm: the inner sizes differ");
  GLINT_TRY(check_product(mat1, mat2));
  return check_added(self, mat1.dtype, std::array{mat1.size[0], mat2.size[1]}, out);
}

Status run(OpContext&, const Tensor& self, const Tensor& mat1, const Tensor& mat2, Scalar beta, Scalar alpha, Tensor& out) {
  with_compute(out.dtype, [&](auto c) {
    product<decltype(c)>(mat1.size[0], mat2.size[1], mat1.size[1], matrix(mat1), matrix(mat2), {&self, beta, alpha}, 0, out);
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", infer, run>("aten::addmm.out"),
};

}  // namespace

extern constinit const OpFamily op_addmm{kDefs};

}  // namespace glint::ops
