#pragma once

// Runs passes, checks what they promise, tells what they did.

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "glint/compiler/pass.h"

namespace glint::compiler {

/// Runs one pass and verifies the graph at the stage that the pass gives. Returns whether the graph changed.
/// An ir::Error that leaves names the pass.
bool run_pass(const PassDef& pass, ir::Graph& graph, PassContext& context);

/// What one pass did.
struct PassRun {
  std::string_view name;
  bool changed = false;
  double ms = 0;  // with verification
};

/// Sees the graph before and after every pass.
using PassHook = std::function<void(const PassDef& pass, bool after, const ir::Graph& graph)>;

/// Runs passes in order.
std::vector<PassRun> run_passes(std::span<const PassDef* const> passes, ir::Graph& graph, PassContext& context, const PassHook& hook = {});

}  // namespace glint::compiler
