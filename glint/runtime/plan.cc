#include "glint/runtime/plan.h"

#include "glint/base/checked.h"

namespace glint {
namespace {

constexpr uint64_t kUnplaced = UINT64_MAX;

/// The lowest offset of the smallest gap, between the placed buffers alive at the same time, that holds `b`.
uint64_t best_fit(std::span<const PlanBuffer> buffers, int32_t head, const PlanBuffer& b) {
  uint64_t end = 0, best = kUnplaced, best_gap = UINT64_MAX;
  for (int32_t i = head; i >= 0; i = buffers[size_t(i)].next) {  // by growing offset
    const PlanBuffer& placed = buffers[size_t(i)];
    if (placed.last < b.first || placed.first > b.last) continue;
    if (placed.offset > end) {
      const uint64_t gap = placed.offset - end;
      if (gap >= b.bytes && gap < best_gap) best = end, best_gap = gap;
    }
    const uint64_t after = align_up(placed.offset + placed.bytes, kPlanAlignment);
    if (after > end) end = after;
  }
  return best == kUnplaced ? end : best;
}

}  // namespace

uint64_t plan_buffers(std::span<PlanBuffer> buffers) {
  for (PlanBuffer& b : buffers) b.offset = kUnplaced, b.next = -1;
  int32_t head = -1;
  uint64_t total = 0;
  for (size_t n = 0; n < buffers.size(); ++n) {
    int32_t next = -1;
    for (size_t i = 0; i < buffers.size(); ++i)
      if (buffers[i].offset == kUnplaced && (next < 0 || buffers[i].bytes > buffers[size_t(next)].bytes)) next = int32_t(i);
    PlanBuffer& b = buffers[size_t(next)];
    b.offset = best_fit(buffers, head, b);
    if (b.offset + b.bytes > total) total = b.offset + b.bytes;
    int32_t* link = &head;
    while (*link >= 0 && buffers[size_t(*link)].offset <= b.offset) link = &buffers[size_t(*link)].next;
    b.next = *link;
    *link = next;
  }
  return align_up(total, kPlanAlignment);
}

}  // namespace glint
