#include <utility>

#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

void reverse(Tensor& view, int d) {
  int64_t& stride = view.stride[size_t(d)];
  advance(view, (view.size[size_t(d)] - 1) * stride);
  stride = -stride;
}

Status rot90(Tensor& view, int64_t k, Ints dims) {
  if (dims.size() != 2 || view.rank < 2) return invalid_argument("rot90: needs two dimensions");
  const int a = wrap_dim(dims[0], view.rank), b = wrap_dim(dims[1], view.rank);
  if (a < 0 || b < 0 || a == b) return invalid_argument("rot90: dims is out of range");
  const int64_t turns = (k % 4 + 4) % 4;
  if (turns == 1 || turns == 2) reverse(view, b);
  if (turns == 2 || turns == 3) reverse(view, a);
  if (turns % 2 == 1) {
    std::swap(view.size[size_t(a)], view.size[size_t(b)]);
    std::swap(view.stride[size_t(a)], view.stride[size_t(b)]);
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::rot90(Tensor self, int k=1, int[] dims=[0, 1]) -> Tensor", View<rot90>::infer, View<rot90>::run>("aten::rot90.out"),
};

}  // namespace

extern constinit const OpFamily op_rot90{kDefs};

}  // namespace glint::ops
