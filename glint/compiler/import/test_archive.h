#pragma once

// Zip archives for tests: taken apart, changed, put together again with whatever lies a test wants to tell.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "glint/compiler/import/zip.h"

namespace glint::compiler::test {

inline std::vector<std::byte> bytes_of(const std::string& s) {
  const auto* b = reinterpret_cast<const std::byte*>(s.data());
  return {b, b + s.size()};
}

inline std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline uint32_t crc32(const std::string& data) {
  uint32_t crc = ~0u;
  for (unsigned char c : data) {
    crc ^= c;
    for (int k = 0; k < 8; ++k) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
  }
  return ~crc;
}

/// The entries of an archive, in order.
struct Archive {
  struct Entry {
    std::string name, data;
    uint16_t method = 0, flags = 0;
    int64_t stated_size = -1, stated_packed = -1;  // -1: the truth
  };
  std::vector<Entry> entries;

  static Archive parse(const std::string& bytes) {
    const auto zip = ZipArchive::open(bytes_of(bytes));
    Archive a;
    for (size_t i = 0; i < zip->entries().size(); ++i) a.entries.push_back({zip->entries()[i].name, zip->read(i, 1 << 24)});
    return a;
  }

  /// The entry whose name ends so.
  std::string& operator[](const std::string& suffix) {
    for (Entry& e : entries)
      if (e.name.ends_with(suffix)) return e.data;
    entries.push_back({suffix, {}});
    return entries.back().data;
  }
  void drop(const std::string& suffix) {
    std::erase_if(entries, [&](const Entry& e) { return e.name.ends_with(suffix); });
  }

  std::string build() const {
    std::string out, directory;
    const auto put = [](std::string& to, uint64_t v, int bytes) { for (int i = 0; i < bytes; ++i) to += char(v >> 8 * i); };
    for (const Entry& e : entries) {
      const uint64_t offset = out.size();
      const uint64_t size = e.stated_size < 0 ? e.data.size() : uint64_t(e.stated_size);
      const uint64_t packed = e.stated_packed < 0 ? e.data.size() : uint64_t(e.stated_packed);
      std::string common;
      put(common, 20, 2); put(common, e.flags, 2); put(common, e.method, 2); put(common, 0, 4); put(common, crc32(e.data), 4);
      put(common, packed, 4); put(common, size, 4); put(common, e.name.size(), 2); put(common, 0, 2);
      out += "PK\3\4" + common + e.name + e.data;
      directory += std::string("PK\1\2") + char(20) + '\0' + common;
      put(directory, 0, 2); put(directory, 0, 4); put(directory, 0, 4); put(directory, offset, 4);
      directory += e.name;
    }
    const uint64_t at = out.size();
    out += directory + "PK\5\6";
    put(out, 0, 4); put(out, entries.size(), 2); put(out, entries.size(), 2);
    put(out, directory.size(), 4); put(out, at, 4); put(out, 0, 2);
    return out;
  }
};

}  // namespace glint::compiler::test
