// For stock runtimes: operators take the names that ExecuTorch's portable kernels have (views become their
// copying twins), and those without a kernel there are written with ones that have it.

#include <string_view>
#include <unordered_map>

#include "glint/compiler/decompose/decompose.h"
#include "glint/compiler/pass.h"
#include "glint/compiler/portable_ops.h"

namespace glint::compiler {
namespace {

using ir::Arg;
using ir::Builder;
using ir::Node;
using ir::Value;

/// Same arguments, same results, another name.
constexpr std::pair<std::string_view, std::string_view> kRenamed[] = {
    {"aten::view", "aten::view_copy"},
    {"aten::_unsafe_view", "aten::view_copy"},
    {"aten::permute", "aten::permute_copy"},
    {"aten::transpose.int", "aten::transpose_copy.int"},
    {"aten::slice.Tensor", "aten::slice_copy.Tensor"},
    {"aten::select.int", "aten::select_copy.int"},
    {"aten::squeeze.dim", "aten::squeeze_copy.dim"},
    {"aten::squeeze.dims", "aten::squeeze_copy.dims"},
    {"aten::unsqueeze", "aten::unsqueeze_copy"},
    {"aten::expand", "aten::expand_copy"},
    {"aten::split.Tensor", "aten::split_copy.Tensor"},
    {"aten::split_with_sizes", "aten::split_with_sizes_copy"},
    {"aten::unbind.int", "aten::unbind_copy.int"},
    {"aten::diagonal", "aten::diagonal_copy"},
    {"aten::as_strided", "aten::as_strided_copy"},
    {"aten::unfold", "aten::unfold_copy"},
    {"aten::alias", "aten::alias_copy"},
    {"aten::detach", "aten::detach_copy"},
    {"aten::view_as_real", "aten::view_as_real_copy"},
    {"aten::item", "aten::_local_scalar_dense"},
};

std::string_view portable_name(std::string_view op) {
  for (const auto& [from, to] : kRenamed)
    if (from == op) return to;
  return {};
}

using Expand = Value* (*)(Builder&, const Node&);
struct Row { std::string_view op; Expand expand; };

Value* relu6(Builder& b, Value* x) { return b.op("aten::hardtanh", {x, 0.0, 6.0}); }

/// Operators that are sums and products of portable ones.
constexpr Row kExpanded[] = {
    {"aten::silu", [](Builder& b, const Node& n) { return b.op("aten::mul.Tensor", {n.input(0), b.op("aten::sigmoid", {n.input(0)})}); }},
    {"aten::hardswish", [](Builder& b, const Node& n) {
       Value* gate = relu6(b, b.op("aten::add.Scalar", {n.input(0), 3.0}));
       return b.op("aten::div.Scalar", {b.op("aten::mul.Tensor", {n.input(0), gate}), 6.0});
     }},
    {"aten::hardsigmoid", [](Builder& b, const Node& n) { return b.op("aten::div.Scalar", {relu6(b, b.op("aten::add.Scalar", {n.input(0), 3.0})), 6.0}); }},
    {"aten::square", [](Builder& b, const Node& n) { return b.op("aten::mul.Tensor", {n.input(0), n.input(0)}); }},
    {"aten::rsub.Tensor", [](Builder& b, const Node& n) { return b.op("aten::sub.Tensor", {n.input(1), n.input(0), n.arg(2)}); }},
    {"aten::clamp_min", [](Builder& b, const Node& n) { return b.op("aten::clamp", {n.input(0), n.arg(1), Arg()}); }},
    {"aten::clamp_max", [](Builder& b, const Node& n) { return b.op("aten::clamp", {n.input(0), Arg(), n.arg(1)}); }},
    {"aten::squeeze", [](Builder& b, const Node& n) { return b.op("aten::view_copy", {n.input(0), b.sizes(n.result()->type.dims)}); }},
    {"aten::mv", [](Builder& b, const Node& n) {
       Value* column = b.op("aten::unsqueeze_copy", {n.input(1), 1});
       return b.op("aten::squeeze_copy.dim", {b.op("aten::mm", {n.input(0), column}), 1});
     }},
    {"aten::baddbmm", [](Builder& b, const Node& n) {
       Value* product = b.op("aten::bmm", {n.input(1), n.input(2)});
       Value* scaled = b.op("aten::mul.Scalar", {product, n.arg(4)});
       return b.op("aten::add.Tensor", {scaled, n.input(0), n.arg(3)});
     }},
    {"aten::upsample_nearest2d", [](Builder& b, const Node& n) { return b.op("aten::upsample_nearest2d.vec", {n.input(0), n.arg(1), Arg()}); }},
    {"aten::upsample_bilinear2d", [](Builder& b, const Node& n) { return b.op("aten::upsample_bilinear2d.vec", {n.input(0), n.arg(1), n.arg(2), Arg()}); }},
    {"aten::zeros_like", [](Builder& b, const Node& n) { return b.op("aten::full_like", {n.input(0), 0.0, n.arg(1)}); }},
    {"aten::ones_like", [](Builder& b, const Node& n) { return b.op("aten::full_like", {n.input(0), 1.0, n.arg(1)}); }},
    {"aten::masked_fill.Tensor", [](Builder& b, const Node& n) { return b.op("aten::where.self", {n.input(1), n.input(2), n.input(0)}); }},
    {"aten::index_copy", [](Builder& b, const Node& n) -> Value* {  // rows at indices along one dimension
       if (n.result()->type.rank() == 0) return nullptr;
       Arg::List indices(size_t(wrap_dim(n.arg(1).as_int(), int(n.result()->type.rank()))));
       indices.push_back(n.input(2));
       return b.op("aten::index_put", {n.input(0), Arg(indices), n.input(3), false});
     }},
    {"aten::repeat_interleave.self_int", [](Builder& b, const Node& n) -> Value* {  // a new dimension beside, repeated, merged again
       if (!n.arg(2).is_int() || !n.arg(1).is_int()) return nullptr;
       const int dim = wrap_dim(n.arg(2).as_int(), int(n.input(0)->type.rank()));
       std::vector<ir::Dim> sizes = n.input(0)->type.dims;
       sizes.insert(sizes.begin() + dim + 1, ir::Dim(n.arg(1).as_int()));
       Value* repeated = b.op("aten::expand_copy", {b.op("aten::unsqueeze_copy", {n.input(0), dim + 1}), b.sizes(sizes)});
       return b.op("aten::view_copy", {repeated, b.sizes(n.result()->type.dims)});
     }},
    {"aten::_grouped_mm", [](Builder& b, const Node& n) -> Value* {  // all rows times each group's matrix; every row takes its own product
       const ir::Type& y = n.result()->type;
       if (n.input(0)->type.rank() != 2 || n.input(1)->type.rank() != 3 || !n.input(1)->type.dims[0].is_static()) return nullptr;
       Value* row = b.op("aten::unsqueeze_copy", {b.op("aten::arange", {b.size(y.dims[0]), DType::kI64}), 1});
       Value* result = b.op("aten::full", {b.sizes(y.dims), 0.0, y.dtype});
       for (int64_t g = n.input(1)->type.dims[0].value(); g-- > 0;) {
         Value* product = b.op("aten::mm", {n.input(0), b.op("aten::select_copy.int", {n.input(1), 0, g})});
         Value* before_end = b.op("aten::lt.Tensor", {row, b.op("aten::select_copy.int", {n.input(2), 0, g})});
         result = b.op("aten::where.self", {before_end, product, result});
       }
       return result;
     }},
    {"aten::sum", [](Builder& b, const Node& n) { return b.op("aten::sum.dim_IntList", {n.input(0), Arg(), false, n.arg(1)}); }},
};

constexpr int kDeepest = 16;  // expansions within expansions

class Legalizer {
 public:
  Legalizer(ir::Graph& graph, PassContext& context) : graph_(graph), context_(context) {}
  void run() { for (Node* n : graph_.nodes()) node(n, 0); }

