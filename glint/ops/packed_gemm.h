#pragma once

// What convolution and linear share: blocks of output rows times panels of packed
// weights, and epilogues.

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "glint/base/checked.h"
#include "glint/core/op_def.h"
#include "glint/core/shape.h"
#include "glint/kernels/elementwise/tile.h"
#include "glint/kernels/gemm/gemm.h"
#include "glint/kernels/gemm/packed.h"

namespace glint::ops {

/// A tensor as rows of channels: every dimension but the channel's counts rows, in order.
struct RowView {
  int rank = 0;                          // of rows
  std::array<int64_t, kMaxRank> size{};
  std::array<int64_t, kMaxRank> stride{};
  int64_t rows = 1, channels = 1, channel_stride = 1;

  /// `t` broadcast to the sizes of `out`; `channel_dim` counts in out's dimensions.
  static RowView of(const TensorMeta& t, const TensorMeta& out, int channel_dim) {
    RowView v;
    const int skip = out.rank - t.rank;
    const auto stride_of = [&](int d) { return d < skip || t.size[size_t(d - skip)] == 1 ? int64_t(0) : t.stride[size_t(d - skip)]; };
    for (int d = 0; d < out.rank; ++d) {
      if (d == channel_dim) continue;
      const int64_t size = out.size[size_t(d)], stride = stride_of(d);
      v.rows *= size;
      if (size == 1) continue;
      // Dimensions that are walked evenly become one.
      if (v.rank > 0 && v.stride[size_t(v.rank - 1)] == stride * size) {
        v.size[size_t(v.rank - 1)] *= size;
        v.stride[size_t(v.rank - 1)] = stride;
        continue;
      }
      v.size[size_t(v.rank)] = size;
      v.stride[size_t(v.rank++)] = stride;
    }
    if (v.rank == 0) v.rank = 1, v.size[0] = 1;
    if (channel_dim >= 0) {
      v.channels = out.size[size_t(channel_dim)];
      v.channel_stride = stride_of(channel_dim);
    }
    return v;
  }

  /// Elements from the first row to `row`.
  int64_t offset(int64_t row) const {
    int64_t at = 0;
    for (int d = rank; d-- > 0;) {
      at += row % size[size_t(d)] * stride[size_t(d)];
      row /= size[size_t(d)];
    }
    return at;
  }

  /// out[i] = base + the start of row first + i, for i < count.
  template <class T, class P>
  void pointers(T* base, int64_t first, int64_t count, P* out, int64_t element_bytes = sizeof(T)) const {
    std::array<int64_t, kMaxRank> index{};
    int64_t rest = first, at = 0;
    for (int d = rank; d-- > 0;) {
      index[size_t(d)] = rest % size[size_t(d)];
      rest /= size[size_t(d)];
      at += index[size_t(d)] * stride[size_t(d)];
    }
    const size_t inner = size_t(rank - 1);
    char* p = reinterpret_cast<char*>(const_cast<std::remove_const_t<T>*>(base)) + at * element_bytes;
    for (int64_t i = 0; i < count;) {
      const int64_t run = std::min(count - i, size[inner] - index[inner]);
      for (int64_t k = 0; k < run; ++k, p += stride[inner] * element_bytes) out[i + k] = reinterpret_cast<P>(p);
      i += run;
      index[inner] += run;
      for (size_t d = inner; index[d] == size[d] && d > 0; --d) {
        p += (stride[d - 1] - stride[d] * size[d]) * element_bytes;
        index[d] = 0;
        ++index[d - 1];
      }
    }
  }
};

/// Checks an epilogue and its operands against the result; `channel_dim` is that of rows' elements.
inline Status check_epilogue(std::string_view bytes, TensorList operands, const TensorMeta& out, int channel_dim, bool epilogue, kernels::TileProgram& program) {
  using kernels::TileMode;
  GLINT_TRY(kernels::decode_tile_program(bytes, epilogue, program));
  if (operands.size() != program.operands) return invalid_argument("tile program: it wants another number of operands");
  for (uint32_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == nullptr) return invalid_argument("tile program: an operand is missing");
    const Tensor& t = *operands[i];
    if (t.dtype != program.operand[i].dtype) return invalid_argument("tile program: an operand has another dtype", int32_t(i));
    const int64_t channels = channel_dim < 0 ? 1 : out.size[size_t(channel_dim)];
    if (program.operand[i].mode == TileMode::kScalar) {
      if (t.numel() != 1) return invalid_argument("tile program: a scalar operand has more than one element", int32_t(i));
    } else if (program.operand[i].mode == TileMode::kRow) {
      int wide = 0;
      for (int64_t s : t.sizes()) wide += s != 1;
      if (t.numel() != channels || wide > 1) return invalid_argument("tile program: a row operand is not a vector of the last dimension's size", int32_t(i));
    } else {
      TensorMeta both;
      if (!broadcast(out, t, both).ok() || !both.same_sizes(out)) return invalid_argument("tile program: an operand does not broadcast to the result", int32_t(i));
      const int d = channel_dim - (out.rank - t.rank);
      if (program.operand[i].mode == TileMode::kColumn && d >= 0 && t.size[size_t(d)] != 1)
        return invalid_argument("tile program: a column operand has more than one column", int32_t(i));
    }
  }
  return {};
}

