#include "glint/compiler/decompose/decompose.h"

#include <deque>
#include <unordered_map>

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

struct Table {
  std::deque<ParsedSchema> parsed;  // stable addresses
  std::deque<Schema> schemas;
  std::vector<Composite> composites;
  std::vector<const Schema*> pointers;
  std::unordered_map<std::string_view, size_t> by_name;

  void add(Rows rows) {
    for (const Row& row : rows) {
      const Schema& schema = schemas.emplace_back(parsed.emplace_back(parse_schema(row.schema)).view());
      if (!schema.valid) throw ir::Error(Code::kInternal, std::string("the schema of a decomposition does not parse: ") + row.schema);
      if (!by_name.emplace(schema.name, composites.size()).second)
        throw ir::Error(Code::kInternal, std::string("two decompositions of ") + std::string(schema.name));
      composites.push_back({&schema, row.one, row.many});
      pointers.push_back(&schema);
    }
  }
};

const Table& table() {
  static const Table t = [] {
    Table all;
#define GLINT_ADD_FAMILY(name) all.add(name##_rows());
    GLINT_DECOMPOSE_FAMILIES(GLINT_ADD_FAMILY)
#undef GLINT_ADD_FAMILY
    return all;
  }();
  return t;
}

}  // namespace

std::vector<ir::Value*> Composite::expand(ir::Builder& b, const ir::Node& node) const {
  Expansion x(b, node);
  if (one) return {one(x)};
  return many(x);
}

std::span<const Composite> composites() { return table().composites; }
std::span<const Schema* const> composite_schemas() { return table().pointers; }

const Composite* find_composite(std::string_view name) {
  const auto found = table().by_name.find(name);
  return found == table().by_name.end() ? nullptr : &table().composites[found->second];
}

}  // namespace glint::compiler
