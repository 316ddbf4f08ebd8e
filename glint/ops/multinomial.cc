// Indices drawn with the probabilities of a row of weights, which need not sum to one.

#include <limits>

#include "glint/ops/random.h"

namespace glint::ops {
namespace {

constexpr int64_t kMostCategories = 1 << 24;  // of PyTorch

Status infer(const Tensor& self, int64_t num_samples, bool replacement, Ignored, TensorMeta& out) {
  if (!is_floating(self.dtype)) return invalid_argument("multinomial: the weights must be floating");
  if (self.rank != 1 && self.rank != 2) return invalid_argument("multinomial: the weights must have one or two dimensions");
  if (num_samples <= 0) return invalid_argument("multinomial: num_samples must be positive");
  const int64_t categories = self.size[size_t(self.rank - 1)];
  if (!replacement && num_samples > categories) return invalid_argument("multinomial: more samples than categories, without replacement");
  if (categories > kMostCategories) return invalid_argument("multinomial: the number of categories is limited to 2^24");
  const int64_t sizes[] = {self.rank == 2 ? self.size[0] : num_samples, num_samples};
  return set_result(out, DType::kI64, {sizes, self.rank});
}

Status plan(const PlanContext&, const Tensor& self, int64_t, bool, Ignored, const Tensor&, Plan& plan) {
  plan.scratch_bytes = size_t(self.size[size_t(self.rank - 1)]) * sizeof(double);
  return {};
}

/// With replacement: each draw looks its place up in the sums.
template <class C>
Status draw_with_replacement(Generator& g, DType d, C* weights, int64_t n, int64_t samples, int64_t* out, int64_t step) {
  C sum = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!(weights[i] >= 0) || std::isinf(weights[i])) return invalid_argument("multinomial: a weight is negative or not finite");
    weights[i] = sum = as_element(d, sum + weights[i]);
  }
  if (!(sum > 0)) return invalid_argument("multinomial: the weights of a row sum to zero");
  for (int64_t i = 0; i < n; ++i) weights[i] = as_element(d, weights[i] / sum);
  weights[n - 1] = 1;
  for (int64_t s = 0; s < samples; ++s) {
    const double u = g.uniform_double();
    int64_t low = 0;
    for (int64_t high = n; low < high;) {
      const int64_t middle = low + (high - low) / 2;
      if (double(weights[middle]) < u) low = middle + 1;
      else high = middle;
    }
    out[s * step] = low;
  }
  return {};
}

/// Without replacement, and for one sample: the largest quotients of the weights and exponential numbers (Efraimidis and
/// Spirakis, "Weighted random sampling with a reservoir", 2006).
template <class C>
Status draw_without_replacement(Generator& g, DType d, C* weights, int64_t n, int64_t samples, int64_t* out, int64_t step) {
  for (int64_t i = 0; i < n; ++i) {
    if (!(weights[i] >= 0) || std::isinf(weights[i])) return invalid_argument("multinomial: a weight is negative or not finite");
    weights[i] = as_element(d, weights[i] / as_element(d, C(draw_exponential(g, 1))));
  }
  for (int64_t s = 0; s < samples; ++s) {
    int64_t best = -1;
    for (int64_t i = 0; i < n; ++i)
      if (weights[i] >= 0 && (best < 0 || weights[i] > weights[best])) best = i;
    out[s * step] = best < 0 ? 0 : best;
    if (best >= 0) weights[best] = -1;
  }
  return {};
}

Status run(OpContext& c, const Tensor& self, int64_t samples, bool replacement, Ignored, Tensor& out) {
  if (c.generator() == nullptr) return no_generator();
  const int64_t n = self.size[size_t(self.rank - 1)], rows = self.rank == 2 ? self.size[0] : 1;
  if (n == 0) return rows == 0 ? Status() : invalid_argument("multinomial: there are no categories");
  const int64_t step = out.stride[size_t(out.rank - 1)];
  return with_floating(self.dtype, [&](auto zero) -> Status {
    using C = decltype(zero);
    C* weights = reinterpret_cast<C*>(c.scratch());
    for (int64_t r = 0; r < rows; ++r) {
      const int64_t from = self.rank == 2 ? r * self.stride[0] : 0, to = self.rank == 2 ? r * out.stride[0] : 0;
      kernels::load<C>(self.dtype, at(self, from), self.stride[size_t(self.rank - 1)], n, weights);
      const auto draw = replacement && samples > 1 ? draw_with_replacement<C> : draw_without_replacement<C>;
      GLINT_TRY(draw(*c.generator(), self.dtype, weights, n, samples, out.as<int64_t>() + to, step));
    }
    return {};
  });
}

constexpr OpDef kDefs[] = {
    define_op<"aten::multinomial(Tensor self, SymInt num_samples, bool replacement=False, *, Generator? generator=None) -> Tensor", infer, run, plan>(
        "aten::multinomial.out", {.pure = false, .random = true}),
};

}  // namespace

extern constinit const OpFamily op_multinomial{kDefs};

}  // namespace glint::ops