/// How rows walk an operand, whatever its mode.
inline RowView operand_view(const TensorMeta& t, kernels::TileMode mode, const TensorMeta& out, int channel_dim) {
  if (mode == kernels::TileMode::kFull || mode == kernels::TileMode::kColumn) return RowView::of(t, out, channel_dim);
  RowView v = RowView::of(TensorMeta(), out, channel_dim);  // strides 0
  v.channel_stride = 0;
  if (mode == kernels::TileMode::kRow)
    for (int d = 0; d < t.rank; ++d)
      if (t.size[size_t(d)] != 1) v.channel_stride = t.stride[size_t(d)];
  return v;
}

/// What a plan remembers of an epilogue.
struct EpilogueState {
  bool interpreted = false;
  int8_t residual = -1;
  uint8_t operands = 0, slots = 0;
  float lo = -std::numeric_limits<float>::infinity(), hi = std::numeric_limits<float>::infinity();
};

inline EpilogueState plan_epilogue(const kernels::TileProgram& program, TensorList operands, const TensorMeta& out, int channel_dim) {
  EpilogueState e;
  kernels::FusedEpilogue fused;
  if (kernels::match_fused(program, fused)) {
    const bool in_place = fused.residual < 0 || RowView::of(*operands[size_t(fused.residual)], out, channel_dim).channel_stride == 1;
    if (in_place) {
      e.residual = int8_t(fused.residual);
      e.lo = fused.lo;
      e.hi = fused.hi;
      return e;
    }
  }
  e.interpreted = true;
  e.operands = program.operands;
  e.slots = program.slots;
  return e;
}

/// Rows of results that one task computes at a time.
inline constexpr int64_t kBlockRows = 64;

/// Takes 64-byte aligned pieces from a worker's scratch, or only measures them.
struct Pieces {
  std::byte* base = nullptr;
  size_t used = 0;
  template <class T>
  T* take(int64_t count) {
    T* p = base == nullptr ? nullptr : reinterpret_cast<T*>(base + used);
    used = align_up(used + size_t(count) * sizeof(T), 64);
    return p;
  }
};

/// The epilogue of one call: finds the rows of operands and runs what micro-kernels leave over.
struct EpilogueRun {
  const EpilogueState& state;
  const kernels::TileKernels& kernels;
  kernels::TileProgram program;  // only if interpreted
  TensorList operands;
  std::array<RowView, kernels::kTileMaxOperands> views;

  EpilogueRun(const EpilogueState& s, const Cpu& cpu, std::string_view bytes, TensorList list, const TensorMeta& out, int channel_dim)
      : state(s), kernels(kernels::tile_kernels(cpu.isa)), operands(list) {
    if (state.residual >= 0) views[size_t(state.residual)] = RowView::of(*list[size_t(state.residual)], out, channel_dim);
    if (!state.interpreted) return;
    (void)kernels::decode_tile_program(bytes, true, program);  // infer checked it
    for (uint32_t i = 0; i < list.size(); ++i) views[i] = operand_view(*list[i], program.operand[i].mode, out, channel_dim);
  }

  /// A worker's memory for `rows` rows.
  struct Memory {
    const float** residual = nullptr;
    const void** rows[kernels::kTileMaxOperands] = {};
    void* scratch = nullptr;
    Memory(Pieces& pieces, const EpilogueState& s, int64_t count) {
      if (s.residual >= 0) residual = pieces.take<const float*>(count);
      for (int i = 0; i < s.operands; ++i) rows[i] = pieces.take<const void*>(count);
      if (s.interpreted) scratch = pieces.take<std::byte>(int64_t(kernels::tile_scratch_bytes(s.slots)));
    }
  };

  /// Finds where rows first .. first + count of all operands start.
  void locate(const Memory& m, int64_t first, int64_t count) const {
    if (m.residual != nullptr) views[size_t(state.residual)].pointers(operands[size_t(state.residual)]->as<float>(), first, count, m.residual);
    for (int i = 0; i < state.operands; ++i)
      views[size_t(i)].pointers(static_cast<const char*>(operands[size_t(i)]->data), first, count, m.rows[i], int64_t(dtype_size(operands[size_t(i)]->dtype)));
  }

