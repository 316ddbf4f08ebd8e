#include "glint/ops/upsample.h"

namespace glint::ops {
namespace {

using Resample = Interpolation<Resize::kLinear, std::make_index_sequence<1>>;

constexpr OpDef kDefs[] = {
    define_op<"aten::upsample_linear1d(Tensor self, SymInt[1] output_size, bool align_corners, float? scales=None) -> Tensor",
              Resample::infer, Resample::run, Resample::plan>("aten::upsample_linear1d.out"),
    define_op<"aten::upsample_linear1d.vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor",
              Resample::infer_vec, Resample::run_vec, Resample::plan_vec>(""),
};

}  // namespace

extern constinit const OpFamily op_upsample_linear1d{kDefs};

}  // namespace glint::ops
