#include "glint/compiler/import/json.h"

#include <simdjson.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "glint/compiler/ir/graph.h"

namespace glint::compiler {
namespace {

using Element = simdjson::dom::element;
constexpr size_t kMaxDepth = 256;

[[noreturn]] void fail(const std::string& message) { throw ir::Error(Code::kInvalidProgram, "the program's JSON: " + message); }

}  // namespace

// Json carries the two words of an Element, so that only this file needs simdjson's header.
struct Json::Access {
  static_assert(sizeof(Element) == sizeof(Json) && std::is_trivially_copyable_v<Element>);
  static Element get(const Json& json) {
    Element e;
    std::memcpy(static_cast<void*>(&e), &json, sizeof e);
    return e;
  }
  static Json make(const Element& e) {
    Json json;
    std::memcpy(static_cast<void*>(&json), &e, sizeof e);
    return json;
  }
};

bool Json::is_null() const { return Access::get(*this).is_null(); }
bool Json::is_object() const { return Access::get(*this).is_object(); }
bool Json::is_array() const { return Access::get(*this).is_array(); }
bool Json::is_string() const { return Access::get(*this).is_string(); }
bool Json::is_bool() const { return Access::get(*this).is_bool(); }
bool Json::is_int() const { return Access::get(*this).is_int64(); }
bool Json::is_number() const { return Access::get(*this).is_number(); }

bool Json::as_bool() const {
  if (!is_bool()) fail("expected true or false");
  return Access::get(*this).get_bool().value_unsafe();
}

int64_t Json::as_int() const {
  if (!is_int()) fail("expected an integer of 64 bits");
  return Access::get(*this).get_int64().value_unsafe();
}

double Json::as_float() const {
  if (is_number()) return Access::get(*this).get_double().value_unsafe();
  if (is_string()) {
    const std::string_view text = as_string();
    if (text == "Infinity" || text == "inf") return std::numeric_limits<double>::infinity();
    if (text == "-Infinity" || text == "-inf") return -std::numeric_limits<double>::infinity();
    if (text == "NaN" || text == "nan") return std::numeric_limits<double>::quiet_NaN();
  }
  fail("expected a number");
}

std::string_view Json::as_string() const {
  if (!is_string()) fail("expected a string");
  return Access::get(*this).get_string().value_unsafe();
}

Json Json::at(std::string_view key) const {
  if (!is_object()) fail("expected an object with '" + std::string(key) + "'");
  const auto found = Access::get(*this).at_key(key);
  if (found.error()) fail("'" + std::string(key) + "' is missing");
  return Access::make(found.value_unsafe());
}

std::optional<Json> Json::find(std::string_view key) const {
  if (!is_object()) return std::nullopt;
  const auto found = Access::get(*this).at_key(key);
  if (found.error() || found.value_unsafe().is_null()) return std::nullopt;
  return Access::make(found.value_unsafe());
}

std::vector<Json> Json::items() const {
  if (!is_array()) fail("expected a list");
  std::vector<Json> items;
  const simdjson::dom::array array = Access::get(*this).get_array().value_unsafe();
  for (Element e : array) items.push_back(Access::make(e));
  return items;
}

std::vector<std::pair<std::string_view, Json>> Json::members() const {
  if (!is_object()) fail("expected an object");
  std::vector<std::pair<std::string_view, Json>> members;
  const simdjson::dom::object object = Access::get(*this).get_object().value_unsafe();
  for (auto field : object) members.emplace_back(field.key, Access::make(field.value));
  return members;
}

std::pair<std::string_view, Json> Json::only_member() const {
  const auto all = members();
  const std::pair<std::string_view, Json>* only = nullptr;
  for (const auto& member : all) {
    if (member.second.is_null()) continue;
    if (only != nullptr) fail("a value is both '" + std::string(only->first) + "' and '" + std::string(member.first) + "'");
    only = &member;
  }
  if (only == nullptr) fail("a value has no kind");
  return *only;
}

struct JsonDocument::Parser {
  simdjson::dom::parser parser;
  Element root;
};

JsonDocument::JsonDocument(std::string_view text, const std::string& what) : parser_(std::make_unique<Parser>()) {
  if (parser_->parser.allocate(std::max<size_t>(text.size(), 64), kMaxDepth)) throw ir::Error(Code::kOutOfMemory, what + ": too large");
  const auto error = parser_->parser.parse(text.data(), text.size()).get(parser_->root);
  if (error) throw ir::Error(Code::kInvalidProgram, what + ": " + simdjson::error_message(error));
}

JsonDocument::~JsonDocument() = default;
Json JsonDocument::root() const { return Json::Access::make(parser_->root); }

}  // namespace glint::compiler
