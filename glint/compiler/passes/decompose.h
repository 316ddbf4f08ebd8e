#pragma once

// Composite operators and how they fall apart into core ones. A table of rows,
// one file a family: adding one is one row and one case in decompose.ir.

#include <span>

#include "glint/compiler/pass.h"

namespace glint::compiler {

/// One composite: its full ATen schema, and what replaces a call. `expand` builds the replacement with
/// b (positioned at the node) and returns one value per result of the node; it may build other composites
/// through b.composite, which are expanded in turn. Throws ir::Error for calls it cannot take.
struct Composite {
  const Schema* schema;
  std::vector<ir::Value*> (*expand)(ir::Builder& b, const ir::Node& node);
};

/// All composites of this build.
std::span<const Composite> composites();
/// Their schemas, for ir::OpLookup.
std::span<const Schema* const> composite_schemas();

}  // namespace glint::compiler
