#pragma once

// Indexing by tensors, as in x[i, :, mask]: shared by index and index_put.

#include "glint/ops/indexed.h"

namespace glint::ops {

inline bool is_mask(DType d) { return d == DType::kBool || d == DType::kU8; }

/// Calls f(i) for the row-major position of each nonzero element of `mask`, in order.
template <class F>
void for_each_nonzero(const Tensor& mask, F&& f) {
  bool tile[kernels::kTile];
  int64_t base = 0;
  for_each_row(make_loop(row_major(mask), mask), [&](const auto& at, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n; i += kernels::kTile) {
      const int64_t m = std::min(n - i, kernels::kTile);
      kernels::load<bool>(mask.dtype, address(mask, at[1] + i * step[1]), step[1], m, tile);
      for (int64_t k = 0; k < m; ++k)
        if (tile[k]) f(base + i + k);
    }
    base += n;
  });
}

inline int64_t count_nonzero(const Tensor& t) {
  int64_t n = 0;
  for_each_nonzero(t, [&](int64_t) { ++n; });
  return n;
}

/// A call x[indices] taken apart. Dimensions that an index consumes are replaced by those of
/// `chosen`, the broadcast shape of the indices: in place if they were adjacent, else in front.
struct AdvancedIndex {
  TensorMeta chosen;        // row-major
  TensorMeta result;        // row-major, dtype of x
  int at = 0;               // where chosen's dimensions lie in result
  int count = 0;            // indices that are not None
  std::array<int8_t, kMaxRank> index{};   // their positions in the list
  std::array<int8_t, kMaxRank> dim{};     // the (first) dimension of x that each consumes
  uint32_t consumed = 0;    // dimensions of x, as bits
};

/// Fills `a` from the metas, and from the masks' elements where they have data (the result is then
/// exact; else it is the largest one possible).
inline Status take_apart(const TensorMeta& x, TensorList indices, bool read_masks, AdvancedIndex& a) {
  int dim = 0;
  bool adjacent = true, gap = false;
  for (uint32_t i = 0; i < indices.size(); ++i) {
    if (dim >= x.rank && !(indices[i] != nullptr && is_mask(indices[i]->dtype) && indices[i]->rank == 0)) return invalid_argument("index: too many indices");
    if (indices[i] == nullptr) {
      gap = a.count > 0;
      ++dim;
      continue;
    }
    const Tensor& t = *indices[i];
    if (gap) adjacent = false;
    if (a.count == kMaxRank) return unsupported("index: too many indices");
    a.index[size_t(a.count)] = int8_t(i);
    a.dim[size_t(a.count++)] = int8_t(dim);
    if (is_mask(t.dtype)) {
      if (t.rank > x.rank - dim) return invalid_argument("index: a mask has more dimensions than self");
      for (int d = 0; d < t.rank; ++d) {
        if (t.size[size_t(d)] != x.size[size_t(dim + d)]) return invalid_argument("index: a mask has other sizes than self");
        a.consumed |= 1u << (dim + d);
      }
      dim += t.rank;
    } else if (is_index(t.dtype)) {
      a.consumed |= 1u << dim++;
    } else {
      return invalid_argument("index: indices must be int64, int32, bool or uint8");
    }
  }
  // The broadcast shape. A mask stands for a vector of as many indices as it has true elements.
  a.chosen = {};
  const auto open = [&](const Tensor& t) { return is_mask(t.dtype) && t.numel() > 0 && (t.data == nullptr || !read_masks); };
  for (int k = 0; k < a.count; ++k) {
    const Tensor& t = *indices[size_t(a.index[size_t(k)])];
    if (open(t)) continue;
    TensorMeta shape = t;
    if (is_mask(t.dtype)) {
      shape.rank = 1;
      shape.size[0] = count_nonzero(t);
    }
    GLINT_TRY(broadcast(a.chosen, shape, a.chosen));
  }
  // Masks of unknown count: one known size other than 1 decides, else the largest mask.
  if (a.chosen.rank == 0 || a.chosen.size[size_t(a.chosen.rank - 1)] == 1)
    for (int k = 0; k < a.count; ++k) {
      const Tensor& t = *indices[size_t(a.index[size_t(k)])];
      if (!open(t)) continue;
      if (a.chosen.rank == 0) insert_dim(a.chosen, 0, 1, 1);
      int64_t& last = a.chosen.size[size_t(a.chosen.rank - 1)];
      last = std::max(last, t.numel());
    }
  TensorMeta& r = a.result;
  r = {};
  a.at = adjacent && a.count > 0 ? a.dim[0] : 0;
  int64_t sizes[2 * kMaxRank];
  int rank = 0;
  const auto put_chosen = [&] {
    for (int c = 0; c < a.chosen.rank; ++c) sizes[rank++] = a.chosen.size[size_t(c)];
  };
  for (int d = 0; d <= x.rank; ++d) {
    if (d == a.at && a.count > 0) put_chosen();
    if (d < x.rank && (a.consumed >> d & 1) == 0) sizes[rank++] = x.size[size_t(d)];
  }
  a.chosen.set_contiguous();
  return set_result(r, x.dtype, {sizes, size_t(rank)});
}

