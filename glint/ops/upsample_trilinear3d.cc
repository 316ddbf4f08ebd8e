#include "glint/ops/upsample.h"

namespace glint::ops {
namespace {

using Resample = Interpolation<Resize::kLinear, std::make_index_sequence<3>>;

constexpr OpDef kDefs[] = {
    define_op<"aten::upsample_trilinear3d(Tensor self, SymInt[3] output_size, bool align_corners, float? scales_d=None, float? scales_h=None, float? scales_w=None) -> Tensor",
              Resample::infer, Resample::run, Resample::plan>("aten::upsample_trilinear3d.out"),
    define_op<"aten::upsample_trilinear3d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
              Resample::infer_vec, Resample::run_vec, Resample::plan_vec>(""),
};

}  // namespace

extern constinit const OpFamily op_upsample_trilinear3d{kDefs};

}  // namespace glint::ops
