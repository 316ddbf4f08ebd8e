#include "glint/compiler/ir/ir.h"

#include <gtest/gtest.h>

#include "glint/compiler/ir/interpret.h"
#include "glint/ops/ops.h"

namespace glint::ir {
namespace {

const OpLookup& lookup() {
  static const OpLookup ops(ops::all(), {});
  return ops;
}

/// The text of the error that `f` throws; "" when it throws none.
template <class F>
std::string error_of(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.diagnostic.text();
  }
  return "";
}

std::string reprint(const std::string& text) { return print(*parse(text, lookup())); }

constexpr const char* kCanonical = R"(graph forward(%x: f32[2,s0], %k: int(s1)) symbols(s0: 1..32, s1: 0.. step 8, u0: 0..64 data) states(%h: f32[2,2] = "cell.h" [0.0, 1.0, -2.5, inf] -> %h2, %z: i64[] = "count", %n: f32[100] = "n" -1.5) constants(%w: f32[2,1] = [1.0, 0.5], %flags: bool[2] = [true, false], %big: i64[1] = [9223372036854775807], %e: f32[0,3] = [], %half: f16[2]{0} = [0.33325195, -inf], %far: f32[100] = dense<0123456789abcdef0123456789abcdef>) mutations(0 -> %a) outputs("logits", "four", "nothing") specs("in \"x\"", "out\\") {
  %a = aten::add.Tensor(%x, %w, alpha=2) : f32[2,s0]
  %p, %q = aten::split.Tensor(%a, split_size=1) : f32[1,s0], f32[1,s0]
  %c = aten::cat(%p, %q, dim=-1) : f32[1,2*s0]
  %u = custom::thing.out(%c, [%p,None], 1.5, key="a\nb", flag=true, dtype=bf16, empty=[]) : f32[s0+1,(s0+1)//2+1]{1,0}
  custom::effect(%u)
  %h2 = aten::mm(%h, %h) : f32[2,2]
  return %a, 4, None
}
)";

TEST(IrText, CanonicalTextReadsBackUnchanged) {
  std::string text = kCanonical;
  text.replace(text.find("aten::cat(%p, %q"), 16, "aten::cat([%p,%q]");
  EXPECT_EQ(reprint(text), text);
}

TEST(IrText, DefaultsNamesAndInferredTypes) {
  EXPECT_EQ(reprint(R"(
# a comment
graph (%x: f32[1,3,8,8]) constants(%w: f32[4,3,3,3] = 0.5) {
  %c = aten::convolution(%x, %w, None, [1, 1], padding=1, dilation=[1,1], transposed=False, output_padding=0, groups=1)  // origin
  %r = aten::relu(%c)
  return %r
}
)"),
            "graph forward(%x: f32[1,3,8,8]) constants(%w: f32[4,3,3,3] = 0.5) {\n"
                "  %c = aten::convolution(%x, %w, bias=None, stride=[1,1], padding=[1], dilation=[1,1], transposed=false, output_padding=[0], groups=1) : f32[1,4,8,8]\n"
                "  %r = aten::relu(%c) : f32[1,4,8,8]\n"
                "  return %r\n"
                "}\n");
}

TEST(IrText, RegionsNest) {
  const std::string text = R"(graph forward(%p: bool[], %x: f32[2]) {
  %y = higher_order::cond(%p, [%x]) : f32[2] {
    graph yes(%x: f32[2]) {
      %a = aten::neg(%x) : f32[2]
      return %a
    }
    graph no(%x: f32[2]) {
      return %x
    }
  }
  return %y
}
)";
  EXPECT_EQ(reprint(text), text);
  StateStore states;
  const auto g = parse(text, lookup());
  verify(*g, Stage::kCore);
  const Item x = Item::tensor(DType::kF32, {2}, std::vector<double>{1, 2});
  for (bool p : {true, false}) {
    const std::vector<Item> inputs = {Item::tensor(DType::kBool, {}, std::vector<double>{double(p)}), x};
    EXPECT_EQ(interpret(*g, inputs, states).outputs[0].values()[1], p ? -2 : 2);
  }
}

