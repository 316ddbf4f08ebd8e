// Scaled dot product attention, and dropout.

#include <cmath>

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

/// [L, S], true where key j may be seen from query i: j <= i.
Value* causal(X& x, const Dim& queries, const Dim& keys) {
  Value* i = x.unsqueeze(x.arange(queries, DType::kI64), 1);
  Value* j = x.unsqueeze(x.arange(keys, DType::kI64), 0);
  return x.le(j, i);
}

/// Heads of keys and values repeat until there are as many as heads of queries.
Value* repeat_heads(X& x, Value* a, const Dim& heads) {
  if (x.dim(a, -3) == heads) return a;
  const int64_t times = x.known(floor_div(heads, x.dim(a, -3)), "the number of heads");
  Dims wide = x.dims(a), flat = wide;
  wide.insert(wide.end() - 2, Dim(times));
  flat[flat.size() - 3] = flat[flat.size() - 3] * Dim(times);
  x.require(flat[flat.size() - 3] == heads, "the heads of keys do not divide those of queries");
  return x.view(x.expand(x.unsqueeze(a, -3), wide), flat);
}

/// A float tensor of zeros (with probability p) and ones; of features: one number a channel.
Value* noise(X& x, Value* input, double p, bool feature) {
  if (!feature) return x.op("aten::bernoulli.p", {input, 1 - p});
  Dims d = x.dims(input);
  x.require(d.size() >= 2, "the input needs two dimensions or more");
  for (size_t i = 2; i < d.size(); ++i) d[i] = 1;
  return x.op("aten::bernoulli.p", {x.zeros(d, x.dtype_of(input)), 1 - p});
}

/// Dropout as while training.
Value* dropped(X& x, Value* a, double p, bool feature = false) {
  x.require(p >= 0 && p <= 1, "the probability is outside 0..1");
  if (p == 0) return a;
  if (p == 1) return x.mul(a, x.zero(x.dtype_of(a)));
  return x.mul(a, x.div(noise(x, a, p, feature), 1 - p));
}

struct Scores {
  Value* scores;
  Value* value;
  bool may_mask_all;  // a row may be -inf throughout
};

/// A mask of bools tells what may be seen, unless it `adds` as numbers do.
Scores attention_scores(X& x, bool grouped, bool adds = false) {
  Value* q = x.tensor("query");
  Value* k = x.tensor("key");
  Value* v = x.tensor("value");
  x.require(x.rank(q) >= 2 && x.rank(k) >= 2 && x.rank(v) >= 2, "query, key and value need two dimensions or more");
  if (grouped && x.rank(q) >= 3) {
    k = repeat_heads(x, k, x.dim(q, -3));
    v = repeat_heads(x, v, x.dim(q, -3));
  }
  const double scale = x.has("scale") ? x.number("scale") : 1 / std::sqrt(double(x.known(x.dim(q, -1), "the size of a head")));
  q = x.mul(q, scale);
  Value* s = matmul(x, q, x.transpose(k, -2, -1));
  if (x.flag("is_causal")) {
    x.require(!x.has("attn_mask"), "is_causal and a mask exclude each other");
    return {x.where(causal(x, x.dim(q, -2), x.dim(k, -2)), s, -INFINITY), v, false};
  }
  Value* mask = x.maybe("attn_mask");
  if (!mask) return {s, v, false};
  if (x.dtype_of(mask) == DType::kBool && !adds) return {x.where(mask, s, -INFINITY), v, true};
  return {x.add(s, x.to(mask, x.dtype_of(s))), v, true};
}

/// Queries that may see no key see zeros.
Value* probabilities(X& x, const Scores& s) {
  Value* p = softmax(x, s.scores, -1);
  if (s.may_mask_all) p = x.op("aten::masked_fill.Scalar", {p, x.eq(x.amax(s.scores, {-1}, true), -INFINITY), 0.0});
  return dropped(x, p, x.number("dropout_p"));
}

Value* attend(X& x, const Scores& s) { return matmul(x, probabilities(x, s), s.value); }

// ---- dropout: in eval mode the input itself ----

template <bool kFeature, bool kAlpha>
Value* dropout(X& x) {
  Value* input = x.tensor("input");
  const double p = x.number("p");
  if (p == 0 || !x.flag("train")) return input;
  if (!kAlpha || p == 1) return dropped(x, input, p, kFeature);
  x.require(p > 0 && p < 1, "the probability is outside 0..1");
  Value* keep = noise(x, input, p, kFeature);
  const double alpha = 1.7580993408473766;
  const double a = 1 / std::sqrt((alpha * alpha * p + 1) * (1 - p));
  return x.add(x.mul(input, x.mul(keep, a)), x.add(x.mul(x.add(keep, -1.0), alpha * a), alpha * a * p));
}

constexpr Row kRows[] = {
    {"aten::scaled_dot_product_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., "
     "bool is_causal=False, *, float? scale=None, bool enable_gqa=False) -> Tensor",
     [](X& x) { return attend(x, attention_scores(x, x.flag("enable_gqa"))); }},
    {"aten::_scaled_dot_product_flash_attention_for_cpu(Tensor query, Tensor key, Tensor value, float dropout_p=0., bool is_causal=False, *, "
     "Tensor? attn_mask=None, float? scale=None) -> (Tensor output, Tensor logsumexp)",
     [](X& x) {
       const Scores s = attention_scores(x, true);
       Value* top = x.amax(s.scores, {-1}, true);
       Value* sums = x.sum(x.exp(x.sub(s.scores, top)), {-1}, true);
       return Values{attend(x, s), x.squeeze(x.to(x.add(x.log(sums), top), DType::kF32), -1)};
     }},
    {"aten::_scaled_dot_product_attention_math(Tensor query, Tensor key, Tensor value, Tensor? attn_mask=None, float dropout_p=0., "
     "bool is_causal=False, Tensor? dropout_mask=None, *, float? scale=None, bool enable_gqa=False) -> (Tensor, Tensor)",
     [](X& x) {
       x.require(!x.has("dropout_mask"), "dropout inside attention is for training; export the model in eval mode");
       const Scores s = attention_scores(x, x.flag("enable_gqa"), true);
       Value* p = probabilities(x, s);
       return Values{matmul(x, p, s.value), p};
     }},
    {"aten::dropout(Tensor input, float p, bool train) -> Tensor", dropout<false, false>},
    {"aten::feature_dropout(Tensor input, float p, bool train) -> Tensor", dropout<true, false>},
    {"aten::alpha_dropout(Tensor input, float p, bool train) -> Tensor", dropout<false, true>},
    {"aten::feature_alpha_dropout(Tensor input, float p, bool train) -> Tensor", dropout<true, true>},
    {"aten::native_dropout_backward(Tensor grad_output, Tensor mask, float scale) -> Tensor", [](X& x) {
       Value* grad = x.tensor("grad_output");
       return x.mul(x.mul(grad, x.to(x.tensor("mask"), x.dtype_of(grad))), x.number("scale"));
     }},
};

}  // namespace

Rows attention_rows() { return kRows; }

}  // namespace glint::compiler
