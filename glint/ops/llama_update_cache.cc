// Writes new rows into a cache of keys or values, in place. The result is a placeholder of one element, as in ExecuTorch.

#include "glint/ops/kv_cache.h"

namespace glint::ops {
namespace {

Status set_placeholder(const Tensor& value, TensorMeta& out) {
  const int64_t one = 1;
  return out.set(value.dtype, {&one, 1}) ? Status() : internal_error("one element is too many");
}
void clear(Tensor& out) { std::memset(out.data, 0, out.size_bytes()); }

Status infer(const Tensor& value, const Tensor& cache, int64_t start, TensorMeta& out) {
  GLINT_TRY(check_cache(value, cache));
  GLINT_TRY(check_position(value, cache, start));
  return set_placeholder(value, out);
}
Status run(OpContext&, const Tensor& value, const Tensor& cache, int64_t start, Tensor& out) {
  update_cache(value, cache, start);
  clear(out);
  return {};
}

Status infer_indices(const Tensor& value, const Tensor& cache, int64_t, const Tensor& indices, TensorMeta& out) {
  GLINT_TRY(check_cache(value, cache));
  if (indices.rank != 2 || indices.dtype != DType::kI64 || indices.size[0] != value.size[0] || indices.size[1] != value.size[1])
    return invalid_argument("update_cache_with_indices: the indices must be int64, one for each row");
  return set_placeholder(value, out);
}
Status run_indices(OpContext&, const Tensor& value, const Tensor& cache, int64_t, const Tensor& indices, Tensor& out) {
  const auto index = [&](int64_t b, int64_t i) { return indices.as<int64_t>()[b * indices.stride[0] + i * indices.stride[1]]; };
  for (int64_t b = 0; b < value.size[0]; ++b)
    for (int64_t i = 0; i < value.size[1]; ++i)
      if (index(b, i) < 0 || index(b, i) >= cache.size[1]) return invalid_argument("update_cache_with_indices: an index is out of range");
  for (int64_t b = 0; b < value.size[0]; ++b)
    for (int64_t i = 0; i < value.size[1]; ++i) put_row(value, cache, b, i, index(b, i));
  clear(out);
  return {};
}

constexpr OpFlags kWrites{.pure = false};
constexpr OpDef kDefs[] = {
    define_op<"llama::update_cache(Tensor value, Tensor(a!) cache, SymInt start_pos) -> Tensor", infer, run>("llama::update_cache.out", kWrites),
    define_op<"llama::update_cache_with_indices(Tensor value, Tensor(a!) cache, SymInt start_pos, Tensor indices) -> Tensor", infer_indices, run_indices>(
        "llama::update_cache_with_indices.out", kWrites),
};

}  // namespace

extern constinit const OpFamily op_llama_update_cache{kDefs};

}  // namespace glint::ops
