#include <cmath>

#include "glint/kernels/convert.h"
#include "glint/ops/packed_gemm.h"

// One recurrent layer in one direction. What depends on the input alone was multiplied before: `gates` is
// [time, batch, n * hidden], n gates side by side. Every step adds the last state's product (`weight` [n * hidden, out], `bias`) and goes
// through the cell. An lstm may project its state (`project` [out, hidden]); else out is hidden. A float32 weight may be packed (f32.n16)
// together with its bias.

namespace glint::ops {
namespace {

using kernels::TileBuilder;
using kernels::TileMode;
using kernels::TileOp;

enum class Cell : uint8_t { kLstm, kGru, kTanh, kRelu };

bool cell_of(std::string_view name, Cell& cell) {
  cell = name == "lstm" ? Cell::kLstm : name == "gru" ? Cell::kGru : name == "tanh" ? Cell::kTanh : Cell::kRelu;
  return name == "lstm" || name == "gru" || name == "tanh" || name == "relu";
}
constexpr int64_t gate_count(Cell c) { return c == Cell::kLstm ? 4 : c == Cell::kGru ? 3 : 1; }

struct Sizes {
  int64_t time, batch, gates, hidden, out;  // gates: n * hidden
  bool packed;
};

Status sizes_of(const Tensor& gates, const Tensor& weight, const Tensor* bias, const Tensor* project, const Tensor& h0, const Tensor* c0, Cell cell, Sizes& s) {
  if (gates.dtype != DType::kF32 && gates.dtype != DType::kF64 && gates.dtype != DType::kF16 && gates.dtype != DType::kBF16) return unsupported("recurrent: the dtype is not floating");
  if (gates.rank != 3 || weight.rank != 2 || h0.rank != 2) return invalid_argument("recurrent: wants gates [time, batch, gates], weight [gates, out] and h0 [batch, out]");
  s = {gates.size[0], gates.size[1], gates.size[2], gates.size[2] / gate_count(cell), h0.size[1], weight.dtype == DType::kU8};
  const auto is = [&](const Tensor* t, int rank, int64_t a, int64_t b) {
    return t == nullptr || (t->dtype == gates.dtype && t->rank == rank && t->size[0] == a && (rank == 1 || t->size[1] == b));
  };
  if (s.gates != s.hidden * gate_count(cell)) return invalid_argument("recurrent: the gates do not divide evenly");
  if (s.gates > INT32_MAX || s.out > INT32_MAX) return invalid_argument("recurrent: a size is too large");
  if (s.packed) {
    if (gates.dtype != DType::kF32 || bias != nullptr || !weight.is_contiguous() || weight.size[0] != ceil_div(s.gates, kernels::kPanel) || weight.size[1] != kernels::n16_panel_bytes(s.out))
      return invalid_argument("recurrent: the packed weight does not fit");
  } else if (!is(&weight, 2, s.gates, s.out)) return invalid_argument("recurrent: the weight has another dtype or size than the gates");
  if (!is(bias, 1, s.gates, 0)) return invalid_argument("recurrent: the bias has another dtype or size than the gates");
  if (!is(&h0, 2, s.batch, s.out)) return invalid_argument("recurrent: h0 has another dtype or size than the gates and weight say");
  if ((cell == Cell::kLstm) != (c0 != nullptr) || !is(c0, 2, s.batch, s.hidden)) return invalid_argument("recurrent: c0 does not fit the cell");
  if (project != nullptr ? cell != Cell::kLstm || !is(project, 2, s.out, s.hidden) : s.out != s.hidden) return invalid_argument("recurrent: the projection does not fit the sizes");
  if (s.time < 1) return invalid_argument("recurrent: the sequence is empty");
  return {};
}

Status infer(const Tensor& gates, const Tensor& weight, const Tensor* bias, const Tensor* project, const Tensor& h0, const Tensor* c0, std::string_view cell_name, bool,
             TensorMeta& out, TensorMeta& h, TensorMeta& c) {
  Cell cell;
  Sizes s;
  if (!cell_of(cell_name, cell)) return unsupported("recurrent: unknown cell");
  GLINT_TRY(sizes_of(gates, weight, bias, project, h0, c0, cell, s));
  const int64_t all[] = {s.time, s.batch, s.out}, last_h[] = {s.batch, s.out}, last_c[] = {cell == Cell::kLstm ? s.batch : 0, s.hidden};
  return out.set(gates.dtype, all) && h.set(gates.dtype, last_h) && c.set(gates.dtype, last_c) ? Status() : invalid_argument("recurrent: a result is too large");
}

/// A matrix that states are multiplied by.
template <class C>
struct Matrix {
  int64_t outputs, depth;
  const C* data;  // float: panels of f32.n16, with the bias
  C* packed_panels;     // where they are packed
  C* bias;        // [outputs], unless packed
  C* rows;        // [outputs, depth], unless packed

