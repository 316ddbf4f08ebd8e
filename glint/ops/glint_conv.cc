#include "glint/kernels/conv/depthwise.h"
#include "glint/ops/packed_gemm.h"

namespace glint::ops {
namespace {

// How one convolution is computed.
enum class Algorithm : uint8_t {
  kPixels,     // channels side by side: a matrix multiply over pointers to input pixels, a set for each tap
  kLines,      // few input channels, any strides: over lines of the image copied with their padding
  kDepthwise,  // one channel a group
};

struct State {
  Algorithm algorithm;
  bool transpose;       // x is copied to channels-last first
  int64_t chunk;        // panels of a task
  int64_t block_rows;   // of a task; of lines: output lines
  EpilogueState epilogue;
};

// Everything about the shape; infer saw to it that nothing here overflows.
struct Geometry {
  int64_t batch, channels, height, width;
  int64_t outputs, group_channels, kernel_height, kernel_width, groups;
  int64_t stride_y, stride_x, pad_y, pad_x, dilation_y, dilation_x;  // pad: before the first pixel
  int64_t out_height, out_width;
  int64_t pad_bottom, pad_right;

  int64_t taps() const { return kernel_height * kernel_width; }
  int64_t depth() const { return taps() * group_channels; }
  int64_t group_outputs() const { return outputs / groups; }
  int64_t group_panels() const { return ceil_div(group_outputs(), kernels::kPanel); }
  bool depthwise() const { return groups > 1 && groups == channels && groups == outputs; }
  bool padded() const { return pad_y > 0 || pad_x > 0 || pad_bottom > 0 || pad_right > 0; }
  bool pointwise() const { return taps() == 1 && !padded(); }
  int64_t panels() const { return depthwise() ? ceil_div(outputs, kernels::kPanel) : groups * group_panels(); }
  // Of kLines: the padded width that outputs read.
  int64_t line_width() const { return (out_width - 1) * stride_x + (kernel_width - 1) * dilation_x + 1; }
};

// The number of outputs along one dimension, or an error.
Status out_size(int64_t size, int64_t kernel, int64_t stride, int64_t before, int64_t after, int64_t dilation, int64_t* out) {
  if (kernel < 1) return invalid_argument("conv: the kernel is empty");
  if (stride < 1) return invalid_argument("conv: a stride is not positive");
  if (before < 0 || after < 0) return invalid_argument("conv: a padding is negative");
  if (dilation < 1) return invalid_argument("conv: a dilation is not positive");
  int64_t padded, extent;
  if (!checked_add(before, after, &padded) || !checked_add(padded, size, &padded) || !checked_mul(dilation, kernel - 1, &extent) || padded > INT64_MAX / 2 ||
      extent > INT64_MAX / 2)
    return invalid_argument("conv: the arguments are too large");
  if (extent + 1 > padded) return invalid_argument("conv: the kernel is larger than the padded input");
  *out = (padded - extent - 1) / stride + 1;
  return {};
}

Status geometry(const TensorMeta& x, Ints sizes, Ints stride, Ints padding, Ints dilation, int64_t groups, Geometry& g) {
  if (x.rank != 4) return invalid_argument("conv: the input is not [N, C, H, W]");
  if (sizes.size() != 4) return invalid_argument("conv: weight_sizes is not [O, C / groups, H, W]");
  if (stride.size() != 2 || dilation.size() != 2) return invalid_argument("conv: stride and dilation want two numbers each");
  if (padding.size() != 2 && padding.size() != 4) return invalid_argument("conv: padding wants two numbers, or four: top, left, bottom, right");
  for (int64_t s : sizes)
    if (s < 0 || s > INT32_MAX) return invalid_argument("conv: a weight size is out of range");
  g = {x.size[0], x.size[1], x.size[2], x.size[3], sizes[0], sizes[1], sizes[2], sizes[3], groups, stride[0], stride[1], padding[0], padding[1], dilation[0], dilation[1], 0, 0,
       padding[padding.size() - 2], padding[padding.size() - 1]};
  if (groups < 1 || g.outputs % groups != 0) return invalid_argument("conv: groups do not divide the outputs");
  int64_t wanted;
  if (!checked_mul(g.group_channels, groups, &wanted) || wanted != g.channels) return invalid_argument("conv: the weight wants another number of channels");
  GLINT_TRY(out_size(g.height, g.kernel_height, g.stride_y, g.pad_y, g.pad_bottom, g.dilation_y, &g.out_height));
  return out_size(g.width, g.kernel_width, g.stride_x, g.pad_x, g.pad_right, g.dilation_x, &g.out_width);
}

Status infer(const Tensor& x, const Tensor& packed, Ints weight_sizes, Ints stride, Ints padding, Ints dilation, int64_t groups, std::string_view epilogue,
             TensorList operands, bool channels_last, TensorMeta& out) {
  if (x.dtype != DType::kF32) return unsupported("conv: only float32 inputs");
  Geometry g;
  GLINT_TRY(geometry(x, weight_sizes, stride, padding, dilation, groups, g));
  if (packed.dtype != DType::kU8 || packed.rank != 2 || !packed.is_contiguous()) return invalid_argument("conv: the weight is not packed");
  int64_t k, bytes;
  if (!checked_mul(g.kernel_height * g.kernel_width, g.group_channels, &k) || !checked_add(k, 1, &k) || !checked_mul(k, 64, &bytes) || packed.size[0] != g.panels() ||
      packed.size[1] != bytes)
    return invalid_argument("conv: the packed weight has other sizes");
  const int64_t sizes[] = {g.batch, g.outputs, g.out_height, g.out_width};
  if (!out.set(DType::kF32, sizes)) return invalid_argument("conv: the result is too large");
  constexpr uint8_t order[] = {0, 2, 3, 1};
  if (channels_last) out.set_dim_order(order);
  kernels::TileProgram program;
  GLINT_TRY(check_epilogue(epilogue, operands, out, 1, true, program));
  if (program.result != DType::kF32) return unsupported("conv: the epilogue must yield float32");
  return {};
}

// --- Plan ---

constexpr int64_t kMostLineBytes = 256 << 10;

bool lines_fit(const Geometry& g) {
  int64_t floats;
  return g.groups == 1 && g.channels <= 16 && checked_mul(g.line_width(), g.channels * g.kernel_height, &floats) && floats * 4 <= kMostLineBytes && floats > 0;
}

Algorithm choose(const Geometry& g, const TensorMeta& x) {
  if (g.depthwise()) return Algorithm::kDepthwise;
  const bool side_by_side = x.stride[1] == 1 || g.channels == 1;
  if (lines_fit(g) && (!side_by_side || (g.channels < 8 && !g.pointwise()))) return Algorithm::kLines;
  return Algorithm::kPixels;
}

// Shared scratch: zeros that padding points at, offsets of kLines, the transposed input.
struct Shared {
  float* zeros;
  int32_t* gather;
  float* transposed;
  Shared(Pieces& p, const State& s, const Geometry& g)
      : zeros(p.take<float>(s.algorithm != Algorithm::kLines && g.padded() ? g.channels : 0)),
        gather(p.take<int32_t>(s.algorithm == Algorithm::kLines ? g.depth() : 0)),
        transposed(p.take<float>(s.transpose ? g.batch * g.channels * g.height * g.width : 0)) {}
};

// One worker's scratch.
struct Memory {
  const float** inputs;
  float** out;
  float* lines;
  float* block;
  float** block_rows;
  EpilogueRun::Memory epilogue;

