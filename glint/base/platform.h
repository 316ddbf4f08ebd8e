#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "glint/base/result.h"

namespace glint {

/// What the runtime asks of the system it runs on. A port to another system
/// replaces base/platform.cc and nothing else.

/// Nanoseconds of a clock that never goes back.
uint64_t now_ns();

/// The value of an environment variable, or nullptr.
const char* environment(const char* name);

/// A file mapped read-only into memory. Move-only; unmaps when destroyed. The
/// bytes stay valid while it lives; several threads may read them.
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept : bytes_(other.bytes_) { other.bytes_ = {}; }
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  /// Maps `path`. kIo when it cannot be opened, read or mapped, or is not a regular file.
  static Result<MappedFile> open(const char* path);

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace glint
