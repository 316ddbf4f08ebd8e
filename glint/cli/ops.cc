#include <algorithm>
#include <map>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "glint/cli/verb.h"
#include "glint/compiler/decompose/decompose.h"
#include "glint/ops/ops.h"

namespace glint::cli {
namespace {

struct Flags {
  std::string filter;
  bool composites = false, schemas = false, json = false;
};

int run(const Flags& f) {
  std::map<std::string, std::pair<std::string, std::string>> rows;  // name -> schema, stock name
  for (const OpFamily* family : ops::all())
    for (const OpDef& def : family->defs) rows[std::string(def.name())] = {def.text, def.stock_name};
  size_t count = rows.size();
  if (f.composites)
    for (const auto& c : compiler::composites()) rows.try_emplace(std::string(c.schema->name), std::string(c.schema->name), "(composite)");
  nlohmann::json j = nlohmann::json::array();
  size_t shown = 0;
  for (const auto& [name, row] : rows) {
    if (name.find(f.filter) == name.npos) continue;
    ++shown;
    if (f.json) j.push_back({{"name", name}, {"schema", row.first}, {"stock", row.second}});
    else if (f.schemas) fmt::print("{}\n", row.first);
    else fmt::print("{:55} {}\n", name, row.second);
  }
  if (f.json) fmt::print("{}\n", j.dump(2));
  else fmt::print("{} of {} operators{}\n", shown, count, f.composites ? ", and composites" : "");
  return 0;
}

}  // namespace

std::function<int()> setup_ops(CLI::App& app) {
  auto f = std::make_shared<Flags>();
  app.add_option("filter", f->filter, "only names that contain this");
  app.add_flag("--schemas", f->schemas, "print full schemas");
  app.add_flag("--composites", f->composites, "also those that the compiler takes apart");
  app.add_flag("--json", f->json, "as JSON");
  app.footer("Examples:\n  glint ops\n  glint ops conv --schemas");
  return [f] { return run(*f); };
}

}  // namespace glint::cli
