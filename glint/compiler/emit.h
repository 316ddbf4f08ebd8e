#pragma once

#include <map>
#include <string>
#include <vector>

#include "glint/compiler/pass.h"
#include "glint/format/program_spec.h"

namespace glint::compiler {

/// What the compiler did to one method, for people.
struct MethodReport {
  std::string name;
  std::map<std::string, int> operators;  // calls in the file, by name
  uint64_t arena_bytes = 0;              // planned memory of activations, at the bounds
  uint64_t state_bytes = 0;
  uint64_t constant_bytes = 0;           // constants this method refers to, each counted once
};

/// Turns lowered graphs into the description of a file: numbers the values, plans memory (liveness, in-place
/// reuse, views in the memory of what they view), writes states back. Constants are read one at a time when the file is
/// written, so the module must live until then. Throws ir::Error for what the format or target cannot hold:
/// operators without a stock kernel under Target::kPortable, ranks above 16, unbounded sizes.
ProgramSpec emit(const ir::Module& module, const ir::OpLookup& ops, const Target& target, std::vector<MethodReport>* reports = nullptr);

}  // namespace glint::compiler
