#include "glint/ops/fft.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, Ints dim, int64_t normalization, bool, TensorMeta& out) {
  int dims[kMaxRank];
  if (self.dtype != DType::kC64 && self.dtype != DType::kC128) return unsupported("_fft_c2c: only for complex64 and complex128");
  GLINT_TRY(check_fft(self, dim, normalization, dims));
  return set_result(out, self.dtype, self.sizes());
}

Status plan(const PlanContext&, const Tensor& self, Ints dim, int64_t, bool, const Tensor&, Plan& plan) {
  int64_t longest = 1;
  for (int64_t d : dim) longest = std::max(longest, self.size[size_t(wrap_dim(d, self.rank))]);
  if (!fft_scratch(longest, &plan.scratch_bytes)) return invalid_argument("_fft_c2c: a dimension is too large");
  return {};
}

Status run(OpContext& c, const Tensor& self, Ints dim, int64_t normalization, bool forward, Tensor& out) {
  int dims[kMaxRank];
  GLINT_TRY(check_fft(self, dim, normalization, dims));
  if (dim.empty()) {
    for_each_row(make_loop(out, self), [&](const auto& o, const auto& step, int64_t n) {
      kernels::copy_row(int(dtype_size(self.dtype)), at(self, o[1]), step[1], at(out, o[0]), step[0], n);
    });
    return {};
  }
  const double scale = fft_scale(normalization, signal_size(self, dims, dim.size()));
  for (size_t i = 0; i < dim.size(); ++i) fft_c2c(i == 0 ? self : out, dims[i], forward, i == 0 ? scale : 1, c.scratch(), out);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_fft_c2c(Tensor self, SymInt[] dim, int normalization, bool forward) -> Tensor", infer, run, plan>("aten::_fft_c2c.out"),
};

}  // namespace

extern constinit const OpFamily op_fft_c2c{kDefs};

}  // namespace glint::ops