  int64_t panels() const { return ceil_div(outputs, kernels::kPanel); }
  int64_t panel_floats() const { return (1 + depth) * kernels::kPanel; }

  Matrix(Pieces& p, int64_t o, int64_t d, bool used, bool packed) : outputs(used ? o : 0), depth(used ? d : 0) {
    data = packed_panels = p.take<C>(std::is_same_v<C, float> && !packed ? panels() * panel_floats() : 0);
    bias = p.take<C>(packed ? 0 : outputs);
    rows = p.take<C>(packed ? 0 : outputs * depth);
  }
  void fill(const Tensor& weight, const Tensor* b) {
    if (weight.dtype == DType::kU8) return void(data = static_cast<const C*>(weight.data));
    for (int64_t o = 0; o < outputs; ++o)
      kernels::load<C>(weight.dtype, static_cast<const char*>(weight.data) + o * weight.stride[0] * int64_t(dtype_size(weight.dtype)), weight.stride[1], depth, rows + o * depth);
    if (b != nullptr) kernels::load<C>(b->dtype, b->data, b->stride[0], outputs, bias);
    else std::fill(bias, bias + outputs, C(0));
    if constexpr (std::is_same_v<C, float>) kernels::pack_f32_n16({rows, outputs, depth, 1, depth, 1, nullptr, nullptr, bias, 1, 1}, packed_panels);
  }
};

/// Everything a call works in; C is the type that is computed in.
template <class C>
struct Memory {
  Matrix<C> weight, project;
  C *input, *gates;   // [batch, gates]: of a step; and with the state's product
  C *h, *c, *raw;     // [batch, out], [batch, hidden], and h before it is projected
  const C **in, **residual;
  C** out;
  void* tile;

  Memory(Pieces& p, const Sizes& s, Cell cell, bool projected)
      : weight(p, s.gates, s.out, true, s.packed), project(p, s.out, s.hidden, projected, false), input(p.take<C>(s.batch * s.gates)), gates(p.take<C>(s.batch * s.gates)),
        h(p.take<C>(s.batch * s.out)), c(p.take<C>(cell == Cell::kLstm ? s.batch * s.hidden : 0)), raw(p.take<C>(projected ? s.batch * s.hidden : 0)),
        in(p.take<const C*>(s.batch)), residual(p.take<const C*>(s.batch)), out(p.take<C*>(s.batch)),
        tile(p.take<std::byte>(int64_t(kernels::tile_scratch_bytes(kernels::kTileMaxSlots)))) {}
};

/// The cells as tile programs: operands are rows of gates and states.
struct CellPrograms {
  kernels::TileProgram next, state;  // lstm: c, then h; else: h

