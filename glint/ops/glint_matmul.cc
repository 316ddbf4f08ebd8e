#include "glint/ops/packed_gemm.h"

namespace glint::ops {
namespace {

struct State {
  int64_t batches;       // of the result
  int64_t b_batches;     // of b: each is packed once
  int64_t blocks, panels, chunk;
  bool copy_rows;        // a's elements are not side by side
};

Status infer(const Tensor& a, const Tensor& b, bool transpose_b, double, TensorMeta& out) {
  if (a.dtype != DType::kF32 || b.dtype != DType::kF32) return unsupported("matmul: only float32 inputs");
  if (a.rank < 2 || b.rank < 2) return invalid_argument("matmul: an input has fewer than two dimensions");
  const int64_t depth = a.size[size_t(a.rank - 1)], columns = b.size[size_t(b.rank - (transpose_b ? 2 : 1))];
  if (b.size[size_t(b.rank - (transpose_b ? 1 : 2))] != depth) return invalid_argument("matmul: the inner sizes differ");
  TensorMeta batch_a, batch_b, batch;
  batch_a.set(DType::kF32, {a.size.data(), size_t(a.rank - 2)});
  batch_b.set(DType::kF32, {b.size.data(), size_t(b.rank - 2)});
  if (!broadcast(batch_a, batch_b, batch).ok()) return invalid_argument("matmul: the batches do not broadcast");
  if (batch.rank > kMaxRank - 2) return invalid_argument("matmul: too many dimensions");
  std::array<int64_t, kMaxRank> sizes = batch.size;
  sizes[batch.rank] = a.size[size_t(a.rank - 2)];
  sizes[size_t(batch.rank + 1)] = columns;
  if (!out.set(DType::kF32, {sizes.data(), size_t(batch.rank + 2)})) return invalid_argument("matmul: the result is too large");
  return {};
}

// The dimensions before the last two, as a tensor of its own.
TensorMeta batch_of(const TensorMeta& t) {
  TensorMeta m = t;
  m.rank = uint8_t(t.rank - 2);
  return m;
}

// Everything about the shape.
struct Geometry {
  int64_t rows, columns, depth;
  int64_t a_row, a_depth, b_depth, b_column, out_row, out_column;

