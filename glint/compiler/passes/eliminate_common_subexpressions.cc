// The second of two equal calls is the first one; the second of two equal constants too.

#include <unordered_map>

#include "glint/compiler/ir/match.h"
#include "glint/compiler/ir/text.h"
#include "glint/compiler/pass.h"

namespace glint::compiler {
namespace {

using ir::Node;
using ir::Value;

constexpr size_t kCheapToHash = 4096;  // larger constants are equal only when they share their data

std::string constant_key(const Value& v, const ir::Symbols& symbols) {
  std::string key = ir::describe(v.type, symbols) + " ";
  if (v.constant->size() <= kCheapToHash) return key + v.constant->hash();
  return key + std::to_string(reinterpret_cast<uintptr_t>(v.constant.get()));
}

std::string call_key(const Node& node) {
  std::string key = node.op;
  for (const ir::Arg& a : node.args()) key += "," + ir::print_arg(a);
  for (const Value* v : node.results()) key += ":" + ir::describe(v->type, node.graph().symbols);
  return key;
}

void run(ir::Graph& graph, PassContext&) {
  std::unordered_map<std::string, Value*> constants;
  for (Value* v : graph.constants()) {
    const auto [first, is_new] = constants.emplace(constant_key(*v, graph.symbols), v);
    if (!is_new) graph.replace_uses(v, first->second);
  }
  std::unordered_map<std::string, Node*> calls;
  for (Node* n : graph.nodes()) {
    if (!ir::is_pure(*n) || n->results().empty() || (n->def != nullptr && n->def->flags.value_shape)) continue;
    const auto [first, is_new] = calls.emplace(call_key(*n), n);
    if (is_new) continue;
    for (size_t i = 0; i < n->results().size(); ++i) graph.replace_uses(n->result(i), first->second->result(i));
    graph.erase(n);
  }
  graph.prune_constants();
}

}  // namespace

extern constinit const PassDef pass_eliminate_common_subexpressions{
    .name = "eliminate-common-subexpressions",
    .summary = "merge equal calls and equal constants",
    .needs = ir::Stage::kCore,
    .gives = ir::Stage::kCore,
    .run = run,
};

}  // namespace glint::compiler
