#include "glint/core/cpu.h"

#include "glint/base/platform.h"

namespace glint {

const char* isa_name(Isa isa) {
  switch (isa) {
    case Isa::kScalar: return "scalar";
    case Isa::kNeon: return "neon";
    case Isa::kAvx2: return "avx2";
    case Isa::kAvx512: return "avx512";
  }
  return "?";
}

bool Cpu::supports(Isa wanted) const {
  if (wanted == Isa::kScalar) return true;
  if (wanted == Isa::kNeon || isa == Isa::kNeon) return wanted == isa;
  return wanted <= isa;
}

Cpu cpu_by_name(std::string_view name) {
  Cpu cpu;
  if (name == "neon") cpu.isa = Isa::kNeon;
  if (name == "avx2") cpu.isa = Isa::kAvx2;
  if (name == "avx512") cpu.isa = Isa::kAvx512;
  return cpu;
}

Cpu detect_cpu() {
  Cpu cpu;
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) cpu.isa = Isa::kAvx2;
  if (cpu.isa == Isa::kAvx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512cd"))
    cpu.isa = Isa::kAvx512;
  cpu.avx512_vnni = cpu.isa == Isa::kAvx512 && __builtin_cpu_supports("avx512vnni");
  cpu.avx512_bf16 = cpu.isa == Isa::kAvx512 && __builtin_cpu_supports("avx512bf16");
#elif defined(__aarch64__)
  cpu.isa = Isa::kNeon;
#endif
  if (const char* cap = environment("GLINT_ISA")) {
    const Isa wanted = cpu_by_name(cap).isa;
    if (cpu.supports(wanted)) {
      cpu.isa = wanted;
      if (wanted != Isa::kAvx512) cpu.avx512_vnni = cpu.avx512_bf16 = false;
    }
  }
  return cpu;
}

}  // namespace glint
