#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace glint {

/// Instruction sets that kernels are compiled for, in growing order of preference.
enum class Isa : uint8_t { kScalar, kNeon, kAvx2, kAvx512 };
const char* isa_name(Isa isa);

/// What `plan` needs to know of a processor: an argument, never the one that
/// happens to run. A value; copy it freely.
struct Cpu {
  Isa isa = Isa::kScalar;      // the best ISA kernels may use
  bool avx512_vnni = false, avx512_bf16 = false, amx_int8 = false, amx_bf16 = false;
  bool neon_dot = false, neon_i8mm = false;
  uint32_t l1_bytes = 32 << 10, l2_bytes = 512 << 10;
  double gflops = 50;          // one core, float32: for estimates of cost only
  double gbytes_per_s = 15;

  bool supports(Isa wanted) const;
};

/// The processor this runs on. The environment variable GLINT_ISA (scalar,
/// avx2, avx512, neon) can lower the choice, never raise it.
Cpu detect_cpu();
/// A processor by name ("scalar", "avx2", "avx512", "neon"), for compiling ahead; scalar for an unknown name.
Cpu cpu_by_name(std::string_view name);

}  // namespace glint
