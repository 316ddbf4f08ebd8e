#include <algorithm>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "glint/compiler/ir/call.h"
#include "glint/compiler/ir/ir.h"
#include "glint/compiler/ir/text.h"

namespace glint::ir {
namespace {

class Verifier {
 public:
  Verifier(const Graph& graph, Stage stage) : g_(graph), stage_(stage) {}

  void run() {
    declarations();
    for (const Node* node : g_.nodes()) {
      operands(*node);
      legal(*node);
      if (node->def != nullptr) types(*node);
      for (const auto& region : node->regions) verify(*region, stage_);
      for (const Value* v : node->results()) define(v, node);
    }
    for (const Value* v : defined_) users(v);
    ends();
  }

 private:
  [[noreturn]] static void fail(const std::string& why) { throw Error(Code::kInternal, "the graph is broken: " + why); }
  [[noreturn]] static void fail(const Node& node, const std::string& why) { throw Error(Code::kInternal, node, "the graph is broken: " + why); }

  void define(const Value* v, const Node* producer) {
    if (v->producer != producer) fail("%" + v->name + " has another producer");
    if (!defined_.insert(v).second) fail("%" + v->name + " is defined twice");
    if (g_.find_value(v->name) != v) fail("the name %" + v->name + " is not unique");
    if (!v->type.dim_order.empty() && v->type.dim_order.size() != v->type.rank()) fail("%" + v->name + " has a dim order of another rank");
  }

  void declarations() {
    for (const Value* v : g_.inputs) define(v, nullptr);
    for (const State& s : g_.states) define(s.value, nullptr);
    for (const Value* v : g_.constants()) {
      define(v, nullptr);
      size_t bytes = dtype_size(v->type.dtype);
      if (v->constant == nullptr || !v->type.is_static()) fail("the constant %" + v->name + " has no data or no fixed sizes");
      for (const Dim& d : v->type.dims) bytes *= size_t(d.value());
      if (bytes != v->constant->size()) fail("the constant %" + v->name + " has " + std::to_string(v->constant->size()) + " bytes where its type has " + std::to_string(bytes));
    }
  }

  void operands(const Node& node) {
    for (const Value* v : node.inputs()) {
      if (!defined_.contains(v)) fail(node, "%" + v->name + " is used before its definition");
      ++uses_[v][&node];
    }
  }

  void users(const Value* v) {
    std::unordered_map<const Node*, int> listed;
    for (const Node* n : v->users()) ++listed[n];
    const auto it = uses_.find(v);
    if (listed != (it != uses_.end() ? it->second : decltype(listed)())) fail("the users of %" + v->name + " are not up to date");
  }

  void legal(const Node& node) {
    if (stage_ == Stage::kImported || !node.regions.empty()) return;
    if (node.schema == nullptr) throw Error(Code::kUnsupported, node, "this build has no such operator");
    if (base_name(node.op).ends_with('_') && node.schema->name != node.op)
      throw Error(Code::kInternal, node, "an operation in place must be gone by now");
    if (node.def == nullptr) throw Error(Code::kUnsupported, node, "this build has neither a definition nor a decomposition of the operator");
    for (size_t i = 0; i < node.args().size(); ++i)
      if (node.schema->arg_store[i].type == ArgType::kTensor && node.arg(i).is_number()) fail(node, "a number where a tensor is expected");
  }

  void types(const Node& node) {
    if (node.args().size() != node.schema->arg_count) fail(node, "the number of arguments does not fit the schema");
    known_.clear();
    bool dynamic = false;
    for (const Value* v : node.inputs()) {
      for (const Dim& d : v->type.dims) dynamic |= !d.is_static(), note_symbols(d);
      if (v->type.has_number) dynamic |= !v->type.number.is_static(), note_symbols(v->type.number);
    }
    const auto& samples = g_.symbols.samples();
    for (size_t s = 0; s < (dynamic ? samples.size() : 1); ++s) check_at(node, samples[s]);
  }

  void check_at(const Node& node, const std::vector<int64_t>& assignment) {
    const bool list = node.schema->return_count > 0 && node.schema->return_store[0].list;
    Status status;
    try {
      Call call(*node.schema, node.args(), list ? node.results().size() : 1, resolve_types(g_.symbols, assignment));
      status = node.def->infer(call.in, call.out);
      if (status.ok()) return compare(node, call, assignment);
    } catch (const Error& e) {
      if (!may_be_excluded(assignment)) throw Error(e.diagnostic.code, node, e.diagnostic.message);
      return;
    }
    if (!may_be_excluded(assignment)) throw Error(status.code(), node, status.why());
  }

