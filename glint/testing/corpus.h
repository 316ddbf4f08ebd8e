#pragma once

// The recorded corpora: tensors by key and the rule that says when a result is right
// (the README of the corpus).

#include <map>
#include <string>
#include <vector>

#include "glint/base/platform.h"
#include "glint/testing/op_call.h"

namespace glint::testing {

/// A safetensors file by key.
class TensorFile {
 public:
  /// Empty `error` when it worked.
  static TensorFile open(const std::string& path, std::string& error);
  bool has(const std::string& key) const { return entries_.count(key) != 0; }
  /// A copy, row-major. `complex`: the last dimension of size 2 holds real and imaginary parts.
  HostTensor get(const std::string& key, bool complex = false) const;

 private:
  struct Entry { TensorMeta meta; std::span<const std::byte> bytes; };
  std::map<std::string, Entry> entries_;
  std::shared_ptr<MappedFile> file_;
};

/// Empty when `got` is right, else what is wrong. Integers and booleans exactly; infinities and NaN at the same positions;
/// floats within `tolerance` times the largest finite magnitude of `want`, plus `slack`.
std::string compare(const HostTensor& got, const HostTensor& want, double tolerance, double slack = 0);

/// eps of a dtype (2^-52, 2^-23, 2^-10, 2^-7); 0 for integers.
double epsilon(DType d);

}  // namespace glint::testing
