#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace glint {

inline constexpr uint64_t kPlanAlignment = 64;

/// One buffer that must lie somewhere in a shared memory while steps first..last (both included) run.
struct PlanBuffer {
  uint64_t bytes = 0;
  int first = 0, last = 0;
  uint64_t offset = 0;   // set by plan_buffers, a multiple of kPlanAlignment
  int32_t next = -1;     // used by plan_buffers
};

/// Chooses offsets so that buffers needed at the same step do not overlap: greedy by size, each into the
/// smallest gap that holds it. Returns the bytes of memory needed. Allocates nothing; quadratic time.
uint64_t plan_buffers(std::span<PlanBuffer> buffers);

}  // namespace glint
