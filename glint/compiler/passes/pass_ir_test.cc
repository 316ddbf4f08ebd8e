// Runs the cases of every .ir file beside a pass:
//
//   case NAME
//   graph ... => graph ...        what the pass makes of it
//   graph ... => error: TEXT      what it refuses with (a part of the message)
//
// foo_bar.ir belongs to pass foo-bar. Where both graphs can be interpreted, they must also compute the same.
// `pass_ir_test --update` rewrites both halves of each case; `pass_ir_test foo_bar` runs one file.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "glint/compiler/ir/interpret.h"
#include "glint/compiler/pass_manager.h"
#include "glint/ops/ops.h"
#include "glint/compiler/decompose/decompose.h"

namespace glint::compiler {
extern constinit const PassDef* const kPasses[];
extern constinit const unsigned kPassesCount;

namespace {

using ir::Graph;
using ir::Item;

const ir::OpLookup& lookup() {
  static const ir::OpLookup ops(ops::all(), composite_schemas());
  return ops;
}

std::vector<Item> inputs_of(const Graph& graph) {
  std::vector<Item> items;
  uint64_t random = 12345;
  for (const ir::Value* v : graph.inputs) {
    if (!v->type.is_tensor()) {
      items.push_back(Item::of(graph.symbols.range(v->type.number).min));
      continue;
    }
    std::vector<int64_t> sizes;
    int64_t count = 1;
    for (const ir::Dim& d : v->type.dims) sizes.push_back(graph.symbols.evaluate(d, graph.symbols.samples().back())), count *= sizes.back();
    std::vector<double> elements;
    for (int64_t i = 0; i < count; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const double x = double(random >> 40) / double(1 << 24);
      elements.push_back(is_floating(v->type.dtype) ? x * 4 - 2 : std::floor(x * 2));
    }
    items.push_back(Item::tensor(v->type.dtype, sizes, elements));
  }
  return items;
}

bool close(const Item& a, const Item& b) {
  const std::vector<double> x = a.values(), y = b.values();
  if (x.size() != y.size() || !a.meta.same_sizes(b.meta) || a.meta.dtype != b.meta.dtype) return false;
  for (size_t i = 0; i < x.size(); ++i)
    if (!(x[i] == y[i] || (std::isnan(x[i]) && std::isnan(y[i])) || std::abs(x[i] - y[i]) <= 1e-5 * (1 + std::abs(x[i])))) return false;
  return true;
}

bool all_close(const std::vector<Item>& a, const std::vector<Item>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), close);
}

/// Why the two graphs do not compute the same; "" when they do or cannot be run.
std::string difference(const Graph& before, const Graph& after) {
  try {
    ir::verify(before, ir::Stage::kCore);
  } catch (const ir::Error&) {
    return "";  // composites, operations in place: no meaning of their own
  }
  try {
    const std::vector<Item> inputs = inputs_of(before);
    ir::StateStore a, b;
    ir::Interpretation x;
    try {
      x = ir::interpret(before, inputs, a);
    } catch (const ir::Error&) {
      return "";
    }
    const ir::Interpretation y = ir::interpret(after, inputs, b);
    if (!all_close(x.outputs, y.outputs)) return "the graphs compute different results";
    if (!all_close(x.inputs, y.inputs)) return "the graphs leave different inputs";
    for (const auto& [name, item] : a)
      if (!close(item, b.at(name))) return "the graphs leave different states";
  } catch (const ir::Error& e) {
    return e.diagnostic.text();
  }
  return "";
}

struct Case {
  std::string head;  // comments and the "case" line
  std::string before, after;
};

std::vector<Case> read_cases(const std::string& text, std::string& preamble) {
  std::vector<Case> cases;
  std::istringstream lines(text);
  std::string line;
  bool right = false;
  while (std::getline(lines, line)) {
    if (line.rfind("case ", 0) == 0) cases.push_back({line, "", ""}), right = false;
    else if (cases.empty()) preamble += line + "\n";
    else if (line == "=>") right = true;
    else (right ? cases.back().after : cases.back().before) += line + "\n";
  }
  return cases;
}

std::string trimmed(std::string s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.pop_back();
  return s;
}

/// Runs the pass; the printed result, or "error: ...".
std::string outcome(const PassDef& pass, const Case& c, std::string& canonical, std::string& wrong) {
  std::unique_ptr<Graph> graph;
  try {
    graph = ir::parse(c.before, lookup());
    canonical = ir::print(*graph);
  } catch (const ir::Error& e) {
    wrong = e.diagnostic.text();
    return "";
  }
  Target target;
  target.cpu = cpu_by_name("avx2");
  PassContext context{lookup(), target};
  try {
    run_pass(pass, *graph, context);
  } catch (const ir::Error& e) {
    return "error: " + e.diagnostic.message;
  }
  const std::string result = ir::print(*graph);
  try {
    const std::unique_ptr<Graph> before = ir::parse(c.before, lookup());
    wrong = difference(*before, *graph);
    if (ir::print(*ir::parse(result, lookup())) != result) wrong = "the printed result does not read back";
  } catch (const ir::Error& e) {
    wrong = "the printed result does not read back: " + e.diagnostic.text();
  }
  return result;
}

int run_file(const std::filesystem::path& path, const PassDef& pass, bool update, int& count) {
  std::ifstream in(path);
  std::stringstream all;
  all << in.rdbuf();
  std::string preamble;
  int failures = 0;
  std::string rewritten;
  for (const Case& c : read_cases(all.str(), preamble)) {
    ++count;
    std::string canonical, wrong;
    const std::string got = trimmed(outcome(pass, c, canonical, wrong)), want = trimmed(c.after);
    const bool refused = want.rfind("error: ", 0) == 0 && got.find(want) != std::string::npos;
    if (!wrong.empty() || (!update && got != want && !refused)) {
      ++failures;
      std::printf("%s: %s\n%s\n--- got\n%s\n--- expected\n%s\n\n", path.filename().c_str(), c.head.c_str(), wrong.c_str(), got.c_str(), want.c_str());
    }
    rewritten += c.head + "\n" + (canonical.empty() ? c.before : canonical) + "=>\n" + (refused ? want : got) + "\n\n";
  }
  if (update) std::ofstream(path) << preamble << trimmed(rewritten) << "\n";
  return failures;
}

}  // namespace

int main(int argc, char** argv) {
  bool update = false;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--update") == 0) update = true;
    else only = argv[i];
  }
  int failures = 0, count = 0;
  for (unsigned i = 0; i < kPassesCount; ++i) {
    std::string stem(kPasses[i]->name);
    std::replace(stem.begin(), stem.end(), '-', '_');
    const std::filesystem::path path = std::filesystem::path(GLINT_SOURCE_DIR) / "glint/compiler/passes" / (stem + ".ir");
    if (!only.empty() && only != stem) continue;
    if (!std::filesystem::exists(path)) {
      std::printf("%s has no cases\n", stem.c_str());
      continue;
    }
    failures += run_file(path, *kPasses[i], update, count);
  }
  std::printf("%d cases, %d failures\n", count, failures);
  return failures == 0 && count > 0 ? 0 : 1;
}

}  // namespace glint::compiler

int main(int argc, char** argv) { return glint::compiler::main(argc, argv); }
