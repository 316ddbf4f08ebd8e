// Recurrent layers: what depends on the input alone is one product over all steps, the rest one glint::recurrent a layer and
// direction, whatever the length of the sequence. For targets without that operator it is unrolled over time, and for half
// types, where PyTorch rounds between all the operators of a step.

#include <algorithm>

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

enum class Cell { kLstm, kGru, kTanh, kRelu };
constexpr const char* kCellNames[] = {"lstm", "gru", "tanh", "relu"};  // of glint::recurrent

/// The weights of one layer and direction.
struct Weights {
  Value* input = nullptr;   // [gates * hidden, in]
  Value* hidden = nullptr;  // [gates * hidden, out]
  Value* input_bias = nullptr;
  Value* hidden_bias = nullptr;
  Value* project = nullptr;  // lstm only: [out, hidden]
};

struct State {
  Value* h = nullptr;
  Value* c = nullptr;  // lstm only
};

std::vector<Value*> gates(X& x, Value* all, int64_t count) {
  const Dim size = floor_div(x.dim(all, -1), Dim(count));
  Values parts;
  for (int64_t i = 0; i < count; ++i) parts.push_back(x.slice(all, -1, size * Dim(i), size * Dim(i + 1)));
  return parts;
}

State lstm_step(X& x, Value* from_input, Value* from_hidden, const State& s, Value* project) {
  const Values g = gates(x, x.add(from_input, from_hidden), 4);  // input, forget, cell, output
  Value* c = x.add(x.mul(x.sigmoid(g[1]), s.c), x.mul(x.sigmoid(g[0]), x.tanh(g[2])));
  Value* h = x.mul(x.sigmoid(g[3]), x.tanh(c));
  return {project ? linear(x, h, project, nullptr) : h, c};
}

State gru_step(X& x, Value* from_input, Value* from_hidden, const State& s) {
  const Values i = gates(x, from_input, 3), h = gates(x, from_hidden, 3);  // reset, update, new
  Value* reset = x.sigmoid(x.add(i[0], h[0]));
  Value* update = x.sigmoid(x.add(i[1], h[1]));
  Value* next = x.tanh(x.add(i[2], x.mul(reset, h[2])));
  return {x.add(x.mul(x.sub(s.h, next), update), next), nullptr};
}

State step(X& x, Cell cell, Value* from_input, Value* from_hidden, const State& s, Value* project) {
  if (cell == Cell::kLstm) return lstm_step(x, from_input, from_hidden, s, project);
  if (cell == Cell::kGru) return gru_step(x, from_input, from_hidden, s);
  Value* sum = x.add(from_input, from_hidden);
  return {cell == Cell::kTanh ? x.tanh(sum) : x.relu(sum), nullptr};
}

/// Step by step over [time, batch, gates]; `s` is left as the last state.
Value* unroll(X& x, Cell cell, Value* from_input, const Weights& w, State& s, bool backward) {
  const int64_t time = x.known(x.dim(from_input, 0), "the length of the sequence of a recurrent layer");
  x.require(time > 0, "an empty sequence");
  Values out(static_cast<size_t>(time));
  for (int64_t n = 0; n < time; ++n) {
    const int64_t t = backward ? time - 1 - n : n;
    s = step(x, cell, x.select(from_input, 0, t), linear(x, s.h, w.hidden, w.hidden_bias), s, w.project);
    out[size_t(t)] = s.h;
  }
  return x.stack(out, 0);
}

/// One layer in one direction over [time, batch, in]; `s` is left as the last state.
Value* run_layer(X& x, Cell cell, Value* input, const Weights& w, State& s, bool backward) {
  Value* from_input = linear(x, input, w.input, w.input_bias);
  const DType dtype = from_input->type.dtype;
  if (x.dim(from_input, 0).is_static() && (dtype == DType::kF16 || dtype == DType::kBF16)) return unroll(x, cell, from_input, w, s, backward);
  const auto optional = [](Value* v) { return v == nullptr ? Arg() : Arg(v); };
  const Values results = x.ops("glint::recurrent", {from_input, w.hidden, optional(w.hidden_bias), optional(w.project), s.h, optional(s.c), kCellNames[size_t(cell)], backward});
  s = {results[1], s.c == nullptr ? nullptr : results[2]};
  return results[0];
}

