// Losses and distances.

#include <cmath>

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

enum Reduction : int64_t { kNone = 0, kMean = 1, kSum = 2 };

Value* reduce(X& x, Value* loss) {
  switch (x.integer("reduction")) {
    case kMean: return x.mean_all(loss);
    case kSum: return x.sum_all(loss);
    default: return loss;
  }
}

/// max(a, 0) of any dtype.
Value* positive_part(X& x, Value* a) { return x.op("aten::clamp_min", {a, x.zero(x.dtype_of(a))}); }

// ---- elementwise losses ----

Value* l1_loss(X& x) { return reduce(x, x.abs(x.sub(x.tensor("self"), x.tensor("target")))); }
Value* mse_loss(X& x) { return reduce(x, x.square(x.sub(x.tensor("self"), x.tensor("target")))); }

Value* smooth_l1_loss(X& x) {
  const double beta = x.number("beta");
  x.require(beta >= 0, "smooth_l1_loss: a negative beta");
  if (beta == 0) return l1_loss(x);
  Value* d = x.abs(x.sub(x.tensor("self"), x.tensor("target")));
  return reduce(x, x.where(x.lt(d, beta), x.div(x.mul(x.square(d), 0.5), beta), x.sub(d, 0.5 * beta)));
}

Value* huber_loss(X& x) {
  const double delta = x.number("delta");
  x.require(delta > 0, "huber_loss: delta is not positive");
  Value* d = x.abs(x.sub(x.tensor("self"), x.tensor("target")));
  return reduce(x, x.where(x.le(d, delta), x.mul(x.square(d), 0.5), x.mul(x.sub(d, 0.5 * delta), delta)));
}

Value* soft_margin_loss(X& x) {
  return reduce(x, x.unary("log1p", x.exp(x.neg(x.mul(x.tensor("self"), x.tensor("target"))))));
}

Value* binary_cross_entropy(X& x) {
  Value* p = x.tensor("self");
  Value* t = x.tensor("target");
  // The logarithms end at -100, so that 0 * log(0) is 0.
  Value* yes = x.mul(t, x.clamp(x.log(p), -100.0));
  Value* no = x.mul(x.sub(1.0, t), x.clamp(x.unary("log1p", x.neg(p)), -100.0));
  Value* loss = x.neg(x.add(yes, no));
  if (x.has("weight")) loss = x.mul(loss, x.tensor("weight"));
  return reduce(x, loss);
}

Value* binary_cross_entropy_with_logits(X& x) {
  Value* a = x.tensor("self");
  Value* t = x.tensor("target");
  Value* log_p = log_sigmoid(x, a);
  if (Value* w = x.maybe("pos_weight")) log_p = x.mul(x.add(x.mul(x.sub(w, 1.0), t), 1.0), log_p);
  // -(t log p + (1 - t) log(1 - p)), where log(1 - p) is log p - a.
  Value* loss = x.sub(x.mul(x.sub(1.0, t), a), log_p);
  if (x.has("weight")) loss = x.mul(loss, x.tensor("weight"));
  return reduce(x, loss);
}

Value* kl_div(X& x) {
  Value* a = x.tensor("self");
  Value* t = x.tensor("target");
  if (x.flag("log_target")) return reduce(x, x.mul(x.exp(t), x.sub(t, a)));
  return reduce(x, x.sub(x.op("aten::xlogy.Tensor", {t, t}), x.mul(t, a)));
}

Value* poisson_nll_loss(X& x) {
  Value* a = x.tensor("input");
  Value* t = x.tensor("target");
  Value* loss = x.flag("log_input") ? x.sub(x.exp(a), x.mul(t, a)) : x.sub(a, x.mul(t, x.log(x.add(a, x.number("eps")))));
  if (x.flag("full")) {  // Stirling's approximation of log(t!)
    Value* s = x.add(x.sub(x.mul(t, x.log(t)), t), x.mul(x.log(x.mul(t, 2 * M_PI)), 0.5));
    loss = x.add(loss, x.op("aten::masked_fill.Scalar", {s, x.le(t, 1), 0}));
  }
  return reduce(x, loss);
}

