// Every overload that PyTorch tags `core` (core_overloads.txt) is an operator here, one that the compiler takes apart, or one in place
// whose functional form is either. And what becomes of those that have no definition of their own.

#include <gtest/gtest.h>

#include <fstream>

#include "glint/compiler/compiler.h"
#include "glint/compiler/decompose/decompose.h"
#include "glint/compiler/ir/interpret.h"
#include "glint/compiler/ir/ir.h"
#include "glint/compiler/ir/match.h"
#include "glint/compiler/pass_manager.h"
#include "glint/ops/ops.h"

namespace glint::compiler {
namespace {

bool resolves(const std::string& name) {
  if (find_op(ops::all(), name) != nullptr || find_composite(name) != nullptr) return true;
  const std::string functional = ir::functional_name(name);
  return !functional.empty() && resolves(functional);
}

TEST(CoreOverloads, AllResolve) {
  std::ifstream file(GLINT_SOURCE_DIR "/tests/conformance/core_overloads.txt");
  int count = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    ++count;
    EXPECT_TRUE(resolves(line)) << line;
  }
  EXPECT_EQ(count, 193);
}

using Values = std::vector<double>;
struct Program {
  const char* text;
  std::vector<ir::Item> inputs;
  std::vector<Values> outputs;
  std::vector<Values> inputs_after;
};

/// Made functional, taken apart and interpreted.
void expect_computes(const Program& p) {
  SCOPED_TRACE(p.text);
  try {
    const auto graph = ir::parse(p.text, op_lookup());
    const Target target;
    PassContext context{op_lookup(), target};
    for (const char* name : {"functionalize", "decompose"}) run_pass(*find_pass(name), *graph, context);
    ir::StateStore states;
    const ir::Interpretation got = ir::interpret(*graph, p.inputs, states);
    ASSERT_EQ(got.outputs.size(), p.outputs.size());
    for (size_t i = 0; i < p.outputs.size(); ++i) EXPECT_EQ(got.outputs[i].values(), p.outputs[i]);
    for (size_t i = 0; i < p.inputs_after.size(); ++i) EXPECT_EQ(got.inputs[i].values(), p.inputs_after[i]);
  } catch (const ir::Error& e) {
    FAIL() << e.diagnostic.text();
  }
}

ir::Item f32(const std::vector<int64_t>& sizes, const Values& v) { return ir::Item::tensor(DType::kF32, sizes, v); }

TEST(CoreOverloads, WithoutDefinitionsOfTheirOwn) {
  expect_computes({"graph g(%x: f32[2,2], %m: f32[2], %v: f32[2]) {"
                   "  %y, %a, %b = aten::_native_batch_norm_legit(%x, None, None, %m, %v, true, 0.5, 0.0) : f32[2,2], f32[2], f32[2] return %y, %a, %b }",
                   {f32({2, 2}, {1, 2, 3, 6}), f32({2}, {0, 1}), f32({2}, {1, 2})},
                   {{-1, -1, 1, 1}, {2, 4}, {1, 0.5}},
                   {{1, 2, 3, 6}, {1, 2.5}, {1.5, 5}}});
  expect_computes({"graph g(%x: f32[2], %y: f32[2], %o: f32[2]) {"
                   "  %z = aten::atan2.out(%x, %y, out=%o) : f32[2] %n = aten::neg(%o) return %n }",
                   {f32({2}, {0, 0}), f32({2}, {1, 2}), f32({2}, {5, 5})},
                   {{0, 0}},
                   {{0, 0}, {1, 2}, {0, 0}}});
  expect_computes({"graph g(%x: f32[2,3]) { %a = aten::neg(%x) %b = aten::resize_(%a, [2, 2]) : f32[2,2] return %a }",
                   {f32({2, 3}, {0, 1, 2, 3, 4, 5})}, {{0, -1, -2, -3}}, {}});
  expect_computes({"graph g(%x: f32[2,3], %t: f32[3,1]) { %a = aten::neg(%x) %b = aten::resize_as_(%a, %t) : f32[3,1] return %a }",
                   {f32({2, 3}, {0, 1, 2, 3, 4, 5}), f32({3, 1}, {0, 0, 0})}, {{0, -1, -2}}, {}});
  expect_computes({"graph g(%x: f32[2,2], %m: f32[2], %v: f32[2]) {"
                   "  %y, %a, %b, %r = aten::_batch_norm_with_update(%x, None, None, %m, %v, 0.5, 0.0) : f32[2,2], f32[2], f32[2], u8[0] return %y, %a, %b }",
                   {f32({2, 2}, {1, 2, 3, 6}), f32({2}, {0, 1}), f32({2}, {1, 2})},
                   {{-1, -1, 1, 1}, {2, 4}, {1, 0.5}},
                   {{1, 2, 3, 6}, {1, 2.5}, {1.5, 5}}});
  expect_computes({"graph g(%x: f32[1,6]) { %a = aten::avg_pool1d(%x, [2]) : f32[1,3] %b = aten::adaptive_avg_pool1d(%x, [2]) : f32[1,2] return %a, %b }",
                   {f32({1, 6}, {0, 1, 2, 3, 4, 8})}, {{0.5, 2.5, 6}, {1, 5}}, {}});
}

}  // namespace
}  // namespace glint::compiler
