// Takes composite operators apart until only core ones are left, and settles what needs no operator at all:
// copies and conversions that change nothing, checks of the exporter, numbers in the place of tensors, the
// "_copy" twins of views (values are never written to, so both mean the same).

#include "glint/compiler/decompose/decompose.h"

#include <algorithm>

#include "glint/compiler/ir/call.h"
#include "glint/compiler/ir/match.h"
#include "glint/compiler/pass.h"

namespace glint::compiler {
namespace {

using ir::Arg;
using ir::Graph;
using ir::Node;
using ir::Value;

constexpr int kDeepest = 64;  // composites within composites; more is a table that goes in circles

/// Calls without effect in a compiled program: what they check was true while exporting.
bool is_check(std::string_view op) {
  const std::string_view name = ir::base_name(op);
  return name.starts_with("_assert") || name.starts_with("sym_constrain_range") || name == "_functional_sym_constrain_range" ||
         name.starts_with("_functional_assert") || name.starts_with("_make_dep_token") || name == "_set_grad_enabled";
}

/// Calls that give their first operand back whenever it has the result's type.
constexpr std::string_view kIdentities[] = {
    "lift", "lift_fresh", "lift_fresh_copy", "detach", "detach_copy", "alias", "alias_copy", "clone", "contiguous", "to", "_to_copy",
    "_to_cpu", "positive", "resolve_conj", "resolve_neg", "view_as", "expand_as",
};
bool is_identity(const Node& n) {
  if (n.results().size() != 1 || n.args().empty() || n.input(0) == nullptr) return false;
  const std::string_view name = ir::base_name(n.op);
  if (std::find(std::begin(kIdentities), std::end(kIdentities), name) == std::end(kIdentities)) return false;
  return ir::same_type(n.input(0)->type, n.result()->type) && n.result()->type.dim_order == n.input(0)->type.dim_order;
}
bool is_inactive_dropout(const Node& n) {
  const std::string_view name = ir::base_name(n.op);
  if (name != "dropout" && name != "alpha_dropout" && name != "feature_dropout" && name != "feature_alpha_dropout") return false;
  return n.args().size() >= 3 && n.results().size() == 1 && n.input(0) != nullptr && (n.arg(2) == Arg(false) || (n.arg(1).is_number() && n.arg(1).to_double() == 0));
}

/// The name without "_copy", when both exist.
std::string view_of_copy(const ir::OpLookup& ops, const Node& n) {
  if (n.is("aten::_unsafe_view") || n.is("aten::_reshape_copy")) return "aten::view";
  const std::string_view base = ir::base_name(n.op);
  if (!base.ends_with("_copy") || base == "_to_copy" || base == "narrow_copy") return "";
  std::string name = n.op;
  name.erase(size_t(base.data() + base.size() - 5 - n.op.data()), 5);
  const OpDef* def = ops.def(name);
  return def != nullptr && def->schema->arg_count == n.args().size() ? name : "";
}

class Decomposer {
 public:
  Decomposer(Graph& graph, PassContext& context) : graph_(graph), context_(context) {}

  void run() {
    for (Node* n : graph_.nodes()) node(n, 0);
    ir::eliminate_dead_code(graph_);
  }

 private:
  void node(Node* n, int depth) {
    if (depth > kDeepest) throw ir::Error(Code::kInternal, *n, "the decomposition does not end");
    if (!n->regions.empty()) return;
    if (is_check(n->op) && std::all_of(n->results().begin(), n->results().end(), [&](const Value* v) { return graph_.is_unused(v); })) return graph_.erase(n);
    if (is_identity(*n) || is_inactive_dropout(*n)) return replace(n, {n->input(0)});
    if (n->schema == nullptr) return;
    numbers(*n);
    if (n->def != nullptr) {
      if (const std::string name = view_of_copy(context_.ops, *n); !name.empty()) rename(*n, name);
      return;
    }
    const Composite* composite = find_composite(n->op);
    if (composite == nullptr) return;
    expand(n, *composite, depth);
  }

  void expand(Node* n, const Composite& composite, int depth) {
    ir::Builder builder(graph_, context_.ops, n);
    const int first_new = graph_.next_node_id();
    std::vector<Value*> values = composite.expand(builder, *n);
    if (values.size() != n->results().size()) throw ir::Error(Code::kInternal, *n, "the decomposition gives another number of results");
    std::vector<Node*> made;
    for (Node* m = graph_.previous(n); m != nullptr && m->id >= first_new; m = graph_.previous(m)) made.push_back(m);
    replace(n, values);
    for (size_t i = made.size(); i-- > 0;) node(made[i], depth + 1);
  }

  void replace(Node* n, const std::vector<Value*>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      if (values[i] != nullptr && graph_.is_unused(n->result(i))) continue;
      if (values[i] == nullptr) throw ir::Error(Code::kInternal, *n, "the decomposition lacks a result that is used");
      check_type(*n, n->result(i)->type, values[i]->type);
      graph_.replace_uses(n->result(i), values[i]);
    }
    graph_.erase(n);
  }

  /// The replacement is what the exporter said the call yields, size for size.
  void check_type(const Node& n, const ir::Type& want, const ir::Type& have) const {
    bool same = want.kind == have.kind && (!want.is_tensor() || (want.dtype == have.dtype && want.rank() == have.rank()));
    for (size_t d = 0; same && d < want.rank(); ++d) same = !want.dims[d].is_static() || !have.dims[d].is_static() || want.dims[d] == have.dims[d];
    if (!same)
      throw ir::Error(Code::kInternal, n, "its decomposition yields " + ir::describe(have, graph_.symbols) + " where the model says " + ir::describe(want, graph_.symbols));
  }

  void rename(Node& n, const std::string& name) {
    n.op = name;
    n.def = context_.ops.def(name);
    n.schema = n.def->schema;
    graph_.touch();
  }

  /// A number where a tensor is expected selects the .Scalar overload or becomes a constant.
  void numbers(Node& n) {
    if (n.args().size() != n.schema->arg_count) return;
    if (n.op.ends_with(".Tensor") && n.args().size() > 1 && n.arg(1).is_number()) {
      const std::string scalar = n.op.substr(0, n.op.size() - 6) + "Scalar";
      const OpDef* def = context_.ops.def(scalar);
      if (def != nullptr && def->schema->arg_count == n.args().size()) return rename(n, scalar);
    }
    for (size_t i = 0; i < n.args().size(); ++i) {
      const SchemaArg& arg = n.schema->arg_store[i];
      if (arg.type != ArgType::kTensor || arg.list || !n.arg(i).is_number()) continue;
      ir::Builder builder(graph_, context_.ops, &n);
      n.set_arg(i, builder.scalar(ir::wrapped_dtype(n.arg(i), n.args()), n.arg(i).to_double()));
    }
  }

  Graph& graph_;
  PassContext& context_;
};

void run(Graph& graph, PassContext& context) { Decomposer(graph, context).run(); }

}  // namespace

extern constinit const PassDef pass_decompose{
    .name = "decompose",
    .summary = "take composite operators apart into core ones",
    .needs = ir::Stage::kImported,
    .gives = ir::Stage::kCore,
    .run = run,
};

}  // namespace glint::compiler
