#include "glint/compiler/in_place.h"

#include <algorithm>
#include <optional>

#include "glint/compiler/portable_ops.h"

namespace glint::compiler {
namespace {

using ir::Arg;
using ir::Graph;
using ir::Node;
using ir::Type;
using ir::Value;

/// One step of a state: `writer` computes over `target`, which lies in the memory of `before`; then that memory holds `after`.
struct Step {
  const Value *before, *after, *target;
  const Node* writer;
  const Value* part = nullptr;  // what the writer yields, when `after` is a scatter of it that has nothing left to do
};

class StateUpdates {
 public:
  StateUpdates(const Graph& graph, const Target& target) : graph_(graph), target_(target), nodes_(graph.nodes()) {
    for (size_t i = 0; i < nodes_.size(); ++i) position_[nodes_[i]] = i;
  }

  Overwrites run() {
    for (const ir::State& s : graph_.states) {
      if (s.final == nullptr || s.final == s.value) continue;
      if (const auto all = steps(s); !all.empty() && hold(s, all)) accept(all);
      else if (const auto last = last_step(s); !last.empty() && hold(s, last)) accept(last);
    }
    return std::move(overwrites_);
  }

 private:
  /// From the value on entry to the final one, when every step writes over what the one before left; else none.
  std::vector<Step> steps(const ir::State& s) const {
    std::vector<Step> all;
    for (const Value* v = s.final; v != s.value; v = all.back().before) {
      const auto one = step(v, s.value);
      if (!one) return {};
      all.push_back(*one);
    }
    std::reverse(all.begin(), all.end());
    return all;
  }

  std::optional<Step> step(const Value* v, const Value* state) const {
    const Node* n = v->producer;
    if (n == nullptr) return std::nullopt;
    if (const Value* view = part_in_place(*n)) {
      const Value* part = n->input(1);
      if (allowed(*part->producer)) return Step{n->input(0), v, view, part->producer, part};
    }
    if (!allowed(*n)) return std::nullopt;
    const Value* over = nullptr;
    for (const Value* operand : overwritable(*n))
      if (viewed(operand) == operand && (over == nullptr || operand == state)) over = operand;
    return over != nullptr ? std::optional(Step{over, v, over, n}) : std::nullopt;
  }

  /// The last operator alone, over a state that it does not read.
  std::vector<Step> last_step(const ir::State& s) const {
    const Node* n = s.final->producer;
    if (n == nullptr || is_view(*n) || !same_layout(s.final->type, s.value->type)) return {};
    return {Step{s.value, s.final, nullptr, n}};
  }

  /// Stock kernels update an operand only where they have a name for that.
  bool allowed(const Node& n) const {
    return target_.kind == Target::Kind::kCpu || n.def == nullptr || !n.def->flags.updates_self || !stock_in_place_name(n).empty();
  }

  /// Whether nothing sees a value after its memory was written over.
  bool hold(const ir::State& s, const std::vector<Step>& all) const {
    const Value* part = nullptr;  // of the step before: memory that `before` has too
    for (const Step& step : all) {
      if (leaves(s, step.before) || (part != nullptr && leaves(s, part))) return false;
      for (const Node* n : nodes_)
        if (!is_view(*n) && !(step.part != nullptr && n == step.after->producer) && reads_too_late(*n, step, part)) return false;
      part = step.part;
    }
    return !leaves(s, s.final) && (part == nullptr || !leaves(s, part));
  }

  bool reads_too_late(const Node& n, const Step& step, const Value* part) const {
    if (position_.at(&n) < position_.at(step.writer)) return false;
    int uses = 0;
    for (const Value* in : n.inputs()) {
      const Value* root = viewed(in);
      if (root != step.before && root != part) continue;
      if (&n != step.writer || in != step.target) return true;
      ++uses;
    }
    return uses > 1 && n.def != nullptr && n.def->flags.updates_self;
  }

