// The gated delta rule (Yang, Kautz and Hatamizadeh, "Gated Delta Networks", 2024), token by token: with the state S [K, V] of a
// head, S = decay * S; S += key * (beta * (value - key . S)); out = query . S.

#include "glint/ops/compute.h"

namespace glint::ops {
namespace {

// query [B, H, T, K], key [B, Hk, T, K], value [B, Hk, T, V], decay [B, Hk, T] or [B, Hk, T, K], beta [B, Hk, T], state [B, Hk, K, V].
Status infer(const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& decay, const Tensor& beta, const Tensor& state, TensorMeta& out,
             TensorMeta& final_state) {
  for (const Tensor* t : {&query, &key, &value, &decay, &beta, &state})
    if (t->dtype != DType::kF32) return invalid_argument("gated_delta_rule: the operands must be float32");
  if (query.rank != 4 || key.rank != 4 || value.rank != 4 || (decay.rank != 3 && decay.rank != 4) || beta.rank != 3 || state.rank != 4)
    return invalid_argument("gated_delta_rule: an operand has the wrong number of dimensions");
  const auto same = [](const Tensor& a, const Tensor& b, std::initializer_list<size_t> dims) {
    for (const size_t d : dims)
      if (a.size[d] != b.size[d]) return false;
    return true;
  };
  const bool fits = same(query, key, {0, 2, 3}) && same(key, value, {0, 1, 2}) && same(key, decay, {0, 1, 2}) && (decay.rank == 3 || same(key, decay, {3})) &&
                    same(key, beta, {0, 1, 2}) && same(state, key, {0, 1}) && state.size[2] == key.size[3] && state.size[3] == value.size[3];
  if (!fits || key.size[1] == 0 || query.size[1] % key.size[1] != 0) return invalid_argument("gated_delta_rule: the sizes do not match");
  const int64_t sizes[] = {query.size[0], query.size[1], query.size[2], value.size[3]};
  GLINT_TRY(set_result(out, DType::kF32, sizes));
  return set_result(final_state, DType::kF32, state.sizes());
}

Status plan(const PlanContext&, const Tensor&, const Tensor&, const Tensor& value, const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&, Plan& plan) {
  plan.scratch_bytes = size_t(value.size[3]) * sizeof(float);
  return {};
}

float element(const Tensor& t, std::initializer_list<int64_t> index) {
  int64_t offset = 0, d = 0;
  for (const int64_t i : index) offset += i * t.stride[size_t(d++)];
  return t.as<float>()[offset];
}

Status run(OpContext& c, const Tensor& query, const Tensor& key, const Tensor& value, const Tensor& decay, const Tensor& beta, const Tensor& state, Tensor& out,
           Tensor& final_state) {
  const int64_t heads = key.size[1], group = query.size[1] / heads, tokens = key.size[2], keys = key.size[3], values = value.size[3];
  float* delta = reinterpret_cast<float*>(c.scratch());
  for (int64_t b = 0; b < key.size[0]; ++b)
    for (int64_t h = 0; h < heads; ++h) {
      const auto s = [&](int64_t k, int64_t v) -> float& {
        return final_state.as<float>()[b * final_state.stride[0] + h * final_state.stride[1] + k * final_state.stride[2] + v * final_state.stride[3]];
      };
      for (int64_t k = 0; k < keys; ++k)
        for (int64_t v = 0; v < values; ++v) s(k, v) = element(state, {b, h, k, v});
      for (int64_t t = 0; t < tokens; ++t) {
        for (int64_t v = 0; v < values; ++v) delta[v] = 0;
        for (int64_t k = 0; k < keys; ++k) {
          const float fade = decay.rank == 4 ? element(decay, {b, h, t, k}) : element(decay, {b, h, t}), weight = element(key, {b, h, t, k});
          for (int64_t v = 0; v < values; ++v) delta[v] += weight * (s(k, v) *= fade);
        }
        for (int64_t v = 0; v < values; ++v) delta[v] = (element(value, {b, h, t, v}) - delta[v]) * element(beta, {b, h, t});
        for (int64_t k = 0; k < keys; ++k)
          for (int64_t v = 0; v < values; ++v) s(k, v) += element(key, {b, h, t, k}) * delta[v];
        for (int64_t g = h * group; g < (h + 1) * group; ++g)
          for (int64_t v = 0; v < values; ++v) {
            float sum = 0;
            for (int64_t k = 0; k < keys; ++k) sum += element(query, {b, g, t, k}) * s(k, v);
            out.as<float>()[b * out.stride[0] + g * out.stride[1] + t * out.stride[2] + v * out.stride[3]] = sum;
          }
      }
    }
  return {};
}

#define GLINT_OPERANDS "Tensor query, Tensor key, Tensor value, Tensor decay, Tensor beta, Tensor initial_state"
constexpr OpDef kDefs[] = {
    define_op<"llama::gated_delta_rule(" GLINT_OPERANDS ") -> (Tensor, Tensor)", infer, run, plan>("llama::gated_delta_rule.out"),
    define_op<"llama::channelwise_gated_delta_rule(" GLINT_OPERANDS ") -> (Tensor, Tensor)", infer, run, plan>("llama::channelwise_gated_delta_rule.out"),
};

}  // namespace

extern constinit const OpFamily op_llama_gated_delta_rule{kDefs};

}  // namespace glint::ops
