#pragma once

#include <cmath>
#include <cstdint>
#include <type_traits>

#include "glint/base/checked.h"
#include "glint/core/op_def.h"
#include "glint/core/shape.h"
#include "glint/kernels/convert.h"

// What the reference kernels of neural-network and linear-algebra operators share: the choice of
// the type they compute in, its arithmetic, and walks along one dimension.

namespace glint::ops {

template <class C> inline constexpr bool kIsComplex = std::is_same_v<C, c64> || std::is_same_v<C, c128>;

/// f(C()) with the compute type of `d`: float for f32 and the halves, double, c64, c128, int64_t for the rest.
template <class F>
auto with_compute(DType d, F&& f) {
  switch (d) {
    case DType::kF16: case DType::kBF16: case DType::kF32: return f(float());
    case DType::kF64: return f(double());
    case DType::kC64: return f(c64());
    case DType::kC128: return f(c128());
    default: return f(int64_t());
  }
}
/// The same for dtypes known to be real.
template <class F>
auto with_real(DType d, F&& f) {
  if (d == DType::kF64) return f(double());
  if (is_floating(d)) return f(float());
  return f(int64_t());
}
/// The same for dtypes known to be floating.
template <class F>
auto with_floating(DType d, F&& f) {
  if (d == DType::kF64) return f(double());
  return f(float());
}

/// a + b and a * b in a compute type; integers wrap.
template <class C>
C add(C a, C b) {
  if constexpr (kIsComplex<C>) return {a.re + b.re, a.im + b.im};
  else if constexpr (std::is_integral_v<C>) return C(uint64_t(a) + uint64_t(b));
  else return a + b;
}
template <class C>
C mul(C a, C b) {
  if constexpr (kIsComplex<C>) return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  else if constexpr (std::is_integral_v<C>) return C(uint64_t(a) * uint64_t(b));
  else return a * b;
}
template <class C>
C conj(C a) {
  if constexpr (kIsComplex<C>) return {a.re, -a.im};
  else return a;
}
/// A Scalar argument in a compute type.
template <class C>
C number(Scalar s) {
  if constexpr (kIsComplex<C>) return {decltype(C::re)(s.to_double()), 0};
  else if constexpr (std::is_integral_v<C>) return s.to_int();
  else return C(s.to_double());
}

inline const void* at(DType d, const void* p, int64_t index) { return static_cast<const char*>(p) + index * int64_t(dtype_size(d)); }
inline void* at(DType d, void* p, int64_t index) { return static_cast<char*>(p) + index * int64_t(dtype_size(d)); }
inline const void* at(const Tensor& t, int64_t index) { return at(t.dtype, t.data, index); }
inline void* at(Tensor& t, int64_t index) { return at(t.dtype, t.data, index); }

/// `v` as an element of dtype `d` would hold it: for operators that PyTorch computes step by step in halves.
template <class C>
C as_element(DType d, C v) {
  if (d == DType::kF16) return C(to_float(to_f16(float(v))));
  if (d == DType::kBF16) return C(to_float(to_bf16(float(v))));
  return v;
}

/// Sizes of an operand's dimension as an operator sees it: a scalar is a row of one.
inline int64_t dim_size(const TensorMeta& t, int dim) { return t.rank == 0 ? 1 : t.size[size_t(dim)]; }
inline int64_t dim_step(const TensorMeta& t, int dim) { return t.rank == 0 ? 0 : t.stride[size_t(dim)]; }

/// `t` with dimension `dim` cut to its first element.
inline TensorMeta without(const TensorMeta& t, int dim) {
  TensorMeta m = t;
  if (m.rank > 0 && m.size[size_t(dim)] != 0) m.size[size_t(dim)] = 1;
  return m;
}

/// f(offsets) for every position of the other dimensions: where the line along `dim` starts in
/// each tensor. Tensors have the first one's sizes, except perhaps along `dim`, or broadcast to them.
template <class F, class... Meta>
void for_each_line(int dim, F&& f, const TensorMeta& first, const Meta&... others) {
  constexpr size_t n = 1 + sizeof...(Meta);
  const auto loop = make_loop(without(first, dim), without(others, dim)...);
  for_each_row(loop, [&](const auto& offset, const auto& step, int64_t count) {
    std::array<int64_t, n> o = offset;
    for (int64_t i = 0; i < count; ++i) {
      f(std::as_const(o));
      for (size_t k = 0; k < n; ++k) o[k] += step[k];
    }
  });
}

/// f(start, n) over [0, count) in pieces of at most a tile.
template <class F>
void for_each_tile(int64_t count, F&& f) {
  for (int64_t i = 0; i < count; i += kernels::kTile) f(i, std::min(count - i, kernels::kTile));
}

/// Fills a result with zeros, whatever its strides (results are dense).
inline void clear(Tensor& t) {
  char* p = static_cast<char*>(t.data);
  for (size_t i = 0, n = t.size_bytes(); i < n; ++i) p[i] = 0;
}

}  // namespace glint::ops
