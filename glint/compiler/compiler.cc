#include "glint/compiler/compiler.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <new>

#include <sys/stat.h>

#include "glint/compiler/decompose/decompose.h"
#include "glint/compiler/ir/match.h"
#include "glint/compiler/pass_manager.h"
#include "glint/ops/ops.h"

namespace glint::compiler {

// The plug-in table of glint/compiler/passes, made by the build.
extern constinit const PassDef* const kPasses[];
extern constinit const unsigned kPassesCount;

namespace {

using Clock = std::chrono::steady_clock;
double ms_since(Clock::time_point start) { return std::chrono::duration<double, std::milli>(Clock::now() - start).count(); }

// From the exported program to core ATen.
constexpr std::string_view kToCore[] = {
    "functionalize", "decompose", "sink-constants", "eliminate-dead-code", "eliminate-common-subexpressions", "fold-constants", "simplify-views", "eliminate-common-subexpressions", "eliminate-dead-code",
};
// What every target gains from.
constexpr std::string_view kCommon[] = {"fold-batch-norm", "fold-constants", "eliminate-dead-code"};

struct Unknown { int count = 0; std::string operands; ir::OriginPtr origin; };

void find_unknown(const ir::Graph& graph, std::map<std::string, Unknown>& unknown) {
  for (const ir::Node* n : graph.nodes()) {
    for (const auto& region : n->regions) find_unknown(*region, unknown);
    if (n->schema != nullptr || ir::is_control_flow(*n) || n->results().empty()) continue;  // without results: a check of the exporter's, dropped
    Unknown& u = unknown[n->op];
    if (u.count++ == 0) u.operands = ir::describe_operands(*n), u.origin = n->origin;
  }
}

/// Operators that nothing in this build computes, all in one message.
void refuse_unknown(const ir::Module& module) {
  std::map<std::string, Unknown> unknown;
  for (const auto& graph : module.methods) find_unknown(*graph, unknown);
  if (unknown.empty()) return;
  std::string text = unknown.size() == 1 ? "an operator is unknown:" : std::to_string(unknown.size()) + " operators are unknown:";
  for (const auto& [op, u] : unknown) {
    text += "\n  " + op + "(" + u.operands + ")";
    if (u.count > 1) text += ", " + std::to_string(u.count) + " calls";
    if (u.origin != nullptr && !u.origin->source.empty()) text += "\n    first at " + u.origin->source;
    else if (u.origin != nullptr && !u.origin->module_path.empty()) text += "\n    first in " + u.origin->module_path;
  }
  throw ir::Error(Code::kUnsupported, text, {}, {}, "`glint ops` lists the operators of this build");
}

void run_passes(ir::Module& module, std::span<const std::string_view> names, const CompileOptions& options, CompileReport* report) {
  const auto start = Clock::now();
  PassContext context{op_lookup(), options.target};
  for (const std::string_view name : names) {
    const PassDef* pass = find_pass(name);
    if (pass == nullptr) throw ir::Error(Code::kInternal, "the pipeline names a pass that does not exist: " + std::string(name));
    const auto pass_start = Clock::now();
    int changed = 0;
    for (auto& graph : module.methods) {
      if (options.observe) options.observe(name, false, *graph);
      try {
        changed += run_pass(*pass, *graph, context);
      } catch (ir::Error& e) {
        if (module.methods.size() > 1) e.diagnostic.message = "method " + graph->name + ": " + e.diagnostic.message;
        throw;
      }
      if (options.observe) options.observe(name, true, *graph);
    }
    if (report != nullptr) report->passes.push_back({std::string(name), ms_since(pass_start), changed});
  }
  if (report != nullptr) report->passes_ms += ms_since(start);
}

}  // namespace

const ir::OpLookup& op_lookup() {
  static const ir::OpLookup lookup(ops::all(), composite_schemas());
  return lookup;
}

const PassDef* find_pass(std::string_view name) {
  for (unsigned i = 0; i < kPassesCount; ++i)
    if (kPasses[i]->name == name) return kPasses[i];
  return nullptr;
}

std::vector<std::string_view> pipeline(const Target& target) {
  std::vector<std::string_view> names(std::begin(kToCore), std::end(kToCore));
  names.insert(names.end(), std::begin(kCommon), std::end(kCommon));
  if (target.kind == Target::Kind::kPortable) names.insert(names.end(), {"legalize-portable", "fold-constants", "eliminate-dead-code"});
  else names.insert(names.end(), {"pack-weights", "eliminate-common-subexpressions", "fold-constants", "use-cpu-kernels", "eliminate-dead-code", "fuse-elementwise", "assign-layouts", "lower-views", "eliminate-dead-code"});
  return names;
}

void lower_to_core(ir::Module& module, const CompileOptions& options, CompileReport* report) {
  refuse_unknown(module);
  run_passes(module, kToCore, options, report);
}

void lower(ir::Module& module, const CompileOptions& options, CompileReport* report) {
  lower_to_core(module, options, report);
  const auto all = pipeline(options.target);
  run_passes(module, std::span(all).subspan(std::size(kToCore)), options, report);
}

namespace {

Status status_of_code(Code code) {
  switch (code) {
    case Code::kUnsupported: return unsupported("the model cannot be compiled");
    case Code::kIo: return io_error("the model cannot be read");
    case Code::kInvalidProgram: return invalid_program("the model is malformed");
    case Code::kOutOfMemory: return out_of_memory("the model does not fit in memory");
    case Code::kInternal: return internal_error("the compiler broke a promise");
    default: return invalid_argument("the model cannot be compiled");
  }
}

/// Import, passes, emission; then `write` gets the description of the file while the module is alive.
template <class Write>
Status compile_with(const Sources& sources, const CompileOptions& options, CompileReport& report, std::string& message, Write&& write) {
  const auto progress = [&](const std::string& step) { if (options.progress) options.progress(step); };
  try {
    auto start = Clock::now();
    progress("reading");
    const auto module = import_methods(sources, op_lookup(), options.import);
    report.import_ms = ms_since(start);
    progress("compiling");
    lower(*module, options, &report);
    ProgramSpec spec = emit(*module, op_lookup(), options.target, &report.methods);
    for (const DataSpec& c : spec.constants) report.constant_bytes += c.size;
    if (!options.preprocess.empty()) spec.named_data.push_back({"glint.preprocess", DataSpec::of(options.preprocess)});
    progress("writing the program");
    start = Clock::now();
    std::string detail;
    const Status s = write(spec, &detail);
    if (!s.ok()) message = std::string(s.why()) + (detail.empty() ? "" : ": " + detail);
    report.write_ms = ms_since(start);
    return s;
  } catch (const ir::Error& e) {
    message = e.diagnostic.text();
    return status_of_code(e.diagnostic.code);
  } catch (const std::bad_alloc&) {
    message = "the model does not fit in memory";
    return out_of_memory("the model does not fit in memory");
  } catch (const std::exception& e) {
    message = std::string("internal error: ") + e.what();
    return internal_error("an unexpected exception");
  }
}

}  // namespace

Status compile(const Sources& sources, const std::string& program, const CompileOptions& options, CompileReport& report, std::string& message) {
  const Status s = compile_with(sources, options, report, message, [&](const ProgramSpec& spec, std::string* detail) { return write_program(spec, program.c_str(), {}, detail); });
  struct stat info;
  if (s.ok() && stat(program.c_str(), &info) == 0) report.file_bytes = uint64_t(info.st_size);
  return s;
}

Status compile(const Sources& sources, std::vector<std::byte>& program, const CompileOptions& options, CompileReport& report, std::string& message) {
  const Status s = compile_with(sources, options, report, message, [&](const ProgramSpec& spec, std::string* detail) { return write_program(spec, program, {}, detail); });
  report.file_bytes = program.size();
  return s;
}

}  // namespace glint::compiler
