#pragma once

#include "glint/compiler/import/pt2.h"

namespace glint::compiler {

/// An archive and the method that it becomes; without a name, what the archive itself says ("forward" when it holds one program).
struct Source {
  std::string method, path;
};
/// The methods of one program. An archive's path alone will do.
struct Sources : std::vector<Source> {
  using std::vector<Source>::vector;
  Sources(std::string path) : std::vector<Source>{{"", std::move(path)}} {}
};

/// Reads every source into one module. Methods share states by qualified name: a buffer that one of them changes is a state of
/// every method that has it, and must have the same dtype, sizes and initial value in all of them. A bound "SIZE" holds for every
/// source, "METHOD.SIZE" for one. Throws ir::Error.
std::unique_ptr<ir::Module> import_methods(const Sources& sources, const ir::OpLookup& ops, const ImportOptions& options);

}  // namespace glint::compiler