  Memory(Pieces& p, const State& s, const Geometry& g, bool scattered)
      : inputs(p.take<const float*>(s.algorithm == Algorithm::kPixels ? s.block_rows * g.taps() : s.algorithm == Algorithm::kLines ? kBlockRows : depthwise_inputs(g))),
        out(p.take<float*>(rows(s))),
        lines(p.take<float>(s.algorithm == Algorithm::kLines ? g.channels * g.kernel_height * g.line_width() : 0)),
        block(p.take<float>(!scattered ? 0 : s.algorithm == Algorithm::kDepthwise ? kernels::kMaxDepthwisePixels * g.channels : rows(s) * 32)),
        block_rows(p.take<float*>(scattered ? rows(s) : 0)),
        epilogue(p, s.epilogue, rows(s)) {}

  static int64_t rows(const State& s) { return s.algorithm == Algorithm::kPixels ? s.block_rows : kBlockRows; }
  static int64_t depthwise_inputs(const Geometry& g) {
    return g.kernel_height * std::max<int64_t>(g.kernel_width, (kernels::kMaxDepthwisePixels - 1) * 2 + 5);
  }
};

bool is_scattered(const TensorMeta& out) { return out.size[1] > 1 && out.stride[1] != 1; }

Status plan(const PlanContext& c, const Tensor& x, const Tensor& packed, Ints weight_sizes, Ints stride, Ints padding, Ints dilation, int64_t groups,
            std::string_view epilogue, TensorList operands, bool, const Tensor& out, Plan& p) {
  State& s = p.state<State>();
  s = {};
  if (out.numel() == 0) return {};  // products of the other sizes need not fit
  Geometry g;
  GLINT_TRY(geometry(x, weight_sizes, stride, padding, dilation, groups, g));
  kernels::TileProgram program;
  GLINT_TRY(check_epilogue(epilogue, operands, out, 1, true, program));
  s.epilogue = plan_epilogue(program, operands, out, 1);
  s.algorithm = choose(g, x);
  s.transpose = s.algorithm != Algorithm::kLines && g.channels > 1 && x.stride[1] != 1;
  p.flops = 2.0 * double(out.numel()) * double(g.depth());
  p.bytes = double(packed.size_bytes()) + double(x.numel() + out.numel()) * 4;
  const int64_t lines = g.batch * g.out_height;
  if (s.algorithm == Algorithm::kPixels) {
    if (g.taps() > (int64_t(1) << 20)) return unsupported("conv: the kernel is too large");
    s.block_rows = std::clamp<int64_t>(4096 / g.taps(), 8, kBlockRows);
    const int64_t blocks = ceil_div(lines * g.out_width, s.block_rows) * g.groups;
    s.chunk = chunk_panels(blocks, g.group_panels(), p.flops);
    p.tasks = size_t(blocks * ceil_div(g.group_panels(), s.chunk));
  } else {
    if (g.taps() > (int64_t(1) << 20)) return unsupported("conv: the kernel is too large");
    const double line_flops = p.flops / double(std::max<int64_t>(lines, 1));
    s.block_rows = std::clamp<int64_t>(int64_t(2e5 / std::max(line_flops, 1.0)), 1, std::max<int64_t>(1, lines));
    p.tasks = size_t(ceil_div(lines, s.block_rows));
  }
  Pieces shared, worker;
  Shared(shared, s, g);
  Memory(worker, s, g, is_scattered(out));
  p.scratch_bytes = shared.used;
  p.worker_scratch_bytes = worker.used;
  p.packed[0] = {1, g.depthwise() ? "f32.dw16" : "f32.n16"};
  p.kernel = isa_name(c.cpu.isa);
  p.algorithm = s.algorithm == Algorithm::kDepthwise ? "depthwise" : s.algorithm == Algorithm::kLines ? "lines" : g.pointwise() ? "pointwise" : "pixels";
  return {};
}

// --- Run ---

// One call: what its tasks share.
struct Call {
  const State& s;
  const Geometry& g;
  const Tensor& x;  // channels side by side, unless kLines
  const Tensor& out;
  const float* panels;
  int64_t panel_floats;
  const float* zeros;
  const int32_t* gather;
  const EpilogueRun& epilogue;
  const Cpu& cpu;
  RowView out_rows;
  bool scattered;

