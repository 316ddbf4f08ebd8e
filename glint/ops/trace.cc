#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, TensorMeta& out) {
  if (self.rank != 2) return invalid_argument("trace: the operand must be a matrix");
  if (self.dtype == DType::kC32) return unsupported("trace: complex32 has no arithmetic");
  return set_result(out, is_integer(self.dtype) || self.dtype == DType::kBool ? DType::kI64 : self.dtype, {});
}

Status run(OpContext&, const Tensor& self, Tensor& out) {
  const int64_t step = self.stride[0] + self.stride[1];
  double re = 0, im = 0;
  uint64_t whole = 0;
  for (int64_t i = 0, n = std::min(self.size[0], self.size[1]); i < n; ++i) {
    if (out.dtype == DType::kI64) {
      whole += uint64_t(kernels::load_one<int64_t>(self.dtype, self.data, i * step));
    } else {
      const c128 v = kernels::load_one<c128>(self.dtype, self.data, i * step);
      re += v.re;
      im += v.im;
    }
  }
  if (out.dtype == DType::kI64) *out.as<int64_t>() = int64_t(whole);
  else kernels::store_one<c128>(out.dtype, out.data, 0, {re, im});
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::trace(Tensor self) -> Tensor", infer, run>("aten::trace.out"),
};

}  // namespace

extern constinit const OpFamily op_trace{kDefs};

}  // namespace glint::ops
