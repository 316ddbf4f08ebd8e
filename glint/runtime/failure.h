#pragma once

#include <cstdint>
#include <string_view>

#include "glint/base/status.h"
#include "glint/core/tensor.h"

namespace glint {

/// What went wrong, as far as it is known: filled where the error arises, made into text by a host tool.
/// Texts point into the program's bytes or are literals.
struct Failure {
  enum class At : uint8_t { kNowhere, kInput, kOutput, kInstruction, kValue, kState };
  Status status;
  At at = At::kNowhere;
  int32_t index = -1;       // of the input, output, instruction, value or state
  int32_t argument = -1;    // kInstruction: the operator's argument or, counted on, result
  int32_t dim = -1;         // the dimension of a size that does not fit
  std::string_view name;    // of the operator, backend, input or state
  std::string_view overload;
  bool has_got = false;     // `got` is what came instead of `expected`
  TensorMeta got, expected; // expected: sizes are the largest allowed
  int64_t min = 0, max = 0, multiple = 1;  // of dimension `dim`
};

}  // namespace glint