Values unroll_call(X& x) {
  const std::string name = x.text("cell");
  const size_t cell = size_t(std::find(std::begin(kCellNames), std::end(kCellNames), name) - std::begin(kCellNames));
  x.require(cell < std::size(kCellNames), "an unknown cell");
  Weights w;
  w.hidden = x.tensor("weight");
  w.hidden_bias = x.maybe("bias");
  w.project = x.maybe("project");
  State s{x.tensor("h0"), x.maybe("c0")};
  Value* out = unroll(x, Cell(cell), x.tensor("gates"), w, s, x.flag("reverse"));
  // Only an lstm has a second state; the other cells' third result has no elements.
  return {out, s.h, s.c != nullptr ? s.c : x.slice(s.h, 0, Dim(0), Dim(0))};
}

Weights take_weights(const Values& params, size_t& next, bool biases, bool project) {
  Weights w;
  w.input = params.at(next++);
  w.hidden = params.at(next++);
  if (biases) w.input_bias = params.at(next++), w.hidden_bias = params.at(next++);
  if (project) w.project = params.at(next++);
  return w;
}

Values recurrent(X& x, Cell cell, Value* h0, Value* c0) {
  Value* input = x.tensor("input");
  const Values params = x.tensors("params");
  const bool biases = x.flag("has_biases"), batch_first = x.flag("batch_first");
  const size_t layers = size_t(x.integer("num_layers")), directions = x.flag("bidirectional") ? 2 : 1;
  x.require(!x.flag("train") || x.number("dropout") == 0 || layers == 1, "dropout between layers is for training; export the model in eval mode");
  const size_t each = biases ? 4 : 2;
  const bool project = params.size() == layers * directions * (each + 1);
  x.require(project || params.size() == layers * directions * each, "the number of weights does not fit the layers");
  if (batch_first) input = x.transpose(input, 0, 1);
  size_t next = 0;
  Values last_h, last_c;
  for (size_t layer = 0; layer < layers; ++layer) {
    Values sides;
    for (size_t direction = 0; direction < directions; ++direction) {
      const Weights w = take_weights(params, next, biases, project);
      const int64_t row = int64_t(last_h.size());
      State s{x.select(h0, 0, row), c0 ? x.select(c0, 0, row) : nullptr};
      sides.push_back(run_layer(x, cell, input, w, s, direction == 1));
      last_h.push_back(s.h);
      if (c0) last_c.push_back(s.c);
    }
    input = x.cat(sides, -1);
  }
  Values results{batch_first ? x.transpose(input, 0, 1) : input, x.stack(last_h, 0)};
  if (c0) results.push_back(x.stack(last_c, 0));
  return results;
}

template <Cell kCell>
Values plain(X& x) { return recurrent(x, kCell, x.tensor("hx"), nullptr); }

State cell(X& x, Cell kind, const State& s) {
  Value* from_input = linear(x, x.tensor("input"), x.tensor("w_ih"), x.maybe("b_ih"));
  return step(x, kind, from_input, linear(x, s.h, x.tensor("w_hh"), x.maybe("b_hh")), s, nullptr);
}

template <Cell kCell>
Value* plain_cell(X& x) { return cell(x, kCell, {x.tensor("hx"), nullptr}).h; }

#define GLINT_RNN(name, kind)                                                                                                          \
  {"aten::" name ".input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, "        \
   "bool bidirectional, bool batch_first) -> (Tensor, Tensor)", plain<kind>},                                                          \
  {"aten::" name "_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor", plain_cell<kind>}

constexpr Row kRows[] = {
    {"aten::lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, "
     "bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)",
     [](X& x) {
       const Values hx = x.tensors("hx");
       x.require(hx.size() == 2, "hx holds two states");
       return recurrent(x, Cell::kLstm, hx[0], hx[1]);
     }},
    {"aten::lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)",
     [](X& x) {
       const Values hx = x.tensors("hx");
       x.require(hx.size() == 2, "hx holds two states");
       const State s = cell(x, Cell::kLstm, {hx[0], hx[1]});
       return Values{s.h, s.c};
     }},
    {"glint::recurrent(Tensor gates, Tensor weight, Tensor? bias, Tensor? project, Tensor h0, Tensor? c0, str cell, bool reverse) -> (Tensor, Tensor, Tensor)", unroll_call},
    GLINT_RNN("gru", Cell::kGru), GLINT_RNN("rnn_tanh", Cell::kTanh), GLINT_RNN("rnn_relu", Cell::kRelu),
};
#undef GLINT_RNN

}  // namespace

Rows recurrent_rows() { return kRows; }

}  // namespace glint::compiler
