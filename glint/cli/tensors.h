#pragma once

#include <string>
#include <vector>

#include "glint/core/tensor.h"

namespace glint::cli {

/// A row-major tensor that owns its elements, by name.
struct NamedTensor {
  std::string name;
  Tensor tensor;                  // data points into `bytes`
  std::vector<std::byte> bytes;

  static NamedTensor make(std::string name, DType dtype, const std::vector<int64_t>& sizes);
  /// A copy of any tensor, made row-major.
  static NamedTensor copy(std::string name, const Tensor& from);
  NamedTensor() = default;
  NamedTensor(NamedTensor&&) = default;
  NamedTensor& operator=(NamedTensor&&) = default;
};

/// Reads a NumPy file (format 1 to 3, C or Fortran order, little-endian) or all tensors of a safetensors file.
/// An empty `error` when it worked.
std::vector<NamedTensor> load_tensors(const std::string& path, std::string& error);
/// Writes a safetensors file, through a temporary one.
void save_safetensors(const std::string& path, const std::vector<NamedTensor>& tensors, std::string& error);

}  // namespace glint::cli
