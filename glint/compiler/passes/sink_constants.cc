// Constants that the region of a cond, while_loop, map or scan is given become constants of the region: there its passes see them, so
// that weights are packed and calls of constants folded. Operands that no region reads are dropped.

#include <algorithm>

#include "glint/compiler/ir/match.h"
#include "glint/compiler/pass.h"

namespace glint::compiler {
namespace {

using ir::Arg;
using ir::Graph;
using ir::Node;
using ir::Value;

void sink(Graph& region, Value* input, const Value& constant) {
  if (region.is_unused(input)) return;
  region.replace_uses(input, region.add_constant(constant.name, constant.type, constant.constant));
}

void drop_input(Graph& region, size_t at) {
  region.inputs.erase(region.inputs.begin() + ptrdiff_t(at));
  for (size_t i = 0; i < region.inputs.size(); ++i) region.inputs[i]->index = int(i);
  region.touch();
}

/// The last argument holds the operands that are the same in every step; regions take them last.
void sink_constants(Node& n) {
  const size_t last = n.args().size() - 1;
  Arg::List operands = n.arg(last).list();
  bool changed = false;
  for (size_t k = operands.size(); k-- > 0;) {
    const size_t from_end = operands.size() - k;
    const auto input_of = [&](Graph& region) { return region.inputs[region.inputs.size() - from_end]; };
    if (operands[k].is_value() && ir::is_constant(operands[k].value()))
      for (const auto& region : n.regions) sink(*region, input_of(*region), *operands[k].value());
    if (!std::all_of(n.regions.begin(), n.regions.end(), [&](const auto& region) { return region->is_unused(input_of(*region)); })) continue;
    for (const auto& region : n.regions) drop_input(*region, region->inputs.size() - from_end);
    operands.erase(operands.begin() + ptrdiff_t(k));
    changed = true;
  }
  if (changed) n.set_arg(last, Arg(std::move(operands)));
}

void run(Graph& graph, PassContext&) {
  for (Node* n : graph.nodes())
    if (ir::is_control_flow(*n)) sink_constants(*n);
}

}  // namespace

extern constinit const PassDef pass_sink_constants{
    .name = "sink-constants",
    .summary = "constants given to regions become their own",
    .needs = ir::Stage::kImported,
    .gives = ir::Stage::kImported,
    .run = run,
};

}  // namespace glint::compiler
