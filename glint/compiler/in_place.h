#pragma once

#include <unordered_map>
#include <vector>

#include "glint/compiler/pass.h"

namespace glint::compiler {

bool is_view(const ir::Node& n);
/// The value that `v` is a view of, through any number of views.
const ir::Value* viewed(const ir::Value* v);
bool same_layout(const ir::Type& a, const ir::Type& b);

/// The operands that the operator may write its only result over. Whether they are still needed is for the caller to know.
std::vector<const ir::Value*> overwritable(const ir::Node& n);

/// "aten::index_put_" for "aten::index_put" where stock ExecuTorch has that operator and it takes the call; else nothing.
std::string stock_in_place_name(const ir::Node& n);

/// The view that `scatter`'s source was computed over, if it is the very part that the scatter replaces: then the part is in
/// its place once the source is computed. Null otherwise.
const ir::Value* part_in_place(const ir::Node& scatter);

using Overwrites = std::unordered_map<const ir::Value*, const ir::Value*>;  // result: the value whose memory it takes

/// The results that can be computed in the memory of the graph's states: those that lead from what a state holds on entry to
/// what it ends as, each written over the one before, when nothing reads what was overwritten. Final values that are not
/// among them have to be copied into their states.
Overwrites update_states(const ir::Graph& graph, const Target& target);

}  // namespace glint::compiler
