// Calls that only rearrange: those that change nothing go, transpose and t become permute, and chains collapse
// (permute of permute, reshape of reshape, slice of slice, expand of expand). The first of a chain is left for
// eliminate-dead-code: it may have other uses.

#include <algorithm>
#include <numeric>
#include <optional>

#include "glint/compiler/ir/match.h"
#include "glint/compiler/pass.h"

namespace glint::compiler {
namespace {

using ir::Arg;
using ir::Builder;
using ir::Dim;
using ir::Node;
using ir::Value;
using Axes = std::vector<int64_t>;

/// The dims of a permutation-like call, wrapped.
std::optional<Axes> permutation(const Node& n) {
  if (n.op != "aten::permute" && n.op != "aten::transpose.int" && n.op != "aten::t") return std::nullopt;
  const int rank = int(n.input(0)->type.rank());
  Axes axes(static_cast<size_t>(rank));
  if (n.is("aten::permute")) {
    axes = n.arg(1).ints();
    for (int64_t& a : axes) a = wrap_dim(a, rank);
    return axes;
  }
  std::iota(axes.begin(), axes.end(), 0);
  if (rank < 2) return axes;
  const int64_t a = n.is("aten::t") ? 0 : wrap_dim(n.arg(1).as_int(), rank), b = n.is("aten::t") ? 1 : wrap_dim(n.arg(2).as_int(), rank);
  std::swap(axes[size_t(a)], axes[size_t(b)]);
  return axes;
}

/// Row-major elements under other sizes.
bool is_reshape(const Node& n) {
  for (const char* op : {"aten::view", "aten::_unsafe_view", "aten::squeeze", "aten::squeeze.dim", "aten::squeeze.dims", "aten::unsqueeze"})
    if (n.is(op)) return true;
  return false;
}

class Simplifier {
 public:
  Simplifier(ir::Graph& graph, const ir::OpLookup& ops) : graph_(graph), ops_(ops) {}

  void run() {
    for (Node* n : graph_.nodes()) {
      if (n->args().empty() || n->input(0) == nullptr || n->results().size() != 1) {
        single_entry(*n);
        continue;
      }
      Value* to = simplified(*n);
      if (to == nullptr || to == n->result()) continue;
      graph_.replace_uses(n->result(), to);
      graph_.erase(n);
    }
  }

 private:
  /// What takes the place of the call's result; null: it stays.
  Value* simplified(Node& n) {
    Value* x = n.input(0);
    const bool same = ir::same_type(x->type, n.result()->type) && x->type.dim_order == n.result()->type.dim_order;
    if (same && changes_nothing(n)) return x;
    if (const auto axes = permutation(n)) return permute(n, *axes);
    if (is_reshape(n)) return reshape(n);
    if (n.is("aten::slice.Tensor")) return slice(n);
    if (n.is("aten::expand")) return expand(n);
    return nullptr;
  }

  /// For calls whose result has its operand's type.
  static bool changes_nothing(const Node& n) {
    if (is_reshape(n)) return true;
    for (const char* op : {"aten::expand", "aten::slice.Tensor", "aten::_to_copy", "aten::clone", "aten::alias", "aten::detach", "aten::constant_pad_nd", "aten::split_copy"})
      if (n.is(op)) return std::string_view(op) != "aten::slice.Tensor" ? !n.is("aten::constant_pad_nd") || no_padding(n) : step_is_one(n);
    if (n.is("aten::repeat")) return true;
    return false;
  }
  static bool step_is_one(const Node& n) { return n.arg(4) == Arg(1); }
  static bool no_padding(const Node& n) {
    for (const Arg& a : n.arg(1).list())
      if (!(a == Arg(0))) return false;
    return true;
  }

  /// cat([x]) and split into one part are x.
  void single_entry(Node& n) {
    if (n.results().size() != 1 || n.args().empty()) return;
    if (!n.is("aten::cat") || !n.arg(0).is_list() || n.arg(0).list().size() != 1 || !n.arg(0).list()[0].is_value()) return;
    Value* x = n.arg(0).list()[0].value();
    if (!ir::same_type(x->type, n.result()->type) || x->type.dim_order != n.result()->type.dim_order) return;
    graph_.replace_uses(n.result(), x);
    graph_.erase(&n);
  }

