#pragma once

#include <cstddef>
#include <cstdint>

#include "glint/kernels/elementwise/tile_program.h"
#include "glint/kernels/isa.h"

namespace glint::kernels {

/// Rows of one operand under a tile.
struct TileRows {
  const void* const* rows;  // [rows of the tile] first elements
  int64_t step;             // elements from column to column; 0 repeats
};

/// One tile of one program.
struct TileRun {
  const TileProgram* program;
  int64_t rows, cols;        // rows * cols <= kTileElements
  const TileRows* operands;  // [program->operands]
  TileRows accumulator;      // f32; of an epilogue
  void* const* out;          // [rows]; may be the accumulator's or an operand's own rows
  int64_t out_step;
  void* scratch;             // tile_scratch_bytes(program->slots), 64-byte aligned
};

constexpr size_t tile_scratch_bytes(int slots) { return size_t(slots + 1) * kTileElements * 4 + size_t(kTileMaxSteps) * 64; }

struct TileKernels {
  void (*run)(const TileRun&);
};

GLINT_KERNEL_TABLE(TileKernels, tile_kernels)

}  // namespace glint::kernels
