// Reductions over dimensions.

#include "glint/ops/reduce.h"

namespace glint::ops {
namespace {

using Type = std::optional<DType>;
using Dims = std::optional<Ints>;

// ---- reducers

template <class T>
struct Sum {
  using A = Accumulator<T>;
  A total{};
  void add(T x, int64_t) { total = ops::add(total, widen(x)); }
  // Four chains of additions, so that their latencies overlap.
  void add_row(const T* x, int64_t n, int64_t) {
    A lanes[4] = {};
    int64_t i = 0;
    for (; i + 4 <= n; i += 4)
      for (int k = 0; k < 4; ++k) lanes[k] = ops::add(lanes[k], widen(x[i + k]));
    for (; i < n; ++i) lanes[0] = ops::add(lanes[0], widen(x[i]));
    total = ops::add(total, ops::add(ops::add(lanes[0], lanes[1]), ops::add(lanes[2], lanes[3])));
  }
  A result() const { return total; }
};

template <class T>
struct NanSum {
  Accumulator<T> total{};
  void add(T x, int64_t) {
    if (!is_nan(x)) total = ops::add(total, widen(x));
  }
  Accumulator<T> result() const { return total; }
};

template <class T>
struct Mean : Sum<T> {
  double count = 0;
  void setup(int64_t n) { count = double(n); }
  auto result() const {
    if constexpr (kIsComplex<T>) return c128{this->total.re / count, this->total.im / count};
    else return this->total / count;
  }
};

template <class T>
struct Product {
  Accumulator<T> total = [] {
    if constexpr (kIsComplex<T>) return c128{1, 0};
    else return Accumulator<T>(1);
  }();
  void add(T x, int64_t) { total = mul(total, widen(x)); }
  Accumulator<T> result() const { return total; }
};

// The first of the largest (or smallest); NaN beats everything.
template <class T, bool Max>
struct Extreme {
  T value{};
  int64_t index = 0;
  bool seen = false;
  void add(T x, int64_t i) {
    if (seen && !(is_nan(x) ? !is_nan(value) : Max ? x > value : x < value)) return;
    value = x, index = i, seen = true;
  }
  T result() const { return value; }
  int64_t second() const { return index; }
};
template <class T> using Largest = Extreme<T, true>;
template <class T> using Smallest = Extreme<T, false>;
template <class T>
struct LargestIndex : Extreme<T, true> { int64_t result() const { return this->index; } };
template <class T>
struct SmallestIndex : Extreme<T, false> { int64_t result() const { return this->index; } };

template <class T>
struct AnyOf {
  bool found = false;
  void add(T x, int64_t) { found |= x; }
  bool result() const { return found; }
};
template <class T>
struct AllOf {
  bool held = true;
  void add(T x, int64_t) { held &= x; }
  bool result() const { return held; }
};
template <class T>
struct NonZeros {
  int64_t count = 0;
  void add(T x, int64_t) { count += x; }
  int64_t result() const { return count; }
};

// Welford's running mean and sum of squared distances.
template <class T>
struct Spread {
  using A = Accumulator<T>;
  double count = 0, squares = 0, correction = 1;
  bool root = false;
  A mean{};
  void setup(double c, bool std) { correction = c, root = std; }
  void add(T v, int64_t) {
    const A x = widen(v), before = x - mean;
    count += 1;
    if constexpr (kIsComplex<T>) {
      mean = mean + c128{before.re / count, before.im / count};
      const c128 after = x - mean;
      squares += before.re * after.re + before.im * after.im;
    } else {
      mean += before / count;
      squares += before * (x - mean);
    }
  }
  double result() const {
    const double variance = squares / std::fmax(0, count - correction);
    return root ? std::sqrt(variance) : variance;
  }
  A second() const {
    if constexpr (kIsComplex<T>) return count == 0 ? c128{std::nan(""), std::nan("")} : mean;
    else return count == 0 ? std::numeric_limits<A>::quiet_NaN() : mean;
  }
};

template <class T>
struct VectorNorm {
  double p = 2, total = 0;
  bool seen = false;
  void setup(double order) { p = order; }
  void add(T v, int64_t) {
    double x;
    if constexpr (kIsComplex<T>) x = glint::abs(v);
    else x = std::fabs(double(v));
    if (p == 2) total += x * x;
    else if (p == 1) total += x;
    else if (p == 0) total += x != 0;
    else if (std::isinf(p)) total = !seen || (is_nan(x) ? !is_nan(total) : p > 0 ? x > total : x < total) ? x : total;
    else total += std::pow(x, p);
    seen = true;
  }
  double result() const { return p == 2 ? std::sqrt(total) : p == 1 || p == 0 || std::isinf(p) ? total : std::pow(total, 1 / p); }
};

// ---- sums, products, means

DType summed(DType self, Type dtype) { return dtype.value_or(is_floating(self) || is_complex(self) ? self : DType::kI64); }
Status mask_of(Dims dims, int rank, DimMask& mask) { return dim_mask_or_all(dims.value_or(Ints()), rank, mask); }

/// Overloads with a list of dimensions, without any, and with one, for reducer R; Averages: floats only.
template <unsigned Kinds, template <class> class R, bool Averages>
struct Total {
  static Status check(const Tensor& self, Type dtype, DType& d) {
    d = Averages ? dtype.value_or(self.dtype) : summed(self.dtype, dtype);
    return check_kind(Kinds, d);
  }
  static Status infer(const Tensor& self, Dims dims, bool keepdim, Type dtype, TensorMeta& out) {
    DType d;
    GLINT_TRY(check(self, dtype, d));
    GLINT_TRY(check_kind(kAny, self.dtype));
    DimMask mask;
    GLINT_TRY(mask_of(dims, self.rank, mask));
    return set_folded(self, mask, keepdim, d, out);
  }
  static Status run(OpContext&, const Tensor& self, Dims dims, bool, Type, Tensor& out) {
    DimMask mask;
    GLINT_TRY(mask_of(dims, self.rank, mask));
    if constexpr (Averages) return reduce<Kinds, R>(out.dtype, self, mask, out, nullptr, folded_count(self, mask));
    else return reduce<Kinds, R>(out.dtype, self, mask, out, nullptr);
  }
  static Status infer_all(const Tensor& self, Type dtype, TensorMeta& out) { return infer(self, {}, false, dtype, out); }
  static Status run_all(OpContext& c, const Tensor& self, Type dtype, Tensor& out) { return run(c, self, {}, false, dtype, out); }
  static Status infer_dim(const Tensor& self, int64_t dim, bool keepdim, Type dtype, TensorMeta& out) { return infer(self, Ints(&dim, 1), keepdim, dtype, out); }
  static Status run_dim(OpContext& c, const Tensor& self, int64_t dim, bool keepdim, Type dtype, Tensor& out) {
    return run(c, self, Ints(&dim, 1), keepdim, dtype, out);
  }
};
using Sums = Total<kArithmetic | kBools, Sum, false>;
using NanSums = Total<kArithmetic | kBools, NanSum, false>;
using Products = Total<kArithmetic | kBools, Product, false>;
using Means = Total<kInexact, Mean, true>;

// ---- extremes

template <template <class> class R>
struct Extremes {
  static Status infer(const Tensor& self, Ints dims, bool keepdim, TensorMeta& out) {
    DimMask mask;
    GLINT_TRY(check_kind(kReals, self.dtype));
    GLINT_TRY(dim_mask_or_all(dims, self.rank, mask));
    GLINT_TRY(check_not_empty(self, mask));
    return set_folded(self, mask, keepdim, self.dtype, out);
  }
  static Status run(OpContext&, const Tensor& self, Ints dims, bool, Tensor& out) {
    DimMask mask;
    GLINT_TRY(dim_mask_or_all(dims, self.rank, mask));
    return reduce<kReals, R>(self.dtype, self, mask, out, nullptr);
  }
  static Status infer_all(const Tensor& self, TensorMeta& out) { return infer(self, {}, false, out); }
  static Status run_all(OpContext& c, const Tensor& self, Tensor& out) { return run(c, self, {}, false, out); }
  static Status infer_dim(const Tensor& self, int64_t dim, bool keepdim, TensorMeta& values, TensorMeta& indices) {
    GLINT_TRY(infer(self, Ints(&dim, 1), keepdim, values));
    return set_like(values, DType::kI64, indices);
  }
  static Status run_dim(OpContext&, const Tensor& self, int64_t dim, bool, Tensor& values, Tensor& indices) {
    DimMask mask;
    GLINT_TRY(dim_mask(Ints(&dim, 1), self.rank, mask));
    return reduce<kReals, R>(self.dtype, self, mask, values, &indices);
  }
};
using Maxima = Extremes<Largest>;
using Minima = Extremes<Smallest>;

template <template <class> class R>
struct Positions {
  static Status mask_of(const Tensor& self, std::optional<int64_t> dim, DimMask& mask) {
    return dim ? dim_mask(Ints(&*dim, 1), self.rank, mask) : dim_mask_or_all({}, self.rank, mask);
  }
  static Status infer(const Tensor& self, std::optional<int64_t> dim, bool keepdim, TensorMeta& out) {
    DimMask mask;
    GLINT_TRY(check_kind(kNumbers, self.dtype));
    GLINT_TRY(mask_of(self, dim, mask));
    GLINT_TRY(check_not_empty(self, mask));
    return set_folded(self, mask, keepdim, DType::kI64, out);
  }
  static Status run(OpContext&, const Tensor& self, std::optional<int64_t> dim, bool, Tensor& out) {
    DimMask mask;
    GLINT_TRY(mask_of(self, dim, mask));
    return reduce<kNumbers, R>(self.dtype, self, mask, out, nullptr);
  }
};

Status infer_aminmax(const Tensor& self, std::optional<int64_t> dim, bool keepdim, TensorMeta& low, TensorMeta& high) {
  GLINT_TRY(Maxima::infer(self, dim ? Ints(&*dim, 1) : Ints(), keepdim, low));
  return set_like(low, self.dtype, high);
}
Status run_aminmax(OpContext& c, const Tensor& self, std::optional<int64_t> dim, bool keepdim, Tensor& low, Tensor& high) {
  const Ints dims = dim ? Ints(&*dim, 1) : Ints();
  GLINT_TRY(Minima::run(c, self, dims, keepdim, low));
  return Maxima::run(c, self, dims, keepdim, high);
}

// ---- any, all, count_nonzero

// uint8 stays uint8, as it was before PyTorch had bool.
DType truth_dtype(DType self) { return self == DType::kU8 ? DType::kU8 : DType::kBool; }

template <template <class> class R>
struct Truth {
  static Status infer_mask(const Tensor& self, DimMask mask, bool keepdim, TensorMeta& out) {
    GLINT_TRY(check_kind(kAny, self.dtype));
    return set_folded(self, mask, keepdim, truth_dtype(self.dtype), out);
  }
  static Status run_mask(const Tensor& self, DimMask mask, Tensor& out) { return reduce<kBools, R>(DType::kBool, self, mask, out, nullptr); }
  // An empty list names no dimension here; None names all.
  static Status dims_mask(const Tensor& self, Dims dims, DimMask& mask) {
    return dims ? dim_mask(*dims, self.rank, mask) : dim_mask_or_all({}, self.rank, mask);
  }
  static Status infer_all(const Tensor& self, TensorMeta& out) { return infer_mask(self, all_dims(self.rank), false, out); }
  static Status run_all(OpContext&, const Tensor& self, Tensor& out) { return run_mask(self, all_dims(self.rank), out); }
  static Status infer_dims(const Tensor& self, Dims dims, bool keepdim, TensorMeta& out) {
    DimMask mask;
    GLINT_TRY(dims_mask(self, dims, mask));
    return infer_mask(self, mask, keepdim, out);
  }
  static Status run_dims(OpContext&, const Tensor& self, Dims dims, bool, Tensor& out) {
    DimMask mask;
    GLINT_TRY(dims_mask(self, dims, mask));
    return run_mask(self, mask, out);
  }
  static Status infer_dim(const Tensor& self, int64_t dim, bool keepdim, TensorMeta& out) { return infer_dims(self, Ints(&dim, 1), keepdim, out); }
  static Status run_dim(OpContext& c, const Tensor& self, int64_t dim, bool keepdim, Tensor& out) { return run_dims(c, self, Ints(&dim, 1), keepdim, out); }
};
using Any = Truth<AnyOf>;
using All = Truth<AllOf>;

Status infer_count_dims(const Tensor& self, Ints dims, TensorMeta& out) {
  DimMask mask;
  GLINT_TRY(check_kind(kAny, self.dtype));
  GLINT_TRY(dim_mask_or_all(dims, self.rank, mask));
  return set_folded(self, mask, false, DType::kI64, out);
}
Status run_count_dims(OpContext&, const Tensor& self, Ints dims, Tensor& out) {
  DimMask mask;
  GLINT_TRY(dim_mask_or_all(dims, self.rank, mask));
  return reduce<kBools, NonZeros>(DType::kBool, self, mask, out, nullptr);
}
Status infer_count(const Tensor& self, std::optional<int64_t> dim, TensorMeta& out) { return infer_count_dims(self, dim ? Ints(&*dim, 1) : Ints(), out); }
Status run_count(OpContext& c, const Tensor& self, std::optional<int64_t> dim, Tensor& out) { return run_count_dims(c, self, dim ? Ints(&*dim, 1) : Ints(), out); }

// ---- var, std

template <bool Root>
struct Variance {
  static Status infer(const Tensor& self, Dims dims, std::optional<Scalar>, bool keepdim, TensorMeta& out) {
    DimMask mask;
    GLINT_TRY(check_kind(kInexact, self.dtype));
    GLINT_TRY(mask_of(dims, self.rank, mask));
    return set_folded(self, mask, keepdim, real_dtype(self.dtype), out);
  }
  static Status compute(const Tensor& self, Dims dims, std::optional<Scalar> correction, Tensor& out, Tensor* mean) {
    DimMask mask;
    GLINT_TRY(mask_of(dims, self.rank, mask));
    return reduce<kInexact, Spread>(self.dtype, self, mask, out, mean, correction ? correction->to_double() : 1.0, Root);
  }
  static Status run(OpContext&, const Tensor& self, Dims dims, std::optional<Scalar> correction, bool, Tensor& out) {
    return compute(self, dims, correction, out, nullptr);
  }
  static Status infer_mean(const Tensor& self, Dims dims, std::optional<Scalar> correction, bool keepdim, TensorMeta& out, TensorMeta& mean) {
    GLINT_TRY(infer(self, dims, correction, keepdim, out));
    return set_like(out, self.dtype, mean);
  }
  static Status run_mean(OpContext&, const Tensor& self, Dims dims, std::optional<Scalar> correction, bool, Tensor& out, Tensor& mean) {
    return compute(self, dims, correction, out, &mean);
  }
  // The overloads that PyTorch composes of the others: `unbiased` is a correction of one.
  static Status infer_dim(const Tensor& self, Dims dims, bool, bool keepdim, TensorMeta& out) { return infer(self, dims, {}, keepdim, out); }
  static Status run_dim(OpContext&, const Tensor& self, Dims dims, bool unbiased, bool, Tensor& out) {
    return compute(self, dims, Scalar::of(int64_t(unbiased)), out, nullptr);
  }
};
using Var = Variance<false>;
using Std = Variance<true>;

// ---- norms, logsumexp

Status infer_norm(const Tensor& self, double p, Dims dims, bool keepdim, Type dtype, TensorMeta& out) {
  DimMask mask;
  const DType d = dtype.value_or(self.dtype);
  GLINT_TRY(check_kind(kInexact, self.dtype));
  GLINT_TRY(check_kind(kInexact, d));
  GLINT_TRY(mask_of(dims, self.rank, mask));
  if (p < 0 || std::isinf(p)) GLINT_TRY(check_not_empty(self, mask));
  return set_folded(self, mask, keepdim, real_dtype(d), out);
}
Status compute_norm(const Tensor& self, double p, Dims dims, Tensor& out) {
  DimMask mask;
  GLINT_TRY(mask_of(dims, self.rank, mask));
  return reduce<kInexact, VectorNorm>(self.dtype, self, mask, out, nullptr, p);
}
Status infer_vector_norm(const Tensor& self, Scalar p, Dims dims, bool keepdim, Type dtype, TensorMeta& out) {
  return infer_norm(self, p.to_double(), dims, keepdim, dtype, out);
}
Status run_vector_norm(OpContext&, const Tensor& self, Scalar p, Dims dims, bool, Type, Tensor& out) { return compute_norm(self, p.to_double(), dims, out); }

using Order = std::optional<Scalar>;
double order(Order p) { return p ? p->to_double() : 2; }
Status infer_norm_scalar(const Tensor& self, Scalar p, TensorMeta& out) { return infer_norm(self, order(p), {}, false, {}, out); }
Status run_norm_scalar(OpContext&, const Tensor& self, Scalar p, Tensor& out) { return compute_norm(self, order(p), {}, out); }
Status infer_norm_dim(const Tensor& self, Order p, Ints dims, bool keepdim, TensorMeta& out) { return infer_norm(self, order(p), dims, keepdim, {}, out); }
Status run_norm_dim(OpContext&, const Tensor& self, Order p, Ints dims, bool, Tensor& out) { return compute_norm(self, order(p), dims, out); }
Status infer_norm_dim_dtype(const Tensor& self, Order p, Ints dims, bool keepdim, DType dtype, TensorMeta& out) {
  return infer_norm(self, order(p), dims, keepdim, dtype, out);
}
Status run_norm_dim_dtype(OpContext&, const Tensor& self, Order p, Ints dims, bool, DType, Tensor& out) { return compute_norm(self, order(p), dims, out); }
Status infer_norm_dtype(const Tensor& self, Order p, DType dtype, TensorMeta& out) { return infer_norm(self, order(p), {}, false, dtype, out); }
Status run_norm_dtype(OpContext&, const Tensor& self, Order p, DType, Tensor& out) { return compute_norm(self, order(p), {}, out); }

Status infer_logsumexp(const Tensor& self, Ints dims, bool keepdim, TensorMeta& out) {
  DimMask mask;
  GLINT_TRY(check_kind(kAny, self.dtype));
  GLINT_TRY(dim_mask_or_all(dims, self.rank, mask));
  return set_folded(self, mask, keepdim, to_inexact(self.dtype), out);
}
Status run_logsumexp(OpContext&, const Tensor& self, Ints dims, bool, Tensor& out) {
  DimMask mask;
  GLINT_TRY(dim_mask_or_all(dims, self.rank, mask));
  return reduce<kInexact, LogSumExp>(out.dtype, self, mask, out, nullptr);
}

constexpr OpDef kDefs[] = {
    define_op<"aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor", Sums::infer_all, Sums::run_all>("aten::sum.out"),
    define_op<"aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", Sums::infer, Sums::run>(
        "aten::sum.IntList_out"),
    define_op<"aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", NanSums::infer, NanSums::run>(
        "aten::nansum.out"),
    define_op<"aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor", Products::infer_all, Products::run_all>("aten::prod.out"),
    define_op<"aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", Products::infer_dim, Products::run_dim>(
        "aten::prod.int_out"),
    define_op<"aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor", Means::infer_all, Means::run_all>("aten::mean.dtype_out"),
    define_op<"aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", Means::infer, Means::run>("aten::mean.out"),

    define_op<"aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", Maxima::infer, Maxima::run>("aten::amax.out"),
    define_op<"aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor", Minima::infer, Minima::run>("aten::amin.out"),
    define_op<"aten::max(Tensor self) -> Tensor", Maxima::infer_all, Maxima::run_all>("aten::max.unary_out"),
    define_op<"aten::min(Tensor self) -> Tensor", Minima::infer_all, Minima::run_all>("aten::min.unary_out"),
    define_op<"aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", Maxima::infer_dim, Maxima::run_dim>(
        "aten::max.dim_max"),
    define_op<"aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", Minima::infer_dim, Minima::run_dim>(
        "aten::min.dim_min"),
    define<"aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", Positions<LargestIndex>>("aten::argmax.out"),
    define<"aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", Positions<SmallestIndex>>("aten::argmin.out"),
    define_op<"aten::aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)", infer_aminmax, run_aminmax>("aten::aminmax.out"),

    define_op<"aten::any(Tensor self) -> Tensor", Any::infer_all, Any::run_all>("aten::any.all_out"),
    define_op<"aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", Any::infer_dim, Any::run_dim>("aten::any.out"),
    define_op<"aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", Any::infer_dims, Any::run_dims>("aten::any.dims_out"),
    define_op<"aten::all(Tensor self) -> Tensor", All::infer_all, All::run_all>("aten::all.all_out"),
    define_op<"aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", All::infer_dim, All::run_dim>("aten::all.out"),
    define_op<"aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", All::infer_dims, All::run_dims>("aten::all.dims_out"),
    define_op<"aten::count_nonzero(Tensor self, int? dim=None) -> Tensor", infer_count, run_count>("aten::count_nonzero.out"),
    define_op<"aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor", infer_count_dims, run_count_dims>("aten::count_nonzero.dim_IntList_out"),

    define_op<"aten::var.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor", Var::infer, Var::run>(
        "aten::var.correction_out"),
    define_op<"aten::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", Var::infer_dim, Var::run_dim>("aten::var.out"),
    define_op<"aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor", Std::infer, Std::run>(
        "aten::std.correction_out"),
    define_op<"aten::std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", Std::infer_dim, Std::run_dim>("aten::std.out"),
    define_op<"aten::var_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)", Var::infer_mean,
              Var::run_mean>("aten::var_mean.correction_out"),
    define_op<"aten::std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)", Std::infer_mean,
              Std::run_mean>("aten::std_mean.correction_out"),

    define_op<"aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
              infer_vector_norm, run_vector_norm>("aten::linalg_vector_norm.out"),
    define_op<"aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor", infer_norm_scalar, run_norm_scalar>("aten::norm.Scalar_out"),
    define_op<"aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor", infer_norm_dim, run_norm_dim>("aten::norm.out"),
    define_op<"aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor", infer_norm_dim_dtype,
              run_norm_dim_dtype>("aten::norm.dtype_out"),
    define_op<"aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor", infer_norm_dtype, run_norm_dtype>(
        "aten::norm.ScalarOpt_dtype_out"),
    define_op<"aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor", infer_logsumexp, run_logsumexp>("aten::logsumexp.out"),
};

}  // namespace

extern constinit const OpFamily op_reduce{kDefs};

}  // namespace glint::ops