  Value* call(Node& at, std::string_view op, std::vector<Arg> args) {
    Value* v = Builder(graph_, ops_, &at).op(op, std::move(args));
    v->type.dims = at.result()->type.dims;  // the same sizes, in the form they have
    return v;
  }

  Value* permute(Node& n, Axes axes) {
    Value* x = n.input(0);
    bool inner = false;
    while (x->producer != nullptr) {
      const auto before = permutation(*x->producer);
      if (!before) break;
      for (int64_t& a : axes) a = (*before)[size_t(a)];
      x = x->producer->input(0);
      inner = true;
    }
    if (std::is_sorted(axes.begin(), axes.end())) return x;
    return inner || !n.is("aten::permute") ? call(n, "aten::permute", {x, axes}) : nullptr;
  }

  Value* reshape(Node& n) {
    Value* x = n.input(0);
    while (x->producer != nullptr && is_reshape(*x->producer)) x = x->producer->input(0);
    if (ir::same_type(x->type, n.result()->type)) return x;
    if (x == n.input(0)) return nullptr;
    return call(n, "aten::view", {x, reshape_sizes(n)});
  }
  /// The sizes of a reshape's result as arguments: its own, or -1 for the one size that only running tells.
  Arg reshape_sizes(Node& n) {
    if (n.is("aten::view") || n.is("aten::_unsafe_view")) return n.arg(1);
    const std::vector<Dim>& dims = n.result()->type.dims;
    const auto is_open = [](const Dim& d) { return !d.is_static(); };
    if (std::count_if(dims.begin(), dims.end(), is_open) != 1 || std::count(dims.begin(), dims.end(), Dim(0)) != 0) return Builder(graph_, ops_, &n).sizes(dims);
    Arg::List list;
    for (const Dim& d : dims) list.push_back(is_open(d) ? int64_t(-1) : d.value());
    return list;
  }

  /// slice(slice(x)) along one dimension, all numbers known and forwards, within sizes that are known.
  Value* slice(Node& n) {
    const Node* inner = n.input(0)->producer;
    if (inner == nullptr || !inner->is("aten::slice.Tensor")) return nullptr;
    const int rank = int(n.input(0)->type.rank());
    const int dim = wrap_dim(n.arg(1).as_int(), rank);
    if (wrap_dim(inner->arg(1).as_int(), rank) != dim || !step_is_one(*inner)) return nullptr;
    const Dim &whole = inner->input(0)->type.dims[size_t(dim)], &middle = n.input(0)->type.dims[size_t(dim)];
    const auto base = start(*inner, whole), from = start(n, middle), to = end(n, middle);
    if (!base || !from || !to) return nullptr;
    return call(n, "aten::slice.Tensor", {inner->input(0), dim, *base + *from, *base + *to, n.arg(4)});
  }
  static std::optional<int64_t> clamped(const Arg& a, const Dim& size, int64_t otherwise) {
    if (!size.is_static() || !(a.is_none() || a.is_int())) return std::nullopt;
    const int64_t v = a.is_none() ? otherwise : a.as_int();
    return std::clamp<int64_t>(v < 0 ? v + size.value() : v, 0, size.value());
  }
  static std::optional<int64_t> start(const Node& n, const Dim& size) { return clamped(n.arg(2), size, 0); }
  static std::optional<int64_t> end(const Node& n, const Dim& size) { return clamped(n.arg(3), size, INT64_MAX); }

  Value* expand(Node& n) {
    Value* x = n.input(0);
    while (x->producer != nullptr && x->producer->is("aten::expand")) x = x->producer->input(0);
    if (ir::same_type(x->type, n.result()->type)) return x;
    if (x == n.input(0)) return nullptr;
    return call(n, "aten::expand", {x, Builder(graph_, ops_, &n).sizes(n.result()->type.dims)});
  }

  ir::Graph& graph_;
  const ir::OpLookup& ops_;
};

void run(ir::Graph& graph, PassContext& context) { Simplifier(graph, context.ops).run(); }

}  // namespace

extern constinit const PassDef pass_simplify_views{
    .name = "simplify-views",
    .summary = "drop rearrangements that change nothing, collapse chains",
    .needs = ir::Stage::kCore,
    .gives = ir::Stage::kCore,
    .run = run,
};

}  // namespace glint::compiler
