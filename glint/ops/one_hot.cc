#include "glint/ops/indexed.h"

namespace glint::ops {
namespace {

// The lowest and highest class of all.
void bounds(const Tensor& self, int64_t* low, int64_t* high) {
  *low = INT64_MAX, *high = INT64_MIN;
  int64_t tile[kernels::kTile];
  for_each_row(make_loop(row_major(self), self), [&](const auto& at, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n; i += kernels::kTile) {
      const int64_t m = std::min(n - i, kernels::kTile);
      load_indices(self, at[1] + i * step[1], step[1], m, tile);
      for (int64_t k = 0; k < m; ++k) *low = std::min(*low, tile[k]), *high = std::max(*high, tile[k]);
    }
  });
}

Status infer(const Tensor& self, int64_t classes, TensorMeta& out) {
  if (!is_index(self.dtype)) return invalid_argument("one_hot: the operand must be int64 or int32");
  if (self.rank == kMaxRank) return unsupported("one_hot: too many dimensions");
  if (classes < -1 || (classes <= 0 && self.numel() == 0)) return invalid_argument("one_hot: num_classes must be positive");
  if (classes == -1) {
    if (self.data == nullptr) return unsupported("one_hot: without num_classes the size of the result has no bound");
    int64_t low = 0, high = 0;
    bounds(self, &low, &high);
    if (low < 0 || high == INT64_MAX) return invalid_argument("one_hot: a class is negative or too large");
    classes = high + 1;
  }
  TensorMeta sizes = self;
  insert_dim(sizes, sizes.rank, classes, 1);
  return set_result(out, DType::kI64, sizes.sizes());
}

Status run(OpContext&, const Tensor& self, int64_t, Tensor& out) {
  fill_zero(out);
  if (self.numel() == 0) return {};
  // A one scattered along the last dimension.
  const int64_t one = 1;
  Tensor index = self, src = self;
  insert_dim(index, index.rank, 1, 1);
  static_cast<TensorMeta&>(src) = index;
  src.dtype = DType::kI64;
  src.stride = {};
  src.data = const_cast<int64_t*>(&one);
  return scatter_elements(out, out.rank - 1, index, src);
}

constexpr OpDef kDefs[] = {
    define_op<"aten::one_hot(Tensor self, int num_classes=-1) -> Tensor", infer, run>("", {.value_shape = true}),
};

}  // namespace

extern constinit const OpFamily op_one_hot{kDefs};

}  // namespace glint::ops
