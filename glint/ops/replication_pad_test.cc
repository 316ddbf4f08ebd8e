#include "glint/testing/op_expect.h"

namespace glint::ops {
namespace {

using testing::f32, testing::i64, testing::HostTensor, testing::Operand;

TEST(ReplicationPad, Gives) {
  testing::expect_call("aten::replication_pad1d", {f32({1, 2}, {1, 2}), std::vector<int64_t>{1, 2}},
                       {f32({1, 5}, {1, 1, 2, 2, 2})});
  testing::expect_call("aten::replication_pad3d", {f32({1, 1, 1, 2}, {1, 2}), std::vector<int64_t>{0, 0, 0, 0, 1, 0}},
                       {f32({1, 2, 1, 2}, {1, 2, 1, 2})});
}

TEST(ReplicationPad, Crops) {
  testing::expect_call("aten::replication_pad1d", {f32({1, 4}, {0, 1, 2, 3}), std::vector<int64_t>{-5, 3}}, {f32({1, 2}, {3, 3})});
}

TEST(ReplicationPad, Refuses) {
  testing::expect_refused("aten::replication_pad1d", {f32({1, 3}), std::vector<int64_t>{-3, 0}}, "no elements");
  testing::expect_refused("aten::replication_pad2d", {f32({1, 2, 2}), std::vector<int64_t>{1, 1}}, "two numbers");
  testing::expect_refused("aten::replication_pad1d", {f32({1, 3}), std::vector<int64_t>{INT64_MAX, 1}}, "too many");
}

}  // namespace
}  // namespace glint::ops
