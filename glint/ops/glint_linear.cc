#include "glint/ops/packed_gemm.h"

namespace glint::ops {
namespace {

struct State {
  int64_t chunk;  // panels of a task
  bool copy_rows; // x's elements are not side by side
  EpilogueState epilogue;
};

Status infer(const Tensor& x, const Tensor& packed, int64_t out_features, std::string_view epilogue, TensorList operands, TensorMeta& out) {
  if (x.dtype != DType::kF32) return unsupported("linear: only float32 inputs");
  if (x.rank < 1) return invalid_argument("linear: the input has no dimension");
  if (out_features < 0 || out_features > INT32_MAX) return invalid_argument("linear: out_features is out of range");
  if (packed.dtype != DType::kU8 || packed.rank != 2 || !packed.is_contiguous()) return invalid_argument("linear: the weight is not packed");
  int64_t rows, bytes;
  if (!checked_add(x.size[size_t(x.rank - 1)], 1, &rows) || !checked_mul(rows, 64, &bytes) || packed.size[0] != ceil_div(out_features, 16) || packed.size[1] != bytes)
    return invalid_argument("linear: the packed weight has other sizes");
  std::array<int64_t, kMaxRank> sizes = x.size;
  sizes[size_t(x.rank - 1)] = out_features;
  if (!out.set(DType::kF32, {sizes.data(), x.rank})) return invalid_argument("linear: the result is too large");
  kernels::TileProgram program;
  GLINT_TRY(check_epilogue(epilogue, operands, out, out.rank - 1, true, program));
  if (program.result != DType::kF32) return unsupported("linear: the epilogue must yield float32");
  return {};
}

// A worker's memory.
struct Memory {
  const float** inputs;
  float** out;
  float* copies;   // [rows][K], if x is copied
  float* block;    // [rows][32]
  float** block_rows;
  EpilogueRun::Memory epilogue;

  Memory(Pieces& p, const State& s, int64_t depth, bool scattered)
      : inputs(p.take<const float*>(kBlockRows)), out(p.take<float*>(kBlockRows)), copies(p.take<float>(s.copy_rows ? kBlockRows * depth : 0)),
        block(p.take<float>(scattered ? kBlockRows * 32 : 0)), block_rows(p.take<float*>(scattered ? kBlockRows : 0)), epilogue(p, s.epilogue, kBlockRows) {}
};

Status plan(const PlanContext& c, const Tensor& x, const Tensor& packed, int64_t out_features, std::string_view epilogue, TensorList operands,
            const Tensor& out, Plan& p) {
  State& s = p.state<State>();
  s = {};
  kernels::TileProgram program;
  GLINT_TRY(check_epilogue(epilogue, operands, out, out.rank - 1, true, program));
  s.epilogue = plan_epilogue(program, operands, out, out.rank - 1);
  const RowView in = RowView::of(x, x, x.rank - 1), to = RowView::of(out, out, out.rank - 1);
  s.copy_rows = in.channels > 1 && in.channel_stride != 1;
  const int64_t blocks = ceil_div(in.rows, kBlockRows), panels = ceil_div(out_features, kernels::kPanel);
  p.flops = 2.0 * double(in.rows) * double(in.channels) * double(out_features);
  p.bytes = double(packed.size_bytes()) + double(x.numel() + out.numel()) * 4;
  s.chunk = chunk_panels(blocks, panels, p.flops);
  p.tasks = size_t(blocks * ceil_div(panels, s.chunk));
  int64_t copy;
  if (s.copy_rows && (!checked_mul(in.channels, kBlockRows * 4, &copy) || copy > INT64_MAX / 2)) return unsupported("linear: the rows are too long");
  Pieces pieces;
  Memory(pieces, s, in.channels, to.channel_stride != 1);
  p.worker_scratch_bytes = pieces.used;
  p.packed[0] = {1, "f32.n16"};
  p.kernel = isa_name(c.cpu.isa);
  p.algorithm = "packed gemm";
  return {};
}

Status run(OpContext& c, const Tensor& x, const Tensor& packed, int64_t out_features, std::string_view epilogue, TensorList operands, Tensor& out) {
  if (out.numel() == 0) return {};
  const State& s = c.state<State>();
  const EpilogueRun end(s.epilogue, c.cpu(), epilogue, operands, out, out.rank - 1);
  const RowView in = RowView::of(x, x, x.rank - 1), to = RowView::of(out, out, out.rank - 1);
  const kernels::GemmKernels& kernels = kernels::gemm_f32(c.cpu().isa);
  const int64_t chunks = ceil_div(ceil_div(out_features, kernels::kPanel), s.chunk), panel_floats = packed.size[1] / 4;
  const bool scattered = to.channels > 1 && to.channel_stride != 1;
  parallel_for(c.parallel(), c.plan().tasks, [&](size_t task, size_t worker) {
    Pieces pieces{c.scratch(worker)};
    const Memory m(pieces, s, in.channels, to.channel_stride != 1);
    const int64_t first = int64_t(task) / chunks * kBlockRows, rows = std::min(kBlockRows, in.rows - first);
    const int64_t panel = int64_t(task) % chunks * s.chunk, channel = panel * kernels::kPanel;
    in.pointers(x.as<float>(), first, rows, m.inputs);
    if (s.copy_rows) {
      for (int64_t i = 0; i < rows; ++i) {
        float* row = m.copies + i * in.channels;
        for (int64_t k = 0; k < in.channels; ++k) row[k] = m.inputs[i][k * in.channel_stride];
        m.inputs[i] = row;
      }
    }
    to.pointers(out.as<float>(), first, rows, m.out);
    end.locate(m.epilogue, first, rows);
    run_gemm_block({kernels, m.inputs, rows, 1, in.channels, 0, nullptr, packed.as<float>() + panel * panel_floats, panel_floats, channel,
                    std::min(out_features - channel, s.chunk * kernels::kPanel), m.out, scattered ? to.channel_stride : 1, m.block, m.block_rows},
                   end, m.epilogue);
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"glint::linear(Tensor x, Tensor packed, SymInt out_features, str epilogue, Tensor[] operands) -> Tensor", infer, run, plan>("", {.strided_results = true}),
};

}  // namespace

extern constinit const OpFamily op_glint_linear{kDefs};

}  // namespace glint::ops