Value* hinge_embedding_loss(X& x) {
  Value* a = x.tensor("self");
  Value* t = x.tensor("target");
  Value* apart = x.where(x.ne(t, 1), positive_part(x, x.sub(x.number("margin"), a)), 0.0);
  return reduce(x, x.add(apart, x.where(x.ne(t, -1), a, x.zero(x.dtype_of(a)))));
}

Value* margin_ranking_loss(X& x) {
  Value* d = x.mul(x.neg(x.tensor("target")), x.sub(x.tensor("input1"), x.tensor("input2")));
  return reduce(x, positive_part(x, x.add(d, x.number("margin"))));
}

// ---- distances ----

Value* pairwise_distance(X& x, Value* a, Value* b, double p, double eps, bool keep) {
  Value* d = x.add(x.sub(a, b), eps);
  return vector_norm(x, d, p, {int64_t(x.rank(d)) - 1}, keep);
}

Value* cosine_similarity(X& x) {
  Value* a = x.tensor("x1");
  Value* b = x.tensor("x2");
  DType d = x.result_type({a, b});
  if (!is_floating(d)) x.refuse("cosine_similarity: floating point tensors are expected");
  const Dims common = x.broadcast(x.dims(a), x.dims(b));
  a = x.expand(x.to(a, d), common);
  b = x.expand(x.to(b, d), common);
  const int64_t axis = x.axis("dim", common.size());
  const double eps = x.number("eps");
  const auto unit = [&](Value* v) { return x.div(v, x.clamp(vector_norm(x, v, 2, {axis}, true), eps)); };
  return x.sum(x.mul(unit(a), unit(b)), {axis});
}

Value* cosine_embedding_loss(X& x) {
  Value* a = x.tensor("input1");
  Value* b = x.tensor("input2");
  Value* t = x.tensor("target");
  const double eps = 1e-12;
  const auto total = [&](Value* v) { return x.sum(v, {int64_t(x.rank(v)) - 1}); };
  Value* cos = x.div(total(x.mul(a, b)), x.sqrt(x.mul(x.add(total(x.square(a)), eps), x.add(total(x.square(b)), eps))));
  Value* same = x.where(x.eq(t, 1), x.sub(1.0, cos), 0.0);
  Value* apart = x.where(x.eq(t, -1), positive_part(x, x.sub(cos, x.number("margin"))), 0.0);
  return reduce(x, x.add(same, apart));
}

Value* triplet_margin_loss(X& x) {
  Value *anchor = x.tensor("anchor"), *positive = x.tensor("positive"), *negative = x.tensor("negative");
  const double p = x.number("p"), eps = x.number("eps");
  Value* near = pairwise_distance(x, anchor, positive, p, eps, false);
  Value* far = pairwise_distance(x, anchor, negative, p, eps, false);
  if (x.flag("swap")) far = x.minimum(far, pairwise_distance(x, positive, negative, p, eps, false));
  return reduce(x, positive_part(x, x.add(x.sub(near, far), x.number("margin"))));
}

/// Distances between all rows of a [.., p, m] and of b [.., r, m].
Value* cdist(X& x) {
  Value* a = x.tensor("x1");
  Value* b = x.tensor("x2");
  x.require(x.rank(a) >= 2 && x.rank(b) >= 2, "cdist: two dimensions or more");
  Value* d = x.sub(x.unsqueeze(a, -2), x.unsqueeze(b, -3));
  return vector_norm(x, d, x.number("p"), {int64_t(x.rank(d)) - 1}, false);
}

/// The upper triangle of cdist(a, a), row by row.
Value* pdist(X& x) {
  Value* a = x.tensor("self");
  x.require(x.rank(a) == 2, "pdist: two dimensions");
  const int64_t n = x.known(x.dim(a, 0), "the number of rows");
  x.require(n <= 4096, "pdist: too many rows");
  std::vector<double> first, second;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = i + 1; j < n; ++j) first.push_back(double(i)), second.push_back(double(j));
  const std::vector<int64_t> count{int64_t(first.size())};
  Value* left = x.op("aten::index_select", {a, 0, x.builder().constant(DType::kI64, count, first)});
  Value* right = x.op("aten::index_select", {a, 0, x.builder().constant(DType::kI64, count, second)});
  return vector_norm(x, x.sub(left, right), x.number("p"), {1}, false);
}

