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
///   graph forward(%x: f32[2,s0]) symbols(s0: 1..32) states(%h: f32[1,4] = "h" -> %h2) constants(%w: f32[2,1] = [1.0, 0.5]) {
///     %a = aten::add.Tensor(%x, %w, alpha=2) : f32[2,s0]  // origin
///     return %a
///   }
/// Leading values are positional, all other arguments name=value with defaults left out. Header clauses, in this order, each
/// only where there is something: symbols (name: min..max step 8 data), states (a literal after the name is its initial value;
/// none is zeros), constants, mutations (input's index -> %value), outputs (names), specs (pytrees).
/// Constants of up to 64 elements print their elements; larger ones one number (all elements equal) or "dense<hash>". With `origins`, comments tell where nodes come from.
std::string print(const Graph& graph, bool origins = false);
/// Reads one graph. Types of results may be left out (inferred), a constant may be one number for all its elements.
/// Constants written as dense<hash> have that hash and cannot be read. Throws ir::Error with line and column.
std::unique_ptr<Graph> parse(std::string_view text, const OpLookup& ops);
/// Reads several: "graph a(...) {...} graph b(...) {...}".
std::vector<std::unique_ptr<Graph>> parse_all(std::string_view text, const OpLookup& ops);

/// Throws ir::Error when the graph breaks an invariant: use before definition, types that disagree with infer at
/// a sample, arguments that do not fit the schema, an operator not legal in `stage`.
void verify(const Graph& graph, Stage stage);

}  // namespace glint::ir
