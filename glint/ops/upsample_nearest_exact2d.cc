#include "glint/ops/upsample.h"

namespace glint::ops {
namespace {

using Resample = Nearest<Resize::kNearestExact, std::make_index_sequence<2>>;

constexpr OpDef kDefs[] = {
    define_op<"aten::_upsample_nearest_exact2d(Tensor self, SymInt[2] output_size, float? scales_h=None, float? scales_w=None) -> Tensor",
              Resample::infer, Resample::run>("aten::_upsample_nearest_exact2d.out"),
    define_op<"aten::_upsample_nearest_exact2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
              Resample::infer_vec, Resample::run_vec>(""),
};

}  // namespace

extern constinit const OpFamily op_upsample_nearest_exact2d{kDefs};

}  // namespace glint::ops
