#include <cmath>

#include "glint/ops/ops.h"
#include "glint/testing/op_call.h"

#include <gtest/gtest.h>

namespace glint::ops {
namespace {

using testing::call, testing::f32, testing::i64, testing::HostTensor, testing::Operand, testing::op;
using Values = std::vector<double>;
using Sizes = std::vector<int64_t>;

HostTensor run(const char* name, std::vector<Operand> operands) {
  const auto out = call(op(all(), name), std::move(operands));
  EXPECT_TRUE(out.status.ok()) << name << ": " << out.status.why();
  return out.results.empty() ? HostTensor() : out.results[0];
}

TEST(Full, DtypeFollowsTheValue) {
  EXPECT_EQ(run("aten::full", {Sizes{2}, 3}).describe(), "int64[2]");
  EXPECT_EQ(run("aten::full", {Sizes{2}, true}).describe(), "bool[2]");
  EXPECT_EQ(run("aten::full", {Sizes{}, 0.5, DType::kF16}).values(), (Values{0.5}));
  EXPECT_EQ(run("aten::ones_like", {i64({2})}).values(), (Values{1, 1}));
  EXPECT_EQ(run("aten::empty.memory_format", {Sizes{2}}).values(), (Values{0, 0}));
  EXPECT_EQ(run("aten::scalar_tensor", {2}).describe(), "float32[]");
  EXPECT_EQ(run("aten::eye.m", {2, 3}).values(), (Values{1, 0, 0, 0, 1, 0}));
}

TEST(Full, Sequences) {
  EXPECT_EQ(run("aten::arange", {3}).describe(), "int64[3]");
  EXPECT_EQ(run("aten::arange.start_step", {1.0, 0.0, -0.25}).values(), (Values{1, 0.75, 0.5, 0.25}));
  EXPECT_EQ(run("aten::arange.start_step", {5, 5, 1}).describe(), "int64[0]");
  EXPECT_EQ(run("aten::linspace", {0, 1, 5}).values(), (Values{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(run("aten::linspace", {3, 9, 1}).values(), (Values{3}));
}

TEST(Full, Copies) {
  EXPECT_EQ(run("aten::_to_copy", {f32({3}, {1.7, -1.7, NAN}), DType::kI32}).values(), (Values{1, -1, -0x1p31}));
  EXPECT_EQ(run("aten::clone", {f32({2, 2}, {1, 2, 3, 4}).with_strides({1, 2})}).values(), (Values{1, 2, 3, 4}));
  EXPECT_EQ(run("aten::copy", {i64({2, 2}), f32({2}, {1.5, 2})}).values(), (Values{1, 2, 1, 2}));
}

TEST(Full, Refusals) {
  struct Case { const char* name; std::vector<Operand> operands; };
  const Case cases[] = {
      {"aten::full", {Sizes{-1}, 0}}, {"aten::full", {Sizes{int64_t(1) << 40, int64_t(1) << 40}, 0}}, {"aten::full", {Sizes{1}, 300, DType::kI8}},
      {"aten::arange.start_step", {0, 1, 0}}, {"aten::arange.start_step", {0, 1, -1}}, {"aten::arange", {INFINITY}}, {"aten::arange", {1e300, DType::kF64}},
      {"aten::arange.start_step", {INT64_MIN, INT64_MAX, 1}}, {"aten::linspace", {0, 1, -1}}, {"aten::eye", {-1}}, {"aten::copy", {f32({2}), f32({3})}},
      {"aten::copy", {f32({1}), f32({3})}}, {"aten::fill.Tensor", {f32({2}), f32({2})}},
  };
  for (const Case& c : cases) EXPECT_EQ(call(op(all(), c.name), c.operands).status.code(), Code::kInvalidArgument) << c.name;
}

TEST(ExecutorchPrim, PythonsRules) {
  EXPECT_EQ(run("executorch_prim::floordiv.Scalar", {-7, 2}).values(), (Values{-4}));
  EXPECT_EQ(run("executorch_prim::floordiv.Scalar", {-7.5, 2}).values(), (Values{-4}));
  EXPECT_EQ(run("executorch_prim::mod.Scalar", {-7, 2}).values(), (Values{1}));
  EXPECT_EQ(run("executorch_prim::truediv.Scalar", {7, 2}).values(), (Values{3.5}));
  EXPECT_EQ(run("executorch_prim::round.Scalar", {2.5}).values(), (Values{2}));
  EXPECT_EQ(run("executorch_prim::sym_max.Scalar", {3, 2.5}).describe(), "int64[]");
  EXPECT_EQ(run("executorch_prim::eq.Scalar", {2, 2.0}).values(), (Values{1}));
  EXPECT_EQ(run("executorch_prim::add.Scalar", {true, 2}).values(), (Values{3}));
  EXPECT_EQ(run("aten::sym_size.int", {f32({2, 3}), -1}).values(), (Values{3}));
  EXPECT_EQ(run("aten::_local_scalar_dense", {HostTensor(DType::kBF16, {1, 1}, {1.5})}).values(), (Values{1.5}));
  struct Case { const char* name; std::vector<Operand> operands; };
  const Case cases[] = {
      {"executorch_prim::floordiv.Scalar", {1, 0}}, {"executorch_prim::mod.Scalar", {1, 0}}, {"executorch_prim::truediv.Scalar", {1.0, 0.0}},
      {"executorch_prim::add.Scalar", {INT64_MAX, 1}}, {"executorch_prim::floordiv.Scalar", {INT64_MIN, -1}}, {"executorch_prim::ceil.Scalar", {1e300}},
      {"executorch_prim::neg.Scalar", {INT64_MIN}}, {"aten::sym_size.int", {f32({2}), 1}}, {"aten::_local_scalar_dense", {f32({2})}},
  };
  for (const Case& c : cases) EXPECT_EQ(call(op(all(), c.name), c.operands).status.code(), Code::kInvalidArgument) << c.name;
}

}  // namespace
}  // namespace glint::ops
