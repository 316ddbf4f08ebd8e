#include <cstdio>
#include <fstream>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "glint/cli/verb.h"
#include "glint/module/module.h"
#include "glint/ops/ops.h"
#include "glint/runtime/method.h"

namespace glint::cli {
namespace {

struct Flags {
  std::vector<std::string> programs;
  std::string output;
  bool json = false;
};

using Used = std::set<const OpDef*>;

void collect(const Method& m, Used& used) {
  for (uint32_t i = 0; i < m.instruction_count(); ++i) {
    if (m.definition(i) != nullptr) used.insert(m.definition(i));
    const Delegate* d = m.delegate(i);
    for (uint32_t k = 0; d != nullptr && k < d->definition_count(); ++k)
      if (d->definition(k) != nullptr) used.insert(d->definition(k));
  }
}

int run(const Flags& f) {
  Used used;
  for (const std::string& path : f.programs) {
    Module module(path);
    if (!module.status().ok()) return fail(module.last_error());
    for (const std::string& name : module.method_names()) {
      const Method* m = module.method(name);
      if (m == nullptr) return fail(module.last_error());
      collect(*m, used);
    }
  }
  std::map<std::string, std::set<std::string>> files;  // of glint/ops -> operators
  for (unsigned i = 0; i < ops::kOpsCount; ++i)
    for (const OpDef& def : ops::kOps[i]->defs)
      if (used.contains(&def)) files[ops::kOpsNames[i]].insert(std::string(def.name()));
  std::string text;
  if (f.json) {
    text = nlohmann::json{{"programs", f.programs}, {"operators", files}}.dump(2) + "\n";
  } else {
    text = fmt::format("# glint select {}: the file of glint/ops and the operator; for glint_device(OPERATORS ...)\n", fmt::join(f.programs, " "));
    for (const auto& [file, names] : files)
      for (const std::string& name : names) text += fmt::format("{} {}\n", file, name);
  }
  if (f.output.empty()) return fmt::print("{}", text), 0;
  std::ofstream out(f.output, std::ios::binary);
  out << text;
  out.close();
  return out ? 0 : fail(f.output + ": cannot write");
}

}  // namespace

std::function<int()> setup_select(CLI::App& app) {
  auto f = std::make_shared<Flags>();
  app.add_option("programs", f->programs, "program files (.pte)")->required();
  app.add_option("-o,--output", f->output, "write the list here instead of to the terminal");
  app.add_flag("--json", f->json, "as JSON");
  app.footer("A device build with these operators only:\n  glint select model.pte -o model.ops\n  glint_device(NAME model OPERATORS model.ops)   # in CMake");
  return [f] { return run(*f); };
}

}  // namespace glint::cli
