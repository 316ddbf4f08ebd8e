// Drops calls whose results nobody uses, and constants that nobody reads any more. Inputs and states stay: they
// are the method's signature.

#include "glint/compiler/ir/match.h"
#include "glint/compiler/pass.h"

namespace glint::compiler {
namespace {

void run(ir::Graph& graph, PassContext&) { ir::eliminate_dead_code(graph); }

}  // namespace

extern constinit const PassDef pass_eliminate_dead_code{
    .name = "eliminate-dead-code",
    .summary = "drop calls and constants without use",
    .needs = ir::Stage::kImported,
    .gives = ir::Stage::kImported,
    .run = run,
};

}  // namespace glint::compiler
