#include <cstdio>

#include <fmt/format.h>
#include <unistd.h>

#include "glint/cli/verb.h"

namespace glint::cli {

int fail(std::string_view message) {
  show_progress("");
  fmt::print(stderr, "glint: {}\n", message);
  return 1;
}

std::string human_bytes(uint64_t bytes) {
  if (bytes < 10'000) return fmt::format("{} B", bytes);
  const char* units[] = {"kB", "MB", "GB", "TB"};
  double v = double(bytes) / 1000;
  int u = 0;
  while (v >= 1000 && u < 3) v /= 1000, ++u;
  return fmt::format("{:.{}f} {}", v, v < 100 ? 1 : 0, units[u]);
}

void show_progress(std::string_view text) {
  static const bool terminal = isatty(STDERR_FILENO) != 0;
  if (terminal) fmt::print(stderr, "\r\033[K{}", text), std::fflush(stderr);
}

namespace {

struct Verb { const char* name; const char* summary; Setup setup; };
constexpr Verb kVerbs[] = {
    {"compile", "turn an exported model into a program", setup_compile},
    {"run", "run a program on tensors or a photograph", setup_run},
    {"inspect", "show what is in a program or an archive", setup_inspect},
    {"verify", "compare a compiled model with its reference, operator by operator", setup_verify},
    {"bench", "measure a program", setup_bench},
    {"ops", "list the operators of this build", setup_ops},
    {"select", "list the operators that programs need, for a build of those only", setup_select},
    {"opt", "run compiler passes on a graph in text form", setup_opt},
};

int main_(int argc, char** argv) {
  CLI::App app("Glint: on-device inference for PyTorch models.");
  app.set_version_flag("--version", "glint " GLINT_VERSION);
  app.require_subcommand(1);
  app.footer("`glint VERB --help` shows a verb's options with examples.");
  std::vector<std::pair<CLI::App*, std::function<int()>>> verbs;
  for (const Verb& v : kVerbs) {
    CLI::App* sub = app.add_subcommand(v.name, v.summary);
    verbs.emplace_back(sub, v.setup(*sub));
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    const int code = app.exit(e);
    return code == 0 ? 0 : 2;
  }
  for (auto& [sub, run] : verbs) {
    if (!sub->parsed()) continue;
    try {
      return run();
    } catch (const std::exception& e) {
      return fail(fmt::format("internal error: {}", e.what()));
    }
  }
  return 2;
}

}  // namespace
}  // namespace glint::cli

int main(int argc, char** argv) { return glint::cli::main_(argc, argv); }
