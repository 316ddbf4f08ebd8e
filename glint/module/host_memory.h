#pragma once

#include <memory>
#include <vector>

#include "glint/base/arena.h"

namespace glint {

/// Memory for an Arena that grows: zero-filled chunks, freed with the object. Stays where it is.
class HostMemory {
 public:
  /// `limit`: bytes it gives at most; 0 is no limit.
  explicit HostMemory(size_t limit = 0) : limit_(limit) {}
  HostMemory(const HostMemory&) = delete;
  HostMemory& operator=(const HostMemory&) = delete;

  Arena& arena() { return arena_; }
  /// Bytes taken from the system.
  size_t total() const { return total_; }

 private:
  struct Free { void operator()(void* p) const; };
  static std::span<std::byte> grow(void* self, size_t bytes);

  size_t limit_, total_ = 0;
  std::vector<std::unique_ptr<void, Free>> chunks_;
  Arena arena_{grow, this};
};

}  // namespace glint
