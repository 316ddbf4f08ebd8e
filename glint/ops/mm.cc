#include "glint/ops/gemm.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, const Tensor& mat2, TensorMeta& out) {
  if (self.rank != 2 || mat2.rank != 2) return invalid_argument("mm: both operands must be matrices");
  if (self.size[1] != mat2.size[0]) return invalid_argument("mm: the inner sizes differ");
  GLINT_TRY(check_product(self, mat2));
  return set_result(out, self.dtype, std::array{self.size[0], mat2.size[1]});
}

Status infer_dtype(const Tensor& self, const Tensor& mat2, DType dtype, TensorMeta& out) {
  GLINT_TRY(infer(self, mat2, out));
  if (dtype != self.dtype && !(dtype == DType::kF32 && is_floating(self.dtype) && self.dtype != DType::kF64))
    return invalid_argument("mm: out_dtype must be the operands' or float32 for halves");
  return set_result(out, dtype, std::array{self.size[0], mat2.size[1]});
}

Status run(OpContext&, const Tensor& self, const Tensor& mat2, Tensor& out) {
  with_compute(self.dtype, [&](auto c) {
    product<decltype(c)>(self.size[0], mat2.size[1], self.size[1], matrix(self), matrix(mat2), {}, 0, out);
  });
  return {};
}

Status run_dtype(OpContext& c, const Tensor& self, const Tensor& mat2, DType, Tensor& out) { return run(c, self, mat2, out); }

constexpr OpDef kDefs[] = {
    define_op<"aten::mm(Tensor self, Tensor mat2) -> Tensor", infer, run>("aten::mm.out"),
    define_op<"aten::mm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor", infer_dtype, run_dtype>("aten::mm.dtype_out"),
};

}  // namespace

extern constinit const OpFamily op_mm{kDefs};

}  // namespace glint::ops
