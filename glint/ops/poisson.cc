// Poisson and binomial numbers: W. Hörmann, "The transformed rejection method for generating Poisson random variables"
// (1993) and "The generation of binomial random variates" (1993) for large means, counting otherwise.

#include "glint/ops/random.h"

namespace glint::ops {
namespace {

/// Algorithm PTRS, for means of 10 and more.
int64_t poisson_by_rejection(Generator& g, double mean) {
  const double log_mean = std::log(mean), b = 0.931 + 2.53 * std::sqrt(mean), a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), squeeze = 0.9277 - 3.6224 / (b - 2);
  for (;;) {
    const double u = g.uniform_double() - 0.5, v = g.uniform_double(), us = 0.5 - std::fabs(u);
    const double k = std::floor((2 * a / us + b) * u + mean + 0.43);
    if (us >= 0.07 && v <= squeeze) return int64_t(k);
    if (!(k >= 0) || k > 0x1p62 || (us < 0.013 && v > us)) continue;
    if (std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b) <= k * log_mean - mean - std::lgamma(k + 1)) return int64_t(k);
  }
}

int64_t draw_poisson(Generator& g, double mean) {
  if (mean >= 10) return poisson_by_rejection(g, mean);
  if (mean == 0) return 0;
  const double limit = std::exp(-mean);
  int64_t count = 0;
  for (double product = g.uniform_double(); product > limit; product *= g.uniform_double()) ++count;
  return count;
}

/// What Stirling's formula leaves of log(k!).
template <class C>
C stirling_tail(C k) {
  constexpr C kTails[] = {C(0.0810614667953272), C(0.0413406959554092), C(0.0276779256849983), C(0.02079067210376509), C(0.0166446911898211),
                          C(0.0138761288230707), C(0.0118967099458917), C(0.0104112652619720), C(0.00925546218271273), C(0.00833056343336287)};
  if (k <= 9) return kTails[size_t(k)];
  const C next = (k + 1) * (k + 1);
  return (C(1.0) / 12 - (C(1.0) / 360 - C(1.0) / 1260 / next) / next) / (k + 1);
}

/// Algorithm BTRS, for means of 10 and more and p of at most a half.
template <class C>
C binomial_by_rejection(Generator& g, C count, C p) {
  const C deviation = std::sqrt(count * p * (1 - p)), b = C(1.15) + C(2.53) * deviation, a = C(-0.0873) + C(0.0248) * b + C(0.01) * p;
  const C centre = count * p + C(0.5), squeeze = C(0.92) - C(4.2) / b, odds = p / (1 - p), alpha = (C(2.83) + C(5.1) / b) * deviation;
  const C mode = std::floor((count + 1) * p);
  for (;;) {
    const C u = C(g.uniform_double() - 0.5), us = C(0.5) - std::fabs(u);
    C v = C(g.uniform_double());
    const C k = std::floor((2 * a / us + b) * u + centre);
    if (us >= C(0.07) && v <= squeeze) return k;
    if (!(k >= 0 && k <= count)) continue;
    v = std::log(v * alpha / (a / (us * us) + b));
    const C bound = (mode + C(0.5)) * std::log((mode + 1) / (odds * (count - mode + 1))) + (count + 1) * std::log((count - mode + 1) / (count - k + 1)) +
                    (k + C(0.5)) * std::log(odds * (count - k + 1) / (k + 1)) + stirling_tail(mode) + stirling_tail(count - mode) - stirling_tail(k) -
                    stirling_tail(count - k);
    if (v <= bound) return k;
  }
}

/// Counts how many geometric waiting times fit.
template <class C>
C binomial_by_waiting(Generator& g, C count, C p) {
  const C log_miss = std::log1p(-p);
  C waited = 0, successes = 0;
  for (;; successes += 1) {
    waited += std::ceil(std::log(C(g.uniform_double())) / log_miss);
    if (!(waited <= count)) return successes;
  }
}

template <class C>
C draw_binomial(Generator& g, C count, C p) {
  if (count <= 0 || p <= 0) return 0;
  if (p >= 1) return count;
  const auto draw = [&](C q) { return count * q >= 10 ? binomial_by_rejection(g, count, q) : binomial_by_waiting(g, count, q); };
  if (p <= C(0.5)) return draw(p);
  if (p == p) return count - draw(1 - p);
  return C(NAN);
}

Status infer_poisson(const Tensor& self, Ignored, TensorMeta& out) {
  if (!is_floating(self.dtype)) return invalid_argument("poisson: the rates must be floating");
  return set_result(out, self.dtype, self.sizes());
}
Status run_poisson(OpContext& c, const Tensor& self, Ignored, Tensor& out) {
  if (c.generator() == nullptr) return no_generator();
  bool valid = true;
  draw_from_each<double>(self, out, [&](double mean) {
    if (!(mean >= 0 && mean < 0x1p62)) return valid = false, 0.0;
    return double(draw_poisson(*c.generator(), mean));
  });
  return valid ? Status() : invalid_argument("poisson: a rate is negative or too large");
}

Status infer_binomial(const Tensor& count, const Tensor& prob, Ignored, TensorMeta& out) {
  if (!is_floating(count.dtype) || count.dtype != prob.dtype) return invalid_argument("binomial: count and prob must be floating and of one dtype");
  out.dtype = count.dtype;
  return broadcast(count, prob, out);
}
Status run_binomial(OpContext& c, const Tensor& count, const Tensor& prob, Ignored, Tensor& out) {
  if (c.generator() == nullptr) return no_generator();
  with_floating(out.dtype, [&](auto zero) {
    using C = decltype(zero);
    TensorMeta order = out;
    order.set_contiguous();
    for_each_row(make_loop(order, out, count, prob), [&](const auto& o, const auto& step, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        const C m = kernels::load_one<C>(count.dtype, count.data, o[2] + i * step[2]), p = kernels::load_one<C>(prob.dtype, prob.data, o[3] + i * step[3]);
        kernels::store_one<C>(out.dtype, out.data, o[1] + i * step[1], draw_binomial(*c.generator(), m, p));
      }
    });
  });
  return {};
}

constexpr OpFlags kRandom{.pure = false, .random = true};
constexpr OpDef kDefs[] = {
    define_op<"aten::poisson(Tensor self, Generator? generator=None) -> Tensor", infer_poisson, run_poisson>("aten::poisson.out", kRandom),
    define_op<"aten::binomial(Tensor count, Tensor prob, Generator? generator=None) -> Tensor", infer_binomial, run_binomial>("aten::binomial.out", kRandom),
};

}  // namespace

extern constinit const OpFamily op_poisson{kDefs};

}  // namespace glint::ops
