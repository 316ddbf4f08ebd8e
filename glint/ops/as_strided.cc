#include "glint/ops/strided.h"

namespace glint::ops {
namespace {

Status as_strided(Tensor& view, Ints size, Ints stride, std::optional<int64_t> offset) {
  return strided_view(view, size, stride, offset.value_or(0));
}

// Strides count elements of row-major storage, whatever the operands' own layout.
Status scatter_place(const TensorMeta& self, Ints size, Ints stride, std::optional<int64_t> offset, Tensor& place) {
  static_cast<TensorMeta&>(place) = row_major(self);
  return as_strided(place, size, stride, offset);
}

Status infer_scatter(const Tensor& self, const Tensor& src, Ints size, Ints stride, std::optional<int64_t> offset, TensorMeta& out) {
  Tensor place;
  GLINT_TRY(scatter_place(self, size, stride, offset, place));
  if (!place.same_sizes(src)) return invalid_argument("src must have the sizes of the part it replaces");
  if (!converts(src.dtype, self.dtype)) return unsupported("complex32 is not converted");
  return set_result(out, self.dtype, self.sizes());
}

Status run_scatter(OpContext&, const Tensor& self, const Tensor& src, Ints size, Ints stride, std::optional<int64_t> offset, Tensor& out) {
  begin_with(self, out);
  Tensor place;
  place.data = out.data;
  GLINT_TRY(scatter_place(self, size, stride, offset, place));
  if (out.is_contiguous()) {
    convert_elements(src, place);
    return {};
  }
  for (int64_t i = 0, n = place.numel(); i < n; ++i) {
    const int64_t at = element_offset(place, i) + offset.value_or(0);
    Tensor from = src, to;
    from.rank = 0;
    advance(from, element_offset(src, i));
    to.dtype = out.dtype;
    to.data = out.data;
    advance(to, element_offset(out, at));
    convert_elements(from, to);
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)",
              View<as_strided>::infer, View<as_strided>::run>(),
    define_op<"aten::as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor",
              View<as_strided>::infer, View<as_strided>::run>("aten::as_strided_copy.out"),
    define_op<"aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor",
              infer_scatter, run_scatter>("aten::as_strided_scatter.out", kUpdate),
};

}  // namespace

extern constinit const OpFamily op_as_strided{kDefs};

}  // namespace glint::ops
