#pragma once

// Text, checks and meaning of the IR.

#include <string>
#include <vector>

#include "glint/compiler/ir/builder.h"
#include "glint/compiler/ir/graph.h"

namespace glint::ir {

/// What a graph may contain, in growing order.
enum class Stage : uint8_t { kImported, kCore, kLowered, kPlanned };

/// The text form:
///   graph forward(%x: f32[2,s0]) symbols(s0: 1..32) states(%h: f32[1,4] = "h" -> %h2) constants(%w: f32[4,4] = <hash or literal>) {
///     %a = aten::add.Tensor(%x, %w, alpha=1) : f32[2,s0]   // origin
///     return %a
///   }
/// Arguments after the last positional one are printed as name=value, defaults left out.
/// Constants of up to 64 elements print their elements; larger ones "dense<hash>". With `origins`, comments tell where nodes come from.
std::string print(const Graph& graph, bool origins = false);
/// Reads one graph, or several ("graph a(...) {...} graph b(...) {...}"). Types of results may be left out (inferred). Throws ir::Error with line and column.
std::unique_ptr<Graph> parse(std::string_view text, const OpLookup& ops);

/// Throws ir::Error when the graph breaks an invariant: use before definition, types that disagree with infer at
/// a sample, arguments that do not fit the schema, an operator not legal in `stage`.
void verify(const Graph& graph, Stage stage);

}  // namespace glint::ir
