#pragma once

// The part of Python's pickle format that torch.save uses for a dictionary of
// tensors. Reading builds data and nothing else: no name is ever looked up or
// called; any opcode or global outside the subset is refused.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "glint/core/dtype.h"

namespace glint::compiler {

/// A tensor as pickled: a strided view of a storage of the archive. Not checked against the storage's bytes.
struct PickledTensor {
  std::string storage;  // key: the entry is "data/<storage>"
  DType dtype = DType::kF32;
  int64_t storage_elements = 0;
  int64_t offset = 0;  // elements
  std::vector<int64_t> sizes, strides;
};

struct PickledTensors {
  std::vector<std::pair<std::string, PickledTensor>> named;  // of a dictionary
  std::vector<PickledTensor> single;                         // when the pickle is one tensor
};

/// Reads `data.pkl`. Throws ir::Error: kInvalidProgram when it is malformed, kUnsupported when it holds anything else than
/// a dictionary of names to tensors, or one tensor.
PickledTensors read_pickled_tensors(std::string_view pickle);

}  // namespace glint::compiler
