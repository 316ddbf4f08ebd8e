#include <fstream>
#include <iostream>
#include <sstream>

#include <fmt/format.h>

#include "glint/cli/options.h"
#include "glint/cli/verb.h"
#include "glint/compiler/pass_manager.h"

namespace glint::cli {
namespace {

struct Flags {
  std::string file;
  std::vector<std::string> passes;
  std::string target = "cpu";
  bool list = false;
};

int run(const Flags& f) {
  compiler::Target target;
  target.kind = f.target == "portable" ? compiler::Target::Kind::kPortable : compiler::Target::Kind::kCpu;
  target.cpu = detect_cpu();
  if (f.list) {
    for (const std::string_view name : compiler::pipeline(target))
      if (const auto* pass = compiler::find_pass(name)) fmt::print("{:35} {}\n", name, pass->summary);
    return 0;
  }
  std::stringstream text;
  if (f.file.empty() || f.file == "-") {
    text << std::cin.rdbuf();
  } else {
    std::ifstream in(f.file);
    if (!in) return fail(f.file + ": cannot be read");
    text << in.rdbuf();
  }
  compiler::PassContext context{compiler::op_lookup(), target};
  try {
    const auto graph = ir::parse(text.str(), context.ops);
    for (const std::string& name : f.passes) {
      const compiler::PassDef* pass = compiler::find_pass(name);
      if (pass == nullptr) return fail(fmt::format("no pass is called {}; `glint opt --list` shows those that run by default", name)), 2;
      compiler::run_pass(*pass, *graph, context);
    }
    fmt::print("{}", ir::print(*graph));
  } catch (const ir::Error& e) {
    return fail(fmt::format("{}: {}", f.file, e.diagnostic.text()));
  }
  return 0;
}

}  // namespace

std::function<int()> setup_opt(CLI::App& app) {
  auto f = std::make_shared<Flags>();
  app.add_option("graph", f->file, "graph in the IR's text form; - or nothing: standard input");
  app.add_option("--pass", f->passes, "pass to run; may be given several times, in order")->allow_extra_args(false);
  app.add_option("--target", f->target, "cpu or portable")->check(CLI::IsMember({"cpu", "portable"}))->capture_default_str();
  app.add_flag("--list", f->list, "list the passes in the order in which they run");
  app.footer("Examples:\n  glint opt --pass=fold-batch-norm graph.ir\n  glint opt --pass=decompose --pass=fold-constants graph.ir\n  glint opt --list");
  return [f] { return run(*f); };
}

}  // namespace glint::cli
