#include "glint/ops/rows.h"

namespace glint::ops {
namespace {

// The first half of `dim` times the sigmoid of the second.
Status infer(const Tensor& self, int64_t dim, TensorMeta& out) {
  if (!is_floating(self.dtype)) return unsupported("glu: only for floating dtypes");
  const int d = self.rank > 0 ? wrap_dim(dim, self.rank) : -1;
  if (d < 0) return invalid_argument("glu: dim is out of range");
  if (self.size[size_t(d)] % 2 != 0) return invalid_argument("glu: the size of dim must be even");
  std::array<int64_t, kMaxRank> sizes = self.size;
  sizes[size_t(d)] /= 2;
  return set_result(out, self.dtype, {sizes.data(), self.rank});
}

Status run(OpContext&, const Tensor& self, int64_t dim, Tensor& out) {
  const int d = wrap_dim(dim, self.rank);
  Tensor left = self, right = self;
  left.size[size_t(d)] /= 2;
  right.size[size_t(d)] /= 2;
  right.data = const_cast<void*>(at(self, left.size[size_t(d)] * self.stride[size_t(d)]));
  with_floating(self.dtype, [&](auto c) {
    using C = decltype(c);
    for_each_row(make_loop(out, left, right), [&](const auto& o, const auto& step, int64_t n) {
      line_zip<C>({left.dtype, at(left, o[1]), step[1], n}, {right.dtype, at(right, o[2]), step[2], n}, out.dtype, at(out, o[0]), step[0],
                  [](C a, C b) { return a / (1 + std::exp(-b)); });
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::glu(Tensor self, int dim=-1) -> Tensor", infer, run>("aten::glu.out"),
};

}  // namespace

extern constinit const OpFamily op_glu{kDefs};

}  // namespace glint::ops
