#include "glint/ops/softmax.h"

namespace glint::ops {
namespace {

Status run(OpContext&, const Tensor& self, int64_t dim, bool, Tensor& out) {
  softmax(SoftmaxKind::kLog, self, dim, out);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", infer_softmax, run>("aten::_log_softmax.out"),
};

}  // namespace

extern constinit const OpFamily op_log_softmax{kDefs};

}  // namespace glint::ops
