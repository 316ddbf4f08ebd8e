#pragma once

// The engine of elementwise operators: one expression, written once as a generic lambda, becomes a row
// function for each compute type; rows are fed with operands of any dtype and any strides.

#include <algorithm>
#include <cmath>
#include <limits>

#include "glint/core/op_def.h"
#include "glint/core/shape.h"
#include "glint/kernels/convert.h"
#include "glint/ops/complex.h"

namespace glint::ops {

/// The compute types an expression is instantiated for.
enum Kinds : unsigned {
  kF32 = 1, kF64 = 2, kInts = 4, kBools = 8, kComplexes = 16,
  kFloats = kF32 | kF64, kNumbers = kFloats | kInts, kReals = kNumbers | kBools, kInexact = kFloats | kComplexes,
  kArithmetic = kNumbers | kComplexes, kAny = kReals | kComplexes,
};

/// The kind that computes for `d`; 0 for complex32, which is only ever moved.
constexpr unsigned kind_of(DType d) {
  if (d == DType::kC32) return 0;
  if (d == DType::kF64) return kF64;
  return is_floating(d) ? kF32 : is_complex(d) ? kComplexes : d == DType::kBool ? kBools : kInts;
}

template <class T> inline constexpr DType kDTypeOf = DType::kF32;
template <> inline constexpr DType kDTypeOf<double> = DType::kF64;
template <> inline constexpr DType kDTypeOf<int64_t> = DType::kI64;
template <> inline constexpr DType kDTypeOf<bool> = DType::kBool;
template <> inline constexpr DType kDTypeOf<c64> = DType::kC64;
template <> inline constexpr DType kDTypeOf<c128> = DType::kC128;

template <class T> inline constexpr bool kIsFloat = std::is_floating_point_v<T>;
template <class T> inline constexpr bool kIsInt = std::is_same_v<T, int64_t>;
template <class T> inline constexpr bool kIsBool = std::is_same_v<T, bool>;
template <class T> inline constexpr bool kIsComplex = std::is_same_v<T, c128>;

/// Numbers that an expression needs besides its elements.
struct Params {
  double f[4] = {};
  int64_t i[4] = {};
  void set(int k, Scalar s) { f[k] = s.to_double(), i[k] = s.to_int(); }
  /// The same as an element of `d` would hold it: -1 is 255 among bytes.
  void set(int k, Scalar s, DType d) {
    set(k, s);
    if (kind_of(d) != kInts) return;
    kernels::store_one<int64_t>(d, &i[k], 0, int64_t(i[k]));
    i[k] = kernels::load_one<int64_t>(d, &i[k], 0);
  }
  /// Parameter k in the compute type.
  template <class T> T get(int k) const {
    if constexpr (kIsComplex<T>) return {f[k], 0};
    else if constexpr (kIsInt<T>) return i[k];
    else if constexpr (kIsBool<T>) return f[k] != 0;
    else return T(f[k]);
  }
};

/// The dtype of a complex one's parts; any other dtype itself.
constexpr DType real_dtype(DType d) {
  return d == DType::kC128 ? DType::kF64 : d == DType::kC64 ? DType::kF32 : d == DType::kC32 ? DType::kF16 : d;
}
/// Integers and bool become float32, PyTorch's default dtype.
constexpr DType to_inexact(DType d) { return is_floating(d) || is_complex(d) ? d : DType::kF32; }

/// int64 arithmetic that wraps.
constexpr int64_t wrap_add(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
constexpr int64_t wrap_sub(int64_t a, int64_t b) { return int64_t(uint64_t(a) - uint64_t(b)); }
constexpr int64_t wrap_mul(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }
constexpr int64_t wrap_neg(int64_t a) { return wrap_sub(0, a); }

/// Sum, difference and product as PyTorch has them: integers wrap, bool is "or" and "and".
template <class T> constexpr T add(T a, T b) {
  if constexpr (kIsInt<T>) return wrap_add(a, b);
  else if constexpr (kIsBool<T>) return a || b;
  else return a + b;
}
template <class T> constexpr T sub(T a, T b) {
  if constexpr (kIsInt<T>) return wrap_sub(a, b);
  else if constexpr (kIsBool<T>) return a != b;
  else return a - b;
}
template <class T> constexpr T mul(T a, T b) {
  if constexpr (kIsInt<T>) return wrap_mul(a, b);
  else if constexpr (kIsBool<T>) return a && b;
  else return a * b;
}
template <class T> constexpr bool is_nan(T a) {
  if constexpr (kIsComplex<T>) return a.re != a.re || a.im != a.im;
  else return a != a;
}
template <class T> constexpr bool is_zero(T a) {
  if constexpr (kIsComplex<T>) return a.re == 0 && a.im == 0;
  else return a == T(0);
}

/// A Scalar as a zero-dimensional operand.
class Number {
 public:
  explicit Number(Scalar s) : value_(s) {
    tensor_.dtype = s.dtype();
    tensor_.data = &value_.i;
  }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  const Tensor& tensor() const { return tensor_; }

 private:
  Scalar value_;
  Tensor tensor_;
};

namespace elementwise_detail {

template <class In, class Out, int N>
using Row = void (*)(const In* const* in, Out* out, int64_t n, const Params& params);

template <auto Fn, class In, size_t... K>
constexpr auto invoke(const In* const* in, [[maybe_unused]] int64_t i, const Params& p, std::index_sequence<K...>) {
  if constexpr (requires { Fn(in[K][i]..., p); }) return Fn(in[K][i]..., p);
  else return Fn(in[K][i]...);
}

// What an expression yields; the int of integral promotions means "the same type".
template <auto Fn, class In, int N>
struct ResultOf {
  using Raw = decltype(invoke<Fn, In>(static_cast<const In* const*>(nullptr), 0, std::declval<const Params&>(), std::make_index_sequence<N>()));
  using Type = std::conditional_t<std::is_same_v<Raw, int>, In, Raw>;
};

template <auto Fn, class In, class Out, int N>
void row(const In* const* in, Out* out, int64_t n, const Params& params) {
  const Params p = params;  // a local copy: stores to `out` cannot change it
  const In* a[N];
  for (int k = 0; k < N; ++k) a[k] = in[k];
#pragma GCC ivdep
  for (int64_t i = 0; i < n; ++i) out[i] = Out(invoke<Fn, In>(a, i, p, std::make_index_sequence<N>()));
}

template <int N, size_t... K>
auto loop_over(const Tensor& out, const Tensor* const* in, std::index_sequence<K...>) { return make_loop(out, *in[K]...); }

/// Feeds rows of at most kTile elements. Operands are converted to `compute` before they become In, those without dimensions only when `all` are.
template <class In, class Out, int N>
void run_rows(Row<In, Out, N> row, const Tensor* const* in, Tensor& out, const Params& params, DType compute, bool all) {
  using kernels::kTile;
  In tile[N][kTile];
  Out out_tile[kTile];
  const auto load = [&](int k, int64_t offset, int64_t step, int64_t n, bool first) -> const In* {
    const DType from = in[k]->dtype, dtype = all || in[k]->rank > 0 ? compute : kDTypeOf<In>;
    const char* p = static_cast<const char*>(in[k]->data) + offset * int64_t(dtype_size(from));
    if (from == kDTypeOf<In> && step == 1 && dtype == from) return reinterpret_cast<const In*>(p);
    if (step != 0 || first) {
      kernels::load<In>(from, p, step, n, tile[k]);
      if (from != dtype && dtype != kDTypeOf<In>) {
        In converted[kTile];  // room for any narrower dtype
        kernels::store<In>(dtype, converted, 1, n, tile[k]);
        kernels::load<In>(dtype, converted, 1, n, tile[k]);
      }
    }
    return tile[k];
  };
  for_each_row(loop_over<N>(out, in, std::make_index_sequence<N>()), [&](const auto& offset, const auto& step, int64_t n) {
    for (int64_t at = 0; at < n; at += kTile) {
      const int64_t m = std::min(kTile, n - at);
      const In* from[N];
      for (int k = 0; k < N; ++k) from[k] = load(k, offset[size_t(k + 1)] + at * step[size_t(k + 1)], step[size_t(k + 1)], m, at == 0);
      char* to = static_cast<char*>(out.data) + (offset[0] + at * step[0]) * int64_t(dtype_size(out.dtype));
      const bool direct = out.dtype == kDTypeOf<Out> && step[0] == 1;
      Out* result = direct ? reinterpret_cast<Out*>(to) : out_tile;
      row(from, result, m, params);
      if (!direct) kernels::store<Out>(out.dtype, to, step[0], m, out_tile);
    }
  });
}

}  // namespace elementwise_detail

/// Whether operands are first converted to the computing dtype (as comparisons need: a float16 tensor
/// compares with the float16 nearest to a number), or those without dimensions keep the digits that only the kind's type has.
enum class Operands : uint8_t { kConverted, kKept };

/// out = Fn(in...) element by element, computed in the kind of `compute`. Refuses kinds that Kinds lacks.
template <unsigned Kinds, auto Fn, int N>
Status elementwise(DType compute, const Tensor* const (&in)[N], Tensor& out, const Params& params = {}, Operands operands = Operands::kConverted) {
  using namespace elementwise_detail;
  const auto go = [&]<class T>(T) {
    using R = typename ResultOf<Fn, T, N>::Type;
    run_rows<T, R, N>(row<Fn, T, R, N>, in, out, params, compute, operands == Operands::kConverted);
    return Status();
  };
  switch (kind_of(compute)) {
    case kF32: if constexpr ((Kinds & kF32) != 0) return go(float()); break;
    case kF64: if constexpr ((Kinds & kF64) != 0) return go(double()); break;
    case kInts: if constexpr ((Kinds & kInts) != 0) return go(int64_t()); break;
    case kBools: if constexpr ((Kinds & kBools) != 0) return go(bool()); break;
    case kComplexes: if constexpr ((Kinds & kComplexes) != 0) return go(c128()); break;
  }
  return unsupported("the operator does not compute with this dtype");
}

/// Whether `kinds` has the kind of `d`.
constexpr Status check_kind(unsigned kinds, DType d) {
  return (kind_of(d) & kinds) != 0 ? Status() : invalid_argument("the operator does not take this dtype");
}
inline Status set_like(const TensorMeta& like, DType dtype, TensorMeta& out) {
  return out.set(dtype, like.sizes()) ? Status() : invalid_argument("the result is too large");
}
/// Sizes of the broadcast, dtype as given.
inline Status set_broadcast(const TensorMeta& a, const TensorMeta& b, DType dtype, TensorMeta& out) {
  out.dtype = dtype;
  return broadcast(a, b, out);
}
inline Status set_broadcast(const TensorMeta& a, const TensorMeta& b, const TensorMeta& c, DType dtype, TensorMeta& out) {
  TensorMeta ab;
  GLINT_TRY(set_broadcast(a, b, dtype, ab));
  return set_broadcast(ab, c, dtype, out);
}

inline DType result_type(const Tensor& a, const Tensor& b) {
  ResultType r;
  r.add_tensor(a.dtype, a.rank > 0);
  r.add_tensor(b.dtype, b.rank > 0);
  return r.get();
}
inline DType result_type(const Tensor& a, const Tensor& b, const Tensor& c) {
  ResultType r;
  for (const Tensor* t : {&a, &b, &c}) r.add_tensor(t->dtype, t->rank > 0);
  return r.get();
}
inline DType result_type(Scalar a, const Tensor& b) {
  ResultType r;
  r.add_tensor(b.dtype, b.rank > 0);
  r.add_scalar(a.dtype());
  return r.get();
}
inline DType result_type(const Tensor& a, Scalar b) {
  ResultType r;
  r.add_tensor(a.dtype, a.rank > 0);
  r.add_scalar(b.dtype());
  return r.get();
}

/// One operand to a result of the same dtype (Float: integers to float32), with Scalar parameters S...
/// that reach the expression as p.get<T>(k). The expression is Fn(x) or Fn(x, params).
template <unsigned Kinds, auto Fn, bool Float, class... S>
struct Unary {
  static Status infer(const Tensor& self, S..., TensorMeta& out) {
    const DType d = Float ? to_inexact(self.dtype) : self.dtype;
    GLINT_TRY(check_kind(Kinds, d));
    return set_like(self, d, out);
  }
  static Status run(OpContext&, const Tensor& self, S... s, Tensor& out) {
    Params p;
    [[maybe_unused]] int k = 0;
    (p.set(k++, s, out.dtype), ...);
    return elementwise<Kinds, Fn, 1>(out.dtype, {&self}, out, p);
  }
};

/// How the dtype of a result follows from the promoted dtype of its operands.
enum class Dtype : uint8_t { kSame, kInexact, kBool };
template <Dtype R> constexpr DType dtype_by(DType common) {
  return R == Dtype::kBool ? DType::kBool : R == Dtype::kInexact ? to_inexact(common) : common;
}

/// Two operands, promoted and broadcast. The classes below serve the overloads with a number on one side.
template <unsigned Kinds, auto Fn, Dtype R>
struct Binary {
  static DType compute(DType common) { return R == Dtype::kInexact ? to_inexact(common) : common; }
  static Status infer(const Tensor& a, const Tensor& b, TensorMeta& out) {
    const DType common = result_type(a, b);
    GLINT_TRY(check_kind(Kinds, compute(common)));
    return set_broadcast(a, b, dtype_by<R>(common), out);
  }
  static Status run(OpContext&, const Tensor& a, const Tensor& b, Tensor& out) {
    return elementwise<Kinds, Fn, 2>(compute(result_type(a, b)), {&a, &b}, out);
  }
};
template <unsigned Kinds, auto Fn, Dtype R>
struct BinaryScalar {
  static Status infer(const Tensor& a, Scalar b, TensorMeta& out) {
    const DType common = result_type(a, b);
    GLINT_TRY(check_kind(Kinds, Binary<Kinds, Fn, R>::compute(common)));
    return set_like(a, dtype_by<R>(common), out);
  }
  static Status run(OpContext&, const Tensor& a, Scalar b, Tensor& out) {
    const Number number(b);
    return elementwise<Kinds, Fn, 2>(Binary<Kinds, Fn, R>::compute(result_type(a, b)), {&a, &number.tensor()}, out);
  }
};
template <unsigned Kinds, auto Fn, Dtype R>
struct ScalarBinary {
  static Status infer(Scalar a, const Tensor& b, TensorMeta& out) { return BinaryScalar<Kinds, Fn, R>::infer(b, a, out); }
  static Status run(OpContext&, Scalar a, const Tensor& b, Tensor& out) {
    const Number number(a);
    return elementwise<Kinds, Fn, 2>(Binary<Kinds, Fn, R>::compute(result_type(a, b)), {&number.tensor(), &b}, out);
  }
};

/// The definition of schema S by a class with static `infer` and `run`.
template <op_detail::Text S, class Shape>
consteval OpDef define(const char* stock_name, OpFlags flags = {}) {
  return define_op<S, Shape::infer, Shape::run>(stock_name, flags);
}
inline constexpr OpFlags kInPlace{.may_alias = true, .strided_results = true};

}  // namespace glint::ops
