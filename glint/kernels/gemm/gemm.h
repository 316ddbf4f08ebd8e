#pragma once

#include <cstdint>

#include "glint/kernels/isa.h"

namespace glint::kernels {

/// Channels in one panel of the `n16` formats; see docs/packed_formats.md.
inline constexpr int64_t kPanel = 16;
/// The most panels and rows of one micro-tile, whatever the instruction set.
inline constexpr int kMaxTilePanels = 2, kMaxTileRows = 8;

/// One micro-tile: out[i][j] = clamp(bias[j] + sum over k of x[i][k] * w[k][j] + residual[i][j]).
/// Row i's inputs are read in place, through a pointer for each tap.
struct GemmTile {
  const float* const* rows;     // [taps][rows of the tile]
  int64_t taps, depth;          // k runs over taps * depth
  int64_t row_offset;           // added to every row pointer
  const int32_t* gather;        // null, or [depth]: k is read at rows[i][gather[k]] (taps is 1)
  const float* panel;           // the first panel: 16 of bias, then k rows of 16
  int64_t panel_floats;         // to the next panel
  float* const* out;            // [rows of the tile]
  int64_t out_offset;           // added to every `out` and `residual`
  int64_t cols;                 // channels to write, 1 .. 16 * panels of the tile
  const float* const* residual; // [rows of the tile], or null
  float lo, hi;                 // NaN passes through
};

/// The micro-kernels of one instruction set.
struct GemmKernels {
  using Tile = void (*)(const GemmTile&);
  int rows;    // the most rows that pay, <= kMaxTileRows
  int panels;  // the most panels at a time
  Tile direct[kMaxTilePanels][kMaxTileRows];  // [panels - 1][rows - 1]; null beyond `rows` and `panels`
  Tile gather[kMaxTilePanels][kMaxTileRows];
};

GLINT_KERNEL_TABLE(GemmKernels, gemm_f32)

/// Calls f(first, count) for micro-tiles that cover `rows` as evenly as `most` rows each allow.
template <class F>
void for_each_tile(int64_t rows, int64_t most, F&& f) {
  const int64_t tiles = (rows + most - 1) / most;
  for (int64_t t = 0, first = 0; t < tiles; ++t) {
    const int64_t count = rows / tiles + (t < rows % tiles);
    f(first, count);
    first += count;
  }
}

}  // namespace glint::kernels
