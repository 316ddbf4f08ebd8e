#include "glint/compiler/pass_manager.h"

#include <chrono>

namespace glint::compiler {

namespace {

/// On a graph, then on the regions of its nodes.
bool run_everywhere(const PassDef& pass, ir::Graph& graph, PassContext& context) {
  const uint64_t before = graph.version();
  pass.run(graph, context);
  bool changed = graph.version() != before;
  for (ir::Node* n : graph.nodes())
    for (const auto& region : n->regions) changed |= run_everywhere(pass, *region, context);
  return changed;
}

}  // namespace

bool run_pass(const PassDef& pass, ir::Graph& graph, PassContext& context) {
  bool changed = false;
  try {
    changed = run_everywhere(pass, graph, context);
    ir::verify(graph, pass.gives);
  } catch (ir::Error& e) {
    e.diagnostic.message += " (in pass " + std::string(pass.name) + ")";
    throw;
  }
  return changed;
}

std::vector<PassRun> run_passes(std::span<const PassDef* const> passes, ir::Graph& graph, PassContext& context, const PassHook& hook) {
  std::vector<PassRun> runs;
  for (const PassDef* pass : passes) {
    if (hook) hook(*pass, false, graph);
    const auto start = std::chrono::steady_clock::now();
    const bool changed = run_pass(*pass, graph, context);
    runs.push_back({pass->name, changed, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count()});
    if (hook) hook(*pass, true, graph);
  }
  return runs;
}

}  // namespace glint::compiler
