#include "glint/ops/softmax.h"

namespace glint::ops {
namespace {

Status run(OpContext&, const Tensor& grad_output, const Tensor& output, int64_t dim, DType, Tensor& out) {
  softmax_backward(true, grad_output, output, dim, out);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_log_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor", infer_softmax_backward, run>(
        "aten::_log_softmax_backward_data.out"),
};

}  // namespace

extern constinit const OpFamily op_log_softmax_backward_data{kDefs};

}  // namespace glint::ops
