#pragma once

#include <cstdint>

namespace glint::kernels {

enum class Reduction : uint8_t { kSum, kProd, kMax, kMin };

/// The value that leaves others unchanged: 0, 1, or the lowest or highest of C (no max or min of complex).
template <class C> C identity(Reduction op);

/// acc[at[i]] = acc[at[i]] op values[i] for i in order. NaN wins in max and min; integers wrap.
/// C is float, double, int64_t, c64 or c128; complex values only add and multiply.
template <class C> void accumulate(Reduction op, const int64_t* at, const C* values, int64_t n, C* acc);

}  // namespace glint::kernels
