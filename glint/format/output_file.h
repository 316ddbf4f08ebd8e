#pragma once

// Private to the writers: where bytes go, and storing equal data once.

#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "glint/format/program_spec.h"

namespace glint {

/// A file that appears under its name only when it is complete, or a vector.
class OutputFile {
 public:
  explicit OutputFile(std::vector<std::byte>& bytes) : bytes_(&bytes) { bytes.clear(); }
  explicit OutputFile(const char* path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  Status write(std::span<const std::byte> bytes);
  /// Zeros up to `offset`.
  Status pad_to(uint64_t offset);
  /// The data's bytes, checked against its size.
  Status write(const DataSpec& data);
  uint64_t position() const { return position_; }
  /// Gives the file its name.
  Status finish();

 private:
  std::vector<std::byte>* bytes_ = nullptr;
  std::FILE* file_ = nullptr;
  std::string path_, temporary_;
  uint64_t position_ = 0;
};

/// Recognises data of equal contents: add() gives the index of the first one.
class DataPool {
 public:
  /// To be called for all data before the first add(): only data of equal sizes are ever hashed.
  void expect(const DataSpec& data) { sizes_[data.size] += expected_.insert(&data).second; }
  Result<size_t> add(const DataSpec& data);
  const std::vector<const DataSpec*>& unique() const { return unique_; }

 private:
  std::set<const DataSpec*> expected_;
  std::map<uint64_t, int> sizes_;
  std::map<std::pair<uint64_t, std::array<uint64_t, 2>>, size_t> found_;
  std::map<const DataSpec*, size_t> seen_;
  std::vector<const DataSpec*> unique_;
};

}  // namespace glint
