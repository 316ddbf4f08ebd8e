#include "glint/ops/upsample.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, Ints size, bool, std::optional<double> s0, std::optional<double> s1, TensorMeta& out) {
  ResizeSpec spec;
  GLINT_TRY(resize_to(2, self, size, {s0, s1}, spec));
  return check_resized(2, self, spec, Resize::kCubicAntialias, out);
}

Status plan(const PlanContext&, const Tensor& self, Ints size, bool align_corners, std::optional<double> s0, std::optional<double> s1, const Tensor& out, Plan& plan) {
  ResizeCall call{2, Resize::kCubicAntialias, align_corners, {}};
  GLINT_TRY(resize_to(2, self, size, {s0, s1}, call.spec));
  return plan_resize(call, self, out, plan);
}

Status run(OpContext& c, const Tensor& self, Ints size, bool align_corners, std::optional<double> s0, std::optional<double> s1, Tensor& out) {
  ResizeCall call{2, Resize::kCubicAntialias, align_corners, {}};
  GLINT_TRY(resize_to(2, self, size, {s0, s1}, call.spec));
  ResizeMemory memory{c.scratch()};
  run_resize(call, self, memory, out);
  return {};
}

Status infer_vec(const Tensor& self, std::optional<Ints> size, bool, std::optional<Floats> factors, TensorMeta& out) {
  ResizeSpec spec;
  GLINT_TRY(resize_by(2, self, size, factors, spec));
  return check_resized(2, self, spec, Resize::kCubicAntialias, out);
}

Status plan_vec(const PlanContext&, const Tensor& self, std::optional<Ints> size, bool align_corners, std::optional<Floats> factors, const Tensor& out, Plan& plan) {
  ResizeCall call{2, Resize::kCubicAntialias, align_corners, {}};
  GLINT_TRY(resize_by(2, self, size, factors, call.spec));
  return plan_resize(call, self, out, plan);
}

Status run_vec(OpContext& c, const Tensor& self, std::optional<Ints> size, bool align_corners, std::optional<Floats> factors, Tensor& out) {
  ResizeCall call{2, Resize::kCubicAntialias, align_corners, {}};
  GLINT_TRY(resize_by(2, self, size, factors, call.spec));
  ResizeMemory memory{c.scratch()};
  run_resize(call, self, memory, out);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_upsample_bicubic2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", infer, run, plan>("aten::_upsample_bicubic2d_aa.out"),
    define_op<"aten::_upsample_bicubic2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", infer_vec, run_vec, plan_vec>(""),
};

}  // namespace

extern constinit const OpFamily op_upsample_bicubic2d_aa{kDefs};

}  // namespace glint::ops