  static kernels::TileProgram decoded(TileBuilder& t) {
    kernels::TileProgram p;
    (void)kernels::decode_tile_program(t.finish(), false, p);
    return p;
  }
  explicit CellPrograms(Cell cell) {
    TileBuilder t, u;
    const auto load = [](TileBuilder& b) { return b.load(DType::kF32, TileMode::kFull); };
    if (cell == Cell::kLstm) {  // input, forget, cell, c;  output, c
      const int i = load(t), f = load(t), g = load(t), c = load(t);
      const int kept = t.step(TileOp::kMul, t.step(TileOp::kSigmoid, f), c);
      const int input_gate = t.step(TileOp::kSigmoid, i);
      const int added = t.step(TileOp::kMul, input_gate, t.step(TileOp::kTanh, g));
      t.step(TileOp::kAdd, kept, added);
      const int o = load(u), now = load(u);
      const int open = u.step(TileOp::kSigmoid, o);
      u.step(TileOp::kMul, open, u.step(TileOp::kTanh, now));
      state = decoded(u);
    } else if (cell == Cell::kGru) {  // reset, update, new of the input; the same of the state; h
      const int ir = load(t), iz = load(t), in = load(t), hr = load(t), hz = load(t), hn = load(t), h = load(t);
      const int reset = t.step(TileOp::kSigmoid, t.step(TileOp::kAdd, ir, hr));
      const int update = t.step(TileOp::kSigmoid, t.step(TileOp::kAdd, iz, hz));
      const int fresh = t.step(TileOp::kTanh, t.step(TileOp::kAdd, in, t.step(TileOp::kMul, reset, hn)));
      const int rest = t.step(TileOp::kMul, t.step(TileOp::kSub, h, fresh), update);
      t.step(TileOp::kAdd, rest, fresh);
    } else {
      t.step(cell == Cell::kTanh ? TileOp::kTanh : TileOp::kRelu, load(t));
    }
    next = decoded(t);
  }
};

template <class C>
class Recurrence {
 public:
  Recurrence(OpContext& context, const Sizes& s, Cell cell, Memory<C>& m)
      : context_(context), s_(s), cell_(cell), m_(m), gemm_(kernels::gemm_f32(context.cpu().isa)), tile_(kernels::tile_kernels(context.cpu().isa)), programs_(cell) {}

  /// m.h (and m.c) go from one step to the next; m.input holds what the input gives.
  void step() {
    const bool apart = cell_ == Cell::kGru;  // its cell wants both sums on their own
    multiply(m_.weight, m_.h, m_.gates, apart ? nullptr : m_.input);
    C* const h = m_.project.outputs > 0 ? m_.raw : m_.h;
    for (int64_t b = 0; b < s_.batch; ++b) run_cell(m_.input + b * s_.gates, m_.gates + b * s_.gates, h + b * s_.hidden, m_.c + b * s_.hidden);
    if (m_.project.outputs > 0) multiply(m_.project, m_.raw, m_.h, nullptr);
  }

 private:
  /// out[b] = matrix * in[b] + bias (+ add[b]).
  void multiply(const Matrix<C>& w, const C* in, C* out, const C* add) {
    if constexpr (std::is_same_v<C, float>) {
      const EpilogueState no_epilogue;
      const EpilogueRun plain(no_epilogue, context_.cpu(), {}, {}, TensorMeta(), -1);
      for (int64_t b = 0; b < s_.batch; ++b) {
        m_.in[b] = in + b * w.depth;
        m_.out[b] = out + b * w.outputs;
        m_.residual[b] = add == nullptr ? nullptr : add + b * w.outputs;
      }
      const int64_t chunk = chunk_panels(ceil_div(s_.batch, kBlockRows), w.panels(), 2.0 * double(s_.batch) * double(w.outputs) * double(w.depth));
      const int64_t chunks = ceil_div(w.panels(), chunk), blocks = ceil_div(s_.batch, kBlockRows);
      parallel_for(context_.parallel(), size_t(chunks * blocks), [&](size_t task, size_t) {
        const int64_t panel = int64_t(task) % chunks * chunk, first = int64_t(task) / chunks * kBlockRows, rows = std::min(kBlockRows, s_.batch - first);
        Pieces none;
        EpilogueRun::Memory memory(none, no_epilogue, 0);
        if (add != nullptr) memory.residual = m_.residual + first;
        run_gemm_block({gemm_, m_.in + first, rows, 1, w.depth, 0, nullptr, w.data + panel * w.panel_floats(), w.panel_floats(), panel * kernels::kPanel,
                        std::min(w.outputs - panel * kernels::kPanel, chunk * kernels::kPanel), m_.out + first, 1, nullptr, nullptr},
                       plain, memory);
      });
    } else {
      parallel_for(context_.parallel(), size_t(s_.batch), [&](size_t b, size_t) {
        for (int64_t o = 0; o < w.outputs; ++o) {
          C sum = w.bias[o] + (add == nullptr ? C(0) : add[int64_t(b) * w.outputs + o]);
          for (int64_t k = 0; k < w.depth; ++k) sum += w.rows[o * w.depth + k] * in[int64_t(b) * w.depth + k];
          out[int64_t(b) * w.outputs + o] = sum;
        }
      });
    }
  }

