#include "glint/ops/fft.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, Ints dim, int64_t normalization, bool onesided, TensorMeta& out) {
  int dims[kMaxRank];
  if (self.dtype != DType::kF32 && self.dtype != DType::kF64) return unsupported("_fft_r2c: only for float32 and float64");
  if (dim.empty()) return invalid_argument("_fft_r2c: dim is empty");
  GLINT_TRY(check_fft(self, dim, normalization, dims));
  std::array<int64_t, kMaxRank> sizes = self.size;
  int64_t& last = sizes[size_t(dims[dim.size() - 1])];
  if (onesided) last = last / 2 + 1;
  return set_result(out, self.dtype == DType::kF32 ? DType::kC64 : DType::kC128, {sizes.data(), self.rank});
}

Status plan(const PlanContext&, const Tensor& self, Ints dim, int64_t, bool, const Tensor&, Plan& plan) {
  int64_t longest = 0;
  for (int64_t d : dim) longest = std::max(longest, self.size[size_t(wrap_dim(d, self.rank))]);
  if (!fft_scratch(longest, &plan.scratch_bytes)) return invalid_argument("_fft_r2c: a dimension is too large");
  return {};
}

Status run(OpContext& c, const Tensor& self, Ints dim, int64_t normalization, bool, Tensor& out) {
  int dims[kMaxRank];
  GLINT_TRY(check_fft(self, dim, normalization, dims));
  const double scale = fft_scale(normalization, signal_size(self, dims, dim.size()));
  const int last = dims[dim.size() - 1];
  const int64_t n = self.size[size_t(last)], kept = out.size[size_t(last)];
  {
    Fft fft(n, true, c.scratch());
    for_each_line(last, [&](const auto& o) {
      kernels::load(self.dtype, at(self, o[1]), self.stride[size_t(last)], n, fft.input());
      const c128* result = fft.run();
      c128* scaled = fft.input();
      for (int64_t i = 0; i < kept; ++i) scaled[i] = {result[i].re * scale, result[i].im * scale};
      kernels::store(out.dtype, at(out, o[0]), out.stride[size_t(last)], kept, scaled);
    }, out, self);
  }
  for (size_t i = 0; i + 1 < dim.size(); ++i) fft_c2c(out, dims[i], true, 1, c.scratch(), out);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_fft_r2c(Tensor self, int[] dim, int normalization, bool onesided) -> Tensor", infer, run, plan>("aten::_fft_r2c.out"),
};

}  // namespace

extern constinit const OpFamily op_fft_r2c{kDefs};

}  // namespace glint::ops