// ---- classes ----

/// A weight for each class as [1, C, 1, ..], to go with the input's dimensions.
Value* along_classes(X& x, Value* weight, size_t rank, int64_t axis) {
  Dims d(rank, Dim(1));
  d[size_t(axis)] = x.dim(weight, 0);
  return x.view(weight, d);
}

struct Picked {
  Value* loss;    // -weight * log p of the target, 0 where it is ignored
  Value* weight;  // of each target, 0 where it is ignored; null when every target counts as 1
  Value* counts;  // bool: the target is not ignored
};

/// log_p [N, C, d..] or [C]; target [N, d..] or [].
Picked pick(X& x, Value* log_p, Value* target, Value* weight, int64_t ignore) {
  const int64_t axis = x.rank(log_p) < 2 ? 0 : 1;
  x.require(x.rank(log_p) >= 1 && x.rank(target) + 1 == x.rank(log_p), "the target has the wrong number of dimensions");
  Value* counts = x.ne(target, ignore);
  Value* safe = x.unsqueeze(x.to(x.where(counts, target, 0), DType::kI64), axis);
  const Arg zero = x.zero(x.dtype_of(log_p));
  Value* loss = x.neg(x.op("aten::gather", {log_p, axis, safe}));
  Value* each = nullptr;
  if (weight) {
    Value* wide = x.expand(along_classes(x, weight, x.rank(log_p), axis), x.dims(log_p));
    each = x.op("aten::gather", {wide, axis, safe});
    loss = x.mul(loss, each);
    each = x.where(counts, x.squeeze(each, axis), zero);
  }
  return {x.where(counts, x.squeeze(loss, axis), zero), each, counts};
}

Value* total_weight(X& x, const Picked& p, DType dtype) { return x.sum_all(p.weight ? p.weight : x.to(p.counts, dtype)); }

Value* nll(X& x, Value* log_p, Value* target, Value* weight) {
  const Picked p = pick(x, log_p, target, weight, x.integer("ignore_index"));
  if (x.integer("reduction") == kMean) return x.div(x.sum_all(p.loss), total_weight(x, p, x.dtype_of(log_p)));
  return reduce(x, p.loss);
}

Value* nll_loss(X& x) { return nll(x, x.tensor("self"), x.tensor("target"), x.maybe("weight")); }

Values nll_loss_forward(X& x) {
  Value* log_p = x.tensor("self");
  const Picked p = pick(x, log_p, x.tensor("target"), x.maybe("weight"), x.integer("ignore_index"));
  Value* total = total_weight(x, p, x.dtype_of(log_p));
  const int64_t reduction = x.integer("reduction");
  if (reduction == kNone) return {p.loss, x.zeros({}, x.dtype_of(log_p))};
  Value* sum = x.sum_all(p.loss);
  return {reduction == kMean ? x.div(sum, total) : sum, total};
}

/// The target holds a probability for each class.
Value* soft_cross_entropy(X& x, Value* log_p, Value* target, Value* weight, double smoothing, int64_t axis) {
  const double classes = double(x.known(x.dim(log_p, axis), "the number of classes"));
  if (smoothing > 0) target = x.add(x.mul(target, 1 - smoothing), smoothing / classes);
  Value* each = x.mul(log_p, target);
  if (weight) each = x.mul(each, along_classes(x, weight, x.rank(log_p), axis));
  Value* loss = x.neg(x.sum(each, {axis}));
  if (x.integer("reduction") != kMean) return reduce(x, loss);
  // The mean is over samples, not over probabilities.
  return x.div(x.sum_all(loss), x.builder().size(x.product(x.dims(loss))));
}

