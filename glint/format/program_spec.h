#pragma once

// What a `.pte` file says, in plain C++: the compiler fills a ProgramSpec, the
// writer turns it into bytes. Host code; the device half never includes this.

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "glint/base/result.h"
#include "glint/core/dtype.h"

namespace glint {

/// Receives the bytes of one DataSpec, in order, in any number of pieces.
using DataSink = std::function<Status(std::span<const std::byte>)>;

/// A 128-bit hash of bytes fed in pieces, for DataSpec::hash. Finds equal contents; no defence against an adversary.
class ContentHash {
 public:
  void add(std::span<const std::byte> bytes);
  std::array<uint64_t, 2> get() const;

 private:
  void block(uint64_t a, uint64_t b);
  uint64_t state_[2] = {0x9e3779b97f4a7c15u, 0xc2b2ae3d27d4eb4fu};
  uint64_t size_ = 0;
  std::byte pending_[16] = {};
};

/// Bytes that the writer asks for when it reaches their place in the file, so that
/// only one constant need be in memory at a time.
struct DataSpec {
  uint64_t size = 0;
  /// Gives exactly `size` bytes to the sink. May be called twice when `hash` is zero and another
  /// data has the same size.
  std::function<Status(const DataSink&)> write;
  /// ContentHash of the bytes, or zero: the writer computes it if it needs it. Data of equal size and hash are stored once.
  std::array<uint64_t, 2> hash{};

  /// Data that owns a copy of its bytes.
  static DataSpec of(std::span<const std::byte> bytes);
  static DataSpec of(const std::string& text) { return of(std::as_bytes(std::span(text))); }
  /// Data that reads memory which the caller keeps alive until the file is written.
  static DataSpec borrowed(std::span<const std::byte> bytes);
};

/// The sizes that one dimension may take at run time: min, min + multiple, ..., max.
struct DimRange {
  int64_t min = 0, max = 0, multiple = 1;
};

enum class Dynamism : uint8_t { kStatic = 0, kBound = 1, kUnbound = 2 };

/// Where a tensor's elements are.
enum class Storage : uint8_t {
  kNone,      // given at run time: an input or output that the caller provides, the result of a view
  kConstant,  // in the file: `data`
  kPlanned,   // in the method's memory: `memory_id`, `offset`
  kState,     // kept between calls, shared by methods under `name`; planned too (for other runtimes), `data`
              // is its initial value, or -1: zeros here, undefined in other runtimes
  kExternal,  // outside the file, found under `name`
};

struct TensorSpec {
  DType dtype = DType::kF32;
  std::vector<int64_t> sizes;         // the upper bounds when dynamic
  std::vector<uint8_t> dim_order;     // empty: row-major
  Dynamism dynamism = Dynamism::kStatic;
  std::vector<DimRange> ranges;       // empty, or one a dimension; only of inputs and outputs. Goes to glint.signature
  Storage storage = Storage::kNone;
  int32_t data = -1;                  // index into ProgramSpec::constants
  uint32_t memory_id = 1;             // >= 1; the index into MethodSpec::memory_sizes
  uint64_t offset = 0;
  std::string name;                   // qualified name ("layers.0.weight"); of kState and kExternal required
};

/// One entry of a method's value table. Instructions and lists refer to values by index.
struct ValueSpec {
  enum class Kind : uint8_t {
    kNone, kInt, kBool, kDouble, kString, kTensor, kIntList, kDoubleList, kBoolList, kTensorList, kOptionalTensorList,
  };
  Kind kind = Kind::kNone;
  int64_t i = 0;                   // kInt, kBool
  double d = 0;                    // kDouble
  std::string text;                // kString
  TensorSpec tensor;               // kTensor
  std::vector<int64_t> items;      // kIntList: *indices of values* that hold ints (so that a list may hold computed
                                   // sizes); kBoolList: the bools themselves; kTensorList, kOptionalTensorList:
                                   // indices of tensor values, -1 for None in the latter
  std::vector<double> doubles;     // kDoubleList