  const float* pixel(int64_t n, int64_t y, int64_t x_at) const {
    if (y < 0 || y >= g.height || x_at < 0 || x_at >= g.width) return zeros;
    return x.as<float>() + n * x.stride[0] + y * x.stride[2] + x_at * x.stride[3];
  }
};

void transpose(Parallel* parallel, const Tensor& x, const Geometry& g, float* to) {
  parallel_for(parallel, size_t(g.batch * g.height), [&](size_t line, size_t) {
    const float* from = x.as<float>() + int64_t(line) / g.height * x.stride[0] + int64_t(line) % g.height * x.stride[2];
    float* out = to + int64_t(line) * g.width * g.channels;
    // Squares of 16 keep both sides' cache lines in use.
    for (int64_t c0 = 0; c0 < g.channels; c0 += 16)
      for (int64_t x0 = 0; x0 < g.width; x0 += 16)
        for (int64_t i = x0; i < std::min(x0 + 16, g.width); ++i)
          for (int64_t c = c0; c < std::min(c0 + 16, g.channels); ++c) out[i * g.channels + c] = from[c * x.stride[1] + i * x.stride[3]];
  });
}

// Pointers to the input pixels of output rows first .. first + rows, tile by tile.
void locate_inputs(const Call& c, int64_t first, int64_t rows, const float** inputs) {
  const Geometry& g = c.g;
  const int64_t most = kernels::gemm_f32(c.cpu.isa).rows;
  kernels::for_each_tile(rows, most, [&](int64_t start, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      const int64_t row = first + start + i, line = row / g.out_width;
      const int64_t x0 = row % g.out_width * g.stride_x - g.pad_x, y0 = line % g.out_height * g.stride_y - g.pad_y, n = line / g.out_height;
      const float** at = inputs + start * g.taps() + i;
      for (int64_t ky = 0; ky < g.kernel_height; ++ky)
        for (int64_t kx = 0; kx < g.kernel_width; ++kx, at += count) *at = c.pixel(n, y0 + ky * g.dilation_y, x0 + kx * g.dilation_x);
    }
  });
}

void run_pixels(const Call& c, const Memory& m, int64_t task) {
  const Geometry& g = c.g;
  const int64_t chunks = ceil_div(g.group_panels(), c.s.chunk), group = task / chunks % g.groups, block = task / chunks / g.groups;
  const int64_t first = block * c.s.block_rows, rows = std::min(c.s.block_rows, g.batch * g.out_height * g.out_width - first);
  const int64_t panel = task % chunks * c.s.chunk, channel = panel * kernels::kPanel;
  if (g.pointwise() && g.stride_y == 1 && g.stride_x == 1) RowView::of(c.x, c.x, 1).pointers(c.x.as<float>(), first, rows, m.inputs);
  else locate_inputs(c, first, rows, m.inputs);
  c.out_rows.pointers(c.out.as<float>(), first, rows, m.out);
  c.epilogue.locate(m.epilogue, first, rows);
  run_gemm_block({kernels::gemm_f32(c.cpu.isa), m.inputs, rows, g.taps(), g.group_channels, group * g.group_channels, nullptr,
                  c.panels + (group * g.group_panels() + panel) * c.panel_floats, c.panel_floats, group * g.group_outputs() + channel,
                  std::min(g.group_outputs() - channel, c.s.chunk * kernels::kPanel), m.out, c.scattered ? c.out_rows.channel_stride : 1, m.block, m.block_rows},
                 c.epilogue, m.epilogue);
}

// Copies the input lines under one output line, with zeros where there is no image: [channels, kernel height, line width].
void copy_lines(const Call& c, int64_t n, int64_t oy, float* to) {
  const Geometry& g = c.g;
  const int64_t width = g.line_width(), left = std::min(g.pad_x, width), right = std::min(width, g.width + g.pad_x);
  for (int64_t channel = 0; channel < g.channels; ++channel) {
    for (int64_t ky = 0; ky < g.kernel_height; ++ky, to += width) {
      const int64_t y = oy * g.stride_y - g.pad_y + ky * g.dilation_y;
      if (y < 0 || y >= g.height || right <= left) {
        std::fill(to, to + width, 0.0f);
        continue;
      }
      const float* from = c.x.as<float>() + n * c.x.stride[0] + channel * c.x.stride[1] + y * c.x.stride[2];
      std::fill(to, to + left, 0.0f);
      if (c.x.stride[3] == 1) std::copy(from, from + (right - left), to + left);
      else for (int64_t i = left; i < right; ++i) to[i] = from[(i - left) * c.x.stride[3]];
      std::fill(to + right, to + width, 0.0f);
    }
  }
}

void run_lines(const Call& c, const Memory& m, int64_t task) {
  const Geometry& g = c.g;
  const int64_t last = std::min((task + 1) * c.s.block_rows, g.batch * g.out_height);
  for (int64_t line = task * c.s.block_rows; line < last; ++line) {
    copy_lines(c, line / g.out_height, line % g.out_height, m.lines);
    for (int64_t x0 = 0; x0 < g.out_width; x0 += kBlockRows) {
      const int64_t rows = std::min(kBlockRows, g.out_width - x0), first = line * g.out_width + x0;
      for (int64_t i = 0; i < rows; ++i) m.inputs[i] = m.lines + (x0 + i) * g.stride_x;
      c.out_rows.pointers(c.out.as<float>(), first, rows, m.out);
      c.epilogue.locate(m.epilogue, first, rows);
      run_gemm_block({kernels::gemm_f32(c.cpu.isa), m.inputs, rows, 1, g.depth(), 0, c.gather, c.panels, c.panel_floats, 0, g.outputs, m.out,
                      c.scattered ? c.out_rows.channel_stride : 1, m.block, m.block_rows},
                     c.epilogue, m.epilogue);
    }
  }
}

// Whether the depthwise kernels of several outputs side by side apply.
bool is_fixed(const Geometry& g) { return (g.kernel_width == 3 || g.kernel_width == 5) && g.stride_x <= 2 && g.dilation_x == 1; }

// Outputs first .. first + count of one line, all channels; `located` is the first one's index among the located rows.
void run_depthwise_tile(const Call& c, const Memory& m, int64_t line, int64_t first, int64_t located, int64_t count, bool fixed) {
  const Geometry& g = c.g;
  const int64_t n = line / g.out_height, y0 = line % g.out_height * g.stride_y - g.pad_y, x0 = first * g.stride_x - g.pad_x;
  const int64_t columns = fixed ? (count - 1) * g.stride_x + g.kernel_width : g.kernel_width, step = fixed ? 1 : g.dilation_x;
  const bool inside = x0 >= 0 && x0 + (columns - 1) * step < g.width;
  const float** at = m.inputs;
  for (int64_t ky = 0; ky < g.kernel_height; ++ky) {
    const int64_t y = y0 + ky * g.dilation_y;
    if (inside && y >= 0 && y < g.height) {
      const float* p = c.pixel(n, y, x0);
      for (int64_t i = 0; i < columns; ++i, p += step * c.x.stride[3]) *at++ = p;
    } else {
      for (int64_t i = 0; i < columns; ++i) *at++ = c.pixel(n, y, x0 + i * step);
    }
  }
  if (c.scattered)
    for (int64_t i = 0; i < count; ++i) m.block_rows[i] = m.block + i * g.channels;
  float* const* out = c.scattered ? m.block_rows : m.out + located;
  const float* const* residual = m.epilogue.residual == nullptr ? nullptr : m.epilogue.residual + located;
  const kernels::DepthwiseKernels& table = kernels::depthwise_f32(c.cpu.isa);
  const auto tile = fixed ? table.fixed[g.kernel_width == 5][g.stride_x == 2][count - 1] : table.any;
  tile({m.inputs, fixed ? g.kernel_height : g.taps(), c.panels, c.panel_floats, g.channels, out, residual, c.s.epilogue.lo, c.s.epilogue.hi});
  c.epilogue.run(m.epilogue, located, out, count, 0, 0, g.channels);
  if (!c.scattered) return;
  for (int64_t i = 0; i < count; ++i)
    for (int64_t k = 0; k < g.channels; ++k) m.out[located + i][k * c.out_rows.channel_stride] = m.block_rows[i][k];
}

void run_depthwise(const Call& c, const Memory& m, int64_t task) {
  const Geometry& g = c.g;
  const bool fixed = is_fixed(g);
  const int64_t last = std::min((task + 1) * c.s.block_rows, g.batch * g.out_height);
  for (int64_t line = task * c.s.block_rows; line < last; ++line) {
    for (int64_t x0 = 0; x0 < g.out_width; x0 += kBlockRows) {
      const int64_t rows = std::min(kBlockRows, g.out_width - x0);
      c.out_rows.pointers(c.out.as<float>(), line * g.out_width + x0, rows, m.out);
      c.epilogue.locate(m.epilogue, line * g.out_width + x0, rows);
      kernels::for_each_tile(rows, fixed ? kernels::kMaxDepthwisePixels : 1,
                             [&](int64_t first, int64_t count) { run_depthwise_tile(c, m, line, x0 + first, first, count, fixed); });
    }
  }
}

Status run(OpContext& context, const Tensor& x, const Tensor& packed, Ints weight_sizes, Ints stride, Ints padding, Ints dilation, int64_t groups,
           std::string_view epilogue, TensorList operands, bool, Tensor& out) {
  if (out.numel() == 0) return {};
  const State& s = context.state<State>();
  Geometry g;
  GLINT_TRY(geometry(x, weight_sizes, stride, padding, dilation, groups, g));
  Pieces pieces{context.scratch()};
  const Shared shared(pieces, s, g);
  Tensor input = x;
  if (s.transpose) {
    transpose(context.parallel(), x, g, shared.transposed);
    constexpr uint8_t order[] = {0, 2, 3, 1};
    input.set_dim_order(order);
    input.data = shared.transposed;
  }
  if (s.algorithm == Algorithm::kLines) {
    int32_t* at = shared.gather;
    for (int64_t ky = 0; ky < g.kernel_height; ++ky)
      for (int64_t kx = 0; kx < g.kernel_width; ++kx)
        for (int64_t c = 0; c < g.channels; ++c) *at++ = int32_t((c * g.kernel_height + ky) * g.line_width() + kx * g.dilation_x);
  } else if (g.padded()) {
    std::fill(shared.zeros, shared.zeros + g.channels, 0.0f);
  }
  const EpilogueRun end(s.epilogue, context.cpu(), epilogue, operands, out, 1);
  const Call call{s, g, input, out, packed.as<float>(), packed.size[1] / 4, shared.zeros, shared.gather, end, context.cpu(), RowView::of(out, out, 1), is_scattered(out)};
  parallel_for(context.parallel(), context.plan().tasks, [&](size_t task, size_t worker) {
    Pieces own{context.scratch(worker)};
    const Memory m(own, s, g, call.scattered);
    if (s.algorithm == Algorithm::kPixels) run_pixels(call, m, int64_t(task));
    else if (s.algorithm == Algorithm::kLines) run_lines(call, m, int64_t(task));
    else run_depthwise(call, m, int64_t(task));
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"glint::conv(Tensor x, Tensor packed, SymInt[] weight_sizes, SymInt[] stride, SymInt[] padding, SymInt[] dilation, int groups, str epilogue, "
              "Tensor[] operands, bool channels_last) -> Tensor",
              infer, run, plan>("", {.strided_results = true}),
};

}  // namespace

extern constinit const OpFamily op_glint_conv{kDefs};

}  // namespace glint::ops