Value* smoothed_cross_entropy(X& x, Value* log_p, Value* target, Value* weight, double smoothing, int64_t axis) {
  const double classes = double(x.known(x.dim(log_p, axis), "the number of classes"));
  const Picked p = pick(x, log_p, target, weight, x.integer("ignore_index"));
  Value* every = weight ? x.mul(log_p, along_classes(x, weight, x.rank(log_p), axis)) : log_p;
  Value* smooth = x.where(p.counts, x.neg(x.sum(every, {axis})), x.zero(x.dtype_of(log_p)));
  Value* loss = x.add(x.mul(p.loss, 1 - smoothing), x.mul(smooth, smoothing / classes));
  if (x.integer("reduction") == kMean) return x.div(x.sum_all(loss), total_weight(x, p, x.dtype_of(log_p)));
  return reduce(x, loss);
}

Value* cross_entropy_loss(X& x) {
  Value* a = x.tensor("self");
  Value* target = x.tensor("target");
  Value* weight = x.maybe("weight");
  const int64_t axis = x.rank(a) < 2 ? 0 : 1;
  const double smoothing = x.number("label_smoothing");
  Value* log_p = log_softmax(x, a, axis);
  if (x.rank(target) == x.rank(a) && is_floating(x.dtype_of(target))) return soft_cross_entropy(x, log_p, target, weight, smoothing, axis);
  if (smoothing > 0) return smoothed_cross_entropy(x, log_p, target, weight, smoothing, axis);
  return nll(x, log_p, target, weight);
}

Value* multi_margin_loss(X& x) {
  Value* a = x.tensor("self");
  Value* target = x.tensor("target");
  const bool single = x.rank(a) < 2;
  if (single) a = x.view(a, {Dim(1), x.product(x.dims(a))});
  Value* index = x.view(target, {x.dim(a, 0), Dim(1)});
  const double p = x.number("p");
  x.require(p == 1 || p == 2, "multi_margin_loss: p is 1 or 2");
  Value* z = positive_part(x, x.add(x.sub(a, x.op("aten::gather", {a, 1, index})), x.number("margin")));
  if (p == 2) z = x.square(z);
  if (Value* w = x.maybe("weight")) z = x.mul(z, x.op("aten::gather", {x.expand(x.unsqueeze(w, 0), x.dims(a)), 1, index}));
  Value* classes = x.unsqueeze(x.arange(x.dim(a, 1), DType::kI64), 0);
  Value* loss = x.mean(x.where(x.ne(classes, index), z, x.zero(x.dtype_of(z))), {1});
  return reduce(x, single ? x.squeeze(loss, 0) : loss);
}

/// Targets are lists of classes that end at the first -1.
Values multilabel_margin(X& x) {
  Value* a = x.tensor("self");
  Value* target = x.tensor("target");
  const bool single = x.rank(a) < 2;
  const Dims given = x.dims(target);
  if (single) {
    a = x.view(a, {Dim(1), x.product(x.dims(a))});
    target = x.view(target, {Dim(1), x.product(given)});
  }
  Value* valid = x.eq(x.op("aten::cumsum", {x.to(x.lt(target, 0), DType::kI64), 1}), 0);
  Value* index = x.where(valid, target, 0);
  // [n, j, c]: target j of row n is valid and names class c.
  Value* classes = x.arange(x.dim(a, 1), DType::kI64);
  Value* named = x.logical_and(x.eq(x.unsqueeze(index, 2), classes), x.unsqueeze(valid, 2));
  Value* is_target = x.any(named, {1});
  Value* at_target = x.op("aten::gather", {a, 1, index});
  Value* z = positive_part(x, x.add(x.sub(x.unsqueeze(a, 1), x.unsqueeze(at_target, 2)), 1.0));  // [n, j, c]
  Value* counts = x.logical_and(x.unsqueeze(valid, 2), x.unsqueeze(x.logical_not(is_target), 1));
  Value* loss = x.sum(x.where(counts, z, x.zero(x.dtype_of(z))), {1, 2});
  loss = x.div(loss, x.builder().size(x.dim(a, 1)));
  if (single) loss = x.squeeze(loss, 0);
  return {reduce(x, loss), x.view(x.to(is_target, x.dtype_of(a)), given)};
}

#define GLINT_NLL "(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100) -> Tensor"
#define GLINT_NLL_FORWARD "(Tensor self, Tensor target, Tensor? weight, int reduction, SymInt ignore_index) -> (Tensor output, Tensor total_weight)"

