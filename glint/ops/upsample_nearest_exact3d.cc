#include "glint/ops/upsample.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, Ints size, std::optional<double> s0, std::optional<double> s1, std::optional<double> s2, TensorMeta& out) {
  ResizeSpec spec;
  GLINT_TRY(resize_to(3, self, size, {s0, s1, s2}, spec));
  return check_resized(3, self, spec, Resize::kNearestExact, out);
}

Status run(OpContext&, const Tensor& self, Ints size, std::optional<double> s0, std::optional<double> s1, std::optional<double> s2, Tensor& out) {
  ResizeCall call{3, Resize::kNearestExact, false, {}};
  GLINT_TRY(resize_to(3, self, size, {s0, s1, s2}, call.spec));
  ResizeMemory memory;
  run_resize(call, self, memory, out);
  return {};
}

Status infer_vec(const Tensor& self, std::optional<Ints> size, std::optional<Floats> factors, TensorMeta& out) {
  ResizeSpec spec;
  GLINT_TRY(resize_by(3, self, size, factors, spec));
  return check_resized(3, self, spec, Resize::kNearestExact, out);
}

Status run_vec(OpContext&, const Tensor& self, std::optional<Ints> size, std::optional<Floats> factors, Tensor& out) {
  ResizeCall call{3, Resize::kNearestExact, false, {}};
  GLINT_TRY(resize_by(3, self, size, factors, call.spec));
  ResizeMemory memory;
  run_resize(call, self, memory, out);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_upsample_nearest_exact3d(Tensor self, SymInt[3] output_size, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor", infer, run>("aten::_upsample_nearest_exact3d.out"),
    define_op<"aten::_upsample_nearest_exact3d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", infer_vec, run_vec>(""),
};

}  // namespace

extern constinit const OpFamily op_upsample_nearest_exact3d{kDefs};

}  // namespace glint::ops
