#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "glint/core/dtype.h"

namespace glint {

/// A tensor as a file describes it. Sizes and dim_order are valid: sizes >= 0, a
/// permutation of as many dimensions, at most kMaxRank, size_bytes within int64.
struct TensorView {
  enum class Storage : uint8_t {
    kNone,      // memory is given at run time
    kConstant,  // `data`
    kPlanned,   // memory `memory_id` (>= 1) at `offset`; kept between calls if `state`
    kExternal,  // found elsewhere under `name`
  };
  enum class Dynamism : uint8_t { kStatic, kBound, kUnbound };

  DType dtype = DType::kF32;
  uint8_t rank = 0;
  Storage storage = Storage::kNone;
  Dynamism dynamism = Dynamism::kStatic;
  bool state = false;                 // planned, and named or with an initial value
  std::span<const int32_t> sizes;     // upper bounds when dynamic
  std::span<const uint8_t> dim_order; // outermost first
  size_t size_bytes = 0;              // of these sizes
  std::span<const std::byte> data;    // of size_bytes: a constant, or a state's initial value; empty if there is none
  uint32_t memory_id = 0;
  uint64_t offset = 0;
  std::string_view name;              // qualified name, often empty
};

/// One entry of a method's value table; the fields of other kinds are empty.
struct ValueView {
  enum class Kind : uint8_t {
    kNone, kInt, kBool, kDouble, kString, kTensor, kIntList, kDoubleList, kBoolList, kTensorList, kOptionalTensorList,
  };
  Kind kind = Kind::kNone;
  int64_t i = 0;                       // kInt, kBool
  double d = 0;
  std::string_view text;
  std::span<const int64_t> ints;       // kIntList: indices of kInt values
  std::span<const double> doubles;
  std::span<const bool> bools;
  std::span<const int32_t> tensors;    // lists: indices of kTensor values; -1 (None) only in kOptionalTensorList
  TensorView tensor;
};

struct InstructionView {
  enum class Kind : uint8_t { kKernel, kDelegate, kMove, kJumpFalse, kFree };
  Kind kind = Kind::kKernel;
  int32_t index = -1;             // kKernel: the operator; kDelegate: the delegate; kJumpFalse: the instruction to go to
  std::span<const int32_t> args;  // kKernel, kDelegate: values
  int32_t from = -1, to = -1;     // kMove: values; kJumpFalse: from is the condition; kFree: from is the tensor
};

struct OperatorView {
  std::string_view name, overload;  // "aten::add", "out"
};

struct CompileSpecView {
  std::string_view key;
  std::span<const std::byte> value;
};

struct DimRangeView {
  int64_t min = 0, max = 0, multiple = 1;
};

/// A method: values and instructions by index. Everything it returns has been
/// checked: indices are in range and of the right kind. A program file has these;
/// a delegate that is made of operators makes its own.
class MethodView {
 public:
  virtual std::string_view name() const = 0;
  virtual uint32_t value_count() const = 0;
  virtual ValueView value(uint32_t i) const = 0;
  virtual std::span<const int32_t> inputs() const = 0;
  virtual std::span<const int32_t> outputs() const = 0;
  virtual uint32_t instruction_count() const = 0;
  virtual InstructionView instruction(uint32_t i) const = 0;
  virtual uint32_t operator_count() const = 0;
  virtual OperatorView op(uint32_t i) const = 0;

 protected:
  ~MethodView() = default;
};

}  // namespace glint
