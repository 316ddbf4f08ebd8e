#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "glint/compiler/ir/ir.h"

namespace glint::compiler {

/// What the program is compiled for.
struct Target {
  enum class Kind : uint8_t { kPortable, kCpu } kind = Kind::kCpu;
  Cpu cpu;             // kCpu: what `plan` is asked with
};

/// What a pass gets besides the graph.
struct PassContext {
  const ir::OpLookup& ops;
  const Target& target;
};

/// A pass: one file in compiler/passes defines exactly one, as `pass_<stem>`, with its cases in <stem>.ir.
/// `run` throws ir::Error; it holds no state between runs. The pass manager verifies, prints, counts and times.
struct PassDef {
  std::string_view name;     // "fold-batch-norm"
  std::string_view summary;
  ir::Stage needs;
  ir::Stage gives;
  void (*run)(ir::Graph& graph, PassContext& context);
};

}  // namespace glint::compiler
