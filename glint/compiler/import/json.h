#pragma once

// JSON of exported programs, read with checks: a member that is missing or of another kind throws ir::Error.

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace glint::compiler {

/// A value inside a JsonDocument, which must outlive it. Cheap to copy.
class Json {
 public:
  bool is_null() const;
  bool is_object() const;
  bool is_array() const;
  bool is_string() const;
  bool is_bool() const;
  bool is_int() const;     // fits in int64
  bool is_number() const;

  bool as_bool() const;
  int64_t as_int() const;
  /// A number, or one of the strings that export writes for those JSON lacks: "Infinity", "-Infinity", "NaN".
  double as_float() const;
  std::string_view as_string() const;

  /// The member called `key`.
  Json at(std::string_view key) const;
  /// The same, but nothing when it is missing or null.
  std::optional<Json> find(std::string_view key) const;
  std::vector<Json> items() const;
  std::vector<std::pair<std::string_view, Json>> members() const;
  /// A tagged union of export's schema: the one member that is there (others may be null).
  std::pair<std::string_view, Json> only_member() const;

 private:
  friend class JsonDocument;
  struct Access;
  const void* document_ = nullptr;
  size_t index_ = 0;
};

/// A parsed text. Nesting deeper than 256 is refused.
class JsonDocument {
 public:
  /// `what` names the text in errors.
  JsonDocument(std::string_view text, const std::string& what);
  ~JsonDocument();
  JsonDocument(const JsonDocument&) = delete;
  JsonDocument& operator=(const JsonDocument&) = delete;
  Json root() const;

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace glint::compiler
