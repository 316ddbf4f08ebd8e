// Running sums, products and extremes along one dimension.

#include "glint/ops/reduce.h"

namespace glint::ops {
namespace {

using Type = std::optional<DType>;

// ---- scanners: `next` takes an element and gives the result at its place

template <class T>
struct RunningSum {
  Accumulator<T> total{};
  auto next(T x, int64_t) { return total = add(total, widen(x)); }
};

template <class T>
struct RunningProduct {
  Accumulator<T> total{};
  bool started = false;
  auto next(T x, int64_t) {
    total = started ? mul(total, widen(x)) : widen(x);
    started = true;
    return total;
  }
};

// The last of equal extremes; once NaN, always NaN.
template <class T, bool Max>
struct RunningExtreme {
  T value{};
  int64_t index = 0;
  bool started = false;
  T next(T x, int64_t i) {
    if (!started || is_nan(x) || (!is_nan(value) && (Max ? x >= value : x <= value))) value = x, index = i, started = true;
    return value;
  }
  int64_t second() const { return index; }
};
template <class T> using RunningMaximum = RunningExtreme<T, true>;
template <class T> using RunningMinimum = RunningExtreme<T, false>;

template <class T>
struct RunningLogSumExp : LogSumExp<T> {
  bool started = false;
  c128 last{};
  auto next(T v, int64_t i) {
    if constexpr (kIsComplex<T>) {  // step by step, so that the imaginary part keeps its turns
      const c128 high = !started || v.re > last.re ? v : last, low = v.re > last.re ? last : v;
      last = !started ? v : high + log1p(exp(low - high));
      started = true;
      return last;
    } else {
      this->add(v, i);
      return this->result();
    }
  }
};

// ---- the walk: blocks of neighbouring lines step along the dimension together

template <class T, class S>
void scan(const Tensor& self, int dim, Tensor& out, Tensor* second) {
  using namespace reduce_detail;
  using V = decltype(S().next(T(), 0));
  const bool scalar = self.rank == 0;
  [[maybe_unused]] const bool convert = self.dtype != out.dtype && dtype_size(out.dtype) == 2;
  const int64_t n = scalar ? 1 : self.size[size_t(dim)];
  const auto step_of = [&](const Tensor& t) { return scalar ? int64_t(0) : t.stride[size_t(dim)]; };
  const DimMask mask = scalar ? 0 : DimMask(1) << dim;
  for_each_row(kept_loop(self, mask, out, second != nullptr ? *second : out), [&](const auto& offset, const auto& step, int64_t lines) {
    for (int64_t at = 0; at < lines; at += kBlock) {
      const int64_t m = std::min(kBlock, lines - at);
      S scanners[kBlock] = {};
      T tile[kBlock];
      V values[kBlock];
      for (int64_t j = 0; j < n; ++j) {
        const T* x = read<T>(self, offset[0] + at * step[0] + j * step_of(self), step[0], m, tile);
        if constexpr (kIsFloat<T>)
          if (convert) {  // to the result's dtype first: what is too large for a half is infinite
            if (x != tile) std::copy_n(x, m, tile), x = tile;
            alignas(T) std::byte held[kBlock * sizeof(T)];
            kernels::store<T>(out.dtype, held, 1, m, tile);
            kernels::load<T>(out.dtype, held, 1, m, tile);
          }
        for (int64_t i = 0; i < m; ++i) values[i] = scanners[i].next(x[i], j);
        kernels::store<V>(out.dtype, element(out, offset[1] + at * step[1] + j * step_of(out)), step[1], m, values);
        if constexpr (requires { scanners[0].second(); }) {
          int64_t indices[kBlock];
          for (int64_t i = 0; i < m; ++i) indices[i] = scanners[i].second();
          kernels::store<int64_t>(second->dtype, element(*second, offset[2] + at * step[2] + j * step_of(*second)), step[2], m, indices);
        }
      }
    }
  });
}

template <unsigned Kinds, template <class> class S>
Status scan_as(DType compute, const Tensor& self, int64_t dim, Tensor& out, Tensor* second = nullptr) {
  const int d = wrap_dim(dim, self.rank);
  switch (kind_of(compute)) {
    case kF32: if constexpr ((Kinds & kF32) != 0) return scan<float, S<float>>(self, d, out, second), Status(); break;
    case kF64: if constexpr ((Kinds & kF64) != 0) return scan<double, S<double>>(self, d, out, second), Status(); break;
    case kInts: if constexpr ((Kinds & kInts) != 0) return scan<int64_t, S<int64_t>>(self, d, out, second), Status(); break;
    case kBools: if constexpr ((Kinds & kBools) != 0) return scan<bool, S<bool>>(self, d, out, second), Status(); break;
    case kComplexes: if constexpr ((Kinds & kComplexes) != 0) return scan<c128, S<c128>>(self, d, out, second), Status(); break;
  }
  return unsupported("the operator does not compute with this dtype");
}

Status infer_dim(unsigned kinds, const Tensor& self, int64_t dim, DType d, TensorMeta& out) {
  if (wrap_dim(dim, self.rank) < 0) return invalid_argument("the dimension is out of range");
  GLINT_TRY(check_kind(kAny, self.dtype));
  GLINT_TRY(check_kind(kinds, d));
  return set_like(self, d, out);
}

template <template <class> class S>
struct Cumulative {
  static constexpr unsigned kKinds = kArithmetic | kBools;
  static Status infer(const Tensor& self, int64_t dim, Type dtype, TensorMeta& out) {
    return infer_dim(kKinds, self, dim, dtype.value_or(is_floating(self.dtype) || is_complex(self.dtype) ? self.dtype : DType::kI64), out);
  }
  static Status run(OpContext&, const Tensor& self, int64_t dim, Type, Tensor& out) { return scan_as<kKinds, S>(out.dtype, self, dim, out); }
};

template <template <class> class S>
struct CumulativeExtreme {
  static Status infer(const Tensor& self, int64_t dim, TensorMeta& values, TensorMeta& indices) {
    GLINT_TRY(infer_dim(kReals, self, dim, self.dtype, values));
    return set_like(self, DType::kI64, indices);
  }
  static Status run(OpContext&, const Tensor& self, int64_t dim, Tensor& values, Tensor& indices) {
    return scan_as<kReals, S>(self.dtype, self, dim, values, &indices);
  }
};

Status infer_logcumsumexp(const Tensor& self, int64_t dim, TensorMeta& out) { return infer_dim(kInexact, self, dim, self.dtype, out); }
Status run_logcumsumexp(OpContext&, const Tensor& self, int64_t dim, Tensor& out) { return scan_as<kInexact, RunningLogSumExp>(self.dtype, self, dim, out); }

constexpr OpDef kDefs[] = {
    define<"aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", Cumulative<RunningSum>>("aten::cumsum.out"),
    define<"aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", Cumulative<RunningProduct>>("aten::cumprod.out"),
    define<"aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)", CumulativeExtreme<RunningMaximum>>("aten::cummax.out"),
    define<"aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)", CumulativeExtreme<RunningMinimum>>("aten::cummin.out"),
    define_op<"aten::logcumsumexp(Tensor self, int dim) -> Tensor", infer_logcumsumexp, run_logcumsumexp>("aten::logcumsumexp.out"),
};

}  // namespace

extern constinit const OpFamily op_cumulative{kDefs};

}  // namespace glint::ops
