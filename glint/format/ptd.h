#pragma once

#include "glint/base/result.h"
#include "glint/format/named_data.h"

namespace glint {

/// A `.ptd` file in memory: tensors by name, read in place, verified once.
class PtdFile final : public NamedData {
 public:
  PtdFile() = default;
  /// `file` stays alive and unchanged, and starts at an address divisible by 16. The status's `where` is the entry at fault.
  static Result<PtdFile> open(std::span<const std::byte> file);

  uint32_t count() const;
  std::string_view name(uint32_t i) const;
  NamedBytes entry(uint32_t i) const;
  std::optional<NamedBytes> find(std::string_view name) const override;

 private:
  std::span<const std::byte> file_;
  const void* root_ = nullptr;  // ptd::FlatTensor
  uint64_t segment_base_ = 0;
};

}  // namespace glint