 private:
  void node(Node* n, int depth) {
    if (const std::string_view name = portable_name(n->op); !name.empty()) {
      Builder b(graph_, context_.ops, n);
      const std::vector<Value*> values = b.ops(name, {n->args().begin(), n->args().end()}, n->results().size());
      for (size_t i = 0; i < values.size(); ++i)
        if (!values[i]->type.is_tensor()) values[i]->type = n->result(i)->type;  // a number keeps its symbol
      return replace(n, values);
    }
    if (expand_here(n) || depth == kDeepest) return;
    if (n->def == nullptr || is_portable_op(*n->def->stock_name != 0 ? n->def->stock_name : n->def->name())) return;
    if (const Composite* composite = find_composite(n->op)) take_apart(n, *composite, depth);
  }

  bool expand_here(Node* n) {
    for (const Row& row : kExpanded) {
      if (n->op != row.op) continue;
      Builder b(graph_, context_.ops, n);
      Value* result = row.expand(b, *n);
      if (result == nullptr || result->type.dtype != n->result()->type.dtype) return false;  // integers promote otherwise
      replace(n, {result});
      return true;
    }
    return false;
  }

  /// The way in which builds without the operator would compute it.
  void take_apart(Node* n, const Composite& composite, int depth) {
    Builder b(graph_, context_.ops, n);
    const int first_new = graph_.next_node_id();
    const std::vector<Value*> values = composite.expand(b, *n);
    for (size_t i = 0; i < values.size() && i < n->results().size(); ++i) {
      const ir::Type &want = n->result(i)->type, &have = values[i]->type;
      if (!graph_.is_unused(n->result(i)) && (want.dtype != have.dtype || want.rank() != have.rank())) return;  // left for the emitter to refuse
    }
    std::vector<Node*> made;
    for (Node* m = graph_.previous(n); m != nullptr && m->id >= first_new; m = graph_.previous(m)) made.push_back(m);
    replace(n, values);
    for (size_t i = made.size(); i-- > 0;) node(made[i], depth + 1);
  }

  void replace(Node* n, const std::vector<Value*>& values) {
    for (size_t i = 0; i < values.size() && i < n->results().size(); ++i)
      if (!graph_.is_unused(n->result(i))) graph_.replace_uses(n->result(i), values[i]);
    graph_.erase(n);
  }

  ir::Graph& graph_;
  PassContext& context_;
};

void run(ir::Graph& graph, PassContext& context) { Legalizer(graph, context).run(); }

}  // namespace

extern constinit const PassDef pass_legalize_portable{
    .name = "legalize-portable",
    .summary = "operators take the names and forms that stock portable kernels have",
    .needs = ir::Stage::kCore,
    .gives = ir::Stage::kLowered,
    .run = run,
};

}  // namespace glint::compiler
