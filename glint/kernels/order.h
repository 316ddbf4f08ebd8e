#pragma once

#include <cstdint>

#include "glint/core/dtype.h"

namespace glint::kernels {

/// An element reduced to a number that orders as PyTorch sorts: NaN above everything, -0 equal to 0.
struct Ranked {
  uint64_t key;
  int64_t index;
  friend bool operator<(const Ranked& a, const Ranked& b) { return a.key != b.key ? a.key < b.key : a.index < b.index; }
};

/// out[i] = the key of p[i * step] (complemented when descending) and i. Any real dtype.
void rank_elements(DType dtype, const void* p, int64_t step, int64_t n, bool descending, Ranked* out);

/// Whether a key of this dtype (not complemented) stands for NaN, which equals nothing.
bool is_nan_key(DType dtype, uint64_t key);

/// Sorting by (key, index): stable, in place.
void sort_ranked(Ranked* items, int64_t n);
/// The k smallest keys to the front, in order when `sorted` asks for it; 1 <= k <= n. Which of several
/// equal keys are kept is up to the algorithm, chosen to agree with PyTorch.
void top_ranked(Ranked* items, int64_t k, int64_t n, bool sorted);
/// The item that a full sort by key would put at k, moved there; ties as in top_ranked.
void select_ranked(Ranked* items, int64_t k, int64_t n);

}  // namespace glint::kernels
