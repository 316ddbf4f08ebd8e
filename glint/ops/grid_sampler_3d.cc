#include "glint/ops/grid_sampler.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding, bool, TensorMeta& out) {
  return infer_grid(3, input, grid, mode, padding, out);
}

Status run(OpContext&, const Tensor& input, const Tensor& grid, int64_t mode, int64_t padding, bool align_corners, Tensor& out) {
  run_grid(3, input, grid, mode, padding, align_corners, out);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::grid_sampler_3d(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor", infer, run>(
        "aten::grid_sampler_3d.out"),
};

}  // namespace

extern constinit const OpFamily op_grid_sampler_3d{kDefs};

}  // namespace glint::ops
