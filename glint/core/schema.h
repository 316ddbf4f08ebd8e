#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace glint {

/// The types of ATen schemas. SymInt reads as int; Layout, Device and Generator are carried but ignored.
enum class ArgType : uint8_t { kTensor, kInt, kFloat, kBool, kScalar, kString, kDType, kLayout, kDevice, kGenerator, kMemoryFormat };

/// Whether an argument's value makes no difference here: there is one layout, one device and one generator.
constexpr bool is_ignored(ArgType t) { return t == ArgType::kLayout || t == ArgType::kDevice || t == ArgType::kGenerator; }

/// One argument of a schema, e.g. "int[2] stride=1" or "Tensor(a!) out".
struct SchemaArg {
  std::string_view name;
  std::string_view default_text;  // as written after '='; empty when there is none
  ArgType type = ArgType::kTensor;
  bool list = false;
  bool optional = false;          // the whole argument may be None
  bool optional_elements = false; // Tensor?[]
  bool keyword_only = false;
  bool written = false;           // "(a!)": the call changes it
  int8_t list_size = -1;          // the 2 of int[2]; a single number then stands for all
  char alias = 0;                 // the letter of "(a)", or 0
};

/// A parsed schema: a view into its text and its arguments.
struct Schema {
  static constexpr size_t kMaxArgs = 40, kMaxReturns = 12;
  std::string_view name;      // "aten::add.Tensor": namespace, base name, overload
  const SchemaArg* arg_store = nullptr;
  const SchemaArg* return_store = nullptr;
  uint8_t arg_count = 0, return_count = 0;
  bool valid = false;

  constexpr std::span<const SchemaArg> args() const { return {arg_store, arg_count}; }
  constexpr std::span<const SchemaArg> returns() const { return {return_store, return_count}; }
  /// Index of the argument called `name`, or -1.
  constexpr int arg_index(std::string_view name) const {
    for (int i = 0; i < arg_count; ++i)
      if (arg_store[i].name == name) return i;
    return -1;
  }
};

/// What parsing gives, with room for the longest schema.
struct ParsedSchema {
  std::string_view name;
  std::array<SchemaArg, Schema::kMaxArgs> arg_store{};
  std::array<SchemaArg, Schema::kMaxReturns> return_store{};
  uint8_t arg_count = 0, return_count = 0;
  bool valid = false;

  /// Of this object, which stays where it is meanwhile.
  constexpr Schema view() const { return {name, arg_store.data(), return_store.data(), arg_count, return_count, valid}; }
};

/// Parses the full text of an ATen schema: "ns::name.overload(args) -> returns".
/// `valid` is false when the text is not one.
constexpr ParsedSchema parse_schema(std::string_view text);

namespace schema_detail {

struct Cursor {
  std::string_view rest;
  constexpr void skip_spaces() { while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1); }
  constexpr bool take(std::string_view token) {
    skip_spaces();
    if (rest.substr(0, token.size()) != token) return false;
    rest.remove_prefix(token.size());
    return true;
  }
  constexpr std::string_view word() {
    skip_spaces();
    size_t n = 0;
    while (n < rest.size() && (rest[n] == '_' || (rest[n] >= '0' && rest[n] <= '9') || (rest[n] >= 'a' && rest[n] <= 'z') || (rest[n] >= 'A' && rest[n] <= 'Z'))) ++n;
    const std::string_view w = rest.substr(0, n);
    rest.remove_prefix(n);
    return w;
  }
};

constexpr bool parse_type(Cursor& c, SchemaArg& a) {
  struct { std::string_view name; ArgType type; } const names[] = {
      {"Tensor", ArgType::kTensor}, {"int", ArgType::kInt}, {"SymInt", ArgType::kInt}, {"float", ArgType::kFloat},
      {"bool", ArgType::kBool}, {"Scalar", ArgType::kScalar}, {"str", ArgType::kString}, {"ScalarType", ArgType::kDType},
      {"Layout", ArgType::kLayout}, {"Device", ArgType::kDevice}, {"Generator", ArgType::kGenerator}, {"MemoryFormat", ArgType::kMemoryFormat}, {"SymFloat", ArgType::kFloat},
      {"SymBool", ArgType::kBool}};
  const std::string_view w = c.word();
  bool known = false;
  for (const auto& n : names)
    if (n.name == w) a.type = n.type, known = true;
  if (!known) return false;
  if (c.rest.substr(0, 1) == "(") {  // alias marks: (a), (a!), (a|b), (a -> *)
    c.take("(");
    if (!c.rest.empty()) a.alias = c.rest[0];
    while (!c.rest.empty() && c.rest[0] != ')') {
      if (c.rest[0] == '!') a.written = true;
      c.rest.remove_prefix(1);
    }
    if (!c.take(")")) return false;
  }
  if (c.rest.substr(0, 1) == "?") { c.take("?"); a.optional = true; }
  if (c.rest.substr(0, 1) == "[") {
    c.take("[");
    const std::string_view digits = c.word();
    if (!digits.empty()) {
      int n = 0;
      for (char d : digits) n = n * 10 + (d - '0');
      a.list_size = int8_t(n);
    }
    if (!c.take("]")) return false;
    a.list = true;
    a.optional_elements = a.optional;
    a.optional = false;
    if (c.rest.substr(0, 1) == "(") {  // alias of the list: Tensor[](a)
      while (!c.rest.empty() && c.rest[0] != ')') c.rest.remove_prefix(1);
      c.take(")");
    }
    if (c.rest.substr(0, 1) == "?") { c.take("?"); a.optional = true; }
  }
  return true;
}

}  // namespace schema_detail

constexpr ParsedSchema parse_schema(std::string_view text) {
  ParsedSchema s;
  size_t open = 0;  // a loop: string_view::find is no constant expression under GCC 12's sanitizers
  while (open < text.size() && text[open] != '(') ++open;
  if (open == text.size()) return s;
  s.name = text.substr(0, open);
  schema_detail::Cursor c{text.substr(open + 1)};
  bool keyword_only = false;
  if (!c.take(")")) {
    for (;;) {
      if (c.take("*")) {
        keyword_only = true;
      } else {
        if (s.arg_count == Schema::kMaxArgs) return s;
        SchemaArg& a = s.arg_store[s.arg_count++];
        a.keyword_only = keyword_only;
        if (!schema_detail::parse_type(c, a)) return s;
        a.name = c.word();
        if (a.name.empty()) return s;
        if (c.take("=")) {
          c.skip_spaces();
          size_t n = 0;
          int depth = 0;
          while (n < c.rest.size() && !(depth == 0 && (c.rest[n] == ',' || c.rest[n] == ')'))) {
            if (c.rest[n] == '[' ) ++depth;
            if (c.rest[n] == ']') --depth;
            ++n;
          }
          a.default_text = c.rest.substr(0, n);
          c.rest.remove_prefix(n);
        }
      }
      if (c.take(")")) break;
      if (!c.take(",")) return s;
    }
  }
  if (!c.take("->")) return s;
  const bool tuple = c.take("(");
  if (!(tuple && c.take(")"))) {
    for (;;) {
      if (s.return_count == Schema::kMaxReturns) return s;
      SchemaArg& r = s.return_store[s.return_count++];
      if (!schema_detail::parse_type(c, r)) return s;
      r.name = c.word();
      if (tuple && c.take(",")) continue;
      break;
    }
    if (tuple && !c.take(")")) return s;
  }
  c.skip_spaces();
  s.valid = c.rest.empty();
  return s;
}

}  // namespace glint
