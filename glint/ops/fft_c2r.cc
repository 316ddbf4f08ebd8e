#include "glint/ops/fft.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, Ints dim, int64_t normalization, int64_t last_size, TensorMeta& out) {
  int dims[kMaxRank];
  if (self.dtype != DType::kC64 && self.dtype != DType::kC128) return unsupported("_fft_c2r: only for complex64 and complex128");
  if (dim.empty()) return invalid_argument("_fft_c2r: dim is empty");
  GLINT_TRY(check_fft(self, dim, normalization, dims));
  std::array<int64_t, kMaxRank> sizes = self.size;
  int64_t& last = sizes[size_t(dims[dim.size() - 1])];
  if (last_size < 1 || last_size / 2 + 1 > last) return invalid_argument("_fft_c2r: last_dim_size does not fit the input");
  last = last_size;
  return set_result(out, self.dtype == DType::kC64 ? DType::kF32 : DType::kF64, {sizes.data(), self.rank});
}

// Lines, then a copy of the input when several dimensions are transformed.
Status plan(const PlanContext&, const Tensor& self, Ints dim, int64_t, int64_t last_size, const Tensor&, Plan& plan) {
  int64_t longest = last_size;
  for (int64_t d : dim) longest = std::max(longest, self.size[size_t(wrap_dim(d, self.rank))]);
  int64_t total = 0;
  if (!fft_scratch(longest, &plan.scratch_bytes)) return invalid_argument("_fft_c2r: a dimension is too large");
  if (dim.size() > 1) {
    if (!checked_add(int64_t(plan.scratch_bytes), int64_t(self.size_bytes()), &total)) return invalid_argument("_fft_c2r: the input is too large");
    plan.scratch_bytes = size_t(total);
  }
  return {};
}

Status run(OpContext& c, const Tensor& self, Ints dim, int64_t normalization, int64_t n, Tensor& out) {
  int dims[kMaxRank];
  GLINT_TRY(check_fft(self, dim, normalization, dims));
  Tensor work = self;
  if (dim.size() > 1) {
    work.set_contiguous();
    work.data = c.scratch() + (c.plan().scratch_bytes - self.size_bytes());
  }
  for (size_t i = 0; i + 1 < dim.size(); ++i) fft_c2c(i == 0 ? self : work, dims[i], false, 1, c.scratch(), work);
  const double scale = fft_scale(normalization, signal_size(out, dims, dim.size()));
  const int last = dims[dim.size() - 1];
  const int64_t stored = n / 2 + 1;
  Fft fft(n, false, c.scratch());
  for_each_line(last, [&](const auto& o) {
    c128* line = fft.input();
    kernels::load(work.dtype, at(work, o[1]), work.stride[size_t(last)], std::min(stored, n), line);
    for (int64_t i = stored; i < n; ++i) line[i] = conj(line[n - i]);
    const c128* result = fft.run();
    c128* scaled = fft.input();
    for (int64_t i = 0; i < n; ++i) scaled[i] = {result[i].re * scale, 0};
    kernels::store(out.dtype, at(out, o[0]), out.stride[size_t(last)], n, scaled);
  }, out, work);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_fft_c2r(Tensor self, int[] dim, int normalization, SymInt last_dim_size) -> Tensor", infer, run, plan>("aten::_fft_c2r.out"),
};

}  // namespace

extern constinit const OpFamily op_fft_c2r{kDefs};

}  // namespace glint::ops
