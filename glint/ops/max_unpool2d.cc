#include "glint/ops/unpool.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, const Tensor& indices, Ints output_size, TensorMeta& out) { return infer_unpool(2, self, indices, output_size, out); }

Status run(OpContext&, const Tensor& self, const Tensor& indices, Ints, Tensor& out) { return run_unpool(2, self, indices, out); }

constexpr OpDef kDefs[] = {
    define_op<"aten::max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor", infer, run>("aten::max_unpool2d.out"),
};

}  // namespace

extern constinit const OpFamily op_max_unpool2d{kDefs};

}  // namespace glint::ops
