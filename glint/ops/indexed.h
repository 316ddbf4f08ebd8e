#pragma once

// Elements chosen by an index tensor along one dimension: gather, scatter and
// the index_* operators, which are the same with a repeated index.

#include <algorithm>
#include <string_view>
#include <utility>

#include "glint/kernels/accumulate.h"
#include "glint/ops/movement.h"

namespace glint::ops {

inline bool is_index(DType d) { return d == DType::kI64 || d == DType::kI32; }

/// Loads n indices as int64.
inline void load_indices(const Tensor& index, int64_t offset, int64_t step, int64_t n, int64_t* out) {
  kernels::load<int64_t>(index.dtype, address(index, offset), step, n, out);
}

/// `v` counted from the front when `wrap` allows negatives; -1 when it is not in [0, size).
inline int64_t checked_index(int64_t v, int64_t size, bool wrap) {
  if (wrap && v < 0) v = v < -size ? -1 : v + size;
  return v >= 0 && v < size ? v : -1;
}

/// A vector of indices along `dim` seen with the sizes of `like`: the same index everywhere else.
inline Tensor along(const Tensor& index, const TensorMeta& like, int dim) {
  Tensor t = index;
  const int64_t step = index.rank == 0 ? 0 : index.stride[0];
  t.rank = like.rank;
  for (int d = 0; d < like.rank; ++d) {
    t.size[size_t(d)] = like.size[size_t(d)];
    t.stride[size_t(d)] = d == dim ? step : 0;
  }
  return t;
}

/// `t` with the sizes of `like` (not larger than t's own besides `dim`) that stays put along `dim`.
inline TensorMeta without_dim(const TensorMeta& t, const TensorMeta& like, int dim) {
  TensorMeta m = t;
  for (int d = 0; d < m.rank; ++d) m.size[size_t(d)] = like.size[size_t(d)];
  m.stride[size_t(dim)] = 0;
  return m;
}

inline constexpr Literal kIndexError = "an index is out of range";

/// out[..., i, ...] = self[..., index[..., i, ...], ...]; index has out's sizes, all have one rank >= 1.
inline Status gather_elements(const Tensor& self, int dim, const Tensor& index, Tensor& out) {
  const int64_t size = self.size[size_t(dim)], stride = self.stride[size_t(dim)];
  bool good = true;
  with_width(dtype_size(out.dtype), [&](auto unit) {
    using T = decltype(unit);
    const T* from = self.as<T>();
    T* to = out.as<T>();
    int64_t tile[kernels::kTile];
    for_each_row(make_loop(out, index, without_dim(self, out, dim)), [&](const auto& at, const auto& step, int64_t n) {
      for (int64_t i = 0; i < n; i += kernels::kTile) {
        const int64_t m = std::min(n - i, kernels::kTile);
        load_indices(index, at[1] + i * step[1], step[1], m, tile);
        for (int64_t k = 0; k < m; ++k) {
          if (tile[k] < 0 || tile[k] >= size) {
            good = false;
            return;
          }
          to[at[0] + (i + k) * step[0]] = from[at[2] + (i + k) * step[2] + tile[k] * stride];
        }
      }
    });
  });
  return good ? Status() : invalid_argument(kIndexError);
}

/// Calls f(target, src, step, n) for tiles of elements in row-major order of `index`: target[k] is the offset in
/// a tensor laid out as `out` that src's element src + k * step goes to. Checks every index of a tile first.
template <class F>
Status for_each_target(const TensorMeta& out, int dim, const Tensor& index, const TensorMeta& src, bool wrap, F&& f) {
  const int64_t size = out.size[size_t(dim)], stride = out.stride[size_t(dim)];
  TensorMeta source = src;
  for (int d = 0; d < source.rank; ++d) source.size[size_t(d)] = index.size[size_t(d)];
  bool good = true;
  int64_t tile[kernels::kTile];
  for_each_row(make_loop(row_major(index), index, source, without_dim(out, index, dim)), [&](const auto& at, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n && good; i += kernels::kTile) {
      const int64_t m = std::min(n - i, kernels::kTile);
      load_indices(index, at[1] + i * step[1], step[1], m, tile);
      for (int64_t k = 0; k < m; ++k) {
        const int64_t v = checked_index(tile[k], size, wrap);
        if (v < 0) {
          good = false;
          return;
        }
        tile[k] = at[3] + (i + k) * step[3] + v * stride;
      }
      f(tile, at[2] + i * step[2], step[2], m);
    }
  });
  return good ? Status() : invalid_argument(kIndexError);
}