  void run_tile(const kernels::TileProgram& program, std::initializer_list<const C*> operands, int64_t count, C* out) {
    for (int64_t at = 0; at < count; at += kernels::kTileElements) {
      const void* rows[kernels::kTileMaxOperands];
      kernels::TileRows list[kernels::kTileMaxOperands];
      for (size_t i = 0; i < operands.size(); ++i) {
        rows[i] = operands.begin()[i] + at;
        list[i] = {&rows[i], 1};
      }
      void* to = out + at;
      tile_.run({&program, 1, std::min(kernels::kTileElements, count - at), list, {}, &to, 1, m_.tile});
    }
  }

  /// One row of the batch. `gates` has the sum of both products, but of a gru only the state's.
  void run_cell(const C* input, const C* gates, C* h, C* c) {
    const int64_t n = s_.hidden;
    if constexpr (std::is_same_v<C, float>) {
      if (cell_ == Cell::kLstm) {
        run_tile(programs_.next, {gates, gates + n, gates + 2 * n, c}, n, c);
        run_tile(programs_.state, {gates + 3 * n, c}, n, h);
      } else if (cell_ == Cell::kGru) {
        run_tile(programs_.next, {input, input + n, input + 2 * n, gates, gates + n, gates + 2 * n, h}, n, h);
      } else {
        run_tile(programs_.next, {gates}, n, h);
      }
    } else {
      const auto sigmoid = [](C x) { return 1 / (1 + std::exp(-x)); };
      for (int64_t i = 0; i < n; ++i) {
        if (cell_ == Cell::kLstm) {
          c[i] = sigmoid(gates[n + i]) * c[i] + sigmoid(gates[i]) * std::tanh(gates[2 * n + i]);
          h[i] = sigmoid(gates[3 * n + i]) * std::tanh(c[i]);
        } else if (cell_ == Cell::kGru) {
          const C fresh = std::tanh(input[2 * n + i] + sigmoid(input[i] + gates[i]) * gates[2 * n + i]);
          h[i] = (h[i] - fresh) * sigmoid(input[n + i] + gates[n + i]) + fresh;
        } else {
          h[i] = cell_ == Cell::kTanh ? std::tanh(gates[i]) : gates[i] > 0 || gates[i] != gates[i] ? gates[i] : 0;
        }
      }
    }
  }