/// The meta that walks x with the loop over `result`: still along chosen's dimensions.
inline TensorMeta rest_of(const TensorMeta& x, const AdvancedIndex& a) {
  TensorMeta m = a.result;
  int r = 0;
  for (int d = 0; d <= x.rank; ++d) {
    if (d == a.at && a.count > 0)
      for (int c = 0; c < a.chosen.rank; ++c) m.stride[size_t(r++)] = 0;
    if (d < x.rank && (a.consumed >> d & 1) == 0) m.stride[size_t(r++)] = x.stride[size_t(d)];
  }
  return m;
}

/// The meta that walks the list of offsets with the loop over `result`.
inline TensorMeta chosen_of(const AdvancedIndex& a) {
  TensorMeta m = a.result;
  for (int d = 0; d < m.rank; ++d) {
    const int c = d - a.at;
    m.stride[size_t(d)] = c >= 0 && c < a.chosen.rank ? a.chosen.stride[size_t(c)] : 0;
  }
  return m;
}

/// offsets[i] = where in x (its strides) the i-th choice lies, all dimensions of the indices together.
/// `scratch` has room for the positions of the largest mask. `clamp`: out of range means the nearest.
inline Status chosen_offsets(const TensorMeta& x, TensorList indices, const AdvancedIndex& a, bool clamp, int64_t* offsets, int64_t* scratch) {
  std::fill_n(offsets, a.chosen.numel(), int64_t(0));
  bool good = true;
  for (int k = 0; k < a.count; ++k) {
    const Tensor& t = *indices[size_t(a.index[size_t(k)])];
    const size_t dim = size_t(a.dim[size_t(k)]);
    if (is_mask(t.dtype)) {
      TensorMeta inside = t;  // the mask's dimensions of x
      for (int d = 0; d < t.rank; ++d) inside.stride[size_t(d)] = x.stride[dim + size_t(d)];
      int64_t n = 0;
      for_each_nonzero(t, [&](int64_t i) { scratch[n++] = element_offset(inside, i); });
      TensorMeta list;
      const int64_t size[] = {n};
      list.set(DType::kI64, size);
      for_each_row(make_loop(a.chosen, list), [&](const auto& at, const auto& step, int64_t count) {
        for (int64_t i = 0; i < count; ++i) offsets[at[0] + i * step[0]] += scratch[at[1] + i * step[1]];
      });
    } else {
      const int64_t size = x.size[dim], stride = x.stride[dim];
      int64_t tile[kernels::kTile];
      for_each_row(make_loop(a.chosen, t), [&](const auto& at, const auto& step, int64_t count) {
        for (int64_t i = 0; i < count && good; i += kernels::kTile) {
          const int64_t m = std::min(count - i, kernels::kTile);
          load_indices(t, at[1] + i * step[1], step[1], m, tile);
          for (int64_t j = 0; j < m; ++j) {
            int64_t v = checked_index(tile[j], size, true);
            if (v < 0 && clamp && size > 0) v = tile[j] < 0 ? 0 : size - 1;
            if (v < 0) {
              good = false;
              return;
            }
            offsets[at[0] + (i + j) * step[0]] += v * stride;
          }
        }
      });
    }
  }
  return good ? Status() : invalid_argument(kIndexError);
}

/// Scratch for chosen_offsets: the offsets, then the mask positions, whatever the masks hold.
struct IndexScratch {
  int64_t offsets = 0, positions = 0;  // elements of int64
  size_t bytes() const { return size_t(offsets + positions) * 8; }
};
inline Status index_scratch(const TensorMeta& x, TensorList indices, IndexScratch& s) {
  AdvancedIndex a;
  GLINT_TRY(take_apart(x, indices, false, a));
  s.offsets = a.chosen.numel();
  for (int k = 0; k < a.count; ++k) {
    const Tensor& t = *indices[size_t(a.index[size_t(k)])];
    if (is_mask(t.dtype)) s.positions = std::max(s.positions, t.numel());
  }
  return {};
}

}  // namespace glint::ops