  Geometry(const TensorMeta& a, const TensorMeta& b, bool transpose_b, const TensorMeta& out)
      : rows(out.size[size_t(out.rank - 2)]), columns(out.size[size_t(out.rank - 1)]), depth(a.size[size_t(a.rank - 1)]),
        a_row(a.stride[size_t(a.rank - 2)]), a_depth(depth > 1 ? a.stride[size_t(a.rank - 1)] : 1),
        b_depth(b.stride[size_t(b.rank - (transpose_b ? 1 : 2))]), b_column(b.stride[size_t(b.rank - (transpose_b ? 2 : 1))]),
        out_row(out.stride[size_t(out.rank - 2)]), out_column(columns > 1 ? out.stride[size_t(out.rank - 1)] : 1) {}
  int64_t panel_floats() const { return (1 + depth) * kernels::kPanel; }
};

struct Memory {
  const float** inputs;
  float** out;
  float* copies;
  float* block;
  float** block_rows;
  Memory(Pieces& p, const State& s, const Geometry& g)
      : inputs(p.take<const float*>(kBlockRows)), out(p.take<float*>(kBlockRows)), copies(p.take<float>(s.copy_rows ? kBlockRows * g.depth : 0)),
        block(p.take<float>(g.out_column != 1 ? kBlockRows * 32 : 0)), block_rows(p.take<float*>(g.out_column != 1 ? kBlockRows : 0)) {}
};

Status plan(const PlanContext& c, const Tensor& a, const Tensor& b, bool transpose_b, double, const Tensor& out, Plan& p) {
  State& s = p.state<State>();
  const Geometry g(a, b, transpose_b, out);
  s = {batch_of(out).numel(), batch_of(b).numel(), ceil_div(g.rows, kBlockRows), ceil_div(g.columns, kernels::kPanel), 0, g.a_depth != 1};
  int64_t floats, bytes;
  if (!checked_mul(s.b_batches, s.panels, &floats) || !checked_mul(floats, g.panel_floats(), &floats) || !checked_mul(floats, 4, &bytes) || bytes > INT64_MAX / 2 ||
      g.depth > INT64_MAX / (kBlockRows * 8))
    return unsupported("matmul: the operands are too large");
  p.scratch_bytes = size_t(bytes);
  p.flops = 2.0 * double(out.numel()) * double(g.depth);
  p.bytes = double(a.size_bytes() + b.size_bytes() + out.size_bytes());
  s.chunk = chunk_panels(s.batches * s.blocks, s.panels, p.flops);
  p.tasks = size_t(s.batches * s.blocks * ceil_div(s.panels, s.chunk));
  Pieces pieces;
  Memory(pieces, s, g);
  p.worker_scratch_bytes = pieces.used;
  p.kernel = isa_name(c.cpu.isa);
  p.algorithm = "pack b, gemm";
  return {};
}

// Writes panel `panel` of one batch of b, times `scale`.
void pack(const Geometry& g, const float* b, int64_t panel, float scale, float* out) {
  const int64_t first = panel * kernels::kPanel, count = std::min(kernels::kPanel, g.columns - first);
  std::fill(out, out + g.panel_floats(), 0.0f);
  const float* from = b + first * g.b_column;
  float* to = out + kernels::kPanel;
  if (g.b_depth == 1) {  // along k first: it is what lies side by side
    for (int64_t j = 0; j < count; ++j)
      for (int64_t k = 0; k < g.depth; ++k) to[k * kernels::kPanel + j] = from[j * g.b_column + k] * scale;
  } else {
    for (int64_t k = 0; k < g.depth; ++k)
      for (int64_t j = 0; j < count; ++j) to[k * kernels::kPanel + j] = from[k * g.b_depth + j * g.b_column] * scale;
  }
}

Status run(OpContext& c, const Tensor& a, const Tensor& b, bool transpose_b, double scale, Tensor& out) {
  if (out.numel() == 0) return {};
  const State& s = c.state<State>();
  const Geometry g(a, b, transpose_b, out);
  const int64_t batch_floats = s.panels * g.panel_floats();
  float* const packed = reinterpret_cast<float*>(c.scratch());
  const TensorMeta batch_b = batch_of(b), batch_out = batch_of(out);
  // The packed batches of b, walked like a dense tensor of its batch sizes.
  TensorMeta batch_packed = batch_b;
  batch_packed.set_contiguous();
  parallel_for(c.parallel(), size_t(s.b_batches * s.panels), [&](size_t task, size_t) {
    const int64_t batch = int64_t(task) / s.panels, panel = int64_t(task) % s.panels;
    pack(g, b.as<float>() + element_offset(batch_b, batch), panel, float(scale), packed + batch * batch_floats + panel * g.panel_floats());
  });
  const EpilogueState no_epilogue;
  const EpilogueRun end(no_epilogue, c.cpu(), {}, {}, out, out.rank - 1);
  const RowView a_rows = RowView::of(batch_of(a), batch_out, -1), b_rows = RowView::of(batch_packed, batch_out, -1);
  const int64_t chunks = ceil_div(s.panels, s.chunk);
  parallel_for(c.parallel(), c.plan().tasks, [&](size_t task, size_t worker) {
    Pieces pieces{c.scratch(worker)};
    const Memory m(pieces, s, g);
    const EpilogueRun::Memory no_memory(pieces, no_epilogue, 0);
    const int64_t panel = int64_t(task) % chunks * s.chunk, channel = panel * kernels::kPanel;
    const int64_t first = int64_t(task) / chunks % s.blocks * kBlockRows, rows = std::min(kBlockRows, g.rows - first), batch = int64_t(task) / chunks / s.blocks;
    const float* from = a.as<float>() + a_rows.offset(batch);
    float* to = out.as<float>() + element_offset(batch_out, batch);
    for (int64_t i = 0; i < rows; ++i) {
      m.inputs[i] = from + (first + i) * g.a_row;
      m.out[i] = to + (first + i) * g.out_row;
      if (!s.copy_rows) continue;
      float* row = m.copies + i * g.depth;
      for (int64_t k = 0; k < g.depth; ++k) row[k] = m.inputs[i][k * g.a_depth];
      m.inputs[i] = row;
    }
    const float* panels = packed + b_rows.offset(batch) * batch_floats + panel * g.panel_floats();
    run_gemm_block({kernels::gemm_f32(c.cpu().isa), m.inputs, rows, 1, g.depth, 0, nullptr, panels, g.panel_floats(), channel,
                    std::min(g.columns - channel, s.chunk * kernels::kPanel), m.out, g.out_column, m.block, m.block_rows},
                   end, no_memory);
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"glint::matmul(Tensor a, Tensor b, bool transpose_b, float scale) -> Tensor", infer, run, plan>("", {.strided_results = true}),
};

}  // namespace

extern constinit const OpFamily op_glint_matmul{kDefs};

}  // namespace glint::ops
