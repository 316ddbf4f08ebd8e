#pragma once

// The container of `.pt2` files: a zip archive whose entries are read one by one.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "glint/base/result.h"

namespace glint::compiler {

/// An opened zip archive. Entries are found by their full name; nothing is read before it is asked for. Not thread-safe.
/// Every size that the archive states is checked against the size of the file: nothing here allocates more than `limit` says.
class ZipArchive {
 public:
  struct Entry {
    std::string name;
    uint64_t size = 0;    // of the content
    bool stored = false;  // not compressed: any part can be read directly
  };

  /// Throw ir::Error: kIo when the file cannot be read, kInvalidProgram when it is no sound zip archive
  /// (duplicate names, sizes beyond the file, encryption, unknown compression).
  static std::shared_ptr<const ZipArchive> open(const std::string& path);
  static std::shared_ptr<const ZipArchive> open(std::vector<std::byte> bytes);
  /// The archive inside an entry of another one. A stored entry is read in place.
  static std::shared_ptr<const ZipArchive> open_inner(std::shared_ptr<const ZipArchive> outer, size_t entry);
  virtual ~ZipArchive();

  const std::vector<Entry>& entries() const { return entries_; }
  /// Index of the entry called `name`, or -1.
  int64_t find(std::string_view name) const;

  /// The whole content of an entry; throws ir::Error when it is larger than `limit` or cannot be read.
  std::string read(size_t entry, uint64_t limit) const;
  /// out.size() bytes from `offset` on. Compressed entries are inflated from their beginning, without keeping what comes before.
  Status read_at(size_t entry, uint64_t offset, std::span<std::byte> out) const;

 protected:
  ZipArchive();

 private:
  struct Handle;
  void list();
  struct Names;
  std::unique_ptr<Handle> handle_;
  std::vector<Entry> entries_;
  std::unique_ptr<Names> names_;
};

}  // namespace glint::compiler
