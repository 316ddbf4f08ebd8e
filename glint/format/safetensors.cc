#include "glint/format/safetensors.h"

#include <cstring>

#include "glint/base/checked.h"

namespace glint {
namespace {

constexpr uint64_t kMaxHeader = 100u << 20;  // the limit of the reference implementation

std::optional<DType> dtype_of(std::string_view name) {
  struct { std::string_view name; DType dtype; } constexpr kNames[] = {
      {"F32", DType::kF32}, {"F64", DType::kF64}, {"F16", DType::kF16}, {"BF16", DType::kBF16}, {"I64", DType::kI64},
      {"I32", DType::kI32}, {"I16", DType::kI16}, {"I8", DType::kI8},   {"U8", DType::kU8},     {"U16", DType::kU16},
      {"U32", DType::kU32}, {"U64", DType::kU64}, {"BOOL", DType::kBool}, {"C64", DType::kC64}};
  for (const auto& n : kNames)
    if (n.name == name) return n.dtype;
  return std::nullopt;
}

/// The part of JSON that headers consist of: objects, arrays of integers, strings.
class Scanner {
 public:
  Scanner(std::string_view text, size_t at) : text_(text), at_(at) {}
  size_t at() const { return at_; }

  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool string(std::string_view& out) {
    if (!take('"')) return false;
    const size_t end = text_.find_first_of("\"\\", at_);
    if (end == text_.npos || text_[end] == '\\') return false;
    out = text_.substr(at_, end - at_);
    at_ = end + 1;
    return true;
  }
  bool number(int64_t& out) {
    skip_spaces();
    const size_t start = at_;
    out = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9')
      if (!checked_mul(out, 10, &out) || !checked_add(out, text_[at_++] - '0', &out)) return false;
    return at_ > start;
  }
  /// Skips {"key": "text", ...}; values may hold escapes.
  bool skip_metadata() {
    if (!take('{')) return false;
    if (take('}')) return true;
    do {
      if (!skip_string() || !take(':') || !skip_string()) return false;
    } while (take(','));
    return take('}');
  }
  bool at_end() {
    skip_spaces();
    return at_ == text_.size();
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
  }
  bool skip_string() {
    if (!take('"')) return false;
    for (; at_ < text_.size(); ++at_) {
      if (text_[at_] == '\\') ++at_;
      else if (text_[at_] == '"') return ++at_, true;
    }
    return false;
  }
  std::string_view text_;
  size_t at_;
};

/// Reads `"name": {"dtype": "F32", "shape": [..], "data_offsets": [a, b]}`.
Status read_entry(Scanner& s, std::span<const std::byte> data, Safetensors::Entry& entry) {
  constexpr Literal malformed("safetensors: the header is malformed");
  std::string_view key, dtype_name;
  int64_t sizes[kMaxRank], rank = -1, begin = -1, end = -1;
  if (!s.take('{')) return invalid_program(malformed);
  do {
    if (!s.string(key) || !s.take(':')) return invalid_program(malformed);
    if (key == "dtype") {
      if (!s.string(dtype_name)) return invalid_program(malformed);
    } else if (key == "shape") {
      rank = 0;
      if (!s.take('[')) return invalid_program(malformed);
      if (!s.take(']')) {
        do {
          if (rank == kMaxRank) return unsupported("safetensors: a tensor has more than 16 dimensions");
          if (!s.number(sizes[rank++])) return invalid_program(malformed);
        } while (s.take(','));
        if (!s.take(']')) return invalid_program(malformed);
      }
    } else if (key == "data_offsets") {
      if (!s.take('[') || !s.number(begin) || !s.take(',') || !s.number(end) || !s.take(']')) return invalid_program(malformed);
    } else {
      return invalid_program("safetensors: the header has an unknown field");
    }
  } while (s.take(','));
  if (!s.take('}') || rank < 0 || begin < 0 || end < begin || uint64_t(end) > data.size()) return invalid_program(malformed);
  const auto dtype = dtype_of(dtype_name);
  if (!dtype) return unsupported("safetensors: a tensor has a dtype that Glint has not");
  if (!entry.meta.set(*dtype, {sizes, size_t(rank)})) return invalid_program("safetensors: a tensor is too large");
  if (entry.meta.size_bytes() != uint64_t(end - begin)) return invalid_program("safetensors: a tensor's shape does not match its length");
  entry.bytes = data.subspan(size_t(begin), size_t(end - begin));
  return {};
}

/// The next entry after `cursor` (0: the start), skipping metadata. kNotFound at the end.
Status advance(std::string_view header, std::span<const std::byte> data, size_t& cursor, Safetensors::Entry& entry) {
  constexpr Literal malformed("safetensors: the header is malformed");
  Scanner s(header, cursor);
  for (bool first = cursor == 0;; first = false) {
    if (first) {
      if (!s.take('{')) return invalid_program(malformed);
      if (s.take('}')) return s.at_end() ? not_found("no more entries") : invalid_program(malformed);
    } else if (!s.take(',')) {
      return s.take('}') && s.at_end() ? not_found("no more entries") : invalid_program(malformed);
    }
    if (!s.string(entry.name) || !s.take(':')) return invalid_program("safetensors: the header is malformed, or a name has escapes");
    if (entry.name != "__metadata__") break;
    if (!s.skip_metadata()) return invalid_program(malformed);
  }
  GLINT_TRY(read_entry(s, data, entry));
  cursor = s.at();
  return {};
}

}  // namespace

Result<Safetensors> Safetensors::open(std::span<const std::byte> file) {
  uint64_t length = 0;
  if (file.size() < 8) return invalid_program("safetensors: the file is shorter than its header");
  std::memcpy(&length, file.data(), 8);
  if (length > kMaxHeader || length > file.size() - 8) return invalid_program("safetensors: the header's length exceeds the file");
  Safetensors st;
  st.header_ = {reinterpret_cast<const char*>(file.data()) + 8, size_t(length)};
  st.data_ = file.subspan(8 + size_t(length));
  uint64_t covered = 0;
  size_t cursor = 0;
  for (Entry entry;;) {
    const Status s = advance(st.header_, st.data_, cursor, entry);
    if (s.code() == Code::kNotFound) break;
    GLINT_TRY(s);
    covered += entry.bytes.size();
    if (covered > st.data_.size()) return invalid_program("safetensors: tensors overlap");
  }
  if (covered != st.data_.size()) return invalid_program("safetensors: the data has gaps");
  return st;
}

bool Safetensors::next(size_t& cursor, Entry& entry) const { return advance(header_, data_, cursor, entry).ok(); }

Result<Safetensors::Entry> Safetensors::find(std::string_view name) const {
  size_t cursor = 0;
  for (Entry entry; next(cursor, entry);)
    if (entry.name == name) return entry;
  return not_found("safetensors: no tensor of that name");
}

}  // namespace glint
