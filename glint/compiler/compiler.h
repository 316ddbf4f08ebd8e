#pragma once

// The compiler from outside: a model file in, a program file out.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "glint/compiler/emit.h"
#include "glint/compiler/methods.h"
#include "glint/compiler/pass.h"

namespace glint::compiler {

struct CompileOptions {
  Target target;
  ImportOptions import;
  /// Kept in the program under "glint.preprocess" for `glint run --image`.
  std::string preprocess;
  /// Called before and after every pass; may be empty.
  std::function<void(std::string_view pass, bool after, const ir::Graph&)> observe;
  /// Called with what is being done, for people; may be empty.
  std::function<void(std::string_view step)> progress;
};

struct CompileReport {
  struct PassTime { std::string name; double ms = 0; int changed = 0; };
  std::vector<MethodReport> methods;
  std::vector<PassTime> passes;
  uint64_t constant_bytes = 0, file_bytes = 0;
  double import_ms = 0, passes_ms = 0, write_ms = 0;
};

/// Operators, composites: everything that this build knows.
const ir::OpLookup& op_lookup();

/// The names of the passes that run for a target, in order. The only place that knows the whole order.
std::vector<std::string_view> pipeline(const Target& target);
/// The pass called `name`, or null.
const PassDef* find_pass(std::string_view name);

/// Runs the pipeline on every method. Throws ir::Error; unknown operators are refused all at once.
void lower(ir::Module& module, const CompileOptions& options, CompileReport* report = nullptr);
/// The same up to stage core: what `verify` interprets.
void lower_to_core(ir::Module& module, const CompileOptions& options, CompileReport* report = nullptr);

/// Compiles .pt2 archives, each a method or more, to one `program`: `compile({{"prefill", "a.pt2"}, {"decode", "b.pt2"}}, ...)`, or
/// the path of one archive alone. Methods share states by name (methods.h) and constants by content. On failure nothing is written, the status says what kind of error and
/// `message` (several lines) explains it. Never throws.
Status compile(const Sources& sources, const std::string& program, const CompileOptions& options, CompileReport& report, std::string& message);
/// The same into memory.
Status compile(const Sources& sources, std::vector<std::byte>& program, const CompileOptions& options, CompileReport& report, std::string& message);

}  // namespace glint::compiler