  OpContext& context_;
  const Sizes& s_;
  Cell cell_;
  Memory<C>& m_;
  const kernels::GemmKernels& gemm_;
  const kernels::TileKernels& tile_;
  CellPrograms programs_;
};

/// [rows, columns] at `t` to or from a dense matrix.
template <class C>
void load_matrix(const Tensor& t, const char* at, int64_t row_stride, int64_t column_stride, int64_t rows, int64_t columns, C* out) {
  const int64_t width = int64_t(dtype_size(t.dtype));
  for (int64_t r = 0; r < rows; ++r) kernels::load<C>(t.dtype, at + r * row_stride * width, column_stride, columns, out + r * columns);
}
template <class C>
void store_matrix(Tensor& t, char* at, int64_t row_stride, int64_t column_stride, int64_t rows, int64_t columns, const C* in) {
  const int64_t width = int64_t(dtype_size(t.dtype));
  for (int64_t r = 0; r < rows; ++r) kernels::store<C>(t.dtype, at + r * row_stride * width, column_stride, columns, in + r * columns);
}

Status plan(const PlanContext& c, const Tensor& gates, const Tensor& weight, const Tensor* bias, const Tensor* project, const Tensor& h0, const Tensor* c0, std::string_view cell_name,
            bool, const Tensor&, const Tensor&, const Tensor&, Plan& p) {
  Cell cell;
  Sizes s;
  (void)cell_of(cell_name, cell);
  GLINT_TRY(sizes_of(gates, weight, bias, project, h0, c0, cell, s));
  int64_t most;  // what the scratch consists of
  if (!checked_mul(s.gates + 16, s.out + s.hidden + s.batch + 1, &most) || most > INT64_MAX / 1024) return unsupported("recurrent: the layer is too large");
  Pieces pieces;
  if (gates.dtype == DType::kF64) Memory<double>(pieces, s, cell, project != nullptr);
  else Memory<float>(pieces, s, cell, project != nullptr);
  p.scratch_bytes = pieces.used;
  p.flops = 2.0 * double(s.time) * double(s.batch) * double(s.gates) * double(s.out);
  p.bytes = double(gates.size_bytes()) + double(weight.size_bytes()) * double(s.time);
  p.kernel = isa_name(c.cpu.isa);
  p.algorithm = "steps";
  return {};
}

template <class C>
void run_as(OpContext& context, const Sizes& s, Cell cell, const Tensor& gates, const Tensor& weight, const Tensor* bias, const Tensor* project, const Tensor& h0, const Tensor* c0, bool reverse,
            Tensor& out, Tensor& h, Tensor& c) {
  Pieces pieces{context.scratch()};
  Memory<C> m(pieces, s, cell, project != nullptr);
  m.weight.fill(weight, bias);
  if (project != nullptr) m.project.fill(*project, nullptr);
  load_matrix(h0, static_cast<const char*>(h0.data), h0.stride[0], h0.stride[1], s.batch, s.out, m.h);
  if (c0 != nullptr) load_matrix(*c0, static_cast<const char*>(c0->data), c0->stride[0], c0->stride[1], s.batch, s.hidden, m.c);
  Recurrence<C> recurrence(context, s, cell, m);
  const int64_t width = int64_t(dtype_size(out.dtype));
  const bool rounds = out.dtype == DType::kF16 || out.dtype == DType::kBF16;
  for (int64_t n = 0; n < s.time; ++n) {
    const int64_t t = reverse ? s.time - 1 - n : n;
    load_matrix(gates, static_cast<const char*>(gates.data) + t * gates.stride[0] * width, gates.stride[1], gates.stride[2], s.batch, s.gates, m.input);
    recurrence.step();
    char* at = static_cast<char*>(out.data) + t * out.stride[0] * width;
    store_matrix(out, at, out.stride[1], out.stride[2], s.batch, s.out, m.h);
    if (!rounds) continue;
    load_matrix(out, at, out.stride[1], out.stride[2], s.batch, s.out, m.h);
    if (c0 == nullptr) continue;
    store_matrix(c, static_cast<char*>(c.data), c.stride[0], c.stride[1], s.batch, s.hidden, m.c);
    load_matrix(c, static_cast<const char*>(c.data), c.stride[0], c.stride[1], s.batch, s.hidden, m.c);
  }
  store_matrix(h, static_cast<char*>(h.data), h.stride[0], h.stride[1], s.batch, s.out, m.h);
  if (c0 != nullptr) store_matrix(c, static_cast<char*>(c.data), c.stride[0], c.stride[1], s.batch, s.hidden, m.c);
}

Status run(OpContext& context, const Tensor& gates, const Tensor& weight, const Tensor* bias, const Tensor* project, const Tensor& h0, const Tensor* c0, std::string_view cell_name, bool reverse,
           Tensor& out, Tensor& h, Tensor& c) {
  Cell cell;
  Sizes s;
  (void)cell_of(cell_name, cell);
  GLINT_TRY(sizes_of(gates, weight, bias, project, h0, c0, cell, s));
  if (gates.dtype == DType::kF64) run_as<double>(context, s, cell, gates, weight, bias, project, h0, c0, reverse, out, h, c);
  else run_as<float>(context, s, cell, gates, weight, bias, project, h0, c0, reverse, out, h, c);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"glint::recurrent(Tensor gates, Tensor weight, Tensor? bias, Tensor? project, Tensor h0, Tensor? c0, str cell, bool reverse) -> (Tensor, Tensor, Tensor)", infer, run, plan>(),
};

}  // namespace

extern constinit const OpFamily op_glint_recurrent{kDefs};

}  // namespace glint::ops
