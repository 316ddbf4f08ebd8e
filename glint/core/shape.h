#pragma once

#include <array>
#include <cstdint>
#include <span>

#include "glint/base/result.h"
#include "glint/core/tensor.h"

namespace glint {

/// The sizes that `a` and `b` broadcast to (numpy's rules), into out's sizes with
/// row-major strides; out.dtype stays. kInvalidArgument when they do not fit.
/// `out` may be `a` or `b`.
Status broadcast(const TensorMeta& a, const TensorMeta& b, TensorMeta& out);

/// N tensors walked together in the order of the first one's memory. The sizes
/// are those of the tensor given first (normally the result); the others are
/// broadcast to it. Adjacent dimensions that all tensors walk evenly are merged.
template <int N>
struct Loop {
  int rank = 0;                                        // >= 1
  std::array<int64_t, kMaxRank> size{};                // innermost last
  std::array<std::array<int64_t, kMaxRank>, N> step{}; // elements, per tensor
};

namespace loop_detail {
struct Raw {
  int rank;
  int64_t size[kMaxRank];
  int64_t step[8][kMaxRank];
};
/// Builds the loop over `count` (<= 8) metas; the first one's sizes rule.
void build(const TensorMeta* const* metas, int count, Raw& raw);
}  // namespace loop_detail

/// The loop over out and the others, each broadcastable to out's sizes.
template <class... Meta>
Loop<1 + sizeof...(Meta)> make_loop(const TensorMeta& out, const Meta&... others) {
  constexpr int n = 1 + sizeof...(Meta);
  const TensorMeta* metas[] = {&out, &others...};
  loop_detail::Raw raw;
  loop_detail::build(metas, n, raw);
  Loop<n> loop;
  loop.rank = raw.rank;
  for (int d = 0; d < raw.rank; ++d) {
    loop.size[size_t(d)] = raw.size[d];
    for (int k = 0; k < n; ++k) loop.step[size_t(k)][size_t(d)] = raw.step[k][d];
  }
  return loop;
}

/// Calls f(offsets, steps, n) for every innermost row: offsets[k] is the element
/// offset of tensor k, steps[k] its step along the row of n elements.
template <int N, class F>
void for_each_row(const Loop<N>& loop, F&& f) {
  std::array<int64_t, N> offset{}, step{};
  const int inner = loop.rank - 1;
  int64_t rows = 1;
  for (int d = 0; d < loop.rank; ++d)
    if (loop.size[size_t(d)] == 0) return;
  for (int d = 0; d < inner; ++d) rows *= loop.size[size_t(d)];
  for (int k = 0; k < N; ++k) step[size_t(k)] = loop.step[size_t(k)][size_t(inner)];
  std::array<int64_t, kMaxRank> index{};
  for (int64_t row = 0; row < rows; ++row) {
    f(offset, step, loop.size[size_t(inner)]);
    for (int d = inner; d-- > 0;) {
      for (int k = 0; k < N; ++k) offset[size_t(k)] += loop.step[size_t(k)][size_t(d)];
      if (++index[size_t(d)] < loop.size[size_t(d)]) break;
      for (int k = 0; k < N; ++k) offset[size_t(k)] -= loop.step[size_t(k)][size_t(d)] * loop.size[size_t(d)];
      index[size_t(d)] = 0;
    }
  }
}

/// Sets dtype and sizes with row-major strides, or says that the result is too large.
inline Status set_result(TensorMeta& out, DType dtype, std::span<const int64_t> sizes) {
  return out.set(dtype, sizes) ? Status() : invalid_argument("the result is too large");
}

/// The element offset of the row-major `index`-th element of `t`; 0 <= index < numel.
int64_t element_offset(const TensorMeta& t, int64_t index);

}  // namespace glint
