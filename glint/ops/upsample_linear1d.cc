#include "glint/ops/upsample.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, Ints size, bool, std::optional<double> s0, TensorMeta& out) {
  ResizeSpec spec;
  GLINT_TRY(resize_to(1, self, size, {s0}, spec));
  return check_resized(1, self, spec, Resize::kLinear, out);
}

Status plan(const PlanContext&, const Tensor& self, Ints size, bool align_corners, std::optional<double> s0, const Tensor& out, Plan& plan) {
  ResizeCall call{1, Resize::kLinear, align_corners, {}};
  GLINT_TRY(resize_to(1, self, size, {s0}, call.spec));
  return plan_resize(call, self, out, plan);
}

Status run(OpContext& c, const Tensor& self, Ints size, bool align_corners, std::optional<double> s0, Tensor& out) {
  ResizeCall call{1, Resize::kLinear, align_corners, {}};
  GLINT_TRY(resize_to(1, self, size, {s0}, call.spec));
  ResizeMemory memory{c.scratch()};
  run_resize(call, self, memory, out);
  return {};
}

Status infer_vec(const Tensor& self, std::optional<Ints> size, bool, std::optional<Floats> factors, TensorMeta& out) {
  ResizeSpec spec;
  GLINT_TRY(resize_by(1, self, size, factors, spec));
  return check_resized(1, self, spec, Resize::kLinear, out);
}

Status plan_vec(const PlanContext&, const Tensor& self, std::optional<Ints> size, bool align_corners, std::optional<Floats> factors, const Tensor& out, Plan& plan) {
  ResizeCall call{1, Resize::kLinear, align_corners, {}};
  GLINT_TRY(resize_by(1, self, size, factors, call.spec));
  return plan_resize(call, self, out, plan);
}

Status run_vec(OpContext& c, const Tensor& self, std::optional<Ints> size, bool align_corners, std::optional<Floats> factors, Tensor& out) {
  ResizeCall call{1, Resize::kLinear, align_corners, {}};
  GLINT_TRY(resize_by(1, self, size, factors, call.spec));
  ResizeMemory memory{c.scratch()};
  run_resize(call, self, memory, out);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::upsample_linear1d(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor", infer, run, plan>("aten::upsample_linear1d.out"),
    define_op<"aten::upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", infer_vec, run_vec, plan_vec>(""),
};

}  // namespace

extern constinit const OpFamily op_upsample_linear1d{kDefs};

}  // namespace glint::ops
