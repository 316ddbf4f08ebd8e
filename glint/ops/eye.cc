#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

Status infer_matrix(int64_t n, int64_t m, std::optional<DType> dtype, Ignored, Ignored, std::optional<bool>, TensorMeta& out) {
  const DType d = dtype.value_or(DType::kF32);
  if (!is_valid_dtype(int64_t(d))) return invalid_argument("eye: unknown dtype");
  if (d == DType::kC32) return unsupported("eye: complex32 is not converted");
  if (n < 0 || m < 0) return invalid_argument("eye: a size is negative");
  const int64_t sizes[] = {n, m};
  return set_result(out, d, sizes);
}
Status run_matrix(OpContext&, int64_t, int64_t, std::optional<DType>, Ignored, Ignored, std::optional<bool>, Tensor& out) {
  fill_zero(out);
  for (int64_t i = 0, n = std::min(out.size[0], out.size[1]); i < n; ++i)
    kernels::store_one<int64_t>(out.dtype, out.data, i * (out.stride[0] + out.stride[1]), 1);
  return {};
}

Status infer(int64_t n, std::optional<DType> dtype, Ignored layout, Ignored device, std::optional<bool> pin, TensorMeta& out) {
  return infer_matrix(n, n, dtype, layout, device, pin, out);
}
Status run(OpContext& context, int64_t n, std::optional<DType> dtype, Ignored layout, Ignored device, std::optional<bool> pin, Tensor& out) {
  return run_matrix(context, n, n, dtype, layout, device, pin, out);
}

constexpr OpDef kDefs[] = {
    define_op<"aten::eye(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", infer,
              run>("aten::eye.out"),
    define_op<"aten::eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
              infer_matrix, run_matrix>("aten::eye.m_out"),
};

}  // namespace

extern constinit const OpFamily op_eye{kDefs};

}  // namespace glint::ops