  /// Runs the program over located rows first_row .. + rows, columns first_column .. + cols, in block[i][block_column ..].
  void run(const Memory& m, int64_t first_row, float* const* block, int64_t rows, int64_t block_column, int64_t first_column, int64_t cols) const {
    if (!state.interpreted) return;
    const int64_t wide = std::min<int64_t>(cols, 128), high = std::min(kBlockRows, kernels::kTileElements / wide);
    for (int64_t c = 0; c < cols; c += wide)
      for (int64_t r = 0; r < rows; r += high) tile(m, first_row + r, block + r, std::min(high, rows - r), block_column + c, first_column + c, std::min(wide, cols - c));
  }

 private:
  void tile(const Memory& m, int64_t row, float* const* block, int64_t rows, int64_t block_column, int64_t column, int64_t cols) const {
    const void* at[kernels::kTileMaxOperands][kBlockRows];
    void* out[kBlockRows];
    kernels::TileRows list[kernels::kTileMaxOperands];
    for (int i = 0; i < state.operands; ++i) {
      const int64_t skip = column * views[size_t(i)].channel_stride * int64_t(dtype_size(operands[size_t(i)]->dtype));
      for (int64_t r = 0; r < rows; ++r) at[i][r] = static_cast<const char*>(m.rows[i][row + r]) + skip;
      list[i] = {at[i], views[size_t(i)].channel_stride};
    }
    for (int64_t r = 0; r < rows; ++r) out[r] = block[r] + block_column;
    kernels.run({&program, rows, cols, list, {out, 1}, out, 1, m.scratch});
  }
};

/// One block of rows against consecutive panels.
struct GemmBlock {
  const kernels::GemmKernels& kernels;
  const float* const* inputs;  // tile after tile (for_each_tile): [taps][rows of the tile]
  int64_t rows, taps, depth, row_offset;
  const int32_t* gather;
  const float* panels;
  int64_t panel_floats;
  int64_t first_channel, channels;  // channels to compute, those of `panels` onwards
  float* const* out;                // [rows], channel 0
  int64_t out_step;                 // between channels
  float* block;                     // [rows][32], when out_step is not 1
  float** block_rows;               // [rows], likewise
};

inline void run_gemm_block(const GemmBlock& b, const EpilogueRun& epilogue, const EpilogueRun::Memory& m) {
  const int64_t most_panels = b.kernels.panels;
  const bool scattered = b.out_step != 1;
  if (scattered)
    for (int64_t i = 0; i < b.rows; ++i) b.block_rows[i] = b.block + i * 32;
  float* const* out = scattered ? b.block_rows : b.out;
  for (int64_t done = 0; done < b.channels; done += most_panels * kernels::kPanel) {
    const int64_t cols = std::min(b.channels - done, most_panels * kernels::kPanel);
    const int64_t column = b.first_channel + done, panels = ceil_div(cols, kernels::kPanel);
    kernels::GemmTile t{};
    t.taps = b.taps;
    t.depth = b.depth;
    t.row_offset = b.row_offset;
    t.gather = b.gather;
    t.panel = b.panels + done / kernels::kPanel * b.panel_floats;
    t.panel_floats = b.panel_floats;
    t.out_offset = scattered ? 0 : column;
    t.cols = cols;
    t.lo = epilogue.state.lo;
    t.hi = epilogue.state.hi;
    const float* residual[kernels::kMaxTileRows];
    const auto& table = b.gather != nullptr ? b.kernels.gather : b.kernels.direct;
    kernels::for_each_tile(b.rows, b.kernels.rows, [&](int64_t first, int64_t count) {
      t.rows = b.inputs + first * b.taps;
      t.out = out + first;
      if (m.residual != nullptr) {
        t.residual = m.residual + first;
        if (scattered) {  // one offset serves both `out` and `residual`
          for (int64_t i = 0; i < count; ++i) residual[i] = m.residual[first + i] + column;
          t.residual = residual;
        }
      }
      table[panels - 1][count - 1](t);
    });
    epilogue.run(m, 0, out, b.rows, t.out_offset, column, cols);
    if (!scattered) continue;
    for (int64_t c = 0; c < cols; ++c)
      for (int64_t i = 0; i < b.rows; ++i) b.out[i][(column + c) * b.out_step] = b.block_rows[i][c];
  }
}

/// Splits `panels` into chunks of about even size so that `blocks` times chunks gives the threads enough to share:
/// the number of panels in a chunk. Depends on shapes only.
inline int64_t chunk_panels(int64_t blocks, int64_t panels, double flops) {
  const double most_tasks = std::min(16.0, flops / 2e5);  // a task of less than 200 kFLOP is not worth waking a thread
  const int64_t wanted = std::max<int64_t>(1, int64_t(most_tasks / double(std::max<int64_t>(blocks, 1))));
  return std::max<int64_t>(2, (ceil_div(panels, wanted) + 1) & ~int64_t(1));
}

}  // namespace glint::ops
