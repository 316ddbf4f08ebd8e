#pragma once

// Symbolic sizes as exported programs write them: sympy's srepr ("Mul(Integer(6), Symbol('s27', positive=True, integer=True))")
// or, in older archives, plain arithmetic ("6*s0 + 1").

#include <string>
#include <string_view>
#include <unordered_map>

#include "glint/compiler/ir/symbols.h"

namespace glint::compiler {

/// Reads expressions over the symbols of one program and adds the symbols that it meets.
class SymbolReader {
 public:
  explicit SymbolReader(ir::Symbols& symbols) : symbols_(symbols) {}

  /// Throws ir::Error when the text is malformed or nested too deeply. An expression that sizes cannot hold (a
  /// square root, say) becomes a symbol of its own, the same one for the same text.
  ir::Dim read(std::string_view text);
  /// The symbol called `name`, added when it is new. "u0" and the like are data-dependent.
  int symbol(std::string_view name);
  ir::Dim dim_of(std::string_view name);

 private:
  ir::Symbols& symbols_;
  std::unordered_map<std::string, ir::Dim> known_;
};

}  // namespace glint::compiler