/// out at the indices = src, the last one winning. `src` may have strides of 0.
inline Status scatter_elements(Tensor& out, int dim, const Tensor& index, const Tensor& src, bool wrap = false) {
  Status status;
  with_width(dtype_size(out.dtype), [&](auto unit) {
    using T = decltype(unit);
    T* to = out.as<T>();
    const T* from = src.as<T>();
    status = for_each_target(out, dim, index, src, wrap, [&](const int64_t* target, int64_t at, int64_t step, int64_t n) {
      for (int64_t k = 0; k < n; ++k) to[target[k]] = from[at + k * step];
    });
  });
  return status;
}

/// The elements of `out` in the type that reductions compute in, row-major: out itself where it is that already.
/// load() fills it from out, store() writes it back.
template <class C>
struct Accumulator {
  Tensor& out;
  TensorMeta meta;
  C* data;
  bool direct;

  static constexpr DType kDType = std::is_same_v<C, float>    ? DType::kF32
                                  : std::is_same_v<C, double> ? DType::kF64
                                  : std::is_same_v<C, int64_t> ? DType::kI64
                                  : std::is_same_v<C, c64>     ? DType::kC64
                                                               : DType::kC128;
  Accumulator(Tensor& tensor, std::byte* scratch) : out(tensor), meta(row_major(tensor)) {
    direct = tensor.dtype == kDType && tensor.is_contiguous();
    data = direct ? tensor.as<C>() : reinterpret_cast<C*>(scratch);
    meta.dtype = kDType;
  }
  Tensor view() const {
    Tensor t;
    static_cast<TensorMeta&>(t) = meta;
    t.data = data;
    return t;
  }
  void load(const Tensor& from) {
    Tensor t = view();
    if (!direct || from.data != out.data) convert_elements(from, t);
  }
  void store() {
    if (!direct) convert_elements(view(), out);
  }
};

/// Scratch for an Accumulator over tensors like `out`, whatever their strides turn out to be.
inline size_t accumulator_bytes(const TensorMeta& out) {
  const bool four = is_floating(out.dtype) && out.dtype != DType::kF64;
  const size_t width = out.dtype == DType::kC128 ? 16 : four ? 4 : 8;
  return size_t(out.numel()) * width;
}

/// f(C()) with the type that reductions over `dtype` compute in.
template <class F>
void with_accumulator(DType dtype, F&& f) {
  if (dtype == DType::kF64) return f(double());
  if (is_floating(dtype)) return f(float());
  if (dtype == DType::kC128) return f(c128());
  if (is_complex(dtype)) return f(c64());
  f(int64_t());
}

/// How a scatter combines what meets at one place.
struct Combine {
  kernels::Reduction op = kernels::Reduction::kSum;
  bool mean = false;          // of sums: divide by how many met
  bool include_self = true;
  Scalar alpha = Scalar::of(int64_t(1));
};

/// "sum", "prod", "mean", "amax", "amin". False when it is none.
inline bool parse_reduction(std::string_view name, Combine& c) {
  using R = kernels::Reduction;
  const std::pair<std::string_view, R> known[] = {{"sum", R::kSum}, {"prod", R::kProd}, {"mean", R::kSum}, {"amax", R::kMax}, {"amin", R::kMin}};
  for (const auto& [text, op] : known)
    if (text == name) {
      c.op = op;
      c.mean = name == "mean";
      return true;
    }
  return false;
}

