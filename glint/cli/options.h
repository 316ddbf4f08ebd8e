#pragma once

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "glint/compiler/compiler.h"

namespace glint::cli {

/// The options that every verb which compiles has.
struct CompileFlags {
  std::string target = "cpu", isa, print_ir;
  std::vector<std::string> bounds;

  void add(CLI::App& app);
  /// False, with a message on standard error, when an option is malformed.
  bool to_options(compiler::CompileOptions& options) const;
};

}  // namespace glint::cli
