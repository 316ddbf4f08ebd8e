#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::expect_op, testing::expect_refusals, testing::f32, testing::HostTensor, testing::i64, testing::Operand;
using IntList = std::vector<int64_t>;

constexpr const char* kName = "aten::_scaled_dot_product_flash_attention_for_cpu";

TEST(Attention, KnownValues) {
  const auto q = f32({1, 1, 2, 1}, {0, 0}), k = f32({1, 1, 2, 1}, {1, 2}), v = f32({1, 1, 2, 1}, {10, 20});
  expect_op(kName, {q, k, v}, {{15, 15}, {std::log(2.0), std::log(2.0)}});
  expect_op(kName, {q, k, v, 0.0, true}, {{10, 15}, {0, std::log(2.0)}});
  expect_op(kName, {q, k, v, 0.0, false, HostTensor(DType::kBool, {2, 2}, {0, 1, 0, 0})}, {{20, 0}, {0, 0}});
  expect_op(kName, {f32({1, 2, 1, 1}, {1, 1}), k, v, 0.0, false, f32({1, 1}), 0.0}, {{15, 15}});
}

TEST(Attention, Refusals) {
  const auto q = f32({1, 2, 2, 4});
  expect_refusals({
      {"rank", kName, {f32({2, 4}), q, q}},
      {"width", kName, {q, f32({1, 2, 2, 3}), f32({1, 2, 2, 3})}},
      {"heads", kName, {q, f32({1, 3, 2, 4}), f32({1, 3, 2, 4})}},
      {"mask", kName, {q, q, q, 0.0, false, f32({3, 2})}},
      {"dropout", kName, {q, q, q, 0.5}, Code::kUnsupported},
  });
}

}  // namespace
}  // namespace glint::ops