template <class C>
void scale(Scalar alpha, C* values, int64_t n) {
  if constexpr (std::is_same_v<C, int64_t>) {
    for (int64_t k = 0; k < n; ++k) values[k] = int64_t(uint64_t(values[k]) * uint64_t(alpha.to_int()));
  } else if constexpr (std::is_floating_point_v<C>) {
    for (int64_t k = 0; k < n; ++k) values[k] *= C(alpha.to_double());
  } else {
    const auto a = decltype(C::re)(alpha.to_double());
    for (int64_t k = 0; k < n; ++k) values[k] = {values[k].re * a, values[k].im * a};
  }
}

/// sum / count; integers round down.
template <class C>
C quotient(C sum, int64_t count) {
  if constexpr (std::is_same_v<C, int64_t>) return sum / count - (sum % count < 0);
  else if constexpr (std::is_floating_point_v<C>) return sum / C(count);
  else return {sum.re / decltype(C::re)(count), sum.im / decltype(C::re)(count)};
}

template <class C>
Status reduce_indexed_by(const Tensor& self, int dim, const Tensor& index, const Tensor& src, const Combine& how, bool wrap, std::byte* scratch, Tensor& out) {
  Accumulator<C> acc(out, scratch);
  acc.load(self);
  const int64_t count = out.numel();
  int64_t* met = nullptr;
  if (how.mean) {
    met = reinterpret_cast<int64_t*>(scratch + align_up(accumulator_bytes(out), 16));
    std::fill_n(met, count, int64_t(how.include_self));
  }
  if (!how.include_self) {
    GLINT_TRY(for_each_target(acc.meta, dim, index, src, wrap, [&](const int64_t* target, int64_t, int64_t, int64_t n) {
      for (int64_t k = 0; k < n; ++k) acc.data[target[k]] = kernels::identity<C>(how.op);
    }));
  }
  const Scalar alpha = out.dtype == DType::kBool ? Scalar::of(how.alpha.to_double() != 0) : how.alpha;
  const bool scaled = alpha.to_double() != 1;
  GLINT_TRY(for_each_target(acc.meta, dim, index, src, wrap, [&](const int64_t* target, int64_t at, int64_t step, int64_t n) {
    C values[kernels::kTile];
    kernels::load<C>(src.dtype, address(src, at), step, n, values);
    if (scaled) scale(alpha, values, n);
    kernels::accumulate<C>(how.op, target, values, n, acc.data);
    if (met != nullptr)
      for (int64_t k = 0; k < n; ++k) ++met[target[k]];
  }));
  if (met != nullptr)
    for (int64_t i = 0; i < count; ++i) {
      if constexpr (std::is_same_v<C, int64_t>) {  // the sum wraps before it is divided
        kernels::store_one<C>(out.dtype, &acc.data[i], 0, C(acc.data[i]));
        acc.data[i] = kernels::load_one<C>(out.dtype, &acc.data[i], 0);
      }
      if (met[i] > 1) acc.data[i] = quotient(acc.data[i], met[i]);
    }
  acc.store();
  return {};
}

/// out = self with src combined into the places that `index` names along `dim` (all of one rank >= 1).
inline Status reduce_indexed(OpContext& context, const Tensor& self, int dim, const Tensor& index, const Tensor& src, const Combine& how, Tensor& out, bool wrap = false) {
  Status status;
  with_accumulator(out.dtype, [&](auto c) { status = reduce_indexed_by<decltype(c)>(self, dim, index, src, how, wrap, context.scratch(), out); });
  return status;
}

/// Scratch that reduce_indexed needs.
inline size_t reduce_scratch(const TensorMeta& out, bool mean) {
  return align_up(accumulator_bytes(out), 16) + (mean ? size_t(out.numel()) * 8 : 0);
}

/// Which dtypes a reduction takes.
inline Status check_reduction(DType dtype, const Combine& how) {
  if (dtype == DType::kC32) return unsupported("complex32 has no arithmetic");
  if (is_complex(dtype) && (how.op == kernels::Reduction::kMax || how.op == kernels::Reduction::kMin)) return unsupported("complex numbers have no order");
  if (dtype == DType::kBool && how.mean) return unsupported("bool has no mean");
  return {};
}

}  // namespace glint::ops
