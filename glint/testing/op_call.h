#pragma once

// Calls one operator definition from a test, with tensors that own their memory.

#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "glint/core/op_def.h"

namespace glint::testing {

/// A tensor and its memory. Copies share the memory.
class HostTensor {
 public:
  HostTensor() = default;
  /// Zero-filled, row-major.
  HostTensor(DType dtype, std::vector<int64_t> sizes);
  /// Elements given in row-major order and converted to `dtype`.
  HostTensor(DType dtype, std::vector<int64_t> sizes, const std::vector<double>& values);

  /// The same elements laid out with these strides (elements; 0 repeats; every offset >= 0).
  HostTensor with_strides(const std::vector<int64_t>& strides) const;
  HostTensor contiguous() const;

  Tensor& tensor() { return tensor_; }
  const Tensor& tensor() const { return tensor_; }
  /// Bytes of its memory, gaps between elements included.
  size_t memory_bytes() const { return memory_->size(); }
  /// Elements in row-major order, as doubles.
  std::vector<double> values() const;
  /// "float32[2, 3]"
  std::string describe() const;

 private:
  Tensor tensor_;
  std::shared_ptr<std::vector<std::byte>> memory_;
};

HostTensor f32(std::vector<int64_t> sizes, const std::vector<double>& values = {});
HostTensor i64(std::vector<int64_t> sizes, const std::vector<double>& values = {});

/// One operand, owning what it points at.
struct Operand {
  enum class Kind { kNone, kTensor, kTensors, kInt, kInts, kFloat, kFloats, kBool, kBools, kString } kind = Kind::kNone;
  std::vector<HostTensor> tensors;       // kTensor: one; kTensors: in order, see `absent`
  std::vector<bool> absent;              // kTensors: which entries are None
  std::vector<int64_t> ints;
  std::vector<double> floats;
  std::vector<char> bools;
  std::string text;

  Operand() = default;
  Operand(HostTensor t) : kind(Kind::kTensor), tensors{std::move(t)} {}
  Operand(std::vector<HostTensor> t) : kind(Kind::kTensors), tensors(std::move(t)), absent(tensors.size()) {}
  Operand(int v) : kind(Kind::kInt), ints{v} {}
  Operand(int64_t v) : kind(Kind::kInt), ints{v} {}
  Operand(double v) : kind(Kind::kFloat), floats{v} {}
  Operand(bool v) : kind(Kind::kBool), bools{char(v)} {}
  Operand(std::vector<int64_t> v) : kind(Kind::kInts), ints(std::move(v)) {}
  Operand(std::vector<double> v) : kind(Kind::kFloats), floats(std::move(v)) {}
  Operand(const char* v) : kind(Kind::kString), text(v) {}
  Operand(std::string_view v) : kind(Kind::kString), text(v) {}
  Operand(DType v) : kind(Kind::kInt), ints{int64_t(v)} {}
};

/// What a call gave: its results as tensors (numbers become 0-d tensors).
struct Outcome {
  Status status;
  std::vector<HostTensor> results;
};

struct CallOptions {
  Cpu cpu = detect_cpu();
  Parallel* parallel = nullptr;
  uint32_t list_results = 1;      // how many entries a Tensor[] result has
  bool channels_last_result = false;
  size_t memory_limit = SIZE_MAX;  // of each result and of scratch: beyond it the call gives kOutOfMemory
  bool reversed_results = false;  // the first dimension is the fastest
  bool in_place = false;          // operators that update their first operand write over (a copy of) it
  Generator* generator = nullptr;  // of random operators; null: one with the default seed
  std::vector<int64_t> result_strides;  // of the first result; empty: as `infer` says
};

/// infer, plan and run, as the runtime does; operands in the schema's order, trailing
/// ones may be left out and take their defaults.
Outcome call(const OpDef& op, std::vector<Operand> operands, const CallOptions& options = {});

/// The definition called `name`, found in `table`; aborts the test when it is not there.
const OpDef& op(OpTable table, const char* name);

/// A default written in a schema ("None", "True", "[0, 1]", "contiguous_format", 'mean'), as an operand.
/// False when it is not understood.
bool parse_default(const SchemaArg& arg, Operand& out);

}  // namespace glint::testing
