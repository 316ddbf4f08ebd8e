// Tensors of random numbers: rand, randn, randint, their relatives, and the functional forms of tensor.uniform_() and
// its sisters, where the operand gives sizes and dtype only.

#include "glint/ops/random.h"

#include <limits>

namespace glint::ops {

namespace {

/// Box and Muller over 16 uniforms: the first half gives radii, the second angles.
template <class C>
void normals_of_16(Generator& g, C mean, C std, C (&x)[16]) {
  for (C& u : x) {
    if constexpr (std::is_same_v<C, double>) u = g.uniform_double();
    else u = g.uniform_float();
  }
  for (int j = 0; j < 8; ++j) {
    const C radius = std::sqrt(C(-2) * std::log(C(1) - x[j])), angle = C(2 * 3.14159265358979323846) * x[j + 8];
    x[j] = radius * std::cos(angle) * std + mean;
    x[j + 8] = radius * std::sin(angle) * std + mean;
  }
}

/// Results of 16 elements and more are filled in groups; the last 16 elements are a group of their own, which
/// overwrites what the one before it left there.
template <class C, class Store>
void normals_in_groups(Generator& g, C mean, C std, int64_t n, bool draws_remainder, Store store) {
  C group[16];
  const auto put = [&](int64_t start) {
    normals_of_16<C>(g, mean, std, group);
    for (int64_t j = 0; j < 16; ++j) store(start + j, group[j]);
  };
  for (int64_t i = 0; i + 16 <= n; i += 16) put(i);
  if (n % 16 == 0) return;
  for (int64_t i = 0; i < n % 16 && draws_remainder; ++i) {
    if constexpr (std::is_same_v<C, double>) g.next64();
    else g.next32();
  }
  put(n - 16);
}

}  // namespace

void fill_normal(Generator& g, double mean, double std, Tensor& out) {
  const bool complex = is_complex(out.dtype), wide = out.dtype == DType::kF64 || out.dtype == DType::kC128;
  if (complex) std /= std::sqrt(2.0);
  const int64_t n = out.numel(), parts = complex ? 2 : 1;
  if (n * parts < 16) {
    if (complex) return draw_each(out, [&] { const double re = g.normal() * std + mean, im = g.normal() * std; return c128{re, im}; });
    return draw_each(out, [&] { return g.normal() * std + mean; });
  }
  const DType part = wide ? DType::kF64 : complex ? DType::kF32 : out.dtype;
  const bool dense = out.is_contiguous();
  const auto store = [&](int64_t i, auto v) {
    const int64_t element = dense ? i / parts : element_offset(out, i / parts);
    kernels::store_one(part, out.data, element * parts + i % parts, v);
  };
  if (wide) normals_in_groups<double>(g, mean, std, n * parts, true, store);
  else normals_in_groups<float>(g, float(mean), float(std), n * parts, part == DType::kF32, store);
}

namespace {

using Bool = std::optional<bool>;
using Type = std::optional<DType>;
using Format = std::optional<MemoryFormat>;

/// The largest integer up to which a dtype holds every one.
int64_t exact_limit(DType d) {
  switch (d) {
    case DType::kF16: return 1 << 11;
    case DType::kBF16: return 1 << 8;
    case DType::kF32: return 1 << 24;
    case DType::kF64: return int64_t(1) << 53;
    case DType::kBool: return 1;
    case DType::kI64: case DType::kU64: return INT64_MAX;
    default: return dtype_size(d) == 0 ? 0 : (int64_t(1) << (int(dtype_size(d)) * 8 - !is_unsigned(d))) - 1;
  }
}
int64_t lowest(DType d) { return is_floating(d) ? -exact_limit(d) : is_unsigned(d) || d == DType::kBool ? 0 : -exact_limit(d) - 1; }

// ---- the distributions: what arguments and dtypes they take, how they fill a result

struct Uniform {
  static Status check(DType d, double from, double to) {
    if (!is_floating(d)) return invalid_argument("uniform: the dtype must be floating");
    const double most = d == DType::kF64 ? std::numeric_limits<double>::max() : d == DType::kF16 ? 65504. : d == DType::kBF16 ? 0x1.fep127 : 0x1.fffffep127;
    if (!(std::fabs(from) <= most && std::fabs(to) <= most)) return invalid_argument("uniform: a bound does not fit the dtype");
    if (!(from <= to)) return invalid_argument("uniform: from must not exceed to");
    if (!(to - from <= most)) return invalid_argument("uniform: to - from does not fit the dtype");
    return {};
  }
  static void fill(Generator& g, double from, double to, Tensor& out) {
    if (out.dtype == DType::kF64) return draw_each(out, [&] { return wrapped(std::fma(g.uniform_double(), to - from, from), from, to); });
    // Rounding to the dtype may reach the upper bound, which does not belong to the interval.
    const float low = float(from), width = float(to) - low, first = as_element(out.dtype, low), end = as_element(out.dtype, float(to));
    draw_each(out, [&] { return wrapped(as_element(out.dtype, std::fma(g.uniform_float(), width, low)), first, end); });
  }
  template <class C> static C wrapped(C v, C from, C to) { return v == to ? from : v; }
};

struct Normal {
  static Status check(DType d, double, double std) {
    if (!is_floating(d) && !is_complex(d)) return invalid_argument("normal: the dtype must be floating or complex");
    if (d == DType::kC32) return unsupported("complex32 is not computed with");
    return std >= 0 ? Status() : invalid_argument("normal: std must not be negative");
  }
  static void fill(Generator& g, double mean, double std, Tensor& out) { fill_normal(g, mean, std, out); }
};

struct LogNormal {
  static Status check(DType d, double, double std) {
    if (!is_floating(d)) return invalid_argument("log_normal: the dtype must be floating");
    return std > 0 ? Status() : invalid_argument("log_normal: std must be positive");
  }
  static void fill(Generator& g, double mean, double std, Tensor& out) {
    draw_each(out, [&] { return std::exp(g.normal() * std + mean); });
  }
};

struct Cauchy {
  static Status check(DType d, double, double sigma) {
    if (!is_floating(d)) return invalid_argument("cauchy: the dtype must be floating");
    return sigma > 0 ? Status() : invalid_argument("cauchy: sigma must be positive");
  }
  static void fill(Generator& g, double median, double sigma, Tensor& out) {
    draw_each(out, [&] { return median + sigma * std::tan(3.14159265358979323846 * (g.uniform_double() - 0.5)); });
  }
};

struct Exponential {
  static Status check(DType d, double lambda) {
    if (!is_floating(d)) return invalid_argument("exponential: the dtype must be floating");
    return lambda > 0 ? Status() : invalid_argument("exponential: lambd must be positive");
  }
  static void fill(Generator& g, double lambda, Tensor& out) {
    draw_each(out, [&] { return draw_exponential(g, lambda); });
  }
};

struct Geometric {
  static Status check(DType d, double p) {
    if (d == DType::kBool || is_complex(d)) return invalid_argument("geometric: the dtype must be an integer or a float");
    return p > 0 && p < 1 ? Status() : invalid_argument("geometric: p must lie between 0 and 1");
  }
  static void fill(Generator& g, double p, Tensor& out) {
    draw_each(out, [&] { return std::ceil(std::log(g.uniform_double()) / std::log1p(-p)); });
  }
};

struct Bernoulli {
  static Status check(DType d, double p) {
    if (is_complex(d)) return invalid_argument("bernoulli: complex numbers are not supported");
    return p >= 0 && p <= 1 ? Status() : invalid_argument("bernoulli: p must lie in [0, 1]");
  }
  static void fill(Generator& g, double p, Tensor& out) {
    draw_each(out, [&] { return int64_t(g.uniform_double() < p); });
  }
};

/// Integers of [from, to).
struct Integers {
  static Status check(DType d, int64_t from, int64_t to) {
    if (is_complex(d)) return invalid_argument("random integers: complex numbers are not supported");
    if (from >= to) return invalid_argument("random integers: the lower bound must be less than the upper one");
    if (is_floating(d)) return {};  // too large numbers round
    if (from < lowest(d) || to - 1 > exact_limit(d)) return invalid_argument("random integers: a bound does not fit the dtype");
    return {};
  }
  static void fill(Generator& g, int64_t from, int64_t to, Tensor& out) {
    if (is_floating(out.dtype)) narrow(out.dtype, from, to);
    draw(g, uint64_t(to) - uint64_t(from), from, out);
  }
  /// `range` numbers from `from` on; 0: all 2^64.
  static void draw(Generator& g, uint64_t range, int64_t from, Tensor& out) {
    constexpr uint64_t kWide = uint64_t(1) << 28;  // from here on the remainder of 32 bits would favour small numbers
    if (range == 0) return draw_each(out, [&] { return int64_t(g.next64()); });
    if (range >= kWide) return draw_each(out, [&] { return int64_t(g.next64() % range + uint64_t(from)); });
    draw_each(out, [&] { return int64_t(g.next32() % range + uint64_t(from)); });
  }

