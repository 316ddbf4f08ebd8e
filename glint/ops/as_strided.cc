#include "glint/ops/strided.h"

namespace glint::ops {
namespace {

Status as_strided(Tensor& view, Ints size, Ints stride, std::optional<int64_t> offset) {
  return strided_view(view, size, stride, offset.value_or(0));
}

constexpr OpDef kDefs[] = {
    define_op<"aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)",
              View<as_strided>::infer, View<as_strided>::run>(),
    define_op<"aten::as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor",
              View<as_strided>::infer, View<as_strided>::run>("aten::as_strided_copy.out"),
    // Strides count elements of row-major storage, whatever the operands' own layout.
    define_op<"aten::as_strided_scatter(Tensor self, Tensor src, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor",
              ViewScatter<as_strided>::infer, ViewScatter<as_strided>::run>("aten::as_strided_scatter.out", {.contiguous_only = true}),
};

}  // namespace

extern constinit const OpFamily op_as_strided{kDefs};

}  // namespace glint::ops
