// The values themselves are in tests/data/random; here what is refused, and that layouts do not change the order of draws.

#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::expect_refused, testing::f32, testing::i64, testing::HostTensor, testing::Operand;
using Ints = std::vector<int64_t>;

TEST(Random, ALayoutDoesNotChangeTheOrder) {
  const HostTensor p = f32({2, 3, 2, 2}, std::vector<double>(24, 0.5));
  const auto dense = testing::call(testing::op(all(), "aten::bernoulli"), {p});
  const auto last = testing::call(testing::op(all(), "aten::bernoulli"), {p.with_strides({12, 1, 6, 3})});
  ASSERT_TRUE(dense.status.ok() && last.status.ok());
  EXPECT_EQ(dense.results[0].values(), last.results[0].values());
}

TEST(Random, Refuses) {
  const HostTensor x = f32({3}), c = HostTensor(DType::kC64, {3});
  expect_refused("aten::rand", {Ints{2, -1}}, "negative");
  expect_refused("aten::rand", {Ints{2}, DType::kI64}, "floating");
  expect_refused("aten::randn", {Ints{int64_t(1) << 40, int64_t(1) << 40}}, "too large");
  expect_refused("aten::randint", {0, Ints{2}}, "less than");
  expect_refused("aten::randint.low", {5, 5, Ints{2}}, "less than");
  expect_refused("aten::randint.low", {-1, 5, Ints{2}, DType::kU8}, "does not fit");
  expect_refused("aten::randint", {1000, Ints{2}, DType::kI8}, "does not fit");
  expect_refused("aten::randint", {10, Ints{2}, DType::kC64}, "complex");
  expect_refused("aten::randperm", {-1}, "negative");
  expect_refused("aten::randperm", {300, DType::kU8}, "too large");
  expect_refused("aten::randperm", {3, DType::kBool}, "dtype");
  expect_refused("aten::uniform", {i64({3})}, "floating");
  expect_refused("aten::uniform", {x, 2.0, 1.0}, "exceed");
  expect_refused("aten::uniform", {x, double(NAN), 1.0}, "does not fit");
  expect_refused("aten::uniform", {x, -3e38, 3e38}, "to - from");
  expect_refused("aten::uniform", {HostTensor(DType::kF16, {2}), 0.0, 1e5}, "does not fit");
  expect_refused("aten::normal_functional", {x, 0.0, -1.0}, "std");
  expect_refused("aten::normal.Tensor_Tensor", {x, f32({3}, {1, -1, 1})}, "std");
  expect_refused("aten::normal.Tensor_float", {x, -1.0}, "std");
  expect_refused("aten::log_normal", {x, 0.0, 0.0}, "std");
  expect_refused("aten::cauchy", {x, 0.0, 0.0}, "sigma");
  expect_refused("aten::exponential", {x, 0.0}, "lambd");
  expect_refused("aten::geometric", {x, 1.0}, "between 0 and 1");
  expect_refused("aten::bernoulli", {f32({2}, {0.5, 1.5})}, "outside [0, 1]");
  expect_refused("aten::bernoulli", {f32({1}, {NAN})}, "outside [0, 1]");
  expect_refused("aten::bernoulli.p", {x, -0.1}, "[0, 1]");
  expect_refused("aten::bernoulli.p", {c, 0.5}, "complex");
  expect_refused("aten::bernoulli.Tensor", {x, f32({2})}, "broadcast");
  expect_refused("aten::native_dropout", {x, 1.5, true}, "[0, 1]");
  expect_refused("aten::multinomial", {f32({3}, {1, -1, 1}), 1}, "negative");
  expect_refused("aten::multinomial", {f32({3}, {0, 0, 0}), 2, true}, "zero");
  expect_refused("aten::multinomial", {f32({3}, {1, 1, 1}), 4}, "more samples");
  expect_refused("aten::multinomial", {f32({3}), 0}, "positive");
  expect_refused("aten::multinomial", {f32({1, 1, 1}), 1}, "dimensions");
  expect_refused("aten::poisson", {f32({1}, {-1})}, "negative");
  expect_refused("aten::_standard_gamma", {f32({2}, {1, -1})}, "negative");
}

}  // namespace
}  // namespace glint::ops
