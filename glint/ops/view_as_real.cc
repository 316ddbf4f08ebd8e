#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

DType part_of(DType complex) { return complex == DType::kC128 ? DType::kF64 : complex == DType::kC64 ? DType::kF32 : DType::kF16; }

Status as_real(Tensor& view) {
  if (!is_complex(view.dtype)) return invalid_argument("view_as_real: the operand must be complex");
  if (view.rank == kMaxRank) return unsupported("view_as_real: too many dimensions");
  view.dtype = part_of(view.dtype);
  for (int d = 0; d < view.rank; ++d) view.stride[size_t(d)] *= 2;
  insert_dim(view, view.rank, 2, 1);
  return {};
}

Status infer_complex(const Tensor& self, TensorMeta& out) {
  const DType d = self.dtype;
  if (d != DType::kF32 && d != DType::kF64 && d != DType::kF16) return invalid_argument("view_as_complex: the operand must be a float tensor");
  if (self.rank == 0 || self.size[size_t(self.rank - 1)] != 2) return invalid_argument("view_as_complex: the last size must be 2");
  return set_result(out, d == DType::kF64 ? DType::kC128 : d == DType::kF32 ? DType::kC64 : DType::kC32, self.sizes().first(self.rank - 1));
}

Status run_complex(OpContext&, const Tensor& self, Tensor& out) {
  Tensor parts = out;
  GLINT_TRY(as_real(parts));
  copy_elements(self, parts);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::view_as_real(Tensor(a) self) -> Tensor(a)", View<as_real>::infer, View<as_real>::run>(),
    define_op<"aten::view_as_real_copy(Tensor self) -> Tensor", View<as_real>::infer, View<as_real>::run>("aten::view_as_real_copy.out"),
    define_op<"aten::view_as_complex(Tensor(a) self) -> Tensor(a)", infer_complex, run_complex>(),
    define_op<"aten::view_as_complex_copy(Tensor self) -> Tensor", infer_complex, run_complex>("aten::view_as_complex_copy.out"),
};

}  // namespace

extern constinit const OpFamily op_view_as_real{kDefs};

}  // namespace glint::ops
