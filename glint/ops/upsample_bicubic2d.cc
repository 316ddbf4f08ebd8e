#include "glint/ops/upsample.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, Ints size, bool, std::optional<double> s0, std::optional<double> s1, TensorMeta& out) {
  ResizeSpec spec;
  GLINT_TRY(resize_to(2, self, size, {s0, s1}, spec));
  return check_resized(2, self, spec, Resize::kCubic, out);
}

Status run(OpContext&, const Tensor& self, Ints size, bool align_corners, std::optional<double> s0, std::optional<double> s1, Tensor& out) {
  ResizeSpec spec;
  GLINT_TRY(resize_to(2, self, size, {s0, s1}, spec));
  run_resize(2, Resize::kCubic, align_corners, spec, self, out);
  return {};
}

Status infer_vec(const Tensor& self, std::optional<Ints> size, bool, std::optional<Floats> factors, TensorMeta& out) {
  ResizeSpec spec;
  GLINT_TRY(resize_by(2, self, size, factors, spec));
  return check_resized(2, self, spec, Resize::kCubic, out);
}

Status run_vec(OpContext&, const Tensor& self, std::optional<Ints> size, bool align_corners, std::optional<Floats> factors, Tensor& out) {
  ResizeSpec spec;
  GLINT_TRY(resize_by(2, self, size, factors, spec));
  run_resize(2, Resize::kCubic, align_corners, spec, self, out);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::upsample_bicubic2d(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor", infer, run>("aten::upsample_bicubic2d.out"),
    define_op<"aten::upsample_bicubic2d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", infer_vec, run_vec>(""),
};

}  // namespace

extern constinit const OpFamily op_upsample_bicubic2d{kDefs};

}  // namespace glint::ops
