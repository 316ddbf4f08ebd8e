#pragma once

#include "glint/runtime/session.h"
#include "glint/runtime/trace.h"

namespace glint {

struct MethodOptions {
  Parallel* parallel = nullptr;              // null: the calling thread only
  Trace* trace = nullptr;
  /// Memory of activations and scratch, aligned to 64: may be lent to several methods that run in turn (states are elsewhere).
  /// Empty: taken from the load arena.
  std::span<std::byte> activations;
  uint64_t instruction_limit = 100'000'000;  // of one execute(): jumps must end
};

/// A method bound to its operators and planned: what executes. Used from one thread at a time. After load, nothing
/// here allocates, locks or logs, except that a change of shapes may take more scratch from an arena that can grow.
class Method {
 public:
  /// Loads `name` of the session's program. Everything it keeps lies in `arena`; session, arena and options' objects outlive it.
  static Result<Method*> load(Session& session, std::string_view name, Arena& arena, const MethodOptions& options = {}, Failure* failure = nullptr);
  /// The same for values and instructions that come from elsewhere: no states, externals or delegates.
  static Result<Method*> build(const MethodView& view, OpTable ops, const Cpu& cpu, Arena& arena, const MethodOptions& options = {}, Failure* failure = nullptr);
  /// Releases what delegates hold. The method is not used again.
  void close();

  std::string_view name() const { return name_; }
  uint32_t input_count() const { return uint32_t(inputs_.size()); }
  uint32_t output_count() const { return uint32_t(outputs_.size()); }

  /// Gives an input. A tensor's memory is read (or, if the program changes its inputs, written) in place during execute(),
  /// unless the file plans memory for the input: then it is copied now. Checked: kind, dtype, rank, sizes, order of dimensions, alignment.
  Status set_input(uint32_t i, const Value& value);
  /// Memory for a tensor output that the file does not plan, aligned to its elements, large enough for its bound. kUnsupported for other outputs.
  Status set_output(uint32_t i, std::span<std::byte> memory);
  /// Runs with the inputs given; they stay set, but those that were copied into memory of the file's plan may be overwritten
  /// by results that share it: give those again before each call. After an error the method can be executed again.
  Status execute();
  /// Who is told about the next calls' instructions; null: nobody.
  void set_trace(Trace* trace) { options_.trace = trace; }
  /// Valid until the next execute() or set_output().
  const Value& output(uint32_t i) const { return values_[size_t(outputs_[i])]; }
  /// What an input must be: its kind and, of a tensor, dtype and largest sizes.
  const Value& input(uint32_t i) const { return values_[size_t(inputs_[i])]; }

  /// About the last call that returned an error.
  const Failure& failure() const { return failure_; }

  /// Bytes of activations and scratch; 0 activations when lent.
  size_t activation_bytes() const { return activation_bytes_; }
  size_t scratch_bytes() const { return scratch_bytes_; }

  uint32_t instruction_count() const { return uint32_t(instructions_.size()); }
  /// The operator of a kernel instruction, or null; its operands and results as of the last call.
  const OpDef* definition(uint32_t instruction) const { return instructions_[instruction].def; }
  std::span<const Value> operands(uint32_t instruction) const { return instructions_[instruction].in; }
  std::span<const Value> results(uint32_t instruction) const { return instructions_[instruction].out; }
  /// The delegate that an instruction calls, or null.
  const Delegate* delegate(uint32_t instruction) const { return instructions_[instruction].delegate; }
  const Plan* plan(uint32_t instruction) const { return instructions_[instruction].plan; }

 private:
  friend class MethodLoader;

  /// What the method knows of a tensor besides its meta; parallel to tensors_.
  struct Facts {
    size_t capacity = 0;        // bytes from the tensor's data to the end of its memory
    int32_t value = -1;
    int32_t root = -1;          // tensor whose memory it lies in; itself unless a view
    uint64_t root_offset = 0;   // bytes
    uint8_t order[kMaxRank] = {};
    bool varying = false;       // sizes change at run time
    bool constant = false;
    bool late = false;          // memory comes from the caller
    bool moved = false;         // a move makes it another tensor
    bool strided = false;       // a view with strides of its own
  };

