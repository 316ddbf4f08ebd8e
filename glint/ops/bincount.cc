// Counts of values: bincount, histc.

#include "glint/ops/reduce.h"

namespace glint::ops {
namespace {

Status largest(const Tensor& self, int64_t& most) {
  most = -1;
  for (int64_t i = 0, n = self.numel(); i < n; ++i) {
    const int64_t v = kernels::load_one<int64_t>(self.dtype, self.data, i * self.stride[0]);
    if (v < 0) return invalid_argument("bincount: the elements must not be negative");
    most = std::max(most, v);
  }
  return {};
}

Status infer_bincount(const Tensor& self, const Tensor* weights, int64_t minlength, TensorMeta& out) {
  if (self.rank != 1) return invalid_argument("bincount: one dimension is needed");
  if (minlength < 0) return invalid_argument("bincount: minlength must not be negative");
  GLINT_TRY(check_kind(kInts, self.dtype));
  if (weights != nullptr) {
    if (!weights->same_sizes(self)) return invalid_argument("bincount: self and weights differ in size");
    GLINT_TRY(check_kind(kAny, weights->dtype));  // of complex ones the real part counts
  }
  if (self.data == nullptr && self.numel() != 0) return unsupported("bincount: the number of bins depends on the elements and has no bound");
  int64_t most = -1;
  GLINT_TRY(largest(self, most));
  const int64_t bins = std::max(minlength, most == INT64_MAX ? most : most + 1);
  const DType d = weights == nullptr || self.numel() == 0 ? DType::kI64 : weights->dtype == DType::kF32 ? DType::kF32 : DType::kF64;
  return out.set(d, {&bins, 1}) ? Status() : invalid_argument("bincount: too many bins");
}

template <class T>
Status count(const Tensor& self, const Tensor* weights, Tensor& out) {
  for (int64_t i = 0; i < out.size[0]; ++i) out.as<T>()[i * out.stride[0]] = 0;
  for (int64_t i = 0, n = self.numel(); i < n; ++i) {
    const int64_t bin = kernels::load_one<int64_t>(self.dtype, self.data, i * self.stride[0]);
    if (bin < 0 || bin >= out.size[0]) return invalid_argument("bincount: an element has no bin");
    out.as<T>()[bin * out.stride[0]] += weights == nullptr ? T(1) : T(kernels::load_one<double>(weights->dtype, weights->data, i * weights->stride[0]));
  }
  return {};
}
Status run_bincount(OpContext&, const Tensor& self, const Tensor* weights, int64_t, Tensor& out) {
  if (weights == nullptr) return count<int64_t>(self, weights, out);
  return out.dtype == DType::kF32 ? count<float>(self, weights, out) : count<double>(self, weights, out);
}

// ---- histc

Status infer_histc(const Tensor& self, int64_t bins, Scalar low, Scalar high, TensorMeta& out) {
  if (bins <= 0) return invalid_argument("histc: the number of bins must be positive");
  GLINT_TRY(check_kind(kFloats, self.dtype));
  if (!(low.to_double() <= high.to_double())) return invalid_argument("histc: max must not be less than min");
  return out.set(self.dtype, {&bins, 1}) ? Status() : invalid_argument("histc: too many bins");
}

template <class F>
void for_each_element(const Tensor& self, F f) {
  for_each_row(make_loop(self), [&](const auto& offset, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n; ++i) f(kernels::load_one<double>(self.dtype, self.data, offset[0] + i * step[0]));
  });
}

// Half types round after each step, as PyTorch does: an element near an edge must fall into the same bin.
template <class T>
T rounded(DType d, T x) {
  return d == DType::kF16 ? T(to_float(to_f16(float(x)))) : d == DType::kBF16 ? T(to_float(to_bf16(float(x)))) : x;
}
template <class T>
void tally(const Tensor& self, T low, T high, Tensor& out) {
  const DType d = self.dtype;
  const int64_t bins = out.size[0];
  const T width = rounded(d, high - low);
  for_each_element(self, [&](double v) {
    const T x = T(v);
    if (!(x >= low && x <= high)) return;
    const T place = rounded(d, rounded(d, rounded(d, x - low) * T(bins)) / width);  // NaN when the range overflows
    const int64_t bin = (place < T(bins - 1) ? int64_t(place) : bins - 1) * out.stride[0];
    kernels::store_one<double>(out.dtype, out.data, bin, kernels::load_one<double>(out.dtype, out.data, bin) + 1);
  });
}
Status run_histc(OpContext&, const Tensor& self, int64_t, Scalar min, Scalar max, Tensor& out) {
  double low = min.to_double(), high = max.to_double();
  if (low == high && self.numel() > 0) {
    low = std::numeric_limits<double>::infinity(), high = -low;
    for_each_element(self, [&](double v) { low = std::fmin(low, v), high = std::fmax(high, v); });
  }
  if (!std::isfinite(low) || !std::isfinite(high)) return invalid_argument("histc: the range must be finite");
  if (low == high) low -= 1, high += 1;
  for (int64_t i = 0; i < out.size[0]; ++i) kernels::store_one<double>(out.dtype, out.data, i * out.stride[0], 0);
  if (self.dtype == DType::kF64) tally<double>(self, low, high, out);
  else tally<float>(self, float(low), float(high), out);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::bincount(Tensor self, Tensor? weights=None, SymInt minlength=0) -> Tensor", infer_bincount, run_bincount>("aten::bincount.out",
                                                                                                                             {.value_shape = true}),
    define_op<"aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor", infer_histc, run_histc>("aten::histc.out"),
};

}  // namespace

extern constinit const OpFamily op_bincount{kDefs};

}  // namespace glint::ops
