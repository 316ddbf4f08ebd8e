#include "glint/ops/softmax.h"

namespace glint::ops {
namespace {

// Computes in the dtype asked for; the loaders convert on the way in.
Status infer(const Tensor& self, int64_t dim, std::optional<DType> dtype, TensorMeta& out) {
  Tensor cast = self;
  cast.dtype = dtype.value_or(self.dtype);
  if (is_complex(self.dtype)) return unsupported("_safe_softmax: not for complex input");
  return infer_softmax(cast, dim, false, out);
}

Status run(OpContext&, const Tensor& self, int64_t dim, std::optional<DType>, Tensor& out) {
  const int d = wrap_dim(dim, self.rank);
  with_floating(out.dtype, [&](auto c) {
    for_each_line(d, [&](const auto& o) {
      softmax_line<decltype(c)>(SoftmaxKind::kSafe, line(self, d, o[1]), out.dtype, at(out, o[0]), dim_step(out, d));
    }, out, self);
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", infer, run>(),
};

}  // namespace

extern constinit const OpFamily op_safe_softmax{kDefs};

}  // namespace glint::ops
