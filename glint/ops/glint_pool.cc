#include "glint/kernels/pool.h"

#include "glint/ops/packed_gemm.h"
#include "glint/ops/pool.h"

namespace glint::ops {
namespace {

// Modes: "max" and "avg" are aten's pools; "adaptive_avg" takes the output's size for its kernel.
struct Shape {
  PoolShape pool;
  bool max = false, adaptive = false;

  Window window(size_t d, int64_t position) const {
    return adaptive ? adapt(pool.in.size[d], pool.out.size[d], position) : slide(pool, pool.in, d, position);
  }
  // No window holds more pixels.
  int64_t most_pixels() const {
    if (adaptive) return pool.in.size[1] * pool.in.size[2];
    return std::min(pool.kernel[1], pool.in.size[1]) * std::min(pool.kernel[2], pool.in.size[2]);
  }
};

Status shape(const Tensor& x, std::string_view mode, Ints kernel, Ints stride, Ints padding, Ints dilation, bool ceil_mode, std::optional<int64_t> divisor, Shape& s) {
  s.max = mode == "max";
  s.adaptive = mode == "adaptive_avg";
  if (!s.max && !s.adaptive && mode != "avg") return unsupported("pool: unknown mode");
  if (x.dtype != DType::kF32) return unsupported("pool: only float32 inputs");
  if (x.rank != 4) return invalid_argument("pool: the input is not [N, C, H, W]");
  if (divisor == 0) return invalid_argument("pool: divisor_override must not be zero");
  const int64_t one[] = {1}, none[] = {0};
  if (!s.adaptive) return pool_shape(x, 2, kernel, stride, padding, s.max ? dilation : Ints(one), ceil_mode, s.pool);
  if (kernel.size() != 2 || kernel[0] < 1 || kernel[1] < 1 || kernel[0] > INT32_MAX || kernel[1] > INT32_MAX) return invalid_argument("pool: bad output size");
  GLINT_TRY(pool_shape(x, 2, one, one, none, one, false, s.pool));
  s.pool.out.size[1] = kernel[0];
  s.pool.out.size[2] = kernel[1];
  return {};
}

Status infer(const Tensor& x, std::string_view mode, Ints kernel, Ints stride, Ints padding, Ints dilation, bool ceil_mode, bool, std::optional<int64_t> divisor,
             bool channels_last, TensorMeta& out) {
  Shape s;
  GLINT_TRY(shape(x, mode, kernel, stride, padding, dilation, ceil_mode, divisor, s));
  GLINT_TRY(set_pooled(x, 2, s.pool.out.size, DType::kF32, out));
  constexpr uint8_t order[] = {0, 2, 3, 1};
  if (channels_last) out.set_dim_order(order);
  return {};
}

// A worker's scratch: the pixels of a window, and a row of channels if x or out does not keep them side by side.
struct Memory {
  const float** pixels;
  float* row;
  Memory(Pieces& p, const Shape& s, int64_t channels) : pixels(p.take<const float*>(s.most_pixels())), row(p.take<float>(channels)) {}
};

Status plan(const PlanContext& c, const Tensor& x, std::string_view mode, Ints kernel, Ints stride, Ints padding, Ints dilation, bool ceil_mode, bool,
            std::optional<int64_t> divisor, bool, const Tensor& out, Plan& p) {
  Shape s;
  GLINT_TRY(shape(x, mode, kernel, stride, padding, dilation, ceil_mode, divisor, s));
  Pieces pieces;
  Memory(pieces, s, x.size[1]);
  p.worker_scratch_bytes = pieces.used;
  p.tasks = size_t(x.size[0] * s.pool.out.size[1]);  // lines
  p.bytes = double(x.size_bytes() + out.size_bytes());
  p.flops = double(out.numel()) * double(s.most_pixels());
  if (p.flops < 1e5) p.tasks = 1;
  p.kernel = isa_name(c.cpu.isa);
  p.algorithm = s.max ? "max" : "average";
  return {};
}

struct Call {
  const Shape& s;
  const Tensor& x;
  Tensor& out;
  const kernels::PoolKernels& kernels;
  bool count_padding;
  std::optional<int64_t> divisor;
};

// A window whose channels are not side by side.
void pool_slowly(const Call& c, const float* const* pixels, int64_t count, float divisor, float* row) {
  for (int64_t k = 0; k < c.x.size[1]; ++k) {
    const int64_t at = k * c.x.stride[1];
    float v = pixels[0][at];
    for (int64_t i = 1; i < count; ++i) {
      const float w = pixels[i][at];
      v = !c.s.max ? v + w : v > w || v != v ? v : w;
    }
    row[k] = c.s.max ? v : v / divisor;
  }
}

void pool_pixel(const Call& c, int64_t n, int64_t oy, int64_t ox, const Memory& m) {
  const Window wy = c.s.window(1, oy), wx = c.s.window(2, ox);
  const float* base = c.x.as<float>() + n * c.x.stride[0];
  const int64_t step_y = c.s.adaptive ? 1 : c.s.pool.dilation[1], step_x = c.s.adaptive ? 1 : c.s.pool.dilation[2];
  int64_t count = 0;
  for (int64_t y = wy.start; y < wy.end; y += step_y)
    for (int64_t x = wx.start; x < wx.end; x += step_x) m.pixels[count++] = base + y * c.x.stride[2] + x * c.x.stride[3];
  const float divisor = float(c.divisor ? *c.divisor : c.count_padding ? wy.padded * wx.padded : count);
  const int64_t channels = c.x.size[1];
  float* to = c.out.as<float>() + n * c.out.stride[0] + oy * c.out.stride[2] + ox * c.out.stride[3];
  const bool direct = c.out.stride[1] == 1 || channels == 1;
  float* row = direct ? to : m.row;
  if (count == 0) std::fill(row, row + channels, c.s.max ? -std::numeric_limits<float>::infinity() : 0.0f / divisor);
  else if (c.x.stride[1] != 1 && channels > 1) pool_slowly(c, m.pixels, count, divisor, row);
  else if (c.s.max) c.kernels.max(m.pixels, count, channels, row);
  else c.kernels.average(m.pixels, count, divisor, channels, row);
  if (direct) return;
  for (int64_t k = 0; k < channels; ++k) to[k * c.out.stride[1]] = row[k];
}

Status run(OpContext& context, const Tensor& x, std::string_view mode, Ints kernel, Ints stride, Ints padding, Ints dilation, bool ceil_mode, bool count_padding,
           std::optional<int64_t> divisor, bool, Tensor& out) {
  if (out.numel() == 0) return {};
  Shape s;
  GLINT_TRY(shape(x, mode, kernel, stride, padding, dilation, ceil_mode, divisor, s));
  const Call call{s, x, out, kernels::pool_f32(context.cpu().isa), count_padding && !s.adaptive, divisor};
  const int64_t lines = out.size[0] * out.size[2], tasks = int64_t(context.plan().tasks), each = ceil_div(lines, tasks);
  parallel_for(context.parallel(), size_t(tasks), [&](size_t task, size_t worker) {
    Pieces pieces{context.scratch(worker)};
    const Memory m(pieces, s, x.size[1]);
    for (int64_t line = int64_t(task) * each; line < std::min(lines, int64_t(task + 1) * each); ++line)
      for (int64_t ox = 0; ox < out.size[3]; ++ox) pool_pixel(call, line / out.size[2], line % out.size[2], ox, m);
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"glint::pool(Tensor x, str mode, SymInt[] kernel, SymInt[] stride=[], SymInt[] padding=[0, 0], SymInt[] dilation=[1, 1], bool ceil_mode=False, "
              "bool count_include_pad=True, int? divisor_override=None, bool channels_last=False) -> Tensor",
              infer, run, plan>("", {.strided_results = true}),
};

}  // namespace

extern constinit const OpFamily op_glint_pool{kDefs};

}  // namespace glint::ops