 private:
  static int64_t rounded(DType d, int64_t v) { return int64_t(d == DType::kF64 ? double(v) : double(as_element(d, float(v)))); }
  static int64_t spacing(DType d, int64_t v) {
    int digits = 0, bits = 0;
    while ((int64_t(1) << digits) < exact_limit(d)) ++digits;
    for (uint64_t m = v < 0 ? 0 - uint64_t(v) : uint64_t(v); (m >>= 1) != 0;) ++bits;
    return int64_t(1) << std::max(0, bits - digits + 1);
  }
  /// A bound that the dtype rounds outwards moves inwards.
  static void narrow(DType d, int64_t& from, int64_t& to) {
    if (from < INT64_MAX && rounded(d, from + 1) < from) from = rounded(d, from + 1) + spacing(d, from + 1);
    if (to > INT64_MIN && std::fabs(double(to)) < 0x1p62 && rounded(d, to - 1) >= to) to = rounded(d, to - 1) - spacing(d, to - 1);
  }
};

/// [0, the largest number of the dtype].
struct AnyInteger {
  static Status check(DType d) { return is_complex(d) ? invalid_argument("random: complex numbers are not supported") : Status(); }
  static void fill(Generator& g, Tensor& out) {
    const uint64_t range = uint64_t(exact_limit(out.dtype)) + 1;
    // Here the width of the dtype decides how many bits are drawn, not the range.
    if (out.dtype == DType::kI64 || out.dtype == DType::kF64) return draw_each(out, [&] { return int64_t(g.next64() % range); });
    draw_each(out, [&] { return int64_t(g.next32() % range); });
  }
};

struct IntegersFrom {
  static Status check(DType d, int64_t from, std::optional<int64_t> to) {
    if (to) return Integers::check(d, from, *to);
    if (is_complex(d)) return invalid_argument("random: complex numbers are not supported");
    return from >= lowest(d) && from <= exact_limit(d) ? Status() : invalid_argument("random: the lower bound does not fit the dtype");
  }
  static void fill(Generator& g, int64_t from, std::optional<int64_t> to, Tensor& out) {
    if (to) return Integers::fill(g, from, *to, out);
    Integers::draw(g, uint64_t(exact_limit(out.dtype)) - uint64_t(from) + 1, from, out);
  }
};

/// random(to): from 0 on.
struct IntegersTo {
  static Status check(DType d, int64_t to) { return Integers::check(d, 0, to); }
  static void fill(Generator& g, int64_t to, Tensor& out) { Integers::fill(g, 0, to, out); }
};

// ---- calls

/// The functional form of an operation in place.
template <class D, class... A>
struct Refill {
  static Status infer(const Tensor& self, A... a, Ignored, TensorMeta& out) {
    GLINT_TRY(D::check(self.dtype, a...));
    return set_result(out, self.dtype, self.sizes());
  }
  static Status run(OpContext& c, const Tensor&, A... a, Ignored, Tensor& out) {
    if (c.generator() == nullptr) return no_generator();
    D::fill(*c.generator(), a..., out);
    return {};
  }
};

Status set_like(DType d, const Tensor& self, TensorMeta& out) { return set_result(out, d, self.sizes()); }

struct Rand {
  static Status check(DType d) {
    if (d == DType::kC32) return unsupported("complex32 is not computed with");
    return is_floating(d) || is_complex(d) ? Status() : invalid_argument("rand: the dtype must be floating or complex");
  }
  static Status fill(OpContext& c, Tensor& out) {
    if (c.generator() == nullptr) return no_generator();
    Generator& g = *c.generator();
    if (out.dtype == DType::kC64) draw_each(out, [&] { const double re = double(g.uniform_float()); return c128{re, double(g.uniform_float())}; });
    else if (out.dtype == DType::kC128) draw_each(out, [&] { const double re = g.uniform_double(); return c128{re, g.uniform_double()}; });
    else Uniform::fill(g, 0, 1, out);
    return {};
  }
};
struct Randn {
  static Status check(DType d) { return Normal::check(d, 0, 1); }
  static Status fill(OpContext& c, Tensor& out) {
    if (c.generator() == nullptr) return no_generator();
    fill_normal(*c.generator(), 0, 1, out);
    return {};
  }
};

template <class D>
struct Sized {
  static Status infer(Ints size, Type dtype, Ignored, Ignored, Bool, TensorMeta& out) {
    GLINT_TRY(D::check(dtype.value_or(DType::kF32)));
    return out.set(dtype.value_or(DType::kF32), size) ? Status() : invalid_argument("the sizes are negative or too large");
  }
  static Status run(OpContext& c, Ints, Type, Ignored, Ignored, Bool, Tensor& out) { return D::fill(c, out); }
};
template <class D>
struct Like {
  static Status infer(const Tensor& self, Type dtype, Ignored, Ignored, Bool, Format, TensorMeta& out) {
    GLINT_TRY(D::check(dtype.value_or(self.dtype)));
    return set_like(dtype.value_or(self.dtype), self, out);
  }
  static Status run(OpContext& c, const Tensor&, Type, Ignored, Ignored, Bool, Format, Tensor& out) { return D::fill(c, out); }
};

Status fill_integers(OpContext& c, int64_t low, int64_t high, Tensor& out) {
  if (c.generator() == nullptr) return no_generator();
  Integers::fill(*c.generator(), low, high, out);
  return {};
}

Status infer_randint_low(int64_t low, int64_t high, Ints size, Type dtype, Ignored, Ignored, Bool, TensorMeta& out) {
  GLINT_TRY(Integers::check(dtype.value_or(DType::kF32), low, high));
  return out.set(dtype.value_or(DType::kF32), size) ? Status() : invalid_argument("the sizes are negative or too large");
}
Status run_randint_low(OpContext& c, int64_t low, int64_t high, Ints, Type, Ignored, Ignored, Bool, Tensor& out) { return fill_integers(c, low, high, out); }
Status infer_randint(int64_t high, Ints size, Type dtype, Ignored a, Ignored b, Bool pin, TensorMeta& out) {
  return infer_randint_low(0, high, size, dtype, a, b, pin, out);
}
Status run_randint(OpContext& c, int64_t high, Ints, Type, Ignored, Ignored, Bool, Tensor& out) { return fill_integers(c, 0, high, out); }

Status infer_randint_like_low(const Tensor& self, int64_t low, int64_t high, Type dtype, Ignored, Ignored, Bool, Format, TensorMeta& out) {
  GLINT_TRY(Integers::check(dtype.value_or(self.dtype), low, high));
  return set_like(dtype.value_or(self.dtype), self, out);
}
Status run_randint_like_low(OpContext& c, const Tensor&, int64_t low, int64_t high, Type, Ignored, Ignored, Bool, Format, Tensor& out) {
  return fill_integers(c, low, high, out);
}
Status infer_randint_like(const Tensor& self, int64_t high, Type dtype, Ignored a, Ignored b, Bool pin, Format f, TensorMeta& out) {
  return infer_randint_like_low(self, 0, high, dtype, a, b, pin, f, out);
}
Status run_randint_like(OpContext& c, const Tensor&, int64_t high, Type, Ignored, Ignored, Bool, Format, Tensor& out) { return fill_integers(c, 0, high, out); }

// The upper bound is an element.
Status infer_randint_like_tensor(const Tensor& self, const Tensor& high, Type dtype, Ignored, Ignored, Bool, Format, TensorMeta& out) {
  if (high.numel() != 1) return invalid_argument("randint_like: high must have one element");
  GLINT_TRY(Integers::check(dtype.value_or(self.dtype), 0, 1));
  return set_like(dtype.value_or(self.dtype), self, out);
}
Status run_randint_like_tensor(OpContext& c, const Tensor&, const Tensor& high, Type, Ignored, Ignored, Bool, Format, Tensor& out) {
  const int64_t bound = kernels::load_one<int64_t>(high.dtype, high.data, 0);
  GLINT_TRY(Integers::check(out.dtype, 0, bound));
  return fill_integers(c, 0, bound, out);
}

// ---- bernoulli: the operand may be the probabilities

Status infer_bernoulli(const Tensor& self, Ignored, TensorMeta& out) {
  if (!is_floating(self.dtype)) return invalid_argument("bernoulli: the probabilities must be floating");
  return set_like(self.dtype, self, out);
}
Status draw_bernoulli(OpContext& c, const Tensor& p, Tensor& out) {
  if (c.generator() == nullptr) return no_generator();
  Generator& g = *c.generator();
  bool valid = true;
  with_floating(p.dtype, [&](auto zero) {
    using C = decltype(zero);
    draw_from_each<C>(p, out, [&](C v) {
      valid = valid && v >= 0 && v <= 1;
      if constexpr (std::is_same_v<C, double>) return C(g.uniform_double() < v);
      else return C(g.uniform_float() < v);
    });
  });
  return valid ? Status() : invalid_argument("bernoulli: a probability lies outside [0, 1]");
}
Status run_bernoulli(OpContext& c, const Tensor& self, Ignored, Tensor& out) { return draw_bernoulli(c, self, out); }

Status infer_bernoulli_tensor(const Tensor& self, const Tensor& p, Ignored, TensorMeta& out) {
  if (!is_floating(p.dtype)) return invalid_argument("bernoulli: the probabilities must be floating");
  if (is_complex(self.dtype)) return invalid_argument("bernoulli: complex numbers are not supported");
  TensorMeta both;
  GLINT_TRY(broadcast(self, p, both));
  if (!both.same_sizes(self)) return invalid_argument("bernoulli: the probabilities do not broadcast to the operand");
  return set_like(self.dtype, self, out);
}
Status run_bernoulli_tensor(OpContext& c, const Tensor&, const Tensor& p, Ignored, Tensor& out) { return draw_bernoulli(c, p, out); }

// ---- normal with tensors: the numbers of randn, scaled and moved

using Real = const Tensor*;

Status infer_normal(Real mean, Real std, double number, TensorMeta& out) {
  if (std == nullptr && !(number >= 0)) return invalid_argument("normal: std must not be negative");
  const DType d = mean != nullptr ? mean->dtype : std->dtype;
  for (Real t : {mean, std})
    if (t != nullptr && !is_floating(t->dtype)) return invalid_argument("normal: mean and std must be floating");
  if (mean == nullptr || std == nullptr) return set_like(d, mean != nullptr ? *mean : *std, out);
  TensorMeta both = *mean;
  GLINT_TRY(broadcast(*mean, *std, both));
  return set_result(out, d, both.sizes());
}

Status run_normal(OpContext& c, Real mean, Real std, double number, Tensor& out) {
  if (c.generator() == nullptr) return no_generator();
  fill_normal(*c.generator(), 0, std != nullptr ? 1 : number, out);
  bool valid = true;
  with_floating(out.dtype, [&](auto zero) {
    using C = decltype(zero);
    const Tensor &m = mean != nullptr ? *mean : *std, &s = std != nullptr ? *std : *mean;
    for_each_row(make_loop(out, m, s), [&](const auto& offset, const auto& step, int64_t n) {
      C v[kernels::kTile], means[kernels::kTile], scales[kernels::kTile];
      for_each_tile(n, [&](int64_t start, int64_t count) {
        kernels::load<C>(out.dtype, at(out, offset[0] + start * step[0]), step[0], count, v);
        kernels::load<C>(m.dtype, at(m, offset[1] + start * step[1]), step[1], count, means);
        kernels::load<C>(s.dtype, at(s, offset[2] + start * step[2]), step[2], count, scales);
        for (int64_t i = 0; i < count; ++i) {
          valid = valid && (std == nullptr || scales[i] >= 0);
          if (std != nullptr) v[i] = as_element(out.dtype, v[i] * scales[i]);
          v[i] += mean != nullptr ? means[i] : C(number);
        }
        kernels::store<C>(out.dtype, at(out, offset[0] + start * step[0]), step[0], count, v);
      });
    });
  });
  return valid ? Status() : invalid_argument("normal: an element of std is negative");
}

Status infer_normal_tensor_float(const Tensor& mean, double std, Ignored, TensorMeta& out) { return infer_normal(&mean, nullptr, std, out); }
Status run_normal_tensor_float(OpContext& c, const Tensor& mean, double std, Ignored, Tensor& out) { return run_normal(c, &mean, nullptr, std, out); }
Status infer_normal_float_tensor(double mean, const Tensor& std, Ignored, TensorMeta& out) { return infer_normal(nullptr, &std, mean, out); }
Status run_normal_float_tensor(OpContext& c, double mean, const Tensor& std, Ignored, Tensor& out) { return run_normal(c, nullptr, &std, mean, out); }
Status infer_normal_tensors(const Tensor& mean, const Tensor& std, Ignored, TensorMeta& out) { return infer_normal(&mean, &std, 0, out); }
Status run_normal_tensors(OpContext& c, const Tensor& mean, const Tensor& std, Ignored, Tensor& out) { return run_normal(c, &mean, &std, 0, out); }
Status infer_normal_sized(double mean, double std, Ints size, Ignored, Type dtype, Ignored, Ignored, Bool, TensorMeta& out) {
  const DType d = dtype.value_or(DType::kF32);
  GLINT_TRY(Normal::check(d, mean, std));
  return out.set(d, size) ? Status() : invalid_argument("the sizes are negative or too large");
}
Status run_normal_sized(OpContext& c, double mean, double std, Ints, Ignored, Type, Ignored, Ignored, Bool, Tensor& out) {
  if (c.generator() == nullptr) return no_generator();
  fill_normal(*c.generator(), mean, std, out);
  return {};
}

#define GLINT_OPTIONS "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None"
#define GLINT_LONG_OPTIONS "ScalarType? dtype=long, Layout? layout=None, Device? device=None, bool? pin_memory=None"
#define GLINT_LIKE GLINT_OPTIONS ", MemoryFormat? memory_format=None"
#define GLINT_GENERATOR "*, Generator? generator=None"

constexpr OpFlags kRandom{.pure = false, .random = true};

template <op_detail::Text S, class T>
consteval OpDef define_random(const char* stock_name) { return define_op<S, T::infer, T::run>(stock_name, kRandom); }

constexpr OpDef kDefs[] = {
    define_random<"aten::rand(SymInt[] size, *, " GLINT_OPTIONS ") -> Tensor", Sized<Rand>>("aten::rand.out"),
    define_random<"aten::rand_like(Tensor self, *, " GLINT_LIKE ") -> Tensor", Like<Rand>>("aten::rand_like.out"),
    define_random<"aten::randn(SymInt[] size, *, " GLINT_OPTIONS ") -> Tensor", Sized<Randn>>("aten::randn.out"),
    define_random<"aten::randn_like(Tensor self, *, " GLINT_LIKE ") -> Tensor", Like<Randn>>("aten::randn_like.out"),
    define_op<"aten::randint(SymInt high, SymInt[] size, *, " GLINT_LONG_OPTIONS ") -> Tensor", infer_randint, run_randint>("aten::randint.out", kRandom),
    define_op<"aten::randint.low(SymInt low, SymInt high, SymInt[] size, *, " GLINT_LONG_OPTIONS ") -> Tensor", infer_randint_low, run_randint_low>(
        "aten::randint.low_out", kRandom),
    define_op<"aten::randint_like(Tensor self, SymInt high, *, " GLINT_LIKE ") -> Tensor", infer_randint_like, run_randint_like>("aten::randint_like.out", kRandom),
    define_op<"aten::randint_like.Tensor(Tensor self, Tensor high, *, " GLINT_LIKE ") -> Tensor", infer_randint_like_tensor, run_randint_like_tensor>(
        "aten::randint_like.Tensor_out", kRandom),
    define_op<"aten::randint_like.low_dtype(Tensor self, SymInt low, SymInt high, *, " GLINT_LIKE ") -> Tensor", infer_randint_like_low, run_randint_like_low>(
        "aten::randint_like.low_dtype_out", kRandom),
    define_op<"aten::bernoulli(Tensor self, " GLINT_GENERATOR ") -> Tensor", infer_bernoulli, run_bernoulli>("aten::bernoulli.out", kRandom),
    define_random<"aten::bernoulli.p(Tensor self, float p, " GLINT_GENERATOR ") -> Tensor", Refill<Bernoulli, double>>("aten::bernoulli.p_out"),
    define_op<"aten::bernoulli.Tensor(Tensor self, Tensor p, " GLINT_GENERATOR ") -> Tensor", infer_bernoulli_tensor, run_bernoulli_tensor>(
        "aten::bernoulli.Tensor_out", kRandom),
    define_random<"aten::uniform(Tensor self, float from=0., float to=1., " GLINT_GENERATOR ") -> Tensor", Refill<Uniform, double, double>>("aten::uniform.out"),
    define_random<"aten::normal_functional(Tensor self, float mean=0., float std=1., " GLINT_GENERATOR ") -> Tensor", Refill<Normal, double, double>>(""),
    define_op<"aten::normal.Tensor_float(Tensor mean, float std=1., " GLINT_GENERATOR ") -> Tensor", infer_normal_tensor_float, run_normal_tensor_float>(
        "aten::normal.Tensor_float_out", kRandom),
    define_op<"aten::normal.float_Tensor(float mean, Tensor std, " GLINT_GENERATOR ") -> Tensor", infer_normal_float_tensor, run_normal_float_tensor>(
        "aten::normal.float_Tensor_out", kRandom),
    define_op<"aten::normal.Tensor_Tensor(Tensor mean, Tensor std, " GLINT_GENERATOR ") -> Tensor", infer_normal_tensors, run_normal_tensors>(
        "aten::normal.Tensor_Tensor_out", kRandom),
    define_op<"aten::normal.float_float(float mean, float std, SymInt[] size, " GLINT_GENERATOR ", " GLINT_OPTIONS ") -> Tensor", infer_normal_sized, run_normal_sized>(
        "aten::normal.float_float_out", kRandom),
    define_random<"aten::log_normal(Tensor self, float mean=1., float std=2., " GLINT_GENERATOR ") -> Tensor", Refill<LogNormal, double, double>>("aten::log_normal.out"),
    define_random<"aten::cauchy(Tensor self, float median=0., float sigma=1., " GLINT_GENERATOR ") -> Tensor", Refill<Cauchy, double, double>>("aten::cauchy.out"),
    define_random<"aten::exponential(Tensor self, float lambd=1., " GLINT_GENERATOR ") -> Tensor", Refill<Exponential, double>>("aten::exponential.out"),
    define_random<"aten::geometric(Tensor self, float p, " GLINT_GENERATOR ") -> Tensor", Refill<Geometric, double>>("aten::geometric.out"),
    define_random<"aten::random(Tensor self, " GLINT_GENERATOR ") -> Tensor", Refill<AnyInteger>>("aten::random.out"),
    define_random<"aten::random.from(Tensor self, int from, int? to, " GLINT_GENERATOR ") -> Tensor", Refill<IntegersFrom, int64_t, std::optional<int64_t>>>(
        "aten::random.from_out"),
    define_random<"aten::random.to(Tensor self, int to, " GLINT_GENERATOR ") -> Tensor", Refill<IntegersTo, int64_t>>("aten::random.to_out"),
};

}  // namespace

extern constinit const OpFamily op_random{kDefs};

}  // namespace glint::ops
