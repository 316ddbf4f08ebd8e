#include "glint/compiler/ir/match.h"

#include <algorithm>

namespace glint::ir {

bool is_pure(const Node& node) {
  if (!node.regions.empty() || node.schema == nullptr || !functional_name(node.op).empty()) return false;
  if (node.def != nullptr) return node.def->flags.pure && !node.def->flags.random;
  return std::none_of(node.schema->args().begin(), node.schema->args().end(), [](const SchemaArg& a) { return a.written; });
}

bool is_control_flow(const Node& node) {
  const auto shape = [&](size_t regions, size_t args) { return node.regions.size() == regions && node.args().size() == args; };
  if (node.is("higher_order::cond")) return shape(2, 2) && node.arg(1).is_list();
  if (node.is("higher_order::while_loop")) return shape(2, 2) && node.arg(0).is_list() && node.arg(1).is_list();
  if (node.is("higher_order::map_impl")) return shape(1, 2) && node.arg(0).is_list() && node.arg(1).is_list();
  return node.is("higher_order::scan") && shape(1, 3) && node.arg(0).is_list() && node.arg(1).is_list() && node.arg(2).is_list();
}

bool is_removable(const Node& node) {
  if (node.results().empty()) return false;
  if (!node.regions.empty()) {
    for (const auto& region : node.regions)
      for (const Node* n : region->nodes())
        if (!is_removable(*n)) return false;
    return true;
  }
  return is_pure(node);
}

bool is_only_use(const Value* v, const Node* node) { return v->users().size() == 1 && v->users()[0] == node && !node->graph().is_output(v); }

bool same_type(const Type& a, const Type& b) { return a.kind == b.kind && a.dtype == b.dtype && a.dims == b.dims; }

uint64_t size_bytes(const Type& type, const Symbols& symbols) {
  uint64_t n = dtype_size(type.dtype);
  bool empty = false, overflow = false;
  for (const Dim& d : type.dims) {
    const int64_t most = symbols.range(d).max;
    empty |= most <= 0;
    if (most > 0) overflow |= __builtin_mul_overflow(n, uint64_t(most), &n);
  }
  return empty ? 0 : overflow ? UINT64_MAX : n;
}

void eliminate_dead_code(Graph& graph) {
  std::vector<Node*> nodes = graph.nodes();
  for (size_t i = nodes.size(); i-- > 0;) {
    Node* n = nodes[i];
    for (const auto& region : n->regions) eliminate_dead_code(*region);
    const bool unused = std::all_of(n->results().begin(), n->results().end(), [&](const Value* v) { return graph.is_unused(v); });
    if (unused && is_removable(*n)) graph.erase(n);
  }
  graph.prune_constants();
}

OriginPtr origin_for(const OriginPtr& source, const OriginPtr& value) {
  if (source == nullptr || value == nullptr || source->name == value->name) return value != nullptr ? value : source;
  auto merged = std::make_shared<Origin>(*source);
  merged->name = value->name;
  return merged;
}

}  // namespace glint::ir
