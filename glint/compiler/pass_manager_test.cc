#include "glint/compiler/pass_manager.h"

#include <gtest/gtest.h>

#include "glint/compiler/decompose/decompose.h"
#include "glint/ops/ops.h"

namespace glint::compiler {
namespace {

const ir::OpLookup& lookup() {
  static const ir::OpLookup ops(ops::all(), composite_schemas());
  return ops;
}

void swap_output(ir::Graph& g, PassContext& context) {
  ir::Builder b(g, context.ops, nullptr);
  g.replace_uses(g.outputs[0].value(), b.op("aten::neg", {g.inputs[0]}));
}
void nothing(ir::Graph&, PassContext&) {}
void break_types(ir::Graph& g, PassContext&) { g.nodes()[0]->result()->type.dtype = DType::kI64; }
void refuse(ir::Graph& g, PassContext&) { throw ir::Error(Code::kUnsupported, *g.nodes()[0], "not today"); }

constexpr PassDef kSwap{"swap", "", ir::Stage::kCore, ir::Stage::kCore, swap_output};
constexpr PassDef kNothing{"nothing", "", ir::Stage::kCore, ir::Stage::kCore, nothing};
constexpr PassDef kBreak{"break", "", ir::Stage::kCore, ir::Stage::kCore, break_types};
constexpr PassDef kRefuse{"refuse", "", ir::Stage::kCore, ir::Stage::kCore, refuse};

class PassManager : public ::testing::Test {
 protected:
  std::unique_ptr<ir::Graph> graph = ir::parse("graph(%x: f32[2]) { %y = aten::relu(%x) return %y }", lookup());
  Target target;
  PassContext context{lookup(), target};

  std::string error_of(const PassDef& pass) {
    try {
      run_pass(pass, *graph, context);
    } catch (const ir::Error& e) {
      return e.diagnostic.message;
    }
    return "";
  }
};

TEST_F(PassManager, TellsWhatChangedAndCallsTheHook) {
  std::vector<std::string> seen;
  const PassDef* const passes[] = {&kSwap, &kNothing};
  const std::vector<PassRun> runs = run_passes(passes, *graph, context, [&](const PassDef& p, bool after, const ir::Graph& g) {
    seen.push_back(std::string(p.name) + (after ? " after " : " before ") + std::to_string(g.node_count()));
  });
  ASSERT_EQ(runs.size(), 2u);
  EXPECT_TRUE(runs[0].changed);
  EXPECT_FALSE(runs[1].changed);
  EXPECT_EQ(seen, (std::vector<std::string>{"swap before 1", "swap after 2", "nothing before 2", "nothing after 2"}));
}

TEST_F(PassManager, FailuresNameThePass) {
  EXPECT_EQ(error_of(kRefuse), "aten::relu: not today (in pass refuse)");
  const std::string broken = error_of(kBreak);
  EXPECT_NE(broken.find("the graph is broken"), broken.npos) << broken;
  EXPECT_NE(broken.find("(in pass break)"), broken.npos) << broken;
}

}  // namespace
}  // namespace glint::compiler
