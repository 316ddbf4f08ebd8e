#pragma once

// Attention in its reference form: one row of scores at a time.

#include "glint/ops/rows.h"

namespace glint::ops {

/// Scores of one query row, masked.
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

/// out = sum of scores[j] * value[j].
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

/// query [B, H, L, E], key and value [B, Hk, S, E], Hk dividing H. Row i of the result is the mean of the value rows weighted by
/// softmax(scale * query[i] . key + mask). A row with nothing to see gives 0.
struct Attention {
  const Tensor& query;
  const Tensor& key;
  const Tensor& value;
  const Tensor* mask;     // broadcasts to [B, H, L, S]: added, or true where seen; null: none
  double scale;
  bool causal;            // row i sees keys up to first_position + i
  int64_t first_position = 0;
};

/// `scores` has room for S numbers; logsumexp [B, H, L] may be null.
template <class C>
void attend(const Attention& a, C* scores, Tensor& out, Tensor* logsumexp) {
  const Tensor &query = a.query, &key = a.key, &value = a.value, *mask = a.mask;
  const auto mask_step = [&](int from_end) {
    return mask == nullptr || mask->rank < from_end || mask->size[size_t(mask->rank - from_end)] == 1 ? 0 : mask->stride[size_t(mask->rank - from_end)];
  };
  for (int64_t b = 0; b < query.size[0]; ++b)
    for (int64_t h = 0; h < query.size[1]; ++h) {
      const int64_t kv = h / (query.size[1] / key.size[1]), key_at = b * key.stride[0] + kv * key.stride[1], value_at = b * value.stride[0] + kv * value.stride[1];
      for (int64_t i = 0; i < query.size[2]; ++i) {
        const Line q{query.dtype, at(query, b * query.stride[0] + h * query.stride[1] + i * query.stride[2]), query.stride[3], query.size[3]};
        const int64_t visible = a.causal ? std::min(a.first_position + i + 1, key.size[2]) : key.size[2];
        score_row(q, key, key_at, visible, C(a.scale), mask, b * mask_step(4) + h * mask_step(3) + i * mask_step(2), mask_step(1), scores);
        C most = -INFINITY;
        for (int64_t j = 0; j < visible; ++j) most = scores[j] > most || scores[j] != scores[j] ? scores[j] : most;
        double sum = 0;
        const bool nothing = most == C(-INFINITY);
        for (int64_t j = 0; j < visible; ++j) sum += double(scores[j] = nothing ? C(0) : std::exp(scores[j] - most));
        for (int64_t j = 0; j < visible && !nothing; ++j) scores[j] = C(double(scores[j]) / sum);
        weigh_values(scores, visible, value, value_at, out.dtype, at(out, b * out.stride[0] + h * out.stride[1] + i * out.stride[2]), out.stride[3]);
        if (logsumexp != nullptr)
          kernels::store_one(logsumexp->dtype, logsumexp->data, b * logsumexp->stride[0] + h * logsumexp->stride[1] + i * logsumexp->stride[2],
                             nothing ? 0.0 : double(most) + std::log(sum));
      }
    }
}

}  // namespace glint::ops