TEST(IrText, ErrorsTellWhere) {
  const struct { const char *text, *error; } cases[] = {
      {"grph f() { return }", "line 1, column 1: 'graph' expected"},
      {"graph f(%x: f33[2]) { return %x }", "line 1, column 16: 'f33' is not a dtype"},
      {"graph f(%x: f32[2]) {\n  return %y\n}", "line 2, column 12: %y is not defined here"},
      {"graph f(%x: f32[s0]) { return %x }", "line 1, column 19: size: unknown symbol in 's0'"},
      {"graph f(%x: f32[2], %x: f32[2]) { return %x }", "line 1, column 23: %x is defined twice"},
      {"graph f(%x: f32[2]) { %y = aten::relu() : f32[2] return %y }", "line 1, column 40: argument self is missing"},
      {"graph f(%x: f32[2]) { %y = aten::relu(%x, foo=1) : f32[2] return %y }", "line 1, column 47: aten::relu has no argument foo"},
      {"graph f(%x: f32[2]) { %y = aten::nope(%x) return %y }", "line 1, column 43: 1 results, but 0 types"},
      {"graph f() constants(%c: f32[3] = [1, 2]) { return %c }", "line 1, column 40: 3 elements expected, not 2"},
      {"graph f(%x: f32[2]) symbols(s: 4..2) { return %x }", "line 1, column 36: the range of s is empty"},
      {"graph f(%x: f32[2]{1}) { return %x }", "line 1, column 21: the dim order is not a permutation"},
      {"graph f(%x: f32[2]) { return \"abc", "line 1, column 34: the text ends within quotes"},
  };
  for (const auto& c : cases) EXPECT_EQ(error_of([&] { parse(c.text, lookup()); }), c.error) << c.text;
}

TEST(IrText, DamagedTextNeverCrashes) {
  const std::string text = kCanonical;
  for (size_t i = 0; i < text.size(); ++i) {
    error_of([&] { parse(text.substr(0, i), lookup()); });
    std::string damaged = text;
    damaged[i] = char("(){}[]%,=:0\"-"[i % 13]);
    error_of([&] { parse(damaged, lookup()); });
  }
}

TEST(Infer, FollowsSymbolicSizes) {
  const auto g = parse(R"(
graph(%x: f32[s0,3,s1]) symbols(s0: 1..16, s1: 2..40) {
  %a = aten::permute(%x, dims=[2,0,1])
  %b = aten::cat([%x,%x], dim=2)
  %c = aten::avg_pool2d(%x, kernel_size=[2,2], stride=[1,2])
  %d = aten::slice.Tensor(%x, dim=2, start=1, end=9223372036854775807)
  %e = aten::sum.dim_IntList(%x, dim=[1], keepdim=True)
  return %a, %b, %c, %d, %e
}
)", lookup());
  std::vector<std::string> types;
  for (const Arg& a : g->outputs) types.push_back(describe(a.value()->type, g->symbols));
  EXPECT_EQ(types, (std::vector<std::string>{"f32[s1,s0,3]", "f32[s0,3,2*s1]", "f32[s0,2,s1//2]", "f32[s0,3,s1-1]", "f32[s0,1,s1]"}));
  EXPECT_EQ(g->symbols.size(), 2);
  verify(*g, Stage::kCore);
}

TEST(Infer, DataDependentSizesBecomeBoundedSymbols) {
  const auto g = parse(R"(
graph(%x: f32[s0,3]) symbols(s0: 0..16) {
  %n = aten::nonzero(%x)
  %t = aten::permute(%n, dims=[1,0])
  return %t
}
)", lookup());
  EXPECT_EQ(describe(g->outputs[0].value()->type, g->symbols), "i64[2,u0]");
  EXPECT_EQ(g->symbols[1].max, 48);
  EXPECT_TRUE(g->symbols[1].data_dependent);
  verify(*g, Stage::kCore);
  StateStore states;
  const Item x = Item::tensor(DType::kF32, {2, 3}, std::vector<double>{0, 1, 0, 0, 0, 2});
  const Item r = interpret(*g, std::span(&x, 1), states).outputs[0];
  EXPECT_EQ(r.values(), (std::vector<double>{0, 1, 1, 2}));
}

