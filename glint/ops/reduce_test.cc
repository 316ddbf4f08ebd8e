#include <cmath>

#include "glint/ops/ops.h"
#include "glint/testing/op_call.h"

#include <gtest/gtest.h>

namespace glint::ops {
namespace {

using testing::call, testing::f32, testing::i64, testing::HostTensor, testing::Operand, testing::op;
using Values = std::vector<double>;
using Sizes = std::vector<int64_t>;

testing::Outcome run(const char* name, std::vector<Operand> operands) {
  auto out = call(op(all(), name), std::move(operands));
  EXPECT_TRUE(out.status.ok()) << name << ": " << out.status.why();
  return out;
}

const HostTensor kGrid = f32({2, 3}, {1, 5, 3, 4, 2, 6});

TEST(Reduce, Golden) {
  EXPECT_EQ(run("aten::sum.dim_IntList", {kGrid, Sizes{0}}).results[0].values(), (Values{5, 7, 9}));
  EXPECT_EQ(run("aten::sum.dim_IntList", {kGrid, Sizes{-1}, true}).results[0].describe(), "float32[2, 1]");
  EXPECT_EQ(run("aten::mean", {kGrid}).results[0].values(), (Values{3.5}));
  EXPECT_EQ(run("aten::amax", {kGrid, Sizes{1}}).results[0].values(), (Values{5, 6}));
  EXPECT_EQ(run("aten::argmin", {kGrid}).results[0].values(), (Values{0}));
  EXPECT_EQ(run("aten::var.correction", {kGrid, Sizes{1}}).results[0].values(), (Values{4, 4}));
  EXPECT_EQ(run("aten::prod.dim_int", {HostTensor(DType::kI8, {3}, {100, 2, 3}), 0}).results[0].describe(), "int64[]");
  EXPECT_EQ(run("aten::linalg_vector_norm", {f32({2}, {3, -4})}).results[0].values(), (Values{5}));
  EXPECT_EQ(run("aten::any", {HostTensor(DType::kU8, {2}, {0, 9})}).results[0].describe(), "uint8[]");
  EXPECT_EQ(run("aten::any.dims", {kGrid, Sizes{}}).results[0].describe(), "bool[2, 3]");
  EXPECT_EQ(run("aten::count_nonzero", {i64({3}, {0, 1, 2})}).results[0].values(), (Values{2}));
}

// The same elements in every layout, folded along every dimension.
TEST(Reduce, AnyStrides) {
  std::vector<double> values(5 * 40 * 7);
  for (size_t i = 0; i < values.size(); ++i) values[i] = double(i * 37 % 101);
  const HostTensor x = f32({5, 40, 7}, values), twisted = x.with_strides({40, 1, 200});
  for (int dim = 0; dim < 3; ++dim)
    for (const char* name : {"aten::max.dim", "aten::min.dim", "aten::cummax"}) {
      const auto a = run(name, {x, dim}), b = run(name, {twisted, dim});
      EXPECT_EQ(a.results[0].values(), b.results[0].values()) << name << dim;
      EXPECT_EQ(a.results[1].values(), b.results[1].values()) << name << dim;
    }
  EXPECT_EQ(run("aten::argmax", {x}).results[0].values(), run("aten::argmax", {twisted}).results[0].values());
  EXPECT_EQ(run("aten::sum.dim_IntList", {x, Sizes{0, 2}}).results[0].values(), run("aten::sum.dim_IntList", {twisted, Sizes{2, 0}}).results[0].values());
}

TEST(Reduce, NothingAndNan) {
  EXPECT_EQ(run("aten::sum.dim_IntList", {f32({2, 0}), Sizes{1}}).results[0].values(), (Values{0, 0}));
  EXPECT_TRUE(std::isnan(run("aten::mean", {f32({0})}).results[0].values()[0]));
  EXPECT_EQ(run("aten::logsumexp", {f32({0}), Sizes{0}}).results[0].values()[0], -INFINITY);
  EXPECT_EQ(run("aten::max.dim", {f32({3}, {1, NAN, 2}), 0}).results[1].values(), (Values{1}));
  EXPECT_EQ(run("aten::amax", {f32({}, {2}), Sizes{-1}}).results[0].values(), (Values{2}));
}

TEST(Reduce, Cumulative) {
  EXPECT_EQ(run("aten::cumsum", {i64({3}, {1, 2, 3}), 0}).results[0].values(), (Values{1, 3, 6}));
  EXPECT_EQ(run("aten::cumprod", {kGrid, 0}).results[0].values(), (Values{1, 5, 3, 4, 10, 18}));
  EXPECT_EQ(run("aten::cummax", {i64({4}, {2, 2, 1, 3}), 0}).results[1].values(), (Values{0, 1, 1, 3}));
  EXPECT_EQ(run("aten::cumsum", {f32({}, {2}), -1}).results[0].values(), (Values{2}));
}

TEST(Reduce, Refusals) {
  struct Case { const char* name; std::vector<Operand> operands; };
  const Case cases[] = {
      {"aten::sum.dim_IntList", {kGrid, Sizes{2}}}, {"aten::sum.dim_IntList", {kGrid, Sizes{0, -2}}}, {"aten::mean", {i64({2})}}, {"aten::amax", {f32({0})}},
      {"aten::max.dim", {f32({2, 0}), 1}}, {"aten::argmax", {f32({0})}}, {"aten::var.correction", {i64({2})}}, {"aten::cumsum", {kGrid, 2}},
      {"aten::linalg_vector_norm", {f32({0}), INFINITY}}, {"aten::linalg_vector_norm", {i64({2})}},
  };
  for (const Case& c : cases) EXPECT_EQ(call(op(all(), c.name), c.operands).status.code(), Code::kInvalidArgument) << c.name;
}

}  // namespace
}  // namespace glint::ops
