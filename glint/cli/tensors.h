#pragma once

#include <string>
#include <utility>
#include <vector>

#include "glint/module/owned_tensor.h"

namespace glint::cli {

using NamedTensors = std::vector<std::pair<std::string, OwnedTensor>>;

/// Reads a NumPy file (format 1 to 3, C or Fortran order, little-endian; its name is empty) or all tensors of a safetensors file.
/// An empty `error` when it worked.
NamedTensors load_tensors(const std::string& path, std::string& error);
/// Writes a safetensors file, through a temporary one.
void save_safetensors(const std::string& path, const NamedTensors& tensors, std::string& error);

}  // namespace glint::cli
