#include "glint/ops/upsample.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, Ints size, bool, std::optional<double> s0, std::optional<double> s1, std::optional<double> s2, TensorMeta& out) {
  ResizeSpec spec;
  GLINT_TRY(resize_to(3, self, size, {s0, s1, s2}, spec));
  return check_resized(3, self, spec, Resize::kLinear, out);
}

Status plan(const PlanContext&, const Tensor& self, Ints size, bool align_corners, std::optional<double> s0, std::optional<double> s1, std::optional<double> s2, const Tensor& out, Plan& plan) {
  ResizeCall call{3, Resize::kLinear, align_corners, {}};
  GLINT_TRY(resize_to(3, self, size, {s0, s1, s2}, call.spec));
  return plan_resize(call, self, out, plan);
}

Status run(OpContext& c, const Tensor& self, Ints size, bool align_corners, std::optional<double> s0, std::optional<double> s1, std::optional<double> s2, Tensor& out) {
  ResizeCall call{3, Resize::kLinear, align_corners, {}};
  GLINT_TRY(resize_to(3, self, size, {s0, s1, s2}, call.spec));
  ResizeMemory memory{c.scratch()};
  run_resize(call, self, memory, out);
  return {};
}

Status infer_vec(const Tensor& self, std::optional<Ints> size, bool, std::optional<Floats> factors, TensorMeta& out) {
  ResizeSpec spec;
  GLINT_TRY(resize_by(3, self, size, factors, spec));
  return check_resized(3, self, spec, Resize::kLinear, out);
}

Status plan_vec(const PlanContext&, const Tensor& self, std::optional<Ints> size, bool align_corners, std::optional<Floats> factors, const Tensor& out, Plan& plan) {
  ResizeCall call{3, Resize::kLinear, align_corners, {}};
  GLINT_TRY(resize_by(3, self, size, factors, call.spec));
  return plan_resize(call, self, out, plan);
}

Status run_vec(OpContext& c, const Tensor& self, std::optional<Ints> size, bool align_corners, std::optional<Floats> factors, Tensor& out) {
  ResizeCall call{3, Resize::kLinear, align_corners, {}};
  GLINT_TRY(resize_by(3, self, size, factors, call.spec));
  ResizeMemory memory{c.scratch()};
  run_resize(call, self, memory, out);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::upsample_trilinear3d(Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor", infer, run, plan>("aten::upsample_trilinear3d.out"),
    define_op<"aten::upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", infer_vec, run_vec, plan_vec>(""),
};

}  // namespace

extern constinit const OpFamily op_upsample_trilinear3d{kDefs};

}  // namespace glint::ops
