#include <cmath>

#include "glint/core/op_def.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, int64_t dim, bool, TensorMeta& out) {
  if (wrap_dim(dim, self.rank) < 0) return invalid_argument("softmax: dim is out of range");
  out.set(self.dtype, self.sizes());
  return {};
}

Status run(OpContext&, const Tensor&, int64_t, bool, Tensor&) { return {}; }

constexpr OpDef kDefs[] = {
    define_op<"aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", infer, run>("aten::_softmax.out"),
};

}  // namespace

extern constinit const OpFamily op_softmax{kDefs};

}  // namespace glint::ops
