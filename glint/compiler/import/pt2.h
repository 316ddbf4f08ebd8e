#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "glint/compiler/ir/builder.h"

namespace glint::compiler {

struct ImportOptions {
  /// Upper bounds for symbols that the archive leaves open: {"u0", 64}.
  std::vector<std::pair<std::string, int64_t>> bounds;
};

/// Reads a torch.export archive (`.pt2`, PyTorch 2.5 to 2.14) into a graph in stage imported: ATen calls as exported,
/// in-place ones included; parameters and tensor constants as constants that read their bytes from the archive on demand;
/// buffers that the program mutates as states. Operators that `ops` does not know stay as nodes without schema.
/// Throws ir::Error (kIo, kInvalidProgram, kUnsupported). Never reads the whole archive into memory.
std::unique_ptr<ir::Module> import_pt2(const std::string& path, const ir::OpLookup& ops, const ImportOptions& options = {});
/// The same for an archive in memory, which the constants keep alive.
std::unique_ptr<ir::Module> import_pt2_bytes(std::vector<std::byte> archive, const ir::OpLookup& ops, const ImportOptions& options = {});

}  // namespace glint::compiler
