#include "glint/ops/upsample.h"

namespace glint::ops {
namespace {

using Resample = Nearest<Resize::kNearest, std::make_index_sequence<2>>;

constexpr OpDef kDefs[] = {
    define_op<"aten::upsample_nearest2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
              Resample::infer, Resample::run>("aten::upsample_nearest2d.out"),
    define_op<"aten::upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
              Resample::infer_vec, Resample::run_vec>("aten::upsample_nearest2d.vec_out"),
};

}  // namespace

extern constinit const OpFamily op_upsample_nearest2d{kDefs};

}  // namespace glint::ops