  /// Whether the caller, an input or another state gets the value: those look at the end.
  bool leaves(const ir::State& s, const Value* v) const {
    const auto is = [&](const Value* end) { return end != nullptr && viewed(end) == v; };
    return std::any_of(graph_.outputs.begin(), graph_.outputs.end(), [&](const Arg& a) { return a.is_value() && is(a.value()); }) ||
           std::any_of(graph_.states.begin(), graph_.states.end(), [&](const ir::State& other) { return &other != &s && is(other.final); }) ||
           std::any_of(graph_.mutations.begin(), graph_.mutations.end(), [&](const ir::InputMutation& m) { return is(m.final); });
  }

  void accept(const std::vector<Step>& all) {
    for (const Step& step : all) {
      overwrites_[step.after] = step.before;
      if (step.part != nullptr) overwrites_[step.part] = step.target;
    }
  }

  const Graph& graph_;
  const Target& target_;
  std::vector<Node*> nodes_;
  std::unordered_map<const Node*, size_t> position_;
  Overwrites overwrites_;
};

}  // namespace

bool is_view(const Node& n) { return n.is("glint::view"); }

const Value* viewed(const Value* v) {
  while (v->producer != nullptr && is_view(*v->producer)) v = v->producer->input(0);
  return v;
}

bool same_layout(const ir::Type& a, const ir::Type& b) { return a.dtype == b.dtype && a.dims == b.dims && a.dim_order == b.dim_order; }

std::vector<const Value*> overwritable(const Node& n) {
  std::vector<const Value*> operands;
  if (n.def == nullptr || n.results().size() != 1) return operands;
  const std::vector<Value*> inputs = n.inputs();
  const size_t candidates = n.def->flags.may_alias ? inputs.size() : n.def->flags.updates_self ? 1 : 0;
  for (size_t i = 0; i < candidates && i < inputs.size(); ++i)
    if (same_layout(inputs[i]->type, n.result()->type)) operands.push_back(inputs[i]);
  return operands;
}

namespace {

/// What stock ExecuTorch's index_put_ takes: one index, a vector, and values of self's rank whose sizes are those of the part.
bool is_plain_index_put(const Node& n) {
  const Type& self = n.input(0)->type;
  const Type& values = n.arg("values").value()->type;
  const Arg::List& indices = n.arg("indices").list();
  if (n.arg("accumulate").as_bool() || values.rank() != self.rank() || values.dtype != self.dtype) return false;
  size_t at = indices.size();
  for (size_t d = 0; d < indices.size(); ++d) {
    if (indices[d].is_none()) continue;
    if (at != indices.size()) return false;
    at = d;
  }
  if (at == indices.size()) return false;
  const Type& index = indices[at].value()->type;
  if (index.dtype != DType::kI64 || index.rank() != 1 || !(values.dims[at] == index.dims[0])) return false;
  for (size_t d = 0; d < self.rank(); ++d)
    if (d != at && !(values.dims[d] == self.dims[d])) return false;
  return true;
}

}  // namespace

std::string stock_in_place_name(const Node& n) {
  if (n.is("aten::index_put") && !is_plain_index_put(n)) return "";
  const size_t dot = n.op.find('.');
  const std::string name = n.op.substr(0, dot) + "_" + (dot == n.op.npos ? "" : n.op.substr(dot));
  return is_portable_op(name) ? name : "";
}

const Value* part_in_place(const Node& scatter) {
  if (!scatter.is("aten::as_strided_scatter") || scatter.input(1)->producer == nullptr) return nullptr;
  const Value* self = scatter.input(0);
  if (viewed(self) != self || !same_layout(self->type, scatter.result()->type) || !self->type.dim_order.empty()) return nullptr;
  for (const Value* view : overwritable(*scatter.input(1)->producer)) {
    const Node* n = view->producer;
    if (n == nullptr || !is_view(*n) || n->input(0) != self) continue;
    if (std::equal(n->args().begin() + 1, n->args().end(), scatter.args().begin() + 2, scatter.args().end())) return view;
  }
  return nullptr;
}

Overwrites update_states(const Graph& graph, const Target& target) { return StateUpdates(graph, target).run(); }

}  // namespace glint::compiler
