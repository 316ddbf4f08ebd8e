#include "glint/ops/mapped.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, Ints repeats, TensorMeta& out) {
  if (repeats.size() > kMaxRank) return invalid_argument("repeat: too many repeats");
  if (repeats.size() < self.rank) return invalid_argument("repeat: fewer repeats than dimensions");
  int64_t sizes[kMaxRank];
  const size_t added = repeats.size() - self.rank;
  for (size_t d = 0; d < repeats.size(); ++d) {
    if (repeats[d] < 0) return invalid_argument("repeat: a repeat is negative");
    if (!checked_mul(repeats[d], d < added ? 1 : self.size[d - added], &sizes[d])) return invalid_argument("repeat: the result would be too large");
  }
  return set_result(out, self.dtype, {sizes, repeats.size()});
}

Status run(OpContext&, const Tensor& self, Ints, Tensor& out) {
  Tensor from = self;
  while (from.rank < out.rank) insert_dim(from, 0, 1, 0);
  Tensor to = at_least_1d(out);
  from = at_least_1d(from);
  copy_mapped(from, to, [&](int d, int64_t at) { return at % from.size[size_t(d)]; });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::repeat(Tensor self, SymInt[] repeats) -> Tensor", infer, run>("aten::repeat.out"),
};

}  // namespace

extern constinit const OpFamily op_repeat{kDefs};

}  // namespace glint::ops
