#include "glint/ops/gemm.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, const Tensor& vec, TensorMeta& out) {
  if (self.rank != 2 || vec.rank != 1) return invalid_argument("mv: expected a matrix and a vector");
  if (self.size[1] != vec.size[0]) return invalid_argument("mv: the inner sizes differ");
  GLINT_TRY(check_product(self, vec));
  return set_result(out, self.dtype, std::array{self.size[0]});
}

Status run(OpContext&, const Tensor& self, const Tensor& vec, Tensor& out) {
  const Matrix column{vec.dtype, vec.data, vec.stride[0], 0};
  with_compute(out.dtype, [&](auto c) {
    using C = decltype(c);
    multiply<C>(self.size[0], 1, self.size[1], matrix(self), column, [&](int64_t i, int64_t, int64_t, const C* sum) {
      kernels::store_one(out.dtype, out.data, i * out.stride[0], *sum);
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::mv(Tensor self, Tensor vec) -> Tensor", infer, run>("aten::mv.out"),
};

}  // namespace

extern constinit const OpFamily op_mv{kDefs};

}  // namespace glint::ops
