#pragma once

#include "glint/core/cpu.h"

// GLINT_KERNEL_TABLE(Table, name) - `name` is one constant per instruction set that this
// build compiles, each in the namespace of its set, and name(isa) picks one. An ISA that
// was not compiled in (another architecture's, or GLINT_SCALAR_ONLY) falls back to scalar.
#if defined(GLINT_SCALAR_ONLY)
#define GLINT_KERNEL_TABLE(Table, name)         \
  namespace scalar { extern const Table name; } \
  inline const Table& name(Isa) { return scalar::name; }
#elif defined(__x86_64__) || defined(_M_X64)
#define GLINT_KERNEL_TABLE(Table, name)                  \
  namespace scalar { extern const Table name; }          \
  namespace avx2 { extern const Table name; }            \
  namespace avx512 { extern const Table name; }          \
  inline const Table& name(Isa isa) {                    \
    return isa == Isa::kAvx512 ? avx512::name : isa == Isa::kAvx2 ? avx2::name : scalar::name; \
  }
#else
#define GLINT_KERNEL_TABLE(Table, name)                  \
  namespace scalar { extern const Table name; }          \
  namespace neon { extern const Table name; }            \
  inline const Table& name(Isa isa) { return isa == Isa::kNeon ? neon::name : scalar::name; }
#endif

namespace glint::kernels {

/// The instruction sets that this build holds kernels for; which of them the
/// processor can run is Cpu's business.
#if defined(GLINT_SCALAR_ONLY)
inline constexpr Isa kBuiltIsas[] = {Isa::kScalar};
#elif defined(__x86_64__) || defined(_M_X64)
inline constexpr Isa kBuiltIsas[] = {Isa::kScalar, Isa::kAvx2, Isa::kAvx512};
#else
inline constexpr Isa kBuiltIsas[] = {Isa::kScalar, Isa::kNeon};
#endif

}  // namespace glint::kernels
