#pragma once

#include <span>

#include "glint/base/arena.h"
#include "glint/base/result.h"
#include "glint/format/named_data.h"

namespace glint::xnnpack {

namespace fb { struct Graph; }

/// The bytes of a delegate called "XnnpackBackend": a FlatBuffer (xnnpack.fbs, identifier XN00 or XN01), alone or behind a
/// header "XH00" that says where it and the constants lie. Constants are found when it is opened.
class Blob {
 public:
  /// Verifies everything that is read later: offsets, lists, constants. `bytes` and what `named` finds outlive the blob.
  static Result<Blob> open(std::span<const std::byte> bytes, const NamedData& named, Arena& arena);

  const fb::Graph& graph() const { return *graph_; }
  uint32_t constant_count() const { return uint32_t(constants_.size()); }
  /// Bytes of entry `i` of the constants, aligned to 8; of entry 0 none.
  std::span<const std::byte> constant(uint32_t i) const { return constants_[i]; }

 private:
  const fb::Graph* graph_ = nullptr;
  std::span<std::span<const std::byte>> constants_;
};

}  // namespace glint::xnnpack
