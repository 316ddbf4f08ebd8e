#include "glint/ops/gemm.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, const Tensor& mat2, TensorMeta& out) {
  if (self.rank != 3 || mat2.rank != 3) return invalid_argument("bmm: both operands must have 3 dimensions");
  if (self.size[0] != mat2.size[0]) return invalid_argument("bmm: the batch sizes differ");
  if (self.size[2] != mat2.size[1]) return invalid_argument("bmm: the inner sizes differ");
  GLINT_TRY(check_product(self, mat2));
  return set_result(out, self.dtype, std::array{self.size[0], self.size[1], mat2.size[2]});
}

Status infer_dtype(const Tensor& self, const Tensor& mat2, DType dtype, TensorMeta& out) {
  GLINT_TRY(infer(self, mat2, out));
  if (dtype != self.dtype && !(dtype == DType::kF32 && is_floating(self.dtype) && self.dtype != DType::kF64))
    return invalid_argument("bmm: out_dtype must be the operands' or float32 for halves");
  return set_result(out, dtype, std::array{self.size[0], self.size[1], mat2.size[2]});
}

Status run(OpContext&, const Tensor& self, const Tensor& mat2, Tensor& out) {
  with_compute(self.dtype, [&](auto c) {
    for (int64_t b = 0; b < self.size[0]; ++b)
      product<decltype(c)>(self.size[1], mat2.size[2], self.size[2], matrix(self, b), matrix(mat2, b), {}, b, out);
  });
  return {};
}

Status run_dtype(OpContext& c, const Tensor& self, const Tensor& mat2, DType, Tensor& out) { return run(c, self, mat2, out); }

constexpr OpDef kDefs[] = {
    define_op<"aten::bmm(Tensor self, Tensor mat2) -> Tensor", infer, run>("aten::bmm.out"),
    define_op<"aten::bmm.dtype(Tensor self, Tensor mat2, ScalarType out_dtype) -> Tensor", infer_dtype, run_dtype>("aten::bmm.dtype_out"),
};

}  // namespace

extern constinit const OpFamily op_bmm{kDefs};

}  // namespace glint::ops
