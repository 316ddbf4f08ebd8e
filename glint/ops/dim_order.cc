#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

// ExecuTorch's copies and allocations that name a memory layout. The caller lays results out; here the
// order is only checked.
using Order = std::optional<Ints>;

Status check_order(Order order, size_t rank) {
  if (!order.has_value()) return {};
  uint32_t seen = 0;
  if (order->size() != rank) return invalid_argument("dim_order must name every dimension once");
  for (const int64_t d : *order) {
    if (d < 0 || d >= int64_t(rank) || (seen >> d & 1)) return invalid_argument("dim_order must name every dimension once");
    seen |= 1u << d;
  }
  return {};
}

Status infer_copy(const Tensor& self, std::optional<DType> dtype, Ignored, Ignored, std::optional<bool>, bool, Order order, TensorMeta& out) {
  const DType to = dtype.value_or(self.dtype);
  if (!is_valid_dtype(int64_t(to))) return invalid_argument("_to_dim_order_copy: unknown dtype");
  if (!converts(self.dtype, to)) return unsupported("_to_dim_order_copy: complex32 is not converted");
  GLINT_TRY(check_order(order, self.rank));
  return set_result(out, to, self.sizes());
}
Status run_copy(OpContext&, const Tensor& self, std::optional<DType>, Ignored, Ignored, std::optional<bool>, bool, Order, Tensor& out) {
  convert_elements(self, out);
  return {};
}

Status infer_clone(const Tensor& self, bool, Order order, TensorMeta& out) {
  GLINT_TRY(check_order(order, self.rank));
  return set_result(out, self.dtype, self.sizes());
}
Status run_clone(OpContext&, const Tensor& self, bool, Order, Tensor& out) {
  copy_elements(self, out);
  return {};
}

Status infer_empty(Ints size, std::optional<DType> dtype, Ignored, Ignored, std::optional<bool>, Order order, TensorMeta& out) {
  const DType to = dtype.value_or(DType::kF32);
  if (!is_valid_dtype(int64_t(to))) return invalid_argument("_empty_dim_order: unknown dtype");
  GLINT_TRY(check_order(order, size.size()));
  return set_result(out, to, size);
}
Status run_empty(OpContext&, Ints, std::optional<DType>, Ignored, Ignored, std::optional<bool>, Order, Tensor& out) {
  fill_zero(out);  // any contents would do; these are the same on every run
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"dim_order_ops::_to_dim_order_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
              "bool? pin_memory=None, bool non_blocking=False, int[]? dim_order=None) -> Tensor", infer_copy, run_copy>(
        "dim_order_ops::_to_dim_order_copy.out"),
    define_op<"dim_order_ops::_clone_dim_order(Tensor self, *, bool non_blocking=False, int[]? dim_order=None) -> Tensor", infer_clone, run_clone>(
        "dim_order_ops::_clone_dim_order.out"),
    define_op<"dim_order_ops::_empty_dim_order(int[] size, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
              "bool? pin_memory=None, int[]? dim_order=None) -> Tensor", infer_empty, run_empty>("dim_order_ops::_empty_dim_order.out"),
};

}  // namespace

extern constinit const OpFamily op_dim_order{kDefs};

}  // namespace glint::ops
