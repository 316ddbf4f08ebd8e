#include "glint/ops/softmax.h"

#include "glint/kernels/rows.h"

namespace glint::ops {
namespace {

/// Lines of contiguous floats, in and out: what the vector kernel takes.
bool is_plain(const Tensor& t, int d) { return t.dtype == DType::kF32 && (t.rank == 0 || t.stride[size_t(d)] == 1 || t.size[size_t(d)] == 1); }

Status run(OpContext& c, const Tensor& self, int64_t dim, bool, Tensor& out) {
  const int d = wrap_dim(dim, self.rank);
  if (self.numel() == 0 || !is_plain(self, d) || !is_plain(out, d)) {
    softmax(SoftmaxKind::kSoftmax, self, dim, out);
    return {};
  }
  const auto row = kernels::rows_f32(c.cpu().isa).softmax;
  const int64_t n = self.rank == 0 ? 1 : self.size[size_t(d)];
  for_each_line(d, [&](const auto& at) { row(self.as<float>() + at[1], n, out.as<float>() + at[0]); }, out, self);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", infer_softmax, run>("aten::_softmax.out", {.vector_f32 = true}),
};

}  // namespace

extern constinit const OpFamily op_softmax{kDefs};

}  // namespace glint::ops
