#include <algorithm>

#include "glint/ops/ordered.h"

namespace glint::ops {
namespace {

using kernels::Ranked;

// A number as a tensor without dimensions.
struct Number {
  alignas(16) std::byte element[16];
  Tensor tensor;
  explicit Number(Scalar s) {
    tensor.dtype = s.is_float() ? DType::kF64 : s.is_bool() ? DType::kBool : DType::kI64;
    store_scalar(tensor.dtype, s, element);
    tensor.data = element;
  }
};

Status check(DType type, const TensorMeta& elements, TensorMeta& out) {
  GLINT_TRY(check_order(type));
  return set_result(out, DType::kBool, elements.sizes());
}

// Scratch: the test elements in the common dtype, ranked; then the same dtype's bytes.
size_t scratch_bytes(const TensorMeta& test) { return size_t(test.numel()) * (sizeof(Ranked) + 8); }

Status find(OpContext& context, DType type, const Tensor& elements, const Tensor& test, bool invert, Tensor& out) {
  Ranked* items = reinterpret_cast<Ranked*>(context.scratch());
  const int64_t count = test.numel();
  Tensor list;
  static_cast<TensorMeta&>(list) = row_major(test);
  list.dtype = type;
  list.data = items + count;
  convert_elements(test, list);
  kernels::rank_elements(type, list.data, 1, count, false, items);
  kernels::sort_ranked(items, count);
  for_each_row(make_loop(out, elements), [&](const auto& at, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      alignas(16) std::byte bytes[16];
      Tensor from = elements, to;
      from.rank = 0;
      from.data = const_cast<char*>(address(elements, at[1] + i * step[1]));
      to.dtype = type;
      to.data = bytes;
      convert_elements(from, to);
      Ranked key;
      kernels::rank_elements(type, bytes, 1, 1, false, &key);
      key.index = 0;
      const Ranked* hit = std::lower_bound(items, items + count, key, [](const Ranked& a, const Ranked& b) { return a.key < b.key; });
      const bool found = hit != items + count && hit->key == key.key && !kernels::is_nan_key(type, key.key);
      out.as<bool>()[at[0] + i * step[0]] = found != invert;
    }
  });
  return {};
}

DType common(const Tensor& a, const Tensor& b) {
  ResultType type;
  type.add_tensor(a.dtype, a.rank > 0);
  type.add_tensor(b.dtype, b.rank > 0);
  return type.get();
}
DType common(const Tensor& a, Scalar b) {
  ResultType type;
  type.add_tensor(a.dtype, a.rank > 0);
  type.add_scalar(b.dtype());
  return type.get();
}

Status infer(const Tensor& elements, const Tensor& test, bool, bool, TensorMeta& out) { return check(common(elements, test), elements, out); }
Status plan(const PlanContext&, const Tensor&, const Tensor& test, bool, bool, const Tensor&, Plan& plan) {
  plan.scratch_bytes = scratch_bytes(test);
  return {};
}
Status run(OpContext& context, const Tensor& elements, const Tensor& test, bool, bool invert, Tensor& out) {
  return find(context, common(elements, test), elements, test, invert, out);
}

Status infer_test(const Tensor& elements, Scalar test, bool, bool, TensorMeta& out) { return check(common(elements, test), elements, out); }
Status plan_test(const PlanContext&, const Tensor&, Scalar, bool, bool, const Tensor&, Plan& plan) {
  plan.scratch_bytes = scratch_bytes(TensorMeta());
  return {};
}
Status run_test(OpContext& context, const Tensor& elements, Scalar test, bool, bool invert, Tensor& out) {
  return find(context, common(elements, test), elements, Number(test).tensor, invert, out);
}

Status infer_element(Scalar element, const Tensor& test, bool, bool, TensorMeta& out) { return check(common(test, element), TensorMeta(), out); }
Status plan_element(const PlanContext&, Scalar, const Tensor& test, bool, bool, const Tensor&, Plan& plan) {
  plan.scratch_bytes = scratch_bytes(test);
  return {};
}
Status run_element(OpContext& context, Scalar element, const Tensor& test, bool, bool invert, Tensor& out) {
  return find(context, common(test, element), Number(element).tensor, test, invert, out);
}

constexpr OpDef kDefs[] = {
    define_op<"aten::isin.Tensor_Tensor(Tensor elements, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor", infer, run,
              plan>("aten::isin.Tensor_Tensor_out"),
    define_op<"aten::isin.Tensor_Scalar(Tensor elements, Scalar test_element, *, bool assume_unique=False, bool invert=False) -> Tensor", infer_test,
              run_test, plan_test>("aten::isin.Tensor_Scalar_out"),
    define_op<"aten::isin.Scalar_Tensor(Scalar element, Tensor test_elements, *, bool assume_unique=False, bool invert=False) -> Tensor",
              infer_element, run_element, plan_element>("aten::isin.Scalar_Tensor_out"),
};

}  // namespace

extern constinit const OpFamily op_isin{kDefs};

}  // namespace glint::ops
