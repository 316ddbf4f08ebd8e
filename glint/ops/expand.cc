#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

Status expand(Tensor& view, Ints size, bool) {
  const int rank = int(size.size() > kMaxRank ? kMaxRank + 1 : size.size());
  if (rank > kMaxRank) return invalid_argument("expand: too many sizes");
  if (rank < view.rank) return invalid_argument("expand: fewer sizes than dimensions");
  const TensorMeta self = view;
  view.rank = uint8_t(rank);
  for (int i = 0; i < rank; ++i) {
    const int d = i - (rank - self.rank);
    const int64_t want = size[size_t(i)], have = d < 0 ? 1 : self.size[size_t(d)];
    if (want < -1 || (want == -1 && d < 0)) return invalid_argument("expand: a size is negative");
    if (want != -1 && want != have && have != 1) return invalid_argument("expand: only dimensions of size 1 can be expanded");
    view.size[size_t(i)] = want == -1 ? have : want;
    view.stride[size_t(i)] = d < 0 || (have == 1 && want != -1 && want != 1) ? 0 : self.stride[size_t(d)];
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)", View<expand>::infer, View<expand>::run>(),
    define_op<"aten::expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor",
              View<expand>::infer, View<expand>::run>("aten::expand_copy.out"),
};

}  // namespace

extern constinit const OpFamily op_expand{kDefs};

}  // namespace glint::ops
