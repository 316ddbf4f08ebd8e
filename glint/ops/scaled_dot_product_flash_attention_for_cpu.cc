#include "glint/ops/attention.h"

namespace glint::ops {
namespace {

// query [B, H, L, E], key and value [B, Hk, S, E], Hk dividing H. Row i of the result is the mean of
// the value rows weighted by softmax(scale * query[i] . key + mask). A row with nothing to see gives 0.
Status infer(const Tensor& query, const Tensor& key, const Tensor& value, double dropout_p, bool, const Tensor* mask, std::optional<double>, TensorMeta& out,
             TensorMeta& logsumexp) {
  if (!is_floating(query.dtype) || key.dtype != query.dtype || value.dtype != query.dtype) return invalid_argument("attention: the operands must have one floating dtype");
  if (query.rank != 4 || key.rank != 4 || value.rank != 4) return invalid_argument("attention: the operands must have 4 dimensions");
  if (dropout_p != 0) return unsupported("attention: dropout is not supported");
  if (!key.same_sizes(value) || key.size[0] != query.size[0] || key.size[3] != query.size[3]) return invalid_argument("attention: the sizes do not match");
  if (key.size[1] == 0 ? query.size[1] != 0 : query.size[1] % key.size[1] != 0) return invalid_argument("attention: the numbers of heads do not match");
  const int64_t scores[] = {query.size[0], query.size[1], query.size[2], key.size[2]};
  if (mask != nullptr) {
    TensorMeta all, both;
    if (mask->dtype != query.dtype && mask->dtype != DType::kBool && mask->dtype != DType::kF32) return invalid_argument("attention: the mask has the wrong dtype");
    if (mask->rank != 2 && mask->rank != 4) return invalid_argument("attention: the mask must have 2 or 4 dimensions");
    GLINT_TRY(set_result(all, DType::kBool, scores));
    GLINT_TRY(broadcast(all, *mask, both));
    if (!both.same_sizes(all)) return invalid_argument("attention: the mask does not broadcast to the scores");
  }
  GLINT_TRY(set_result(logsumexp, query.dtype == DType::kF64 ? DType::kF64 : DType::kF32, std::span(scores).first(3)));
  return set_result(out, query.dtype, query.sizes());
}

Status plan(const PlanContext&, const Tensor& query, const Tensor& key, const Tensor&, double, bool, const Tensor*, std::optional<double>, const Tensor&,
            const Tensor&, Plan& plan) {
  int64_t bytes = 0;
  if (!checked_mul(key.size[2], query.dtype == DType::kF64 ? 8 : 4, &bytes)) return invalid_argument("attention: the key is too long");
  plan.scratch_bytes = size_t(bytes);
  plan.flops = 4 * double(query.numel()) * double(key.size[2]);
  return {};
}

Status run(OpContext& c, const Tensor& query, const Tensor& key, const Tensor& value, double, bool causal, const Tensor* mask, std::optional<double> scale,
           Tensor& out, Tensor& logsumexp) {
  const double factor = scale.value_or(1 / std::sqrt(double(query.size[3])));
  with_floating(query.dtype, [&](auto v) {
    using C = decltype(v);
    attend<C>({query, key, value, mask, factor, causal}, reinterpret_cast<C*>(c.scratch()), out, &logsumexp);
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float dropout_p=0., bool is_causal=False, *, Tensor? attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)",
              infer, run, plan>(),
};

}  // namespace

extern constinit const OpFamily op_scaled_dot_product_flash_attention_for_cpu{kDefs};

}  // namespace glint::ops
