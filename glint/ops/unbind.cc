#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, int64_t dim, MetaList out) {
  if (self.rank == 0) return invalid_argument("unbind: a tensor without dimensions cannot be unbound");
  const int d = wrap_dim(dim, self.rank);
  if (d < 0) return invalid_argument("unbind: dim is out of range");
  if (self.size[size_t(d)] != out.size()) return invalid_argument("unbind: wrong number of results");
  TensorMeta part = self;
  erase_dim(part, d);
  for (size_t i = 0; i < out.size(); ++i) GLINT_TRY(set_result(out[i], self.dtype, part.sizes()));
  return {};
}

Status run(OpContext&, const Tensor& self, int64_t dim, TensorList out) {
  const int d = wrap_dim(dim, self.rank);
  for (uint32_t i = 0; i < out.size(); ++i) {
    Tensor part = self;
    narrow(part, d, i, 1);
    erase_dim(part, d);
    copy_elements(part, *out.at(i));
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]", infer, run>(),
    define_op<"aten::unbind_copy.int(Tensor self, int dim=0) -> Tensor[]", infer, run>("aten::unbind_copy.int_out"),
};

}  // namespace

extern constinit const OpFamily op_unbind{kDefs};

}  // namespace glint::ops
