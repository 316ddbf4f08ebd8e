#pragma once

// Questions that passes ask about nodes and values.

#include "glint/compiler/ir/graph.h"

namespace glint::ir {

/// "aten::add.Tensor" of "aten::add_.Tensor"; empty when the name is not one of an operation in place.
std::string functional_name(std::string_view op);
/// "add" of "aten::add.Tensor".
std::string_view base_name(std::string_view op);
/// May be merged with an equal call, computed while compiling, or dropped: no effect, no randomness.
bool is_pure(const Node& node);
/// cond, while_loop, map or scan with the graphs and operands that they take.
bool is_control_flow(const Node& node);
/// May be dropped when nothing uses its results. Random operators may not: later ones would draw other numbers.
bool is_removable(const Node& node);
/// The value is a constant of the graph.
inline bool is_constant(const Value* v) { return v != nullptr && v->role == Value::Role::kConstant; }
/// `node` is the only use of `v`, which is no output either.
bool is_only_use(const Value* v, const Node* node);
/// The same dtype and sizes (dim orders aside).
bool same_type(const Type& a, const Type& b);
/// Bytes of a tensor type at the upper bounds of its sizes; saturates.
uint64_t size_bytes(const Type& type, const Symbols& symbols);
/// For a node that computes `value`'s value in the place of `source`'s work: source's module and line under value's name.
OriginPtr origin_for(const OriginPtr& source, const OriginPtr& value);
/// Drops nodes without use and constants that nothing needs any more.
void eliminate_dead_code(Graph& graph);

}  // namespace glint::ir