constexpr Row kRows[] = {
    {"aten::l1_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", l1_loss},
    {"aten::mse_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", mse_loss},
    {"aten::smooth_l1_loss(Tensor self, Tensor target, int reduction=Mean, float beta=1.0) -> Tensor", smooth_l1_loss},
    {"aten::huber_loss(Tensor self, Tensor target, int reduction=Mean, float delta=1.0) -> Tensor", huber_loss},
    {"aten::soft_margin_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", soft_margin_loss},
    {"aten::binary_cross_entropy(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean) -> Tensor", binary_cross_entropy},
    {"aten::binary_cross_entropy_with_logits(Tensor self, Tensor target, Tensor? weight=None, Tensor? pos_weight=None, int reduction=Mean) -> Tensor",
     binary_cross_entropy_with_logits},
    {"aten::kl_div(Tensor self, Tensor target, int reduction=Mean, *, bool log_target=False) -> Tensor", kl_div},
    {"aten::poisson_nll_loss(Tensor input, Tensor target, bool log_input, bool full, float eps, int reduction) -> Tensor", poisson_nll_loss},
    {"aten::hinge_embedding_loss(Tensor self, Tensor target, float margin=1.0, int reduction=Mean) -> Tensor", hinge_embedding_loss},
    {"aten::margin_ranking_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=Mean) -> Tensor", margin_ranking_loss},
    {"aten::cosine_embedding_loss(Tensor input1, Tensor input2, Tensor target, float margin=0.0, int reduction=Mean) -> Tensor",
     cosine_embedding_loss},
    {"aten::triplet_margin_loss(Tensor anchor, Tensor positive, Tensor negative, float margin=1.0, float p=2, float eps=1e-06, bool swap=False, "
     "int reduction=Mean) -> Tensor", triplet_margin_loss},
    {"aten::multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=Mean) -> Tensor",
     multi_margin_loss},
    {"aten::multilabel_margin_loss(Tensor self, Tensor target, int reduction=Mean) -> Tensor", [](X& x) { return multilabel_margin(x)[0]; }},
    {"aten::multilabel_margin_loss_forward(Tensor self, Tensor target, int reduction) -> (Tensor output, Tensor is_target)", multilabel_margin},
    {"aten::nll_loss" GLINT_NLL, nll_loss},
    {"aten::nll_loss2d" GLINT_NLL, nll_loss},
    {"aten::nll_loss_nd" GLINT_NLL, nll_loss},
    {"aten::nll_loss_forward" GLINT_NLL_FORWARD, nll_loss_forward},
    {"aten::nll_loss2d_forward" GLINT_NLL_FORWARD, nll_loss_forward},
    {"aten::cross_entropy_loss(Tensor self, Tensor target, Tensor? weight=None, int reduction=Mean, SymInt ignore_index=-100, "
     "float label_smoothing=0.0) -> Tensor", cross_entropy_loss},

    {"aten::cosine_similarity(Tensor x1, Tensor x2, int dim=1, float eps=1e-08) -> Tensor", cosine_similarity},
    {"aten::pairwise_distance(Tensor x1, Tensor x2, float p=2, float eps=1e-06, bool keepdim=False) -> Tensor",
     [](X& x) { return pairwise_distance(x, x.tensor("x1"), x.tensor("x2"), x.number("p"), x.number("eps"), x.flag("keepdim")); }},
    {"aten::cdist(Tensor x1, Tensor x2, float p=2, int? compute_mode=None) -> Tensor", cdist},
    {"aten::_euclidean_dist(Tensor x1, Tensor x2) -> Tensor", [](X& x) {
       Value* d = x.sub(x.unsqueeze(x.tensor("x1"), -2), x.unsqueeze(x.tensor("x2"), -3));
       return vector_norm(x, d, 2, {int64_t(x.rank(d)) - 1}, false);
     }},
    {"aten::pdist(Tensor self, float p=2) -> Tensor", pdist},
    {"aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor", [](X& x) {
       Value* d = x.sub(x.tensor("self"), x.tensor("other"));
       return vector_norm(x, d, x.number("p"), x.all_axes(d), false);
     }},
};

}  // namespace

Rows losses_rows() { return kRows; }

}  // namespace glint::compiler
