#pragma once

// The engine of reductions: a reducer (a small state with `add` and `result`) is fed with the elements
// that fold into one element of the result, in row-major order.

#include "glint/ops/elementwise.h"

namespace glint::ops {

/// Sets of dimensions, one bit each.
using DimMask = uint32_t;
constexpr DimMask all_dims(int rank) { return (DimMask(1) << rank) - 1; }

/// The set that `dims` names. kInvalidArgument when one is out of range or named twice.
inline Status dim_mask(Ints dims, int rank, DimMask& mask) {
  mask = 0;
  for (int64_t dim : dims) {
    const int d = wrap_dim(dim, rank);
    if (d < 0) return invalid_argument("a dimension is out of range");
    if ((mask >> d & 1) != 0) return invalid_argument("a dimension is named twice");
    mask |= DimMask(1) << d;
  }
  return {};
}
/// The same; no dimensions mean all.
inline Status dim_mask_or_all(Ints dims, int rank, DimMask& mask) {
  if (!dims.empty()) return dim_mask(dims, rank, mask);
  mask = all_dims(rank);
  return {};
}

/// Sizes of `self` without the folded dimensions, or with 1 in their place.
inline Status set_folded(const TensorMeta& self, DimMask mask, bool keepdim, DType dtype, TensorMeta& out) {
  std::array<int64_t, kMaxRank> sizes{};
  size_t n = 0;
  for (int d = 0; d < self.rank; ++d) {
    if ((mask >> d & 1) == 0) sizes[n++] = self.size[size_t(d)];
    else if (keepdim) sizes[n++] = 1;
  }
  return out.set(dtype, {sizes.data(), n}) ? Status() : invalid_argument("the result is too large");
}

/// kInvalidArgument when a folded dimension is empty: extremes of nothing do not exist.
inline Status check_not_empty(const TensorMeta& self, DimMask mask) {
  for (int d = 0; d < self.rank; ++d)
    if ((mask >> d & 1) != 0 && self.size[size_t(d)] == 0) return invalid_argument("the reduction has no elements and no identity");
  return {};
}

/// How many elements fold into one.
inline int64_t folded_count(const TensorMeta& self, DimMask mask) {
  int64_t n = 1;
  for (int d = 0; d < self.rank; ++d)
    if ((mask >> d & 1) != 0) n *= self.size[size_t(d)];
  return n;
}

namespace reduce_detail {

/// The walk over the dimensions in `mask`, in row-major order of `self` whatever its strides.
inline Loop<1> ordered_loop(const TensorMeta& self, DimMask mask) {
  Loop<1> loop;
  for (size_t d = 0; d < self.rank; ++d) {
    if ((mask >> d & 1) == 0 || self.size[d] == 1) continue;
    const size_t last = size_t(loop.rank - 1);
    if (loop.rank > 0 && loop.step[0][last] == self.stride[d] * self.size[d]) {
      loop.size[last] *= self.size[d];
      loop.step[0][last] = self.stride[d];
    } else {
      loop.size[size_t(loop.rank)] = self.size[d];
      loop.step[0][size_t(loop.rank++)] = self.stride[d];
    }
  }
  if (loop.rank == 0) loop.rank = 1, loop.size[0] = 1;
  return loop;
}

/// Self and results along the dimensions that stay; the folded ones have size 1 in both.
template <class... Meta>
auto kept_loop(const TensorMeta& self, DimMask mask, const Meta&... results) {
  const auto spread = [&](const TensorMeta& from, bool is_self) {
    TensorMeta to = self;
    int own = 0;
    for (int d = 0; d < self.rank; ++d) {
      const bool folded = (mask >> d & 1) != 0;
      if (folded) to.size[size_t(d)] = 1;
      if (!is_self && from.rank != self.rank) to.stride[size_t(d)] = folded ? 0 : from.stride[size_t(own++)];
      else to.stride[size_t(d)] = from.stride[size_t(d)];
    }
    return to;
  };
  return make_loop(spread(self, true), spread(results, false)...);
}

inline const char* element(const Tensor& t, int64_t offset) { return static_cast<const char*>(t.data) + offset * int64_t(dtype_size(t.dtype)); }
inline char* element(Tensor& t, int64_t offset) { return static_cast<char*>(t.data) + offset * int64_t(dtype_size(t.dtype)); }

/// n elements as T: in place where they already are, else in `tile`.
template <class T>
const T* read(const Tensor& t, int64_t offset, int64_t step, int64_t n, T* tile) {
  if (t.dtype == kDTypeOf<T> && step == 1) return reinterpret_cast<const T*>(element(t, offset));
  kernels::load<T>(t.dtype, element(t, offset), step, n, tile);
  return tile;
}

inline constexpr int64_t kBlock = 32;  // results that are reduced together

/// Feeds reducers[i] with all that folds into result i of a block; they lie `step` apart in self.
template <class T, class R>
void feed(const Tensor& self, const Loop<1>& folded, int64_t at, int64_t step, int64_t count, R* reducers) {
  T tile[kernels::kTile];
  const int64_t inner_step = folded.step[0][size_t(folded.rank - 1)];
  int64_t index = 0;
  if (count > 1 && std::abs(step) < std::abs(inner_step)) {  // results are closer together than what folds
    for_each_row(folded, [&](const auto& offset, const auto& along, int64_t n) {
      for (int64_t j = 0; j < n; ++j, ++index) {
        const T* x = read<T>(self, at + offset[0] + j * along[0], step, count, tile);
        for (int64_t i = 0; i < count; ++i) reducers[i].add(x[i], index);
      }
    });
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    index = 0;
    for_each_row(folded, [&](const auto& offset, const auto& along, int64_t n) {
      for (int64_t j = 0; j < n; j += kernels::kTile) {
        const int64_t m = std::min(kernels::kTile, n - j);
        const T* x = read<T>(self, at + i * step + offset[0] + j * along[0], along[0], m, tile);
        if constexpr (requires { reducers[i].add_row(x, m, index); }) reducers[i].add_row(x, m, index);
        else for (int64_t k = 0; k < m; ++k) reducers[i].add(x[k], index + k);
        index += m;
      }
    });
  }
}

}  // namespace reduce_detail

/// Folds the dimensions in `mask`, starting every result from a copy of `start`: out = result(), and
/// second = second() where it is given.
template <class T, class R>
void fold(const Tensor& self, DimMask mask, const R& start, Tensor& out, Tensor* second = nullptr) {
  using namespace reduce_detail;
  const Loop<1> folded = ordered_loop(self, mask);
  R reducers[kBlock];
  for_each_row(kept_loop(self, mask, out, second != nullptr ? *second : out), [&](const auto& offset, const auto& step, int64_t n) {
    for (int64_t at = 0; at < n; at += kBlock) {
      const int64_t m = std::min(kBlock, n - at);
      for (int64_t i = 0; i < m; ++i) reducers[i] = start;
      feed<T>(self, folded, offset[0] + at * step[0], step[0], m, reducers);
      using V = decltype(start.result());
      V values[kBlock];
      for (int64_t i = 0; i < m; ++i) values[i] = reducers[i].result();
      kernels::store<V>(out.dtype, element(out, offset[1] + at * step[1]), step[1], m, values);
      if constexpr (requires { start.second(); }) {
        if (second == nullptr) continue;
        using W = decltype(start.second());
        W others[kBlock];
        for (int64_t i = 0; i < m; ++i) others[i] = reducers[i].second();
        kernels::store<W>(second->dtype, element(*second, offset[2] + at * step[2]), step[2], m, others);
      }
    }
  });
}

/// fold with the reducer R<T> for the kind of `compute`.
template <unsigned Kinds, template <class> class R, class... Args>
Status reduce(DType compute, const Tensor& self, DimMask mask, Tensor& out, Tensor* second, Args... args) {
  const auto go = [&]<class T>(T) {
    R<T> start;
    if constexpr (sizeof...(Args) > 0) start.setup(args...);
    fold<T>(self, mask, start, out, second);
    return Status();
  };
  switch (kind_of(compute)) {
    case kF32: if constexpr ((Kinds & kF32) != 0) return go(float()); break;
    case kF64: if constexpr ((Kinds & kF64) != 0) return go(double()); break;
    case kInts: if constexpr ((Kinds & kInts) != 0) return go(int64_t()); break;
    case kBools: if constexpr ((Kinds & kBools) != 0) return go(bool()); break;
    case kComplexes: if constexpr ((Kinds & kComplexes) != 0) return go(c128()); break;
  }
  return unsupported("the operator does not compute with this dtype");
}

/// The logarithm of a sum of exponentials, taken relative to the largest (real part) so far.
template <class T>
struct LogSumExp {
  using A = std::conditional_t<kIsComplex<T>, c128, double>;
  double top = -std::numeric_limits<double>::infinity();
  A sum{};
  void add(T v, int64_t) {
    if constexpr (kIsComplex<T>) {
      if (v.re > top) sum = sum * c128{std::exp(top - v.re), 0}, top = v.re;
      sum = sum + exp(c128{v.re == top ? 0 : v.re - top, v.im});
    } else {
      const double x = double(v);
      if (x == top) sum += 1;
      else if (x > top) sum = sum * std::exp(top - x) + 1, top = x;
      else sum += std::exp(x - top);
    }
  }
  A result() const {
    if constexpr (kIsComplex<T>) return c128{top, 0} + log(sum);
    else return top + std::log(sum);
  }
};

/// What sums of T are kept in.
template <class T> using Accumulator = std::conditional_t<std::is_same_v<T, float>, double, T>;
template <class T> constexpr Accumulator<T> widen(T x) { return Accumulator<T>(x); }

}  // namespace glint::ops
