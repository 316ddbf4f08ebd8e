#include "glint/runtime/method_builder.h"

#include <vector>

#include <gtest/gtest.h>

#include "glint/ops/ops.h"
#include "glint/runtime/method.h"

namespace glint {
namespace {

TensorMeta meta(std::vector<int64_t> sizes) {
  TensorMeta m;
  (void)m.set(DType::kF32, sizes);
  return m;
}

struct Built : testing::Test {
  Tensor wrap(std::vector<float>& v, std::vector<int64_t> sizes) {
    Tensor t;
    static_cast<TensorMeta&>(t) = meta(sizes);
    t.data = v.data();
    return t;
  }
  Cpu cpu;
  std::vector<std::byte> memory = std::vector<std::byte>(1 << 20);
  Arena arena{memory};
  MethodBuilder b{"test", ops::all(), cpu, arena};
};

TEST_F(Built, RefusesAResultOverAnOperand) {
  const auto x = b.input(meta({2, 2}));
  const auto y = b.temporary(meta({2, 3}));
  const int64_t sizes[] = {2, 2}, strides[] = {3, 1};
  b.call_into("aten::copy", {x, b.view(y, sizes, strides), b.flag(false)}, b.view(y, sizes, strides));
  b.output(y);
  ASSERT_TRUE(b.status().ok()) << b.status().why();
  EXPECT_FALSE(Method::build(b, ops::all(), cpu, arena).ok());
}

TEST_F(Built, WritesResultsThroughViews) {
  std::vector<float> w = {1, 2, 3, 4};
  const auto x = b.input(meta({2, 2}));
  const auto transposed = b.permuted(b.constant(wrap(w, {2, 2})), {1, 0});
  const auto y = b.temporary(meta({2, 4}));
  const int64_t sizes[] = {2, 2}, strides[] = {4, 1};
  b.call_into("glint::matmul", {x, transposed, b.flag(false), b.real(1)}, b.view(y, sizes, strides));
  b.call_into("glint::matmul", {x, transposed, b.flag(true), b.real(2)}, b.view(y, sizes, strides, 2));
  b.output(y);
  ASSERT_TRUE(b.status().ok()) << b.status().why();
  EXPECT_EQ(b.tensor(transposed).stride[0], 1);
  const auto m = Method::build(b, ops::all(), cpu, arena);
  ASSERT_TRUE(m.ok()) << m.status().why();
  std::vector<float> in = {1, 0, 0, 1}, out(9);
  Tensor given = wrap(in, {2, 2});
  ASSERT_TRUE((*m)->set_input(0, Value::of(&given)).ok());
  // Any place that is aligned to its elements.
  ASSERT_TRUE((*m)->set_output(0, std::as_writable_bytes(std::span(out).subspan(1))).ok());
  ASSERT_TRUE((*m)->execute().ok());
  EXPECT_EQ(out, (std::vector<float>{0, 1, 3, 2, 4, 2, 4, 6, 8}));
}

TEST_F(Built, FoldsPureOperatorsOnConstants) {
  std::vector<float> c = {1, 2, 3, 4, 5, 6};
  const auto v = b.permuted(b.constant(wrap(c, {2, 3})), {1, 0});
  const Tensor t = b.fold("aten::clone", {v, b.none()}, arena);
  ASSERT_TRUE(b.status().ok()) << b.status().why();
  ASSERT_TRUE(t.is_contiguous() || t.stride[0] == 1);
  EXPECT_EQ(t.size[0], 3);
  b.fold("aten::clone", {b.input(meta({2})), b.none()}, arena);
  EXPECT_FALSE(b.status().ok());
}

TEST_F(Built, KeepsTheFirstError) {
  const auto x = b.input(meta({2, 3}));
  const auto bad = b.call("aten::mm", {x, x});
  EXPECT_EQ(bad, MethodBuilder::kFailed);
  const Status first = b.status();
  EXPECT_FALSE(first.ok());
  // Everything accepts what failed.
  EXPECT_EQ(b.call("aten::relu", {bad}), MethodBuilder::kFailed);
  EXPECT_EQ(b.permuted(bad, {0}), MethodBuilder::kFailed);
  EXPECT_EQ(b.tensors({bad}), MethodBuilder::kFailed);
  EXPECT_EQ(b.tensor(bad).numel(), 1);
  b.output(bad);
  EXPECT_STREQ(b.status().why(), first.why());
}

TEST_F(Built, RefusesWhatIsNotThere) {
  const auto x = b.input(meta({2, 3}));
  b.call("aten::no_such_operator", {x});
  EXPECT_EQ(b.status().code(), Code::kNotFound);
}

TEST_F(Built, AFullArenaIsAnError) {
  Arena small({memory.data() + memory.size() / 2, 600});
  MethodBuilder full("test", ops::all(), cpu, small);
  for (int i = 0; i < 10; ++i) full.input(meta({i}));
  EXPECT_EQ(full.status().code(), Code::kOutOfMemory);
}

}  // namespace
}  // namespace glint
