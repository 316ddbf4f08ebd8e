#include <algorithm>
#include <cctype>
#include <cstdio>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "glint/cli/image.h"
#include "glint/cli/options.h"
#include "glint/cli/verb.h"

namespace glint::cli {
namespace {

struct Flags {
  CompileFlags compile;
  std::vector<std::string> models;
  std::string output, preprocess;
  bool json = false;
};

void print_report(const Flags& f, const compiler::CompileReport& r) {
  fmt::print("{}: {}, of which constants {}\n", f.output, human_bytes(r.file_bytes), human_bytes(r.constant_bytes));
  for (const auto& m : r.methods) {
    int calls = 0;
    for (const auto& [name, n] : m.operators) calls += n;
    fmt::print("  {}: {} operator calls, arena {}{}\n", m.name, calls, human_bytes(m.arena_bytes), m.state_bytes > 0 ? ", state " + human_bytes(m.state_bytes) : "");
    for (const auto& [name, n] : m.operators) fmt::print("    {:5} {}\n", n, name);
  }
  fmt::print("  read {:.0f} ms, compile {:.0f} ms, write {:.0f} ms\n", r.import_ms, r.passes_ms, r.write_ms);
}

void print_json(const Flags& f, const compiler::CompileReport& r) {
  nlohmann::json j{{"program", f.output}, {"file_bytes", r.file_bytes}, {"constant_bytes", r.constant_bytes}, {"import_ms", r.import_ms}, {"passes_ms", r.passes_ms}, {"write_ms", r.write_ms}};
  for (const auto& m : r.methods)
    j["methods"].push_back({{"name", m.name}, {"operators", m.operators}, {"arena_bytes", m.arena_bytes}, {"state_bytes", m.state_bytes}, {"constant_bytes", m.constant_bytes}});
  for (const auto& p : r.passes) j["passes"].push_back({{"name", p.name}, {"ms", p.ms}, {"changed", p.changed}});
  fmt::print("{}\n", j.dump(2));
}

/// METHOD=ARCHIVE, or an archive alone.
compiler::Source source(const std::string& text) {
  const size_t equals = text.find('=');
  const auto in_name = [](char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)); };
  const bool named = equals != text.npos && equals > 0 && std::all_of(text.begin(), text.begin() + long(equals), in_name);
  return named ? compiler::Source{text.substr(0, equals), text.substr(equals + 1)} : compiler::Source{"", text};
}

int run(const Flags& f) {
  compiler::CompileOptions options;
  if (!f.compile.to_options(options)) return 2;
  options.preprocess = f.preprocess;
  if (!f.preprocess.empty()) {
    std::string error;
    ImageSettings::parse(f.preprocess, error);
    if (!error.empty()) return fail(error), 2;
  }
  options.progress = [](std::string_view step) { show_progress(step); };
  compiler::CompileReport report;
  std::string message;
  compiler::Sources sources;
  for (const std::string& model : f.models) sources.push_back(source(model));
  const Status s = compiler::compile(sources, f.output, options, report, message);
  show_progress("");
  if (!s.ok()) return fail(f.models.size() == 1 ? f.models[0] + ": " + message : message);
  if (f.json) print_json(f, report);
  else print_report(f, report);
  return 0;
}

}  // namespace

std::function<int()> setup_compile(CLI::App& app) {
  auto f = std::make_shared<Flags>();
  app.add_option("model", f->models, "archive written by torch.export.save (.pt2); METHOD=ARCHIVE for each of several methods, which share states by name")->required();
  app.add_option("-o,--output", f->output, "program to write (.pte)")->required();
  f->compile.add(app);
  app.add_option("--preprocess", f->preprocess, "image settings kept in the program, as crop=square,resize=224,mean=127,std=128");
  app.add_flag("--json", f->json, "report as JSON");
  app.footer("Examples:\n"
             "  glint compile model.pt2 -o model.pte\n"
             "  glint compile model.pt2 -o model.pte --target=portable\n"
             "  glint compile prefill=prefill.pt2 decode=decode.pt2 -o decoder.pte\n"
             "  glint compile detector.pt2 -o detector.pte --bound u0=100\n"
             "  glint compile net.pt2 -o net.pte --preprocess=crop=square,resize=224,mean=127,std=128");
  return [f] { return run(*f); };
}

}  // namespace glint::cli