TEST(Infer, RefusalsNameTheOperandsAndTheSizes) {
  const std::string text = error_of([] { parse("graph(%x: f32[s0], %y: f32[3]) symbols(s0: 1..8) { %a = aten::add.Tensor(%x, %y) return %a }", lookup()); });
  EXPECT_NE(text.find("s0=8"), text.npos) << text;
  EXPECT_NE(text.find("self f32[s0], other f32[3]"), text.npos) << text;
}

TEST(Builder, InsertsCallsWithTypesAndConstants) {
  const auto g = parse("graph(%x: i64[2,3]) { %y = aten::neg(%x) return %y }", lookup());
  Builder b(*g, lookup(), g->nodes()[0]);
  Value* v = b.op("aten::mul.Tensor", {g->inputs[0], 2.5});
  EXPECT_EQ(v->producer->op, "aten::mul.Scalar");
  v = b.op("aten::maximum", {v, 1.0});
  v = b.op("aten::permute", {v, std::vector<int64_t>{1, 0}});
  g->outputs.emplace_back(v);
  EXPECT_EQ(print(*g), R"(graph forward(%x: i64[2,3]) constants(%c: f32[] = [1.0]) {
  %mul = aten::mul.Scalar(%x, other=2.5) : f32[2,3]
  %maximum = aten::maximum(%mul, %c) : f32[2,3]
  %permute = aten::permute(%maximum, dims=[1,0]) : f32[3,2]
  %y = aten::neg(%x) : i64[2,3]
  return %y, %permute
}
)");
  verify(*g, Stage::kCore);
  EXPECT_EQ(error_of([&] { b.op("aten::nope", {}); }), "aten::nope: this build has no such operator");
  EXPECT_NE(error_of([&] { b.op("aten::permute", {v}); }).find("argument dims is missing"), std::string::npos);
}

TEST(Graph, EditingKeepsUses) {
  const auto g = parse("graph(%x: f32[2], %y: f32[2]) states(%s: f32[2] = \"s\" -> %b) { %a = aten::add.Tensor(%x, %x) %b = aten::stack([%a,%x,%a]) : f32[2] return %a }", lookup());
  Node* add = g->nodes()[0];
  EXPECT_EQ(g->inputs[0]->users().size(), 3u);
  g->replace_uses(g->inputs[0], g->inputs[1]);
  EXPECT_TRUE(g->inputs[0]->users().empty());
  EXPECT_EQ(g->inputs[1]->users().size(), 3u);
  EXPECT_NE(error_of([&] { g->erase(add); }), "");
  g->replace_uses(add->result(), g->inputs[0]);
  EXPECT_EQ(g->outputs[0].value(), g->inputs[0]);
  g->erase(add);
  EXPECT_EQ(g->inputs[1]->users().size(), 1u);
  EXPECT_EQ(g->find_value("a"), nullptr);
  EXPECT_TRUE(g->is_output(g->find_value("b")));
  EXPECT_EQ(g->unique_name("x"), "x_1");
  EXPECT_EQ(g->unique_name("a b"), "a_b");
}

