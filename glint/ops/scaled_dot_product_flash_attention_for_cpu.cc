#include "glint/ops/rows.h"

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

// Scores of one query row, masked.
template <class C>
void score_row(const Line& query, const Tensor& key, int64_t key_at, int64_t visible, C scale, const Tensor* mask, int64_t mask_at, int64_t mask_step, C* scores) {
  for (int64_t j = 0; j < visible; ++j) {
    const Line k{key.dtype, at(key, key_at + j * key.stride[2]), key.stride[3], query.size};
    scores[j] = scale * C(line_zip_sum<C>(query, k, [](C x, C y) { return x * y; }));
    if (mask == nullptr) continue;
    const C m = kernels::load_one<C>(mask->dtype, mask->data, mask_at + j * mask_step);
    scores[j] = mask->dtype != DType::kBool ? scores[j] + m : m != 0 ? scores[j] : C(-INFINITY);
  }
}

// out = sum of scores[j] * value[j].
template <class C>
void weigh_values(const C* scores, int64_t visible, const Tensor& value, int64_t value_at, DType dtype, void* out, int64_t out_step) {
  for_each_tile(value.size[3], [&](int64_t start, int64_t n) {
    C sum[kernels::kTile] = {}, row[kernels::kTile];
    for (int64_t j = 0; j < visible; ++j) {
      kernels::load(value.dtype, at(value, value_at + j * value.stride[2] + start * value.stride[3]), value.stride[3], n, row);
      for (int64_t e = 0; e < n; ++e) sum[e] += scores[j] * row[e];
    }
    kernels::store(dtype, at(dtype, out, start * out_step), out_step, n, sum);
  });
}

template <class C>
void attend(const Tensor& query, const Tensor& key, const Tensor& value, bool causal, const Tensor* mask, C scale, C* scores, Tensor& out, Tensor& logsumexp) {
  const auto mask_step = [&](int from_end) {
    return mask == nullptr || mask->rank < from_end || mask->size[size_t(mask->rank - from_end)] == 1 ? 0 : mask->stride[size_t(mask->rank - from_end)];
  };
  for (int64_t b = 0; b < query.size[0]; ++b)
    for (int64_t h = 0; h < query.size[1]; ++h) {
      const int64_t kv = h / (query.size[1] / key.size[1]), key_at = b * key.stride[0] + kv * key.stride[1], value_at = b * value.stride[0] + kv * value.stride[1];
      for (int64_t i = 0; i < query.size[2]; ++i) {
        const Line q{query.dtype, at(query, b * query.stride[0] + h * query.stride[1] + i * query.stride[2]), query.stride[3], query.size[3]};
        const int64_t visible = causal ? std::min(i + 1, key.size[2]) : key.size[2];
        score_row(q, key, key_at, visible, scale, mask, b * mask_step(4) + h * mask_step(3) + i * mask_step(2), mask_step(1), scores);
        C most = -INFINITY;
        for (int64_t j = 0; j < visible; ++j) most = scores[j] > most || scores[j] != scores[j] ? scores[j] : most;
        double sum = 0;
        const bool nothing = most == C(-INFINITY);
        for (int64_t j = 0; j < visible; ++j) sum += double(scores[j] = nothing ? C(0) : std::exp(scores[j] - most));
        for (int64_t j = 0; j < visible && !nothing; ++j) scores[j] = C(double(scores[j]) / sum);
        weigh_values(scores, visible, value, value_at, out.dtype, at(out, b * out.stride[0] + h * out.stride[1] + i * out.stride[2]), out.stride[3]);
        kernels::store_one(logsumexp.dtype, logsumexp.data, b * logsumexp.stride[0] + h * logsumexp.stride[1] + i * logsumexp.stride[2],
                           nothing ? 0.0 : double(most) + std::log(sum));
      }
    }
}

Status run(OpContext& c, const Tensor& query, const Tensor& key, const Tensor& value, double, bool causal, const Tensor* mask, std::optional<double> scale,
           Tensor& out, Tensor& logsumexp) {
  const double factor = scale.value_or(1 / std::sqrt(double(query.size[3])));
  with_floating(query.dtype, [&](auto v) {
    using C = decltype(v);
    attend<C>(query, key, value, causal, mask, C(factor), reinterpret_cast<C*>(c.scratch()), out, logsumexp);
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
