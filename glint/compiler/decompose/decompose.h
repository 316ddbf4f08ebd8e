#pragma once

// Composite operators and how they fall apart into core ones. A table of rows,
// one file a family: adding one is one row.

#include <span>
#include <vector>

#include "glint/compiler/ir/builder.h"

namespace glint::compiler {

class Expansion;

/// One composite: its full ATen schema, and what replaces a call.
struct Composite {
  const Schema* schema = nullptr;
  ir::Value* (*one)(Expansion&) = nullptr;
  std::vector<ir::Value*> (*many)(Expansion&) = nullptr;

  /// Builds the replacement with `b` (positioned at the node) and returns one value per result of the node (one per
  /// entry of a Tensor[] result). Values may be operands of the node. Throws ir::Error for calls it cannot take.
  std::vector<ir::Value*> expand(ir::Builder& b, const ir::Node& node) const;
};

/// All composites of this build.
std::span<const Composite> composites();
/// Their schemas, for ir::OpLookup.
std::span<const Schema* const> composite_schemas();
/// The composite called `name`, or null.
const Composite* find_composite(std::string_view name);

}  // namespace glint::compiler