  // As in infer_types: programs exclude some assignments of sizes that may be zero or are data-dependent.
  bool may_be_excluded(const std::vector<int64_t>& assignment) const {
    for (size_t i = 0; i < assignment.size(); ++i)
      if (assignment[i] == 0 || g_.symbols[int(i)].data_dependent) return true;
    return false;
  }

  void compare(const Node& node, const Call& call, const std::vector<int64_t>& assignment) {
    size_t tensor = 0, result = 0;
    for (const SchemaArg& r : node.schema->returns()) {
      if (r.type != ArgType::kTensor) {
        ++result;
        continue;
      }
      for (size_t k = 0; k < (r.list ? node.results().size() : 1); ++k, ++tensor, ++result) {
        if (result >= node.results().size()) fail(node, "the number of results does not fit the schema");
        compare(node, *node.result(result), call.results[tensor], assignment);
      }
    }
    if (result != node.results().size()) fail(node, "the number of results does not fit the schema");
  }

  void compare(const Node& node, const Value& v, const TensorMeta& meta, const std::vector<int64_t>& assignment) {
    bool same = v.type.is_tensor() && v.type.dtype == meta.dtype && v.type.rank() == meta.rank;
    for (size_t d = 0; same && d < v.type.rank(); ++d) {
      if (introduces_symbol(v.type.dims[d])) continue;
      const int64_t size = g_.symbols.evaluate(v.type.dims[d], assignment);
      same = node.def->flags.value_shape ? size <= meta.size[d] : size == meta.size[d];
    }
    if (same) return;
    Type inferred = Type::tensor(meta.dtype, {meta.sizes().begin(), meta.sizes().end()});
    fail(node, "%" + v.name + " is " + describe(v.type, g_.symbols) + " where the operator yields " + describe(inferred, g_.symbols));
  }

  void note_symbols(const Dim& d) {
    if (!d.is_static()) note_symbols(*d.expr());
  }
  void note_symbols(const Expr& e) {
    if (e.kind == Expr::Kind::kSymbol) known_.insert(e.value);
    for (const ExprPtr& o : e.operands) note_symbols(*o);
  }
  bool introduces_symbol(const Dim& d) const { return !d.is_static() && introduces_symbol(*d.expr()); }
  bool introduces_symbol(const Expr& e) const {
    if (e.kind == Expr::Kind::kSymbol && g_.symbols[int(e.value)].data_dependent && !known_.contains(e.value)) return true;
    return std::any_of(e.operands.begin(), e.operands.end(), [&](const ExprPtr& o) { return introduces_symbol(*o); });
  }

  void reaches_end(const Arg& a, const char* what) {
    if (a.is_value() && !defined_.contains(a.value())) fail(std::string(what) + " %" + a.value()->name + " is not defined");
    if (a.is_list())
      for (const Arg& item : a.list()) reaches_end(item, what);
  }

  void ends() {
    for (const Arg& a : g_.outputs) reaches_end(a, "the output");
    for (const InputMutation& m : g_.mutations) {
      if (m.input >= g_.inputs.size() || m.final == nullptr) fail("a mutation of an input that is not there");
      reaches_end(m.final, "the mutation");
      same_type(*g_.inputs[m.input], *m.final);
    }
    for (const State& s : g_.states) {
      if (s.final == nullptr && stage_ != Stage::kImported) fail("the state " + s.name + " has no final value");
      if (s.final == nullptr) continue;
      reaches_end(s.final, "the state's final value");
      same_type(*s.value, *s.final);
    }
    if (!g_.output_names.empty() && g_.output_names.size() != g_.outputs.size()) fail("the number of output names is not that of the outputs");
  }

  void same_type(const Value& from, const Value& to) {
    bool same = to.type.is_tensor() && from.type.dtype == to.type.dtype && from.type.rank() == to.type.rank();
    for (const auto& at : g_.symbols.samples())
      for (size_t d = 0; same && d < from.type.rank(); ++d)
        same = introduces_symbol(to.type.dims[d]) || g_.symbols.evaluate(from.type.dims[d], at) == g_.symbols.evaluate(to.type.dims[d], at);
    if (!same) fail("%" + from.name + " ends as %" + to.name + " of another type: " + describe(from.type, g_.symbols) + ", " + describe(to.type, g_.symbols));
  }

  const Graph& g_;
  Stage stage_;
  std::unordered_set<const Value*> defined_;
  std::unordered_map<const Value*, std::unordered_map<const Node*, int>> uses_;
  std::set<int64_t> known_;
};

}  // namespace

void verify(const Graph& graph, Stage stage) { Verifier(graph, stage).run(); }

}  // namespace glint::ir
