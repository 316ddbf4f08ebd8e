#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "glint/core/tensor.h"

namespace glint {

/// Bytes found by name, and what kind of tensor they are if the file says so.
struct NamedBytes {
  std::span<const std::byte> bytes;
  std::optional<TensorMeta> meta;  // dense; bytes.size() is meta->size_bytes() at least
};

/// A source of weights and blobs by name: a `.pte`'s named data, a `.ptd`, a safetensors or GGUF file.
class NamedData {
 public:
  virtual std::optional<NamedBytes> find(std::string_view name) const = 0;

 protected:
  ~NamedData() = default;
};

}  // namespace glint
