#include "glint/ops/advanced_index.h"

namespace glint::ops {
namespace {

// Calls f(element) for the elements of self where mask holds, both broadcast to `sizes`, in row-major order.
template <class F>
void for_each_chosen(const TensorMeta& sizes, const Tensor& mask, const TensorMeta& self, F&& f) {
  bool tile[kernels::kTile];
  for_each_row(make_loop(row_major(sizes), mask, self), [&](const auto& at, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n; i += kernels::kTile) {
      const int64_t m = std::min(n - i, kernels::kTile);
      kernels::load<bool>(mask.dtype, address(mask, at[1] + i * step[1]), step[1], m, tile);
      for (int64_t k = 0; k < m; ++k)
        if (tile[k]) f(at[2] + (i + k) * step[2]);
    }
  });
}

Status infer(const Tensor& self, const Tensor& mask, TensorMeta& out) {
  if (!is_mask(mask.dtype)) return invalid_argument("masked_select: mask must be bool");
  TensorMeta both;
  GLINT_TRY(broadcast(self, mask, both));
  int64_t count = both.numel();
  if (mask.data != nullptr) {
    count = 0;
    for_each_chosen(both, mask, self, [&](int64_t) { ++count; });
  }
  const int64_t sizes[] = {count};
  return set_result(out, self.dtype, sizes);
}

Status run(OpContext&, const Tensor& self, const Tensor& mask, Tensor& out) {
  TensorMeta both;
  GLINT_TRY(broadcast(self, mask, both));
  const int64_t room = out.size[0];
  int64_t count = 0;
  with_width(dtype_size(out.dtype), [&](auto unit) {
    using T = decltype(unit);
    for_each_chosen(both, mask, self, [&](int64_t at) {
      if (count++ < room) out.as<T>()[(count - 1) * out.stride[0]] = self.as<T>()[at];
    });
  });
  if (count > room) return invalid_argument("masked_select: more elements than the result has room for");
  out.size[0] = count;
  return {};
}

// masked_scatter: self, with source's elements one after the other where mask holds.
Status infer_scatter(const Tensor& self, const Tensor& mask, const Tensor& source, TensorMeta& out) {
  if (!is_mask(mask.dtype)) return invalid_argument("masked_scatter: mask must be bool");
  if (source.dtype != self.dtype) return invalid_argument("masked_scatter: source must have the dtype of self");
  out.dtype = self.dtype;
  return broadcast(self, mask, out);
}

Status run_scatter(OpContext&, const Tensor& self, const Tensor& mask, const Tensor& source, Tensor& out) {
  begin_with(self, out);
  const int64_t available = source.numel();
  const bool simple = source.is_contiguous();
  int64_t next = 0;
  with_width(dtype_size(out.dtype), [&](auto unit) {
    using T = decltype(unit);
    for_each_chosen(out, mask, out, [&](int64_t at) {
      if (next++ < available) out.as<T>()[at] = source.as<T>()[simple ? next - 1 : element_offset(source, next - 1)];
    });
  });
  return next > available ? invalid_argument("masked_scatter: source has fewer elements than mask chooses") : Status();
}

constexpr OpDef kDefs[] = {
    define_op<"aten::masked_select(Tensor self, Tensor mask) -> Tensor", infer, run>("aten::masked_select.out", {.value_shape = true}),
    define_op<"aten::masked_scatter(Tensor self, Tensor mask, Tensor source) -> Tensor", infer_scatter, run_scatter>("aten::masked_scatter.out", kUpdate),
};

}  // namespace

extern constinit const OpFamily op_masked_select{kDefs};

}  // namespace glint::ops