  /// An operand to be read anew before each call, because an instruction computes it.
  struct Refresh {
    uint32_t value;             // the number or list
    Value* target;
    const SchemaArg* arg;
  };

  struct Instruction {
    enum class Kind : uint8_t { kNothing, kKernel, kView, kCopyIndex, kDelegate, kMove, kJumpFalse };
    Kind kind = Kind::kNothing;
    bool varying = false;       // infer before each call whose operands changed
    bool stores_numbers = false;
    bool check_overlap = false; // where operands lie is known only at run time
    int32_t a = -1, b = -1;     // move: from, to; jump: condition, target; view: from, to (tensors); copy index: to, from, index
    int32_t c = -1;
    const OpDef* def = nullptr;
    Delegate* delegate = nullptr;
    std::string_view name, overload;
    std::span<Value> in, out;
    std::span<const int32_t> out_values;   // value index of each result
    Plan* plan = nullptr;
    std::span<Refresh> refresh;
    std::span<uint32_t> watched, seen;     // values that may change, and their versions at the last infer
    std::span<Tensor> list_metas;          // for inferring a Tensor[] result
    std::span<Tensor*> list_pointers;
  };

  struct Moved { int32_t tensor; Tensor before; size_t capacity; };
  struct Computed { uint32_t value; Value before; };
  struct External { int32_t tensor; std::string_view name; };

  Status fail(Status status, Failure::At at, int32_t index);
  Status check_input(uint32_t i, const Tensor& given);
  Status check_pointers(const Instruction& ins) const;
  Status run(uint32_t i, Instruction& ins);
  Status run_kernel(Instruction& ins);
  Status infer(Instruction& ins);
  Status apply_shape(Instruction& ins, uint32_t result, Tensor& target, const Tensor& inferred);
  Status plan_call(Instruction& ins);
  Status run_view(Instruction& ins);
  Status run_copy_index(Instruction& ins);
  Status run_delegate(Instruction& ins);
  Status place_view(int32_t from, int32_t to, std::span<const int64_t> sizes, std::span<const int64_t> strides, int64_t offset);
  Status refresh(Instruction& ins);
  Result<bool> condition(uint32_t value) const;
  Status bind_externals();
  bool resize(int32_t tensor, const TensorMeta& sizes);
  void store_numbers(Instruction& ins);
  bool overlap(const Instruction& ins, uint32_t* result) const;
  bool reserve_scratch(const Plan& plan);
  int32_t tensor_index(const Tensor* t) const { return int32_t(static_cast<const Tensor*>(t) - tensors_.data()); }
  bool is_own(const Tensor* t) const { return t >= tensors_.data() && t < tensors_.data() + tensors_.size(); }

  std::string_view name_;
  std::span<const int32_t> inputs_, outputs_;
  std::span<Value> values_;
  std::span<uint32_t> versions_;              // of each value
  std::span<Tensor> tensors_;
  std::span<Facts> facts_;
  std::span<Instruction> instructions_;
  std::span<std::span<const int64_t>> int_items_;  // of each value: the items of an int list that is computed
  std::span<bool> computed_;                  // numbers that instructions write or the caller gives, and lists of such
  std::span<bool> input_set_;
  std::span<int32_t> late_views_;
  std::span<Moved> moved_;
  std::span<Computed> numbers_;
  std::span<External> externals_;
  Session* session_ = nullptr;
  const MethodView* view_ = nullptr;
  const PteMethod* file_ = nullptr;           // the same, if it is a program file's
  Arena* arena_ = nullptr;
  const Cpu* cpu_ = nullptr;
  MethodOptions options_;
  std::span<std::byte> scratch_room_;         // what is left of lent activations
  std::span<std::byte> scratch_, worker_scratch_;
  size_t activation_bytes_ = 0, scratch_bytes_ = 0;
  uint32_t bound_generation_ = 0;
  Failure failure_;
};

}  // namespace glint
