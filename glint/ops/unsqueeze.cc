#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

Status unsqueeze(Tensor& view, int64_t dim) {
  const int d = wrap_dim(dim, view.rank + 1);
  if (d < 0) return invalid_argument("unsqueeze: dim is out of range");
  if (view.rank == kMaxRank) return unsupported("unsqueeze: too many dimensions");
  insert_dim(view, d, 1, 1);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)", View<unsqueeze>::infer, View<unsqueeze>::run>(),
    define_op<"aten::unsqueeze_copy(Tensor self, int dim) -> Tensor",
              View<unsqueeze>::infer, View<unsqueeze>::run>("aten::unsqueeze_copy.out"),
};

}  // namespace

extern constinit const OpFamily op_unsqueeze{kDefs};

}  // namespace glint::ops
