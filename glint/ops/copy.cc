// Copies: _to_copy, clone, copy.

#include "glint/ops/elementwise.h"

namespace glint::ops {
namespace {

/// `from`, broadcast to out's sizes and converted to its dtype.
Status copy_into(const Tensor& from, Tensor& out) {
  const int64_t width = int64_t(dtype_size(out.dtype));
  if (from.dtype == out.dtype) {
    for_each_row(make_loop(out, from), [&](const auto& offset, const auto& step, int64_t n) {
      kernels::copy_row(int(width), static_cast<const char*>(from.data) + offset[1] * width, step[1], static_cast<char*>(out.data) + offset[0] * width, step[0], n);
    });
    return {};
  }
  return elementwise<kAny, [](auto x) { return x; }, 1>(from.dtype, {&from}, out);
}

Status check_conversion(DType from, DType to) {
  if (from != to && (from == DType::kC32 || to == DType::kC32)) return invalid_argument("complex32 is not converted");
  return {};
}

using Bool = std::optional<bool>;
Status infer_to_copy(const Tensor& self, std::optional<DType> dtype, Ignored, Ignored, Bool, bool, std::optional<MemoryFormat>, TensorMeta& out) {
  const DType d = dtype.value_or(self.dtype);
  GLINT_TRY(check_conversion(self.dtype, d));
  return set_like(self, d, out);
}
Status run_to_copy(OpContext&, const Tensor& self, std::optional<DType>, Ignored, Ignored, Bool, bool, std::optional<MemoryFormat>, Tensor& out) {
  return copy_into(self, out);
}

Status infer_clone(const Tensor& self, std::optional<MemoryFormat>, TensorMeta& out) { return set_like(self, self.dtype, out); }
Status run_clone(OpContext&, const Tensor& self, std::optional<MemoryFormat>, Tensor& out) { return copy_into(self, out); }

Status infer_copy(const Tensor& self, const Tensor& from, bool, TensorMeta& out) {
  GLINT_TRY(check_conversion(from.dtype, self.dtype));
  GLINT_TRY(set_broadcast(self, from, self.dtype, out));
  return out.same_sizes(self) ? Status() : invalid_argument("copy: the source does not broadcast to self");
}
Status run_copy(OpContext&, const Tensor&, const Tensor& from, bool, Tensor& out) { return copy_into(from, out); }

constexpr OpDef kDefs[] = {
    define_op<"aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
              "bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor", infer_to_copy, run_to_copy>("aten::_to_copy.out"),
    define_op<"aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor", infer_clone, run_clone>("aten::clone.out"),
    define_op<"aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor", infer_copy, run_copy>("aten::copy.out", {.updates_self = true, .strided_results = true}),
};

}  // namespace

extern constinit const OpFamily op_copy{kDefs};

}  // namespace glint::ops
