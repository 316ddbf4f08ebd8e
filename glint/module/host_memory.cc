#include "glint/module/host_memory.h"

#include <algorithm>
#include <cstdlib>

namespace glint {

void HostMemory::Free::operator()(void* p) const { std::free(p); }

std::span<std::byte> HostMemory::grow(void* self, size_t bytes) {
  HostMemory& m = *static_cast<HostMemory*>(self);
  const size_t wanted = std::max<size_t>(bytes, 64 << 10);
  if (m.limit_ != 0 && wanted > m.limit_ - std::min(m.limit_, m.total_)) return {};
  void* p = std::calloc(1, wanted);  // large blocks come zeroed from the system, and cost nothing until touched
  if (p == nullptr) return {};
  m.chunks_.emplace_back(p);
  m.total_ += wanted;
  return {static_cast<std::byte*>(p), wanted};
}

}  // namespace glint
