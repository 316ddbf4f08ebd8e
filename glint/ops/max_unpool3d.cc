#include "glint/ops/unpool.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, const Tensor& indices, Ints output_size, Ints stride, Ints padding, TensorMeta& out) {
  std::array<int64_t, 3> list;
  if (stride.size() != 3 || !spatial_list(stride, 3, 1, list)) return invalid_argument("max_unpool3d: bad stride");
  if (padding.size() != 3) return invalid_argument("max_unpool3d: bad padding");
  return infer_unpool(3, self, indices, output_size, out);
}

Status run(OpContext&, const Tensor& self, const Tensor& indices, Ints, Ints, Ints, Tensor& out) { return run_unpool(3, self, indices, out); }

constexpr OpDef kDefs[] = {
    define_op<"aten::max_unpool3d(Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding) -> Tensor", infer, run>("aten::max_unpool3d.out"),
};

}  // namespace

extern constinit const OpFamily op_max_unpool3d{kDefs};

}  // namespace glint::ops