TEST(Verify, RefusesBrokenGraphs) {
  const struct { const char *text, *error; } cases[] = {
      {"graph(%x: f32[2]) { %y = aten::relu(%x) : f32[3] return %y }", "%y is f32[3] where the operator yields f32[2]"},
      {"graph(%x: f32[2]) { %y = aten::relu(%x) : i64[2] return %y }", "%y is i64[2] where the operator yields f32[2]"},
      {"graph(%x: f32[s]) symbols(s: 1..4) { %y = aten::cat([%x,%x]) : f32[s+1] return %y }", "%y is f32[s+1] where the operator yields f32[8]"},
      {"graph(%x: f32[2]) { %y = aten::relu_(%x) : f32[2] return %y }", "an operation in place must be gone by now"},
      {"graph(%x: f32[2]) { %y = my::op(%x) : f32[2] return %y }", "this build has no such operator"},
      {"graph(%x: f32[2]) { %y = aten::add.Tensor(%x, 1) return %y }", "a number where a tensor is expected"},
      {"graph(%x: f32[2]) states(%s: f32[2] = \"s\") { return %x }", "the state s has no final value"},
      {"graph(%x: f32[2]) states(%s: f32[2] = \"s\" -> %y) { %y = aten::neg(%s) %z = aten::cat([%x,%x]) return %z }", ""},
      {"graph(%x: f32[2]) mutations(0 -> %z) { %z = aten::cat([%x,%x]) return %z }", "%x ends as %z of another type: f32[2], f32[4]"},
  };
  for (const auto& c : cases) {
    const auto g = parse(c.text, lookup());
    const std::string error = error_of([&] { verify(*g, Stage::kCore); });
    EXPECT_EQ(error.empty(), *c.error == 0) << c.text << "\ngave: " << error;
    EXPECT_NE(error.find(c.error), error.npos) << c.text << "\ngave: " << error;
  }
  const auto g = parse("graph(%x: f32[2]) { %y = aten::neg(%x) %z = aten::abs(%y) return %z }", lookup());
  g->move_before(g->nodes()[1], g->nodes()[0]);
  EXPECT_NE(error_of([&] { verify(*g, Stage::kImported); }).find("%y is used before its definition"), std::string::npos);
}

TEST(Interpret, StatesAndMutationsPersist) {
  const auto g = parse(R"(
graph(%x: f32[2]) states(%s: f32[2] = "sum" [1, 2] -> %t) mutations(0 -> %t) {
  %t = aten::add.Tensor(%x, %s)
  return %s, 7
}
)", lookup());
  StateStore states;
  const Item x = Item::tensor(DType::kF32, {2}, std::vector<double>{10, 20});
  int seen = 0;
  const Observer observer = [&](const Node& n, std::span<const Item> results) { seen += n.is("aten::add.Tensor") && results.size() == 1; };
  Interpretation r = interpret(*g, std::span(&x, 1), states, observer);
  EXPECT_EQ(r.outputs[0].values(), (std::vector<double>{1, 2}));
  EXPECT_EQ(r.outputs[1].i, 7);
  EXPECT_EQ(r.inputs[0].values(), (std::vector<double>{11, 22}));
  EXPECT_EQ(states.at("sum").values(), (std::vector<double>{11, 22}));
  r = interpret(*g, std::span(&x, 1), states, observer);
  EXPECT_EQ(r.outputs[0].values(), (std::vector<double>{11, 22}));
  EXPECT_EQ(seen, 2);
  EXPECT_NE(error_of([&] { interpret(*g, {}, states); }), "");
  const Item wrong = Item::tensor(DType::kF32, {3});
  EXPECT_EQ(error_of([&] { interpret(*g, std::span(&wrong, 1), states); }), "input %x has other sizes than f32[2]");
}

TEST(Interpret, FailuresNameTheNode) {
  const auto g = parse("graph(%i: i64[1]) constants(%w: f32[2,2] = 1.0) { %e = aten::embedding(%w, %i) return %e }", lookup());
  StateStore states;
  const Item i = Item::tensor(DType::kI64, {1}, std::vector<double>{5});
  EXPECT_EQ(error_of([&] { interpret(*g, std::span(&i, 1), states); }).find("aten::embedding: "), 0u);
}

TEST(Constants, EqualBytesHaveEqualHashes) {
  const auto hash = [](std::vector<std::byte> v) { return make_constant(std::move(v))->hash(); };
  EXPECT_EQ(hash({}).size(), 32u);
  EXPECT_EQ(hash({std::byte(1), std::byte(2)}), hash({std::byte(1), std::byte(2)}));
  EXPECT_NE(hash({std::byte(1)}), hash({std::byte(1), std::byte(0)}));
  EXPECT_NE(hash(std::vector<std::byte>(8)), hash(std::vector<std::byte>(16)));
}

}  // namespace
}  // namespace glint::ir
