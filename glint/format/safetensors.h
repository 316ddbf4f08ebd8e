#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "glint/base/result.h"
#include "glint/core/tensor.h"

namespace glint {

/// A safetensors file (https://github.com/huggingface/safetensors, format section) over bytes that the caller
/// keeps alive. The whole header is verified by `open`: afterwards every entry lies inside the file and its
/// shape times dtype equals its length. Allocates nothing; safe to read from several threads.
class Safetensors {
 public:
  struct Entry {
    std::string_view name;               // UTF-8; names with JSON escapes are refused by `open`
    TensorMeta meta;                     // row-major
    std::span<const std::byte> bytes;    // little-endian elements, not necessarily aligned
  };

  /// kInvalidProgram for a malformed file, kUnsupported for a dtype that Glint has not or more than kMaxRank dimensions.
  static Result<Safetensors> open(std::span<const std::byte> file);

  /// Entries in the header's order: starts with cursor 0, false at the end.
  bool next(size_t& cursor, Entry& entry) const;
  /// By name; kNotFound. Scans the header.
  Result<Entry> find(std::string_view name) const;

 private:
  std::string_view header_;
  std::span<const std::byte> data_;
};

}  // namespace glint
