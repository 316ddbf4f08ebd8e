// The table as a whole, and operators that are both defined and decomposed: both ways compute the same.

#include "glint/compiler/decompose/decompose.h"

#include <gtest/gtest.h>

#include <cmath>

#include "glint/compiler/ir/interpret.h"
#include "glint/compiler/ir/ir.h"
#include "glint/ops/ops.h"

namespace glint::compiler {
namespace {

using ir::Item;

const ir::OpLookup& lookup() {
  static const ir::OpLookup ops(ops::all(), composite_schemas());
  return ops;
}

TEST(Decompose, EveryRowHasAParsedSchemaAndIsFoundByItsName) {
  ASSERT_GT(composites().size(), 400u);
  for (const Composite& c : composites()) {
    EXPECT_TRUE(c.schema->valid) << c.schema->name;
    EXPECT_EQ(find_composite(c.schema->name), &c);
  }
  EXPECT_EQ(find_composite("aten::no_such_operator"), nullptr);
}

TEST(Decompose, RowsTakeTheArgumentsOfTheOperatorsTheyStandFor) {
  for (const Composite& c : composites()) {
    const OpDef* def = lookup().def(c.schema->name);
    if (def == nullptr) continue;
    EXPECT_EQ(c.schema->return_count, def->schema->return_count) << c.schema->name;
    for (size_t i = 0; i < c.schema->arg_count && i < def->schema->arg_count; ++i)
      EXPECT_EQ(c.schema->arg_store[i].name, def->schema->arg_store[i].name) << c.schema->name;
  }
}

std::vector<Item> inputs_of(const ir::Graph& g) {
  std::vector<Item> items;
  uint64_t random = 1;
  for (const ir::Value* v : g.inputs) {
    std::vector<int64_t> sizes;
    int64_t n = 1;
    for (const ir::Dim& d : v->type.dims) sizes.push_back(d.value()), n *= d.value();
    std::vector<double> elements;
    for (int64_t i = 0; i < n; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const double unit = double(random >> 40) / double(1 << 24);
      elements.push_back(is_floating(v->type.dtype) ? 4 * unit - 2 : v->type.dtype == DType::kBool ? double(unit > 0.5) : std::floor(3 * unit));
    }
    if (is_floating(v->type.dtype) && n > 3) elements[1] = 0, elements[2] = -0.0, elements[3] = std::floor(elements[3]);
    items.push_back(Item::tensor(v->type.dtype, sizes, elements));
  }
  return items;
}

/// One level of the table, applied to every node that has a row.
void expand_all(ir::Graph& g) {
  for (ir::Node* n : g.nodes()) {
    const Composite* c = find_composite(n->op);
    if (c == nullptr) continue;
    ir::Builder b(g, lookup(), n);
    const std::vector<ir::Value*> values = c->expand(b, *n);
    ASSERT_EQ(values.size(), n->results().size()) << n->op;
    for (size_t i = 0; i < values.size(); ++i) g.replace_uses(n->result(i), values[i]);
    g.erase(n);
  }
}

std::vector<Item> run(const ir::Graph& g, const std::vector<Item>& inputs) {
  ir::StateStore states;
  return ir::interpret(g, inputs, states).outputs;
}

class BothWays : public ::testing::TestWithParam<const char*> {};

TEST_P(BothWays, ComputeTheSame) {
  const auto whole = ir::parse(GetParam(), lookup()), apart = ir::parse(GetParam(), lookup());
  const std::vector<Item> inputs = inputs_of(*whole);
  const std::vector<Item> want = run(*whole, inputs);
  try {
    expand_all(*apart);
    const std::vector<Item> have = run(*apart, inputs);
    ASSERT_EQ(have.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      EXPECT_EQ(have[i].meta.dtype, want[i].meta.dtype);
      const std::vector<double> a = have[i].values(), b = want[i].values();
      ASSERT_EQ(a.size(), b.size());
      for (size_t k = 0; k < a.size(); ++k) {
        if (a[k] == b[k] || (std::isnan(a[k]) && std::isnan(b[k]))) continue;
        EXPECT_NEAR(a[k], b[k], 2e-5 * (1 + std::fabs(b[k]))) << "output " << i << " element " << k;
      }
    }
  } catch (const ir::Error& e) {
    FAIL() << e.diagnostic.text();
  }
}

#define GLINT_UNARY(op) "graph g(%x: f32[2,5]) { %y = aten::" op " return %y }"
constexpr const char* kPrograms[] = {
    GLINT_UNARY("silu(%x)"), GLINT_UNARY("hardswish(%x)"), GLINT_UNARY("mish(%x)"), GLINT_UNARY("celu(%x, alpha=0.7)"),
    GLINT_UNARY("softplus(%x, beta=2.0, threshold=3.0)"), GLINT_UNARY("hardshrink(%x)"), GLINT_UNARY("softshrink(%x)"),
    GLINT_UNARY("threshold(%x, 0.1, 5.0)"), GLINT_UNARY("nan_to_num(%x)"), GLINT_UNARY("frac(%x)"), GLINT_UNARY("exp2(%x)"),
    GLINT_UNARY("triu(%x, 1)"), GLINT_UNARY("tril(%x, -1)"), GLINT_UNARY("cumprod(%x, 1)"), GLINT_UNARY("isposinf(%x)"),
    "graph g(%x: f32[2,5]) { %y, %i = aten::sort(%x, 1, true) return %y }",
    "graph g(%x: f32[2,5]) { %y = aten::logsumexp(%x, [1]) return %y }",
    "graph g(%x: f32[4,2], %y: f32[4,2]) { %z = aten::copysign.Tensor(%x, %y) return %z }",
    "graph g(%x: f32[4,2], %y: f32[2]) { %z = aten::fmax(%x, %y) return %z }",
    "graph g(%x: f32[4,2], %y: f32[4,2]) { %z = aten::hypot(%x, %y) return %z }",
    "graph g(%x: f32[4,2], %y: f32[4,2]) { %z = aten::logaddexp(%x, %y) return %z }",
    "graph g(%x: f32[4,2], %y: f32[4,2]) { %z = aten::xlogy.Tensor(%x, %y) return %z }",
    "graph g(%x: f32[4,2], %y: f32[4,2]) { %z = aten::heaviside(%x, %y) return %z }",
    "graph g(%x: f32[2,3,4], %y: f32[2,4,2], %a: f32[3,2]) { %z = aten::baddbmm(%a, %x, %y, beta=0.5, alpha=2) return %z }",
    "graph g(%x: f32[2,4,5,6]) { %y = aten::avg_pool3d(%x, [2,3,2], [1,2,1], [1,1,0], true, false) return %y }",
    "graph g(%x: f32[2,4,5,6]) { %y, %i = aten::max_pool3d_with_indices(%x, [2,3,2], [1,2,2], [1,1,0], [1,1,2], true) return %y, %i }",
    "graph g(%x: f32[2,3,5,7]) { %y, %i = aten::adaptive_max_pool2d(%x, [3,4]) return %y, %i }",
    "graph g(%x: f32[2,4,5,6]) { %y, %i = aten::adaptive_max_pool3d(%x, [3,2,4]) return %y, %i }",
    "graph g(%x: f32[1,2,4,5]) { %y = aten::upsample_bilinear2d(%x, [7,3], false) return %y }",
    "graph g(%x: f32[1,2,4,5]) { %y = aten::upsample_bicubic2d(%x, [7,3], true) return %y }",
    "graph g(%x: f32[1,2,4,5]) { %y = aten::upsample_nearest2d(%x, [7,3]) return %y }",
    "graph g(%x: f32[4,3], %i: i64[2,2]) { %y = aten::embedding(%x, %i) return %y }",
    "graph g(%x: f32[4,3], %i: i64[2], %s: f32[4,2]) { %y = aten::index_add(%x, 1, %i, %s, alpha=2) return %y }",
    "graph g(%x: f32[4,3], %i: i64[2,3], %s: f32[2,3]) { %y = aten::scatter_reduce.two(%x, 0, %i, %s, \"mean\", include_self=false) return %y }",
    "graph g(%x: f32[4,5], %s: f32[3]) { %y = aten::diagonal_scatter(%x, %s, -1) return %y }",
};
INSTANTIATE_TEST_SUITE_P(Programs, BothWays, ::testing::ValuesIn(kPrograms));

}  // namespace
}  // namespace glint::compiler
