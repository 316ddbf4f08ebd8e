// The Walsh-Hadamard transform along the last dimension, of 2^k elements (orthonormal) or 28 * 2^k (28 orthonormal transforms, then
// for each place a product with a Hadamard matrix of order 28, not scaled), as in ExecuTorch's SpinQuant models.

#include <cstring>

#include "glint/ops/rows.h"

namespace glint::ops {
namespace {

constexpr int64_t kOrder = 28;
/// The matrix: bit j of row i tells whether the entry is -1.
constexpr uint32_t kNegative[kOrder] = {
    0xcd69e7e, 0x9ad7c7d, 0x37ab8fb, 0x6d571f7, 0xd8ae3ef, 0xb3587df, 0x66b4f3f, 0xb467f43, 0x6acbe87, 0xd593d8e,
    0xab27b9c, 0x564f7b8, 0xac9aff0, 0x5b31fe1, 0x87fb325, 0xff66ca, 0x1decd95, 0x39ddb2a, 0x71bf654, 0xe17eca9,
    0xc2fd9d2, 0xfcf1299, 0xfbe2532, 0xf7c4ae4, 0xef8d549, 0xdf1ea13, 0xbe3d4a6, 0x7e7a94c,
};

Status infer(const Tensor& mat, TensorMeta& out) {
  if (!is_floating(mat.dtype)) return invalid_argument("fast_hadamard_transform: the dtype must be floating");
  const int64_t n = mat.rank > 0 ? mat.size[size_t(mat.rank - 1)] : 0, power = n % kOrder == 0 ? n / kOrder : n;
  if ((power & (power - 1)) != 0) return invalid_argument("fast_hadamard_transform: the last size must be a power of two, or 28 times one");
  return set_result(out, mat.dtype, mat.sizes());
}

Status plan(const PlanContext&, const Tensor& mat, const Tensor&, Plan& plan) {
  plan.scratch_bytes = mat.rank > 0 ? size_t(mat.size[size_t(mat.rank - 1)]) * sizeof(double) : 0;
  return {};
}

template <class C>
void transform(C* v, int64_t n) {
  for (int64_t step = 1; step < n; step *= 2)
    for (int64_t i = 0; i < n; i += 2 * step)
      for (int64_t j = i; j < i + step; ++j) {
        const C x = v[j], y = v[j + step];
        v[j] = x + y, v[j + step] = x - y;
      }
  const C scale = C(1 / std::sqrt(double(n)));
  for (int64_t i = 0; i < n; ++i) v[i] *= scale;
}
template <class C>
void multiply(C* v, int64_t step) {
  C in[kOrder];
  for (int64_t j = 0; j < kOrder; ++j) in[j] = v[j * step];
  for (int64_t i = 0; i < kOrder; ++i) {
    C sum = 0;
    for (int64_t j = 0; j < kOrder; ++j) sum += (kNegative[i] >> j & 1) != 0 ? -in[j] : in[j];
    v[i * step] = sum;
  }
}

Status run(OpContext& c, const Tensor& mat, Tensor& out) {
  if (mat.numel() == 0 || mat.rank == 0) {
    if (mat.numel() == 1) std::memcpy(out.data, mat.data, mat.size_bytes());
    return {};
  }
  const int last = mat.rank - 1;
  const int64_t n = dim_size(mat, last), power = n % kOrder == 0 ? n / kOrder : n;
  with_floating(mat.dtype, [&](auto zero) {
    using C = decltype(zero);
    C* v = reinterpret_cast<C*>(c.scratch());
    for_each_line(last, [&](const auto& o) {
      kernels::load(mat.dtype, at(mat, o[1]), dim_step(mat, last), n, v);
      for (int64_t i = 0; i < n; i += power) transform(v + i, power);
      if (power != n)
        for (int64_t i = 0; i < power; ++i) multiply(v + i, power);
      kernels::store(out.dtype, at(out, o[0]), dim_step(out, last), n, v);
    }, out, mat);
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"llama::fast_hadamard_transform(Tensor mat) -> Tensor", infer, run, plan>("llama::fast_hadamard_transform.out"),
};

}  // namespace

extern constinit const OpFamily op_llama_fast_hadamard_transform{kDefs};

}  // namespace glint::ops
