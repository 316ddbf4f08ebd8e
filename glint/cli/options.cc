#include "glint/cli/options.h"

#include <charconv>

#include <fmt/format.h>

#include "glint/cli/verb.h"
#include "glint/compiler/ir/ir.h"

namespace glint::cli {

void CompileFlags::add(CLI::App& app) {
  app.add_option("--target", target, "cpu: Glint's own operators, packed for this processor; portable: stock ExecuTorch's portable kernels only")
      ->check(CLI::IsMember({"cpu", "portable"}))
      ->capture_default_str();
  app.add_option("--isa", isa, "for --target=cpu: the instruction set to plan for (default: this machine's)")->check(CLI::IsMember({"scalar", "avx2", "avx512", "neon"}));
  app.add_option("--bound", bounds, "NAME=N: the largest value of a size that the archive leaves open, as u0=64; METHOD.NAME=N: of one of several methods")->allow_extra_args(false);
  app.add_option("--print-ir", print_ir, "before:PASS or after:PASS (PASS may be 'all'): print the graph there");
}

bool CompileFlags::to_options(compiler::CompileOptions& options) const {
  options.target.kind = target == "portable" ? compiler::Target::Kind::kPortable : compiler::Target::Kind::kCpu;
  options.target.cpu = isa.empty() ? detect_cpu() : cpu_by_name(isa);
  for (const std::string& b : bounds) {
    const size_t equals = b.find('=');
    int64_t n = 0;
    const char* end = b.data() + b.size();
    if (equals == b.npos || equals == 0 || std::from_chars(b.data() + equals + 1, end, n).ptr != end || n < 0) return fail(fmt::format("--bound {}: expected NAME=N", b)), false;
    options.import.bounds.emplace_back(b.substr(0, equals), n);
  }
  if (!print_ir.empty()) {
    const bool after = print_ir.rfind("after:", 0) == 0, before = print_ir.rfind("before:", 0) == 0;
    const std::string pass = print_ir.substr(print_ir.find(':') + 1);
    if ((!after && !before) || (pass != "all" && compiler::find_pass(pass) == nullptr)) {
      std::string names;
      for (const std::string_view name : compiler::pipeline(options.target)) names += "\n  " + std::string(name);
      return fail(fmt::format("--print-ir {}: expected before:PASS or after:PASS, PASS being 'all' or one of{}", print_ir, names)), false;
    }
    options.observe = [after, pass](std::string_view name, bool is_after, const ir::Graph& graph) {
      if (is_after == after && (pass == "all" || name == pass)) fmt::print("# {} {}\n{}\n", after ? "after" : "before", name, ir::print(graph));
    };
  }
  return true;
}

}  // namespace glint::cli
