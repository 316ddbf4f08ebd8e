#include "glint/ops/upsample.h"

namespace glint::ops {
namespace {

using Resample = Nearest<Resize::kNearest, std::make_index_sequence<1>>;

constexpr OpDef kDefs[] = {
    define_op<"aten::upsample_nearest1d(Tensor self, SymInt[1] output_size, float? scales=None) -> Tensor",
              Resample::infer, Resample::run>("aten::upsample_nearest1d.out"),
    define_op<"aten::upsample_nearest1d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
              Resample::infer_vec, Resample::run_vec>(""),
};

}  // namespace

extern constinit const OpFamily op_upsample_nearest1d{kDefs};

}  // namespace glint::ops
