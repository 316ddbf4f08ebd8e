#include "glint/kernels/accumulate.h"

#include <limits>
#include <type_traits>

#include "glint/core/dtype.h"

namespace glint::kernels {
namespace {

template <class C> inline constexpr bool kComplex = std::is_same_v<C, c64> || std::is_same_v<C, c128>;

template <class C> C sum(C a, C b) {
  if constexpr (kComplex<C>) return {a.re + b.re, a.im + b.im};
  else if constexpr (std::is_same_v<C, int64_t>) return int64_t(uint64_t(a) + uint64_t(b));
  else return a + b;
}
template <class C> C product(C a, C b) {
  if constexpr (kComplex<C>) return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
  else if constexpr (std::is_same_v<C, int64_t>) return int64_t(uint64_t(a) * uint64_t(b));
  else return a * b;
}
template <class C> C larger(C a, C b) {
  if constexpr (kComplex<C>) return b;
  else return a != a ? a : b != b || b > a ? b : a;
}
template <class C> C smaller(C a, C b) {
  if constexpr (kComplex<C>) return b;
  else return a != a ? a : b != b || b < a ? b : a;
}

}  // namespace

template <class C>
C identity(Reduction op) {
  if constexpr (kComplex<C>) {
    return op == Reduction::kProd ? C{1, 0} : C{0, 0};
  } else {
    using L = std::numeric_limits<C>;
    constexpr C low = L::has_infinity ? -L::infinity() : L::lowest(), high = L::has_infinity ? L::infinity() : L::max();
    return op == Reduction::kSum ? C(0) : op == Reduction::kProd ? C(1) : op == Reduction::kMax ? low : high;
  }
}

template <class C>
void accumulate(Reduction op, const int64_t* at, const C* values, int64_t n, C* acc) {
  switch (op) {
    case Reduction::kSum:
      for (int64_t i = 0; i < n; ++i) acc[at[i]] = sum(acc[at[i]], values[i]);
      return;
    case Reduction::kProd:
      for (int64_t i = 0; i < n; ++i) acc[at[i]] = product(acc[at[i]], values[i]);
      return;
    case Reduction::kMax:
      for (int64_t i = 0; i < n; ++i) acc[at[i]] = larger(acc[at[i]], values[i]);
      return;
    case Reduction::kMin:
      for (int64_t i = 0; i < n; ++i) acc[at[i]] = smaller(acc[at[i]], values[i]);
      return;
  }
}

#define GLINT_ACCUMULATE(C)             \
  template C identity<C>(Reduction op); \
  template void accumulate<C>(Reduction, const int64_t*, const C*, int64_t, C*)
GLINT_ACCUMULATE(float);
GLINT_ACCUMULATE(double);
GLINT_ACCUMULATE(int64_t);
GLINT_ACCUMULATE(c64);
GLINT_ACCUMULATE(c128);
#undef GLINT_ACCUMULATE

}  // namespace glint::kernels
