// Attention over a cache of keys and values, as ExecuTorch's exports of language models call it. Here positions come
// before heads: query [B, L, H, E], key and value [B, S, Hk, E]. Without a mask a call sees the keys before start_pos + L only.

#include "glint/ops/attention.h"
#include "glint/ops/kv_cache.h"

namespace glint::ops {
namespace {

using Scale = std::optional<double>;

struct Layout {
  int positions, heads;  // which dimensions
};
constexpr Layout kPositionsFirst{1, 2}, kHeadsFirst{2, 1};

/// The same elements as [B, heads, positions, E].
Tensor heads_first(const Tensor& t, Layout l) {
  Tensor m = t;
  m.size[1] = t.size[size_t(l.heads)], m.stride[1] = t.stride[size_t(l.heads)];
  m.size[2] = t.size[size_t(l.positions)], m.stride[2] = t.stride[size_t(l.positions)];
  return m;
}

/// How many keys a call sees, or an error.
Status visible_keys(const Tensor& query, const Tensor& key, Layout l, int64_t start, const Tensor* mask, int64_t& count) {
  const int64_t rows = query.size[size_t(l.positions)], keys = key.size[size_t(l.positions)];
  if (start < 0 || start > keys || rows > keys - start) {
    if (mask == nullptr) return invalid_argument("sdpa: start_pos and the rows of the query reach past the keys");
    if (start < 0) return invalid_argument("sdpa: start_pos is negative");
  }
  count = mask != nullptr ? keys : start + rows;
  return {};
}

Status check(const Tensor& query, const Tensor& key, const Tensor& value, Layout l, int64_t start, const Tensor* mask, double dropout, bool causal) {
  if (query.rank != 4 || key.rank != 4 || value.rank != 4) return invalid_argument("sdpa: query, key and value must have 4 dimensions");
  if (key.dtype != query.dtype || value.dtype != query.dtype) return invalid_argument("sdpa: query, key and value must have one dtype");
  if (!key.same_sizes(value) || key.size[0] != query.size[0] || key.size[3] != query.size[3]) return invalid_argument("sdpa: the sizes do not match");
  const int64_t heads = query.size[size_t(l.heads)], key_heads = key.size[size_t(l.heads)];
  if (key_heads == 0 ? heads != 0 : heads % key_heads != 0) return invalid_argument("sdpa: the numbers of heads do not match");
  if (dropout != 0) return unsupported("sdpa: dropout is not supported");
  if (mask != nullptr) {
    if (causal) return invalid_argument("sdpa: a mask and is_causal exclude each other");
    if (mask->rank != 2 || mask->dtype != DType::kF32) return invalid_argument("sdpa: the mask must be a float32 matrix");
    if (mask->size[0] != query.size[size_t(l.positions)] || mask->size[1] != key.size[size_t(l.positions)])
      return invalid_argument("sdpa: the mask must have a row for each row of the query and a column for each key");
  }
  int64_t count = 0;
  return visible_keys(query, key, l, start, mask, count);
}

Status run_attention(const Tensor& query, const Tensor& key, const Tensor& value, Layout l, int64_t start, const Tensor* mask, bool causal, Scale scale,
                     std::byte* scratch, Tensor& out) {
  Tensor q = heads_first(query, l), k = heads_first(key, l), v = heads_first(value, l), o = heads_first(out, l);
  GLINT_TRY(visible_keys(query, key, l, start, mask, k.size[2]));
  v.size[2] = k.size[2];
  const double factor = scale.value_or(1 / std::sqrt(double(query.size[3])));
  with_floating(out.dtype, [&](auto c) {
    using C = decltype(c);
    attend<C>({q, k, v, mask, factor, causal, start}, reinterpret_cast<C*>(scratch), o, nullptr);
  });
  return {};
}

Status score_bytes(const Tensor& key, Layout l, size_t& bytes) {
  int64_t b = 0;
  if (!checked_mul(key.size[size_t(l.positions)], int64_t(sizeof(double)), &b)) return invalid_argument("sdpa: the keys are too many");
  bytes = size_t(b);
  return {};
}

// ---- custom_sdpa

Status check_floating(const Tensor& query) { return is_floating(query.dtype) ? Status() : invalid_argument("sdpa: the query must be floating"); }

Status infer(const Tensor& q, const Tensor& k, const Tensor& v, int64_t start, const Tensor* mask, double dropout, bool causal, Scale, TensorMeta& out) {
  GLINT_TRY(check_floating(q));
  GLINT_TRY(check(q, k, v, kPositionsFirst, start, mask, dropout, causal));
  return set_result(out, q.dtype, q.sizes());
}
Status plan(const PlanContext&, const Tensor& q, const Tensor& k, const Tensor&, int64_t, const Tensor*, double, bool, Scale, const Tensor&, Plan& plan) {
  plan.flops = 4 * double(q.numel()) * double(k.size[1]);
  return score_bytes(k, kPositionsFirst, plan.scratch_bytes);
}
Status run(OpContext& c, const Tensor& q, const Tensor& k, const Tensor& v, int64_t start, const Tensor* mask, double, bool causal, Scale scale, Tensor& out) {
  return run_attention(q, k, v, kPositionsFirst, start, mask, causal, scale, c.scratch(), out);
}

// ---- sdpa_with_kv_cache: first the keys and values of this call are written into the caches

Status infer_cached(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& keys, const Tensor& values, int64_t start, int64_t, const Tensor* mask,
                    double dropout, bool causal, Scale scale, TensorMeta& out) {
  GLINT_TRY(check_cache(k, keys));
  GLINT_TRY(check_position(k, keys, start));
  GLINT_TRY(check_cache(v, values));
  GLINT_TRY(check_position(v, values, start));
  return infer(q, keys, values, start, mask, dropout, causal, scale, out);
}
Status plan_cached(const PlanContext& c, const Tensor& q, const Tensor&, const Tensor&, const Tensor& keys, const Tensor& values, int64_t start, int64_t,
                   const Tensor* mask, double dropout, bool causal, Scale scale, const Tensor& out, Plan& p) {
  return plan(c, q, keys, values, start, mask, dropout, causal, scale, out, p);
}
Status run_cached(OpContext& c, const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& keys, const Tensor& values, int64_t start, int64_t,
                  const Tensor* mask, double dropout, bool causal, Scale scale, Tensor& out) {
  update_cache(k, keys, start);
  update_cache(v, values, start);
  return run(c, q, keys, values, start, mask, dropout, causal, scale, out);
}

// ---- custom_quantized_sdpa: int8 with one scale and zero point a row, or floats

struct Quantized {
  const Tensor* zeros;
  const Tensor* scales;
};

Status check_quantized(const Tensor& t, Quantized q) {
  if (q.zeros == nullptr || q.scales == nullptr) return invalid_argument("sdpa: quantized operands need scales and zero points");
  if (q.zeros->rank != 4 || q.scales->rank != 4 || q.zeros->dtype != DType::kI8 || q.scales->dtype != DType::kF32)
    return invalid_argument("sdpa: the scales must be float32 and the zero points int8, with 4 dimensions");
  for (size_t d = 0; d < 4; ++d) {
    const int64_t n = d < 3 ? t.size[d] : 1;
    if (q.zeros->size[d] != n || q.scales->size[d] != n) return invalid_argument("sdpa: scales and zero points must have one element a row");
  }
  return {};
}
/// Row-major floats of a quantized tensor.
Tensor dequantized(const Tensor& t, Quantized q, std::byte*& scratch) {
  Tensor f;
  (void)f.set(DType::kF32, t.sizes());
  f.data = scratch;
  scratch += align_up(f.size_bytes(), 64);
  const int64_t width = t.size[3];
  float* out = f.as<float>();
  for (int64_t a = 0; a < t.size[0]; ++a)
    for (int64_t b = 0; b < t.size[1]; ++b)
      for (int64_t c = 0; c < t.size[2]; ++c, out += width) {
        const auto of_row = [&](const Tensor& p) { return kernels::load_one<float>(p.dtype, p.data, a * p.stride[0] + b * p.stride[1] + c * p.stride[2]); };
        const float zero = of_row(*q.zeros), scale = of_row(*q.scales);
        kernels::load(t.dtype, at(t, a * t.stride[0] + b * t.stride[1] + c * t.stride[2]), t.stride[3], width, out);
        for (int64_t i = 0; i < width; ++i) out[i] = (out[i] - zero) * scale;
      }
  return f;
}

Status infer_quantized(const Tensor& q, const Tensor& k, const Tensor& v, int64_t start, const Tensor* mask, double dropout, bool causal, Scale, const Tensor* qz,
                       const Tensor* qs, const Tensor* kz, const Tensor* ks, const Tensor* vz, const Tensor* vs, bool heads_first, TensorMeta& out) {
  GLINT_TRY(check(q, k, v, heads_first ? kHeadsFirst : kPositionsFirst, start, mask, dropout, causal));
  if (q.dtype != DType::kI8) {
    GLINT_TRY(check_floating(q));
    return set_result(out, q.dtype, q.sizes());
  }
  GLINT_TRY(check_quantized(q, {qz, qs}));
  GLINT_TRY(check_quantized(k, {kz, ks}));
  GLINT_TRY(check_quantized(v, {vz, vs}));
  return set_result(out, DType::kF32, q.sizes());
}
Status plan_quantized(const PlanContext&, const Tensor& q, const Tensor& k, const Tensor&, int64_t, const Tensor*, double, bool, Scale, const Tensor*, const Tensor*,
                      const Tensor*, const Tensor*, const Tensor*, const Tensor*, bool heads_first, const Tensor&, Plan& plan) {
  GLINT_TRY(score_bytes(k, heads_first ? kHeadsFirst : kPositionsFirst, plan.scratch_bytes));
  plan.scratch_bytes = align_up(plan.scratch_bytes, 64);
  if (q.dtype != DType::kI8) return {};
  for (const int64_t n : {q.numel(), k.numel(), k.numel()}) {
    int64_t bytes = 0;
    if (!checked_mul(n, int64_t(sizeof(float)), &bytes)) return invalid_argument("sdpa: the operands are too large");
    plan.scratch_bytes += align_up(size_t(bytes), 64);
  }
  return {};
}
Status run_quantized(OpContext& c, const Tensor& q, const Tensor& k, const Tensor& v, int64_t start, const Tensor* mask, double, bool causal, Scale scale,
                     const Tensor* qz, const Tensor* qs, const Tensor* kz, const Tensor* ks, const Tensor* vz, const Tensor* vs, bool heads_first, Tensor& out) {
  const Layout l = heads_first ? kHeadsFirst : kPositionsFirst;
  if (q.dtype != DType::kI8) return run_attention(q, k, v, l, start, mask, causal, scale, c.scratch(), out);
  size_t scores = 0;
  GLINT_TRY(score_bytes(k, l, scores));
  std::byte* scratch = c.scratch() + align_up(scores, 64);
  const Tensor query = dequantized(q, {qz, qs}, scratch), key = dequantized(k, {kz, ks}, scratch), value = dequantized(v, {vz, vs}, scratch);
  return run_attention(query, key, value, l, start, mask, causal, scale, c.scratch(), out);
}

#define GLINT_SDPA "Tensor? attn_mask=None, float drpout_p=0., bool is_causal=False, float? scale=None"

constexpr OpDef kDefs[] = {
    define_op<"llama::custom_sdpa(Tensor query, Tensor key, Tensor value, SymInt start_pos, " GLINT_SDPA ") -> Tensor", infer, run, plan>(
        "llama::custom_sdpa.out"),
    define_op<"llama::sdpa_with_kv_cache(Tensor query, Tensor key, Tensor value, Tensor(a!) key_cache, Tensor(b!) value_cache, SymInt start_pos, "
              "SymInt seq_len, " GLINT_SDPA ") -> Tensor", infer_cached, run_cached, plan_cached>("llama::sdpa_with_kv_cache.out", {.pure = false}),
    define_op<"llama::custom_quantized_sdpa(Tensor query, Tensor key, Tensor value, SymInt start_pos, " GLINT_SDPA ", Tensor? q_zero_points=None, "
              "Tensor? q_scales=None, Tensor? k_zero_points=None, Tensor? k_scales=None, Tensor? v_zero_points=None, Tensor? v_scales=None, "
              "bool is_seq_at_dim_2=False) -> Tensor", infer_quantized, run_quantized, plan_quantized>("llama::custom_quantized_sdpa.out"),
};

}  // namespace

extern constinit const OpFamily op_llama_sdpa{kDefs};

}  // namespace glint::ops