  static ValueSpec none() { return {}; }
  static ValueSpec of_int(int64_t v) { ValueSpec s; s.kind = Kind::kInt; s.i = v; return s; }
  static ValueSpec of_bool(bool v) { ValueSpec s; s.kind = Kind::kBool; s.i = v; return s; }
  static ValueSpec of_double(double v) { ValueSpec s; s.kind = Kind::kDouble; s.d = v; return s; }
  static ValueSpec of_string(std::string v) { ValueSpec s; s.kind = Kind::kString; s.text = std::move(v); return s; }
  static ValueSpec of_tensor(TensorSpec v) { ValueSpec s; s.kind = Kind::kTensor; s.tensor = std::move(v); return s; }
  static ValueSpec of_int_list(std::vector<int64_t> v) { ValueSpec s; s.kind = Kind::kIntList; s.items = std::move(v); return s; }
  static ValueSpec of_double_list(std::vector<double> v) { ValueSpec s; s.kind = Kind::kDoubleList; s.doubles = std::move(v); return s; }
  static ValueSpec of_bool_list(std::vector<int64_t> v) { ValueSpec s; s.kind = Kind::kBoolList; s.items = std::move(v); return s; }
  static ValueSpec of_tensor_list(std::vector<int64_t> v) { ValueSpec s; s.kind = Kind::kTensorList; s.items = std::move(v); return s; }
  static ValueSpec of_optional_tensor_list(std::vector<int64_t> v) { ValueSpec s; s.kind = Kind::kOptionalTensorList; s.items = std::move(v); return s; }
};

struct InstructionSpec {
  enum class Kind : uint8_t { kKernel, kDelegate, kMove, kJumpFalse, kFree };
  Kind kind = Kind::kKernel;
  std::string op, overload;        // kKernel: "aten::add", "out"; "glint::conv", ""
  int32_t delegate = -1;           // kDelegate: index into MethodSpec::delegates
  /// kKernel: the schema's arguments in order, one value a result (a kTensorList for Tensor[]), and, for stock
  /// operators, the result again. kDelegate: inputs, then outputs. kMove: {from, to}. kJumpFalse: {condition}. kFree: {value}.
  std::vector<int32_t> args;
  int32_t target = 0;              // kJumpFalse: the instruction to go to when the condition is false
  /// Where it comes from ("layers.0.attn (model.py:31)"), for messages and traces. Goes to glint.origins.
  std::string origin;

  static InstructionSpec kernel(std::string op, std::string overload, std::vector<int32_t> args) {
    InstructionSpec s; s.op = std::move(op); s.overload = std::move(overload); s.args = std::move(args); return s;
  }
  static InstructionSpec call_delegate(int32_t delegate, std::vector<int32_t> args) {
    InstructionSpec s; s.kind = Kind::kDelegate; s.delegate = delegate; s.args = std::move(args); return s;
  }
  static InstructionSpec move(int32_t from, int32_t to) { InstructionSpec s; s.kind = Kind::kMove; s.args = {from, to}; return s; }
  static InstructionSpec jump_false(int32_t condition, int32_t target) {
    InstructionSpec s; s.kind = Kind::kJumpFalse; s.args = {condition}; s.target = target; return s;
  }
  static InstructionSpec free(int32_t value) { InstructionSpec s; s.kind = Kind::kFree; s.args = {value}; return s; }
};

struct DelegateSpec {
  struct CompileSpec { std::string key; std::vector<std::byte> value; };
  std::string id;                  // the backend's name
  DataSpec blob;
  std::vector<CompileSpec> compile_specs;
};

struct MethodSpec {
  std::string name = "forward";
  std::vector<ValueSpec> values;
  std::vector<int32_t> inputs, outputs;             // values
  std::vector<std::string> input_names, output_names;  // empty, or as many as inputs / outputs. Go to glint.signature
  std::vector<InstructionSpec> instructions;        // one chain
  std::vector<DelegateSpec> delegates;
  /// Bytes of each planned memory; [0] is reserved and 0, so {0, n} for one memory.
  std::vector<int64_t> memory_sizes = {0};
  /// pytree strings (torch.utils._pytree.treespec_dumps) of the inputs and outputs; may be empty.
  std::string encoded_inputs, encoded_outputs;
};

/// Bytes found by name: what delegates share, and what the schema has no field for.
struct NamedDataSpec {
  std::string key;
  DataSpec data;
};

struct ProgramSpec {
  std::vector<MethodSpec> methods;
  std::vector<DataSpec> constants;
  std::vector<NamedDataSpec> named_data;  // keys that start with "glint." are the project's own
  std::string writer;                     // "glint 0.1.0 cpu avx2": who wrote the file, for people
};

struct WriteOptions {
  uint32_t segment_alignment = 4096;
  bool inline_constants = false;   // the layout before segments: constants inside the flatbuffer
};

/// Checks the spec (indices, sizes, names) and writes the file: to a temporary file beside `path` that takes
/// its place when complete. Nothing is left behind on failure. `where` of an error is the index of the value or
/// instruction at fault; *detail, if given, says more.
Status write_program(const ProgramSpec& spec, const char* path, const WriteOptions& options = {}, std::string* detail = nullptr);
/// The same into memory.
Status write_program(const ProgramSpec& spec, std::vector<std::byte>& bytes, const WriteOptions& options = {}, std::string* detail = nullptr);

/// A tensor of a `.ptd` file.
struct NamedTensorSpec {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<int64_t> sizes;
  std::vector<uint8_t> dim_order;  // empty: row-major
  DataSpec data;
};

/// Writes tensors as a `.ptd` file, for values of Storage::kExternal.
Status write_tensors(std::span<const NamedTensorSpec> tensors, const char* path, std::string* detail = nullptr);
Status write_tensors(std::span<const NamedTensorSpec> tensors, std::vector<std::byte>& bytes, std::string* detail = nullptr);

}  // namespace glint
