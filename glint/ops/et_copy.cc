// Copies that ExecuTorch puts between devices, and the identity of its sharded language models: here there is one memory.

#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, TensorMeta& out) { return set_result(out, self.dtype, self.sizes()); }
Status run(OpContext&, const Tensor& self, Tensor& out) {
  copy_elements(self, out);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"et_copy::_h2d_copy(Tensor self) -> Tensor", infer, run>("et_copy::_h2d_copy.out"),
    define_op<"et_copy::_d2h_copy(Tensor self) -> Tensor", infer, run>("et_copy::_d2h_copy.out"),
    define_op<"llama::fallback(Tensor input) -> Tensor", infer, run>("llama::fallback.out"),
};

}  // namespace

extern constinit const OpFamily op_et_copy{kDefs};

}  // namespace glint::ops
