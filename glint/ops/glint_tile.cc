#include "glint/ops/packed_gemm.h"

namespace glint::ops {
namespace {

using kernels::kTileElements;
using kernels::kTileMaxOperands;
using kernels::TileMode;

constexpr int64_t kMostRows = 64;       // of a tile
constexpr int64_t kTilesOfATask = 64;

Status infer(TensorList operands, std::string_view bytes, TensorMeta& out) {
  kernels::TileProgram program;
  GLINT_TRY(kernels::decode_tile_program(bytes, false, program));
  if (operands.size() != program.operands) return invalid_argument("tile program: it wants another number of operands");
  out.set(program.result, {});
  for (uint32_t i = 0; i < operands.size(); ++i) {
    if (operands[i] == nullptr) return invalid_argument("tile program: an operand is missing");
    if (!broadcast(out, *operands[i], out).ok()) return invalid_argument("tile program: the operands do not broadcast", int32_t(i));
  }
  if (!TensorMeta(out).set(program.result, out.sizes())) return invalid_argument("tile program: the result is too large");
  for (uint32_t i = 0; i < operands.size(); ++i) {
    const Tensor& t = *operands[i];
    const int64_t last = t.rank > 0 ? t.size[size_t(t.rank - 1)] : 1;
    const TileMode mode = program.operand[i].mode;
    if (t.dtype != program.operand[i].dtype) return invalid_argument("tile program: an operand has another dtype", int32_t(i));
    if (mode == TileMode::kScalar && t.numel() != 1) return invalid_argument("tile program: a scalar operand has more than one element", int32_t(i));
    if (mode == TileMode::kRow && t.numel() != last) return invalid_argument("tile program: a row operand is not a vector of the last dimension's size", int32_t(i));
    if (mode == TileMode::kColumn && last != 1) return invalid_argument("tile program: a column operand has more than one column", int32_t(i));
  }
  return {};
}

// How the result is cut into tiles of rows x cols.
struct Cut {
  Loop<1 + kTileMaxOperands> loop;
  int64_t inner, second, cols, rows, across, down, tiles;

  Cut(const Tensor& out, TensorList operands) {
    const TensorMeta* m[kTileMaxOperands];
    for (uint32_t i = 0; i < kTileMaxOperands; ++i) m[i] = i < operands.size() ? static_cast<const TensorMeta*>(operands[i]) : &out;
    loop = make_loop(out, *m[0], *m[1], *m[2], *m[3], *m[4], *m[5], *m[6]);
    inner = loop.size[size_t(loop.rank - 1)];
    second = loop.rank > 1 ? loop.size[size_t(loop.rank - 2)] : 1;
    cols = std::min(inner, kTileElements);
    rows = cols == 0 ? 0 : std::min({second, kTileElements / cols, kMostRows});
    across = cols == 0 ? 0 : ceil_div(inner, cols);
    down = rows == 0 ? 0 : ceil_div(second, rows);
    tiles = across * down;
    for (int d = 0; d < loop.rank - 2; ++d) tiles *= loop.size[size_t(d)];
  }
  int64_t tasks() const { return ceil_div(tiles, kTilesOfATask); }
};

Status plan(const PlanContext& c, TensorList operands, std::string_view bytes, const Tensor& out, Plan& p) {
  kernels::TileProgram program;
  GLINT_TRY(kernels::decode_tile_program(bytes, false, program));
  p.tasks = size_t(Cut(out, operands).tasks());
  p.worker_scratch_bytes = kernels::tile_scratch_bytes(program.slots);
  p.bytes = double(out.size_bytes());
  for (uint32_t i = 0; i < operands.size(); ++i) p.bytes += double(operands[i]->size_bytes());
  p.flops = double(out.numel()) * program.steps;
  p.kernel = isa_name(c.cpu.isa);
  p.algorithm = "tiles";
  return {};
}

struct Call {
  const Cut& cut;
  const kernels::TileProgram& program;
  const kernels::TileKernels& kernels;
  char* base[1 + kTileMaxOperands];  // the result, then operands
  int64_t width[1 + kTileMaxOperands];
};

void run_tile(const Call& c, int64_t index, void* scratch) {
  const Cut& cut = c.cut;
  const int64_t col = index % cut.across * cut.cols, row = index / cut.across % cut.down * cut.rows;
  const int64_t cols = std::min(cut.cols, cut.inner - col), rows = std::min(cut.rows, cut.second - row);
  const size_t rank = size_t(cut.loop.rank), count = size_t(1 + c.program.operands);
  void* at[1 + kTileMaxOperands][kMostRows];
  for (size_t k = 0; k < count; ++k) {
    const auto& step = cut.loop.step[k];
    int64_t offset = col * step[rank - 1], rest = index / cut.across / cut.down;
    for (size_t d = rank; d-- > 0;) {
      if (d + 2 >= rank) continue;  // the two that tiles span
      offset += rest % cut.loop.size[d] * step[d];
      rest /= cut.loop.size[d];
    }
    const int64_t down = rank > 1 ? step[rank - 2] : 0;
    for (int64_t r = 0; r < rows; ++r) at[k][r] = c.base[k] + (offset + (row + r) * down) * c.width[k];
  }
  kernels::TileRows list[kTileMaxOperands];
  for (size_t i = 0; i + 1 < count; ++i) list[i] = {at[i + 1], cut.loop.step[i + 1][rank - 1]};
  c.kernels.run({&c.program, rows, cols, list, {}, at[0], cut.loop.step[0][rank - 1], scratch});
}

Status run(OpContext& context, TensorList operands, std::string_view bytes, Tensor& out) {
  if (out.numel() == 0) return {};
  kernels::TileProgram program;
  GLINT_TRY(kernels::decode_tile_program(bytes, false, program));
  const Cut cut(out, operands);
  Call call{cut, program, kernels::tile_kernels(context.cpu().isa), {}, {}};
  for (uint32_t k = 0; k <= operands.size(); ++k) {
    const Tensor& t = k == 0 ? out : *operands[k - 1];
    call.base[k] = static_cast<char*>(t.data);
    call.width[k] = int64_t(dtype_size(t.dtype));
  }
  parallel_for(context.parallel(), context.plan().tasks, [&](size_t task, size_t worker) {
    const int64_t last = std::min(int64_t(task + 1) * kTilesOfATask, cut.tiles);
    for (int64_t i = int64_t(task) * kTilesOfATask; i < last; ++i) run_tile(call, i, context.scratch(worker));
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"glint::tile(Tensor[] operands, str program) -> Tensor", infer, run, plan>("", {.may_alias = true, .strided_results = true}),
};

}  // namespace

extern constinit const OpFamily op_glint_tile{kDefs};

}  // namespace glint::ops
