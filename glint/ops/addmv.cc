#include "glint/ops/gemm.h"

namespace glint::ops {
namespace {

// A vector is a matrix of one column.
Tensor column(const Tensor& v) {
  Tensor m = v;
  m.rank = 2;
  m.size[1] = 1;
  m.stride[1] = 0;
  return m;
}

Status infer(const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar, Scalar, TensorMeta& out) {
  if (mat.rank != 2 || vec.rank != 1) return invalid_argument("addmv: expected a matrix and a vector");
  if (mat.size[1] != vec.size[0]) return invalid_argument("addmv: the inner sizes differ");
  GLINT_TRY(check_product(mat, vec));
  return check_added(self, mat.dtype, std::array{mat.size[0]}, out);
}

Status run(OpContext&, const Tensor& self, const Tensor& mat, const Tensor& vec, Scalar beta, Scalar alpha, Tensor& out) {
  Tensor to = column(out), added = self;
  if (self.rank == 1) added = column(self);
  with_compute(out.dtype, [&](auto c) {
    product<decltype(c)>(mat.size[0], 1, mat.size[1], matrix(mat), matrix(column(vec)), {&added, beta, alpha}, 0, to);
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor", infer, run>("aten::addmv.out"),
};

}  // namespace

extern constinit const OpFamily op_addmv{kDefs};

}  // namespace glint::ops
