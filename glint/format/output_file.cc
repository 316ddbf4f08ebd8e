#include "glint/format/output_file.h"

#include <algorithm>

#include <unistd.h>

namespace glint {

OutputFile::OutputFile(const char* path) : path_(path), temporary_(path_ + ".tmp" + std::to_string(getpid())) {
  file_ = std::fopen(temporary_.c_str(), "wb");
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) {
    std::fclose(file_);
    std::remove(temporary_.c_str());
  }
}

Status OutputFile::write(std::span<const std::byte> bytes) {
  position_ += bytes.size();
  if (bytes_ != nullptr) {
    bytes_->insert(bytes_->end(), bytes.begin(), bytes.end());
    return {};
  }
  if (file_ == nullptr) return io_error("cannot create the file");
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) return io_error("cannot write the file: the disk may be full");
  return {};
}

Status OutputFile::pad_to(uint64_t offset) {
  static constexpr std::byte kZeros[4096] = {};
  while (position_ < offset) GLINT_TRY(write(std::span(kZeros).first(size_t(std::min<uint64_t>(offset - position_, sizeof kZeros)))));
  return {};
}

Status OutputFile::write(const DataSpec& data) {
  if (data.size == 0) return {};
  const uint64_t end = position_ + data.size;
  GLINT_TRY(data.write([&](std::span<const std::byte> piece) {
    return piece.size() > end - position_ ? internal_error("a data gave more bytes than its size") : write(piece);
  }));
  return position_ == end ? Status() : internal_error("a data gave fewer bytes than its size");
}

Status OutputFile::finish() {
  if (bytes_ != nullptr) return {};
  if (file_ == nullptr) return io_error("cannot create the file");
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  if (closed && std::rename(temporary_.c_str(), path_.c_str()) == 0) return {};
  std::remove(temporary_.c_str());
  return io_error("cannot write the file: the disk may be full");
}

Result<size_t> DataPool::add(const DataSpec& data) {
  if (const auto it = seen_.find(&data); it != seen_.end()) return it->second;
  size_t index = unique_.size();
  if (sizes_[data.size] > 1) {
    std::array<uint64_t, 2> hash = data.hash;
    if (hash == std::array<uint64_t, 2>{} && data.size != 0) {
      ContentHash h;
      GLINT_TRY(data.write([&](std::span<const std::byte> piece) {
        h.add(piece);
        return Status();
      }));
      hash = h.get();
    }
    index = found_.emplace(std::pair(data.size, hash), index).first->second;
  }
  if (index == unique_.size()) unique_.push_back(&data);
  seen_.emplace(&data, index);
  return index;
}

}  // namespace glint
