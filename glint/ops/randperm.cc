#include "glint/ops/random.h"

namespace glint::ops {
namespace {

Status infer(int64_t n, std::optional<DType> dtype, Ignored, Ignored, std::optional<bool>, TensorMeta& out) {
  const DType d = dtype.value_or(DType::kF32);
  if (n < 0) return invalid_argument("randperm: n must not be negative");
  if (dtype_size(d) == 0 || d == DType::kBool || is_complex(d)) return invalid_argument("randperm: the dtype must be an integer or a float");
  const int digits = d == DType::kF16 ? 11 : d == DType::kBF16 ? 8 : d == DType::kF32 ? 24 : d == DType::kF64 ? 53 : int(dtype_size(d)) * 8 - !is_unsigned(d);
  // Floats count as far as every number is exact, integers to their largest one.
  const int64_t most = digits >= 63 ? INT64_MAX : (int64_t(1) << digits) - !is_floating(d);
  if (n > most) return invalid_argument("randperm: n is too large for the dtype");
  return out.set(d, {&n, 1}) ? Status() : invalid_argument("randperm: n is too large");
}

// Fisher and Yates from the front: position i changes places with one of those that follow.
Status run(OpContext& c, int64_t n, std::optional<DType>, Ignored, Ignored, std::optional<bool>, Tensor& out) {
  if (c.generator() == nullptr) return no_generator();
  Generator& g = *c.generator();
  const int64_t step = out.stride[0];
  const auto get = [&](int64_t i) { return kernels::load_one<int64_t>(out.dtype, out.data, i * step); };
  const auto set = [&](int64_t i, int64_t v) { kernels::store_one<int64_t>(out.dtype, out.data, i * step, v); };
  for (int64_t i = 0; i < n; ++i) set(i, i);
  const bool wide = n >= int64_t(UINT32_MAX / 20);
  for (int64_t i = 0; i + 1 < n; ++i) {
    const int64_t other = i + int64_t((wide ? g.next64() : g.next32()) % uint64_t(n - i)), a = get(i), b = get(other);
    set(i, b);
    set(other, a);
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::randperm(SymInt n, *, ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor", infer, run>(
        "aten::randperm.out", {.pure = false, .random = true}),
};

}  // namespace

extern constinit const OpFamily op_randperm{kDefs};

}  // namespace glint::ops
