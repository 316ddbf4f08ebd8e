#include "glint/ops/upsample.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, Ints size, std::optional<double> s0, std::optional<double> s1, TensorMeta& out) {
  ResizeSpec spec;
  GLINT_TRY(resize_to(2, self, size, {s0, s1}, spec));
  return check_resized(2, self, spec, Resize::kNearestExact, out);
}

Status run(OpContext&, const Tensor& self, Ints size, std::optional<double> s0, std::optional<double> s1, Tensor& out) {
  ResizeCall call{2, Resize::kNearestExact, false, {}};
  GLINT_TRY(resize_to(2, self, size, {s0, s1}, call.spec));
  ResizeMemory memory;
  run_resize(call, self, memory, out);
  return {};
}

Status infer_vec(const Tensor& self, std::optional<Ints> size, std::optional<Floats> factors, TensorMeta& out) {
  ResizeSpec spec;
  GLINT_TRY(resize_by(2, self, size, factors, spec));
  return check_resized(2, self, spec, Resize::kNearestExact, out);
}

Status run_vec(OpContext&, const Tensor& self, std::optional<Ints> size, std::optional<Floats> factors, Tensor& out) {
  ResizeCall call{2, Resize::kNearestExact, false, {}};
  GLINT_TRY(resize_by(2, self, size, factors, call.spec));
  ResizeMemory memory;
  run_resize(call, self, memory, out);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor", infer, run>("aten::_upsample_nearest_exact2d.out"),
    define_op<"aten::_upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", infer_vec, run_vec>(""),
};

}  // namespace

extern constinit const OpFamily op_upsample_nearest_exact2d{kDefs};

}  // namespace glint::ops
