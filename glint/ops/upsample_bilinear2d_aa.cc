#include "glint/ops/upsample.h"

namespace glint::ops {
namespace {

using Resample = Interpolation<Resize::kLinearAntialias, std::make_index_sequence<2>>;

constexpr OpDef kDefs[] = {
    define_op<"aten::_upsample_bilinear2d_aa(Tensor self, SymInt[2] output_size, bool align_corners, float? scales_h=None, float? scales_w=None) -> Tensor",
              Resample::infer, Resample::run, Resample::plan>("aten::_upsample_bilinear2d_aa.out"),
    define_op<"aten::_upsample_bilinear2d_aa.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
              Resample::infer_vec, Resample::run_vec, Resample::plan_vec>(""),
};

}  // namespace

extern constinit const OpFamily op_upsample_bilinear2d_aa{kDefs};

}  // namespace glint::ops
