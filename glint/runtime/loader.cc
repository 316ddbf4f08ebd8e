// Builds a Method: gives every value its memory, every kernel call its operator, operands and plan.
#include <cstring>

#include "glint/runtime/bind.h"
#include "glint/runtime/method.h"
#include "glint/runtime/plan.h"

namespace glint {
namespace {

// Operands and list entries looked at while loading; lists can be shared, so the file's size is no bound.
constexpr int64_t kWorkBudget = 200'000'000;

Status no_memory() { return out_of_memory("no memory to load the method"); }

/// A program's named data, for delegates.
class ProgramData final : public NamedData {
 public:
  explicit ProgramData(const PteFile* file = nullptr) : file_(file) {}
  std::optional<NamedBytes> find(std::string_view name) const override {
    if (file_ == nullptr) return std::nullopt;
    const auto found = file_->find_named_data(name);
    return found ? std::optional(NamedBytes{*found, std::nullopt}) : std::nullopt;
  }

 private:
  const PteFile* file_;
};

}  // namespace

class MethodLoader {
 public:
  using Facts = Method::Facts;
  using Instruction = Method::Instruction;

  MethodLoader(Method& m, const MethodView& view, OpTable ops, Arena& arena) : m_(m), view_(view), ops_(ops), arena_(arena) {}

  Status load(const Program* program, uint32_t method_index) {
    program_ = program;
    method_index_ = method_index;
    GLINT_TRY(read_values());
    GLINT_TRY(resolve_operators());
    GLINT_TRY(read_instructions());
    GLINT_TRY(give_memory());
    for (uint32_t i = 0; i < m_.instructions_.size(); ++i)
      if (m_.instructions_[i].kind == Instruction::Kind::kView) GLINT_TRY(at(i, bind_view(i)));
    for (uint32_t i = 0; i < m_.instructions_.size(); ++i) GLINT_TRY(at(i, bind(i)));
    GLINT_TRY(finish_lists());
    return give_scratch();
  }

 private:
  Failure& failure() { return m_.failure_; }

  Status at(uint32_t instruction, Status s) {
    if (!s.ok() && failure().at == Failure::At::kNowhere) {
      failure().at = Failure::At::kInstruction;
      failure().index = int32_t(instruction);
      const InstructionView v = view_.instruction(instruction);
      if (v.kind == InstructionView::Kind::kKernel) {
        failure().name = view_.op(uint32_t(v.index)).name;
        failure().overload = view_.op(uint32_t(v.index)).overload;
      }
    }
    return s.at(int32_t(instruction));
  }
  Status value_error(uint32_t value, Status s) {
    failure().at = Failure::At::kValue;
    failure().index = int32_t(value);
    return s.at(int32_t(value));
  }

  template <class T>
  bool make(std::span<T>& out, size_t count) {
    T* p = count == 0 ? nullptr : arena_.make<T>(count);
    if (count != 0 && p == nullptr) return false;
    out = {p, count};
    return true;
  }
  Status spend(size_t steps) { return (budget_ -= int64_t(steps)) < 0 ? unsupported("the method's lists are too long") : Status(); }

  // ---- values ----

  Status read_values() {
    const uint32_t n = view_.value_count();
    size_t tensors = 0;
    for (uint32_t i = 0; i < n; ++i) tensors += view_.value(i).kind == ValueView::Kind::kTensor;
    if (!make(m_.values_, n) || !make(m_.versions_, n) || !make(m_.computed_, n) || !make(m_.int_items_, n) || !make(m_.tensors_, tensors) ||
        !make(m_.facts_, tensors) || !make(m_.input_set_, view_.inputs().size()) || !make(is_input_, tensors) || !make(is_output_, tensors))
      return no_memory();
    m_.name_ = view_.name();
    m_.inputs_ = view_.inputs();
    m_.outputs_ = view_.outputs();
    size_t next = 0;
    for (uint32_t i = 0; i < n; ++i) {  // tensors first: lists point at them
      const ValueView v = view_.value(i);
      if (v.kind == ValueView::Kind::kTensor) read_tensor(i, v.tensor, next++);
    }
    for (uint32_t i = 0; i < n; ++i) GLINT_TRY(read_value(i, view_.value(i)));
    for (int32_t v : m_.inputs_) {
      if (tensor_at(v) >= 0) is_input_[size_t(tensor_at(v))] = true;
      if (is_number(v)) m_.computed_[size_t(v)] = true;  // another one in each call
    }
    for (int32_t v : m_.outputs_)
      if (tensor_at(v) >= 0) is_output_[size_t(tensor_at(v))] = true;
    return {};
  }

  void read_tensor(uint32_t i, const TensorView& t, size_t slot) {
    Tensor& tensor = m_.tensors_[slot];
    Facts& facts = m_.facts_[slot];
    tensor.dtype = t.dtype;
    tensor.rank = t.rank;
    for (size_t d = 0; d < t.rank; ++d) {
      tensor.size[d] = t.sizes[d];
      facts.order[d] = t.dim_order[d];
    }
    tensor.set_dim_order(t.dim_order);
    facts.value = int32_t(i);
    facts.root = int32_t(slot);
    facts.capacity = t.size_bytes;
    facts.varying = t.dynamism != TensorView::Dynamism::kStatic;
    facts.constant = t.storage == TensorView::Storage::kConstant || t.storage == TensorView::Storage::kExternal;
    if (facts.constant) facts.varying = false;
    m_.values_[i] = Value::of(&tensor);
  }

  Status read_value(uint32_t i, const ValueView& v) {
    using K = ValueView::Kind;
    Value& out = m_.values_[i];
    switch (v.kind) {
      case K::kNone: case K::kTensor: break;
      case K::kInt: out = Value::of(v.i); break;
      case K::kBool: out = Value::of(v.i != 0); break;
      case K::kDouble: out = Value::of(v.d); break;
      case K::kString: out = Value::of(v.text); break;
      case K::kDoubleList: out = Value::of(v.doubles); break;
      case K::kBoolList: out = Value::of(v.bools); break;
      case K::kIntList: {
        std::span<int64_t> unboxed;
        if (!make(unboxed, v.ints.size())) return no_memory();
        for (size_t k = 0; k < unboxed.size(); ++k) unboxed[k] = view_.value(uint32_t(v.ints[k])).i;
        out = Value::of(std::span<const int64_t>(unboxed));
        break;
      }
      case K::kTensorList: case K::kOptionalTensorList: {
        std::span<Tensor*> list;
        if (!make(list, v.tensors.size())) return no_memory();
        for (size_t k = 0; k < list.size(); ++k) list[k] = v.tensors[k] < 0 || m_.values_[size_t(v.tensors[k])].kind != Value::Kind::kTensor ? nullptr : m_.values_[size_t(v.tensors[k])].tensor;
        out = Value::of(std::span<Tensor* const>(list));
        break;
      }
    }
    return {};
  }

  int32_t tensor_at(int32_t value) const {
    const Value& v = m_.values_[size_t(value)];
    return v.kind == Value::Kind::kTensor ? m_.tensor_index(v.tensor) : -1;
  }
  bool is_number(int32_t value) const {
    using K = Value::Kind;
    const K k = m_.values_[size_t(value)].kind;
    return k == K::kInt || k == K::kFloat || k == K::kBool || k == K::kNone;
  }

  // ---- instructions ----

  Status resolve_operators() {
    if (!make(bindings_, view_.operator_count())) return no_memory();
    return {};
  }

  Binding& binding(int32_t op) {
    Binding& b = bindings_[size_t(op)];
    if (b.kind == Binding::Kind::kUnknown) b = resolve(ops_, view_.op(uint32_t(op)));
    return b;
  }

  /// Kinds and what instructions change; nothing is bound yet.
  Status read_instructions() {
    const uint32_t n = view_.instruction_count();
    if (!make(m_.instructions_, n) || !make(use_, m_.tensors_.size())) return no_memory();
    for (uint32_t i = 0; i < n; ++i) GLINT_TRY(at(i, read_instruction(i)));
    size_t numbers = 0, moved = 0;
    for (size_t v = 0; v < m_.values_.size(); ++v) {
      if (!m_.computed_[v] && m_.values_[v].kind == Value::Kind::kIntList) {
        const auto items = view_.value(uint32_t(v)).ints;
        for (int64_t item : items)
          if (m_.computed_[size_t(item)]) m_.int_items_[v] = items;
      }
      numbers += m_.computed_[v];
    }
    for (size_t v = 0; v < m_.values_.size(); ++v)
      if (!m_.int_items_[v].empty()) m_.computed_[v] = true;
    for (const Facts& f : m_.facts_) moved += f.moved;
    if (!make(m_.numbers_, numbers) || !make(m_.moved_, moved)) return no_memory();
    numbers = 0;
    for (size_t v = 0; v < m_.values_.size(); ++v)
      if (m_.computed_[v] && m_.int_items_[v].empty()) m_.numbers_[numbers++] = {uint32_t(v), m_.values_[v]};
    return {};
  }

  void touch(int32_t tensor, int32_t i, bool written) {
    Use& u = use_[size_t(tensor)];
    if (u.first < 0) u.first = i;
    u.last = i;
    u.written |= written;
  }
  Status touch_value(int32_t value, int32_t i, bool written) {
    const Value& v = m_.values_[size_t(value)];
    GLINT_TRY(spend(1));
    if (v.kind == Value::Kind::kTensor) touch(m_.tensor_index(v.tensor), i, written);
    if (v.kind == Value::Kind::kTensorList) {
      GLINT_TRY(spend(v.count));
      for (uint32_t k = 0; k < v.count; ++k)
        if (v.tensors[k] != nullptr) touch(m_.tensor_index(v.tensors[k]), i, written);
    }
    return {};
  }

  Status read_instruction(uint32_t i) {
    using K = InstructionView::Kind;
    const InstructionView v = view_.instruction(i);
    Instruction& ins = m_.instructions_[i];
    switch (v.kind) {
      case K::kFree: break;
      case K::kJumpFalse:
        ins.kind = Instruction::Kind::kJumpFalse;
        ins.a = v.from;
        ins.b = v.index;
        jumps_ = true;
        if (const int32_t t = tensor_at(v.from); t >= 0 ? m_.tensors_[size_t(t)].dtype != DType::kBool : !is_number(v.from)) return invalid_program("a jump's condition is neither a bool nor a bool tensor");
        GLINT_TRY(touch_value(v.from, int32_t(i), false));
        break;
      case K::kMove: GLINT_TRY(read_move(v, ins, i)); break;
      case K::kDelegate:
        ins.kind = Instruction::Kind::kDelegate;
        ins.a = v.index;
        for (int32_t a : v.args) GLINT_TRY(touch_value(a, int32_t(i), true));
        break;
      case K::kKernel: GLINT_TRY(read_kernel(v, ins, i)); break;
    }
    return {};
  }

  Status read_move(const InstructionView& v, Instruction& ins, uint32_t i) {
    ins.kind = Instruction::Kind::kMove;
    ins.a = v.from;
    ins.b = v.to;
    const int32_t from = tensor_at(v.from), to = tensor_at(v.to);
    if (from >= 0 && to >= 0) {
      if (m_.facts_[size_t(to)].constant || is_input_[size_t(to)]) return invalid_program("a move replaces a constant or an input");
      if (m_.tensors_[size_t(from)].dtype != m_.tensors_[size_t(to)].dtype) return invalid_program("a move changes a tensor's dtype");
      m_.facts_[size_t(to)].moved = m_.facts_[size_t(to)].varying = true;
      touch(from, int32_t(i), false);
      touch(to, int32_t(i), false);
      return {};
    }
    if (!is_number(v.from) || !is_number(v.to)) return unsupported("a move of this kind of value");
    m_.computed_[size_t(v.to)] = true;
    return {};
  }

  Status read_kernel(const InstructionView& v, Instruction& ins, uint32_t i) {
    const Binding& b = binding(v.index);
    using K = Binding::Kind;
    if (b.kind == K::kUnknown) return not_found("no operator of this build has this name");
    ins.name = view_.op(uint32_t(v.index)).name;
    ins.overload = view_.op(uint32_t(v.index)).overload;
    const size_t returns = b.def != nullptr && b.kind == K::kOperator ? b.def->schema->return_count : b.kind == K::kView || b.kind == K::kStockView ? 1 : 0;
    if (v.args.size() < b.first_out + returns) return invalid_program("a kernel call has too few arguments");
    if (b.kind == K::kView || b.kind == K::kStockView) {
      ins.kind = Instruction::Kind::kView;
      ins.a = tensor_at(v.args[0]);
      ins.b = tensor_at(v.args[b.first_out]);
      if (ins.a < 0 || ins.b < 0 || ins.a == ins.b) return invalid_program("a view of something that is no tensor");
      if (m_.facts_[size_t(ins.b)].constant || is_input_[size_t(ins.b)]) return invalid_program("a view replaces a constant or an input");
      touch(ins.a, int32_t(i), false);
      return {};
    }
    if (b.kind == K::kCopyIndex) {
      ins.kind = Instruction::Kind::kCopyIndex;
      ins.a = tensor_at(v.args[0]);
      ins.b = tensor_at(v.args[1]);
      ins.c = v.args[2];
      if (ins.a < 0 || ins.b < 0 || ins.a == ins.b || !is_number(ins.c)) return invalid_program("et_copy_index takes two tensors and an int");
      GLINT_TRY(writable(ins.a));
      touch(ins.a, int32_t(i), true);
      touch(ins.b, int32_t(i), false);
      return {};
    }
    ins.kind = Instruction::Kind::kKernel;
    ins.def = b.def;
    for (uint32_t k = 0; k < b.first_out; ++k) {
      const bool written = k < b.def->schema->arg_count && b.def->schema->arg_store[k].written;  // "Tensor(a!) cache"
      if (const int32_t t = tensor_at(v.args[k]); written && t >= 0) GLINT_TRY(writable(t));
      GLINT_TRY(touch_value(v.args[k], int32_t(i), written || (b.kind == K::kInPlace && k == 0)));
    }
    for (size_t r = 0; r < returns; ++r) {
      const int32_t out = v.args[b.first_out + r];
      GLINT_TRY(touch_value(out, int32_t(i), true));
      if (b.def->schema->return_store[r].type != ArgType::kTensor) {
        if (!is_number(out)) return invalid_program("a number is written to a value that holds none");
        m_.computed_[size_t(out)] = true;
      }
    }
    return {};
  }

  Status writable(int32_t tensor) const {
    const Facts& f = m_.facts_[size_t(tensor)];
    if (f.constant || m_.facts_[size_t(f.root)].constant) return invalid_program("an instruction writes a constant");
    if (f.moved || m_.facts_[size_t(f.root)].moved) return unsupported("an instruction writes a value that a move replaces");
    return {};
  }

  // ---- memory ----

  Status give_memory() {
    Arena lent(m_.options_.activations);
    Arena& activations = m_.options_.activations.empty() ? arena_ : lent;
    GLINT_TRY(give_states());
    GLINT_TRY(give_planned(activations));
    GLINT_TRY(give_constants());
    GLINT_TRY(give_unplanned(activations));
    lent_used_ = lent.used();
    size_t moved = 0;
    for (size_t t = 0; t < m_.tensors_.size(); ++t)
      if (m_.facts_[t].moved) m_.moved_[moved++] = {int32_t(t), m_.tensors_[t], m_.facts_[t].capacity};
    return {};
  }

  Status give_states() {
    if (m_.session_ == nullptr) return {};
    for (const auto& ref : program_->state_refs()) {
      if (ref.method != method_index_) continue;
      const std::span<std::byte> memory = m_.session_->state(ref.state);
      if (!memory.empty()) m_.tensors_[size_t(tensor_at(int32_t(ref.value)))].data = memory.data();
    }
    return {};
  }

  /// A planned tensor that is no state.
  bool is_open(const ValueView& v, uint32_t i) const {
    return v.kind == ValueView::Kind::kTensor && v.tensor.storage == TensorView::Storage::kPlanned && v.tensor.size_bytes > 0 && m_.values_[i].tensor->data == nullptr;
  }

  /// Each planned memory, as far as tensors reach into it.
  Status give_planned(Arena& activations) {
    uint32_t memories = 0;
    for (uint32_t i = 0; i < view_.value_count(); ++i) {
      const TensorView t = view_.value(i).tensor;
      if (t.storage == TensorView::Storage::kPlanned && t.memory_id >= memories) memories = t.memory_id + 1;
    }
    std::span<uint64_t> extent;
    std::span<std::byte*> base;
    if (!make(extent, memories) || !make(base, memories)) return no_memory();
    for (uint32_t i = 0; i < view_.value_count(); ++i) {
      const ValueView v = view_.value(i);
      if (!is_open(v, i)) continue;
      if (v.tensor.offset % width(v.tensor.dtype) != 0) return value_error(i, invalid_program("a tensor's place in memory is not aligned to its elements"));
      const uint64_t end = v.tensor.offset + v.tensor.size_bytes;
      if (end > extent[v.tensor.memory_id]) extent[v.tensor.memory_id] = end;
    }
    for (size_t k = 0; k < memories; ++k) {
      if (extent[k] == 0) continue;
      if (extent[k] > SIZE_MAX - 64) return out_of_memory("the method's planned memory does not fit");
      base[k] = static_cast<std::byte*>(activations.allocate(size_t(extent[k]), kPlanAlignment));
      if (base[k] == nullptr) return out_of_memory("the method's planned memory does not fit");
      m_.activation_bytes_ += size_t(extent[k]);
    }
    for (uint32_t i = 0; i < view_.value_count(); ++i) {
      const ValueView v = view_.value(i);
      if (is_open(v, i)) m_.values_[i].tensor->data = base[v.tensor.memory_id] + v.tensor.offset;
    }
    return {};
  }

  static size_t width(DType d) { return dtype_size(d) < 8 ? dtype_size(d) : 8; }

  /// Constants are used in place, unless a foreign writer did not align them.
  Status give_constants() {
    size_t externals = 0;
    for (uint32_t i = 0; i < view_.value_count(); ++i) {
      const ValueView v = view_.value(i);
      if (v.kind != ValueView::Kind::kTensor) continue;
      externals += v.tensor.storage == TensorView::Storage::kExternal;
      if (v.tensor.storage != TensorView::Storage::kConstant || v.tensor.size_bytes == 0) continue;
      const void* data = v.tensor.data.data();
      if (reinterpret_cast<uintptr_t>(data) % width(v.tensor.dtype) != 0) {
        void* copy = arena_.allocate(v.tensor.size_bytes, kPlanAlignment);
        if (copy == nullptr) return no_memory();
        std::memcpy(copy, data, v.tensor.size_bytes);
        data = copy;
      }
      m_.values_[i].tensor->data = const_cast<void*>(data);
    }
    if (externals == 0) return {};
    if (m_.session_ == nullptr) return unsupported("external tensors need a session");
    if (!make(m_.externals_, externals)) return no_memory();
    externals = 0;
    for (uint32_t i = 0; i < view_.value_count(); ++i) {
      const ValueView v = view_.value(i);
      if (v.kind == ValueView::Kind::kTensor && v.tensor.storage == TensorView::Storage::kExternal)
        m_.externals_[externals++] = {m_.tensor_index(m_.values_[i].tensor), v.tensor.name};
    }
    return m_.bind_externals();
  }

  /// What has no memory in the file: inputs and outputs come from the caller (outputs get memory of ours until then),
  /// views from their operands; the rest is planned here.
  Status give_unplanned(Arena& activations) {
    std::span<bool> is_view;
    if (!make(is_view, m_.tensors_.size())) return no_memory();
    for (const Instruction& ins : m_.instructions_)
      if (ins.kind == Instruction::Kind::kView) is_view[size_t(ins.b)] = true;
    // A view's uses are uses of what it looks at.
    for (size_t k = m_.instructions_.size(); k-- > 0;) {
      const Instruction& ins = m_.instructions_[k];
      if (ins.kind != Instruction::Kind::kView) continue;
      Use &from = use_[size_t(ins.a)], &to = use_[size_t(ins.b)];
      if (to.first >= 0 && (from.first < 0 || to.first < from.first)) from.first = to.first;
      if (to.last > from.last) from.last = to.last;
      from.written = from.written || to.written;
    }
    size_t count = 0;
    for (size_t t = 0; t < m_.tensors_.size(); ++t) {
      Tensor& tensor = m_.tensors_[t];
      Facts& facts = m_.facts_[t];
      if (is_view[t]) {
        if (facts.moved) return unsupported("a move replaces a view");
        tensor.data = nullptr;
        facts.capacity = 0;
        continue;
      }
      if (tensor.data != nullptr || facts.constant || facts.moved) continue;
      if (is_input_[t]) {
        if (view_.value(uint32_t(facts.value)).tensor.storage == TensorView::Storage::kNone) facts.late = true;
        continue;
      }
      if (facts.capacity == 0) continue;
      if (view_.value(uint32_t(facts.value)).tensor.dynamism == TensorView::Dynamism::kUnbound)
        return value_error(uint32_t(facts.value), unsupported("a tensor without an upper bound for its size"));
      if (is_output_[t]) {
        facts.late = true;
        tensor.data = arena_.allocate(facts.capacity, kPlanAlignment);
        if (tensor.data == nullptr) return out_of_memory("no memory for the outputs");
        continue;
      }
      if (use_[t].first < 0) continue;
      if (!use_[t].written) return value_error(uint32_t(facts.value), invalid_program("a tensor is read that nothing gives a value"));
      ++count;
    }
    return count == 0 ? Status() : plan_unplanned(activations, count, is_view);
  }

  Status plan_unplanned(Arena& activations, size_t count, std::span<const bool> is_view) {
    std::span<PlanBuffer> buffers;
    if (!make(buffers, count)) return no_memory();
    size_t next = 0;
    const int end = int(m_.instructions_.size());
    const auto wanted = [&](size_t t) {
      const Facts& f = m_.facts_[t];
      return m_.tensors_[t].data == nullptr && !is_view[t] && !f.constant && !f.moved && !is_input_[t] && f.capacity > 0 && use_[t].first >= 0;
    };
    for (size_t t = 0; t < m_.tensors_.size(); ++t) {
      if (!wanted(t)) continue;
      // With jumps or views of views the order of instructions says little: then a buffer lives throughout.
      buffers[next].bytes = m_.facts_[t].capacity;
      buffers[next].first = jumps_ ? 0 : use_[t].first;
      buffers[next].last = jumps_ ? end : use_[t].last;
      ++next;
    }
    const uint64_t bytes = plan_buffers(buffers.first(next));
    auto* base = static_cast<std::byte*>(bytes > SIZE_MAX - 64 ? nullptr : activations.allocate(size_t(bytes), kPlanAlignment));
    if (base == nullptr) return out_of_memory("the method's activations do not fit");
    m_.activation_bytes_ += size_t(bytes);
    next = 0;
    for (size_t t = 0; t < m_.tensors_.size(); ++t)
      if (wanted(t)) m_.tensors_[t].data = base + buffers[next++].offset;
    return {};
  }

  // ---- views ----

  bool constant_ints(int32_t value, std::span<const int64_t>& out) const {
    const Value& v = m_.values_[size_t(value)];
    if (v.kind != Value::Kind::kIntList && v.count != 0) return false;
    out = v.kind == Value::Kind::kIntList ? std::span<const int64_t>(v.ints, v.count) : std::span<const int64_t>();
    return true;
  }

  /// A view whose operands are all known is made now and never again.
  Status bind_view(uint32_t i) {
    Instruction& ins = m_.instructions_[i];
    const InstructionView v = view_.instruction(i);
    const bool stock = binding(v.index).kind == Binding::Kind::kStockView;
    Facts &from = m_.facts_[size_t(ins.a)], &to = m_.facts_[size_t(ins.b)];
    std::span<const int64_t> sizes, strides;
    if (!constant_ints(v.args[1], sizes) || (!stock && !constant_ints(v.args[2], strides))) return invalid_program("a view's sizes and strides are not int lists");
    if (!stock && m_.values_[size_t(v.args[3])].kind != Value::Kind::kInt) return invalid_program("a view's offset is not an int");
    if (m_.tensors_[size_t(ins.a)].dtype != m_.tensors_[size_t(ins.b)].dtype) return invalid_program("a view changes the dtype");
    to.strided = !stock;
    bool varying = from.varying || to.varying;
    for (int k = 1; k < (stock ? 2 : 4); ++k) varying = varying || m_.computed_[size_t(v.args[size_t(k)])];
    ins.varying = varying;
    to.constant = from.constant;
    to.root = from.root;
    if (!varying) {
      const Tensor file = m_.tensors_[size_t(ins.b)];
      GLINT_TRY(m_.place_view(ins.a, ins.b, sizes, strides, stock ? 0 : m_.values_[size_t(v.args[3])].i));
      if (!file.same_sizes(m_.tensors_[size_t(ins.b)])) return invalid_program("a view has other sizes than its tensor in the file");
      if (m_.facts_[size_t(from.root)].late) ++late_views_;
      ins.kind = Instruction::Kind::kNothing;
      ins.a = ins.b;  // remembered for finish_lists
      ins.b = -1;
      return {};
    }
    // Until it runs it has no elements.
    to.varying = true;
    std::span<Value> in;
    if (!make(in, 3)) return no_memory();
    in[0] = m_.values_[size_t(v.args[1])];
    in[1] = stock ? Value::none() : m_.values_[size_t(v.args[2])];
    in[2] = stock ? Value::of(int64_t(0)) : m_.values_[size_t(v.args[3])];
    ins.in = in;
    size_t refreshed = 0;
    for (size_t k = 1; k < (stock ? 2u : 4u); ++k) refreshed += m_.computed_[size_t(v.args[k])];
    if (!make(ins.refresh, refreshed)) return no_memory();
    refreshed = 0;
    for (size_t k = 1; k < (stock ? 2u : 4u); ++k)
      if (m_.computed_[size_t(v.args[k])]) ins.refresh[refreshed++] = {uint32_t(v.args[k]), &in[k - 1], nullptr};
    return {};
  }

  // ---- binding ----

  Status bind(uint32_t i) {
    Instruction& ins = m_.instructions_[i];
    if (ins.kind == Instruction::Kind::kKernel) return bind_kernel(i, ins);
    if (ins.kind == Instruction::Kind::kDelegate) return bind_delegate(i, ins);
    return {};
  }

  /// Numbers what may change among the arguments of one call.
  template <class F>
  Status each_changing(int32_t value, F f) {
    const Value& v = m_.values_[size_t(value)];
    if (v.kind == Value::Kind::kTensor && m_.facts_[size_t(m_.tensor_index(v.tensor))].varying) f(value);
    if (v.kind == Value::Kind::kTensorList) {
      GLINT_TRY(spend(v.count));
      for (uint32_t k = 0; k < v.count; ++k)
        if (v.tensors[k] != nullptr && m_.facts_[size_t(m_.tensor_index(v.tensors[k]))].varying) f(m_.facts_[size_t(m_.tensor_index(v.tensors[k]))].value);
    }
    if (m_.computed_[size_t(value)]) {
      const auto items = m_.int_items_[size_t(value)];
      GLINT_TRY(spend(items.size()));
      if (items.empty()) f(value);
      for (int64_t item : items)
        if (m_.computed_[size_t(item)]) f(int32_t(item));
    }
    return {};
  }

  Status watch(Instruction& ins, std::span<const int32_t> args) {
    size_t n = 0;
    for (int32_t a : args) GLINT_TRY(each_changing(a, [&](int32_t) { ++n; }));
    if (!make(ins.watched, n) || !make(ins.seen, n)) return no_memory();
    n = 0;
    for (int32_t a : args) GLINT_TRY(each_changing(a, [&](int32_t v) {
      ins.seen[n] = UINT32_MAX;
      ins.watched[n++] = uint32_t(v);
    }));
    return {};
  }

  /// An operand that takes a list may be given one number for all its entries, and ints for floats.
  Status widen(Value& v, const SchemaArg& a) {
    if (!a.list || a.type == ArgType::kTensor) return {};
    using K = Value::Kind;
    const size_t n = a.list_size > 0 ? size_t(a.list_size) : 1;
    if (a.type == ArgType::kInt && v.kind == K::kInt) {
      std::span<int64_t> list;
      if (!make(list, n)) return no_memory();
      for (int64_t& x : list) x = v.i;
      v = Value::of(std::span<const int64_t>(list));
    } else if (a.type == ArgType::kFloat && ((v.kind == K::kIntList && v.count != 0) || v.kind == K::kFloat)) {
      std::span<double> list;
      const bool one = v.kind == K::kFloat;
      if (!make(list, one ? n : v.count)) return no_memory();
      for (size_t k = 0; k < list.size(); ++k) list[k] = one ? v.f : double(v.ints[k]);
      v = Value::of(std::span<const double>(list));
    }
    return {};
  }

  Status bind_kernel(uint32_t i, Instruction& ins) {
    const InstructionView call = view_.instruction(i);
    const Binding& b = binding(call.index);
    const Schema& schema = *ins.def->schema;
    const std::span<const int32_t> outs = b.kind == Binding::Kind::kInPlace ? call.args.first(1) : call.args.subspan(b.first_out, schema.return_count);
    if (!make(ins.in, schema.arg_count) || !make(ins.out, schema.return_count)) return no_memory();
    ins.out_values = outs;
    GLINT_TRY(bind_results(ins, schema, outs));
    GLINT_TRY(bind_operands(ins, schema, b, call.args));
    GLINT_TRY(watch(ins, call.args.first(b.first_out)));
    GLINT_TRY(check_memory(ins));
    ins.varying = ins.varying || !ins.watched.empty() || ins.def->flags.value_shape;
    if (ins.def->plan != nullptr) {
      ins.plan = arena_.make<Plan>();
      if (ins.plan == nullptr) return no_memory();
    }
    const Status s = m_.infer(ins);
    if (!ins.varying) GLINT_TRY(s);
    // What varies is checked before each call; planning it at its bounds tells how much scratch to keep.
    if (s.ok()) {
      const Status planned = m_.plan_call(ins);
      if (!ins.varying) GLINT_TRY(planned);
      if (planned.ok() && ins.plan != nullptr) {
        if (ins.plan->scratch_bytes > scratch_bytes_) scratch_bytes_ = ins.plan->scratch_bytes;
        if (ins.plan->worker_scratch_bytes > worker_scratch_bytes_) worker_scratch_bytes_ = ins.plan->worker_scratch_bytes;
      }
    }
    if (ins.varying) reset_sizes(ins);
    return {};
  }

  /// Inferring at the bounds may have shrunk a result: later instructions shall see the bounds too.
  void reset_sizes(Instruction& ins) {
    for (uint32_t& s : ins.seen) s = UINT32_MAX;
    each_result(ins, [&](Tensor* t, size_t) {
      const size_t k = size_t(m_.tensor_index(t));
      if (m_.facts_[k].strided) return;
      const auto file = view_.value(uint32_t(m_.facts_[k].value)).tensor;
      for (size_t d = 0; d < t->rank; ++d) t->size[d] = file.sizes[d];
      t->set_dim_order(file.dim_order);
    });
  }

  template <class F>
  static void each_result(const Instruction& ins, F f) {
    for (size_t r = 0; r < ins.out.size(); ++r) {
      const Value& v = ins.out[r];
      if (v.kind == Value::Kind::kTensor) f(v.tensor, r);
      if (v.kind == Value::Kind::kTensorList)
        for (uint32_t k = 0; k < v.count; ++k) f(v.tensors[k], r);
    }
  }
  template <class F>
  static void each_operand(const Instruction& ins, F f) {
    for (size_t k = 0; k < ins.in.size(); ++k) {
      const Value& v = ins.in[k];
      if (v.kind == Value::Kind::kTensor) f(v.tensor, k);
      if (v.kind == Value::Kind::kTensorList)
        for (uint32_t e = 0; e < v.count; ++e)
          if (v.tensors[e] != nullptr) f(v.tensors[e], k);
    }
  }

  Status bind_results(Instruction& ins, const Schema& schema, std::span<const int32_t> outs) {
    for (size_t r = 0; r < outs.size(); ++r) {
      const SchemaArg& ret = schema.return_store[r];
      const Value& v = m_.values_[size_t(outs[r])];
      failure().argument = int32_t(schema.arg_count + r);
      if (ret.type != ArgType::kTensor) {
        ins.stores_numbers = true;
        continue;
      }
      if (v.kind != (ret.list ? Value::Kind::kTensorList : Value::Kind::kTensor)) return invalid_program("a result is written to a value that is not the tensor it needs");
      ins.out[r] = v;
      if (ret.list) {
        if (!ins.list_metas.empty()) return unsupported("an operator with two lists of tensors as results");
        GLINT_TRY(spend(v.count));
        for (uint32_t k = 0; k < v.count; ++k)
          if (v.tensors[k] == nullptr) return invalid_program("an entry of a tensor list is None");
        if (!make(ins.list_metas, v.count) || !make(ins.list_pointers, v.count)) return no_memory();
        for (uint32_t k = 0; k < v.count; ++k) ins.list_pointers[k] = &ins.list_metas[k];
      }
    }
    Status s;
    each_result(ins, [&](Tensor* t, size_t r) {
      const int32_t k = m_.tensor_index(t);
      failure().argument = int32_t(schema.arg_count + r);
      if (s.ok()) s = writable(k);
      if (s.ok() && t->data == nullptr && m_.facts_[size_t(k)].capacity > 0 && !m_.facts_[size_t(k)].late) s = invalid_program("a result has no memory");
      if (m_.facts_[size_t(k)].varying) ins.varying = true;
    });
    GLINT_TRY(s);
    failure().argument = -1;
    return {};
  }

  Status bind_operands(Instruction& ins, const Schema& schema, const Binding& b, std::span<const int32_t> args) {
    size_t refreshed = 0, next = 0;
    for (uint32_t k = 0; k < b.first_out; ++k) refreshed += m_.computed_[size_t(args[k])];
    if (!make(ins.refresh, refreshed)) return no_memory();
    refreshed = 0;
    for (size_t k = 0; k < schema.arg_count; ++k) {
      const SchemaArg& a = schema.arg_store[k];
      Value& target = ins.in[k];
      failure().argument = int32_t(k);
      if (b.drops_options && is_tensor_option(a.name)) {
        const bool dtype = a.name == "dtype" && ins.out.size() == 1 && ins.out[0].kind == Value::Kind::kTensor;
        target = dtype ? Value::of(int64_t(ins.out[0].tensor->dtype)) : Value::none();
        continue;
      }
      const uint32_t v = uint32_t(args[next++]);
      target = m_.values_[v];
      if (m_.computed_[v]) {
        ins.refresh[refreshed++] = {v, &target, &a};
        if (is_number(int32_t(v))) {  // its kind is known when it is computed
          if (a.list || a.type == ArgType::kTensor || a.type == ArgType::kString) return invalid_program("a computed number is no list, tensor or string");
          continue;
        }
      }
      if (target.kind == Value::Kind::kTensorList) GLINT_TRY(spend(target.count));
      if (!m_.computed_[v]) GLINT_TRY(widen(target, a));
      const Value given = target;
      GLINT_TRY(convert(given, a, target));
    }
    failure().argument = -1;
    return {};
  }

  Status check_memory(Instruction& ins) {
    Status s;
    each_operand(ins, [&](const Tensor* t, size_t k) {
      const Facts& f = m_.facts_[size_t(m_.tensor_index(t))];
      const Facts& root = m_.facts_[size_t(f.root)];
      if (f.moved || root.moved || (f.root != m_.tensor_index(t) && f.varying)) ins.check_overlap = true;
      if (s.ok() && t->data == nullptr && t->size_bytes() > 0 && !f.moved && !root.moved && !root.late && !f.varying) {
        failure().argument = int32_t(k);
        s = invalid_program("an operand has no memory");
      }
      if (s.ok() && ins.def->flags.contiguous_only && !t->is_contiguous()) s = unsupported("the operator takes contiguous tensors only");
    });
    each_result(ins, [&](const Tensor* t, size_t r) {
      const Facts& f = m_.facts_[size_t(m_.tensor_index(t))];
      if (f.root != m_.tensor_index(t) && f.varying) ins.check_overlap = true;
      if (s.ok() && ins.def->flags.contiguous_only && !t->is_contiguous()) s = unsupported("the operator takes contiguous tensors only");
      (void)r;
    });
    GLINT_TRY(s);
    uint32_t result = 0;
    if (m_.overlap(ins, &result)) {
      failure().argument = int32_t(ins.in.size() + result);
      return invalid_program("a result lies over an operand that the operator still reads");
    }
    return {};
  }

  // ---- delegates ----

  Status bind_delegate(uint32_t i, Instruction& ins) {
    const InstructionView call = view_.instruction(i);
    const PteMethod* file = m_.file_;
    if (file == nullptr || program_ == nullptr) return unsupported("a delegate inside a delegate");
    if (delegates_.empty() && !make(delegates_, file->delegate_count())) return no_memory();
    if (!make(ins.in, call.args.size())) return no_memory();
    std::span<bool> writable_args;
    if (!make(writable_args, call.args.size())) return no_memory();
    for (size_t k = 0; k < call.args.size(); ++k) {
      ins.in[k] = m_.values_[size_t(call.args[k])];
      const int32_t t = tensor_at(call.args[k]);
      writable_args[k] = t >= 0 && writable(t).ok() && !is_input_[size_t(t)];
    }
    GLINT_TRY(watch(ins, call.args));
    size_t refreshed = 0;
    for (int32_t a : call.args) refreshed += m_.computed_[size_t(a)];
    if (!make(ins.refresh, refreshed)) return no_memory();
    refreshed = 0;
    for (size_t k = 0; k < call.args.size(); ++k)
      if (m_.computed_[size_t(call.args[k])]) ins.refresh[refreshed++] = {uint32_t(call.args[k]), &ins.in[k], nullptr};
    const DelegateView d = file->delegate(uint32_t(ins.a));
    ins.name = d.id;
    failure().name = d.id;
    LoadedDelegate& loaded = delegates_[size_t(ins.a)];
    if (loaded.delegate == nullptr) {
      GLINT_TRY(load_delegate(d, uint32_t(ins.a), ins.in, writable_args, loaded.delegate));
      loaded.arguments = ins.in;
      loaded.writable = writable_args;
    } else if (!same_arguments(loaded, ins.in, writable_args)) {
      return unsupported("a delegate is called with arguments of other kinds, dtypes or sizes than in its first call");
    }
    ins.delegate = loaded.delegate;
    return {};
  }

  struct LoadedDelegate {
    Delegate* delegate = nullptr;
    std::span<const Value> arguments;  // of the first call
    std::span<const bool> writable;
  };

  /// What a delegate checked of its first call's arguments holds for these too.
  static bool same_arguments(const LoadedDelegate& first, std::span<const Value> args, std::span<const bool> writable_args) {
    if (args.size() != first.arguments.size()) return false;
    for (size_t k = 0; k < args.size(); ++k) {
      const Value &a = first.arguments[k], &b = args[k];
      if (a.kind != b.kind || first.writable[k] != writable_args[k]) return false;
      if (a.kind != Value::Kind::kTensor) continue;
      if (a.tensor->dtype != b.tensor->dtype || !a.tensor->same_sizes(*b.tensor)) return false;
      for (size_t dim = 0; dim < a.tensor->rank; ++dim)
        if (a.tensor->stride[dim] != b.tensor->stride[dim]) return false;
    }
    return true;
  }

  Status load_delegate(const DelegateView& d, uint32_t index, std::span<const Value> args, std::span<const bool> writable_args, Delegate*& out) {
    const BackendRuntime* backend = nullptr;
    for (const BackendRuntime* b : program_->backends())
      if (b->name == d.id) backend = b;
    if (backend == nullptr) return not_found("no backend of this build has the delegate's name");
    if (backend->is_available != nullptr && !backend->is_available()) return unsupported("the delegate's device is not available here");
    std::span<CompileSpecView> specs;
    if (!make(specs, d.compile_spec_count)) return no_memory();
    for (uint32_t k = 0; k < d.compile_spec_count; ++k) specs[k] = m_.file_->compile_spec(index, k);
    const PteFile& file = program_->file();
    auto* named = arena_.make<ProgramData>();
    if (named == nullptr) return no_memory();
    *named = ProgramData(&file);
    LoadContext context{arena_, d.blob, specs, *named, args, writable_args, ops_, *m_.cpu_, m_.options_.parallel};
    GLINT_TRY_LET(out, backend->load(context));
    return {};
  }

  // ---- the end ----

  /// Views of memory that the caller gives are placed again before each execute.
  Status finish_lists() {
    if (!make(m_.late_views_, late_views_)) return no_memory();
    size_t n = 0;
    for (Instruction& ins : m_.instructions_) {
      if (ins.kind != Instruction::Kind::kNothing || ins.a < 0) continue;
      if (m_.facts_[size_t(m_.facts_[size_t(ins.a)].root)].late) m_.late_views_[n++] = ins.a;
      ins.a = -1;
    }
    return {};
  }

  Status give_scratch() {
    m_.scratch_room_ = m_.options_.activations.empty() ? std::span<std::byte>() : m_.options_.activations.subspan(lent_used_);
    Plan need;
    need.scratch_bytes = scratch_bytes_;
    need.worker_scratch_bytes = worker_scratch_bytes_;
    return m_.reserve_scratch(need) ? Status() : out_of_memory("the operators' scratch memory does not fit");
  }

  struct Use { int first = -1, last = -1; bool written = false; };

  Method& m_;
  const MethodView& view_;
  OpTable ops_;
  Arena& arena_;
  const Program* program_ = nullptr;
  uint32_t method_index_ = 0;
  int64_t budget_ = kWorkBudget;
  std::span<Binding> bindings_;
  std::span<Use> use_;                    // of each tensor
  std::span<bool> is_input_, is_output_;  // of each tensor
  std::span<LoadedDelegate> delegates_;
  bool jumps_ = false;
  size_t late_views_ = 0, lent_used_ = 0, scratch_bytes_ = 0, worker_scratch_bytes_ = 0;
};

Result<Method*> Method::load(Session& session, std::string_view name, Arena& arena, const MethodOptions& options, Failure* failure) {
  const Program& program = session.program();
  const int32_t index = program.method_index(name);
  if (index < 0) {
    const Status s = not_found("the program has no method of this name");
    if (failure != nullptr) *failure = Failure{.status = s, .name = name};
    return s;
  }
  Method* m = arena.make<Method>();
  PteMethod* file = arena.make<PteMethod>();
  if (m == nullptr || file == nullptr) return no_memory();
  *file = program.file().method(uint32_t(index));
  m->session_ = &session;
  m->file_ = file;
  m->view_ = file;
  m->arena_ = &arena;
  m->cpu_ = &program.cpu();
  m->options_ = options;
  const Status s = MethodLoader(*m, *file, program.ops(), arena).load(&program, uint32_t(index));
  m->failure_.status = s;
  if (failure != nullptr) *failure = m->failure_;
  if (s.ok()) {
    m->failure_ = Failure();
    return m;
  }
  m->close();
  return s;
}

Result<Method*> Method::build(const MethodView& view, OpTable ops, const Cpu& cpu, Arena& arena, const MethodOptions& options, Failure* failure) {
  Method* m = arena.make<Method>();
  if (m == nullptr) return no_memory();
  m->view_ = &view;
  m->arena_ = &arena;
  m->cpu_ = &cpu;
  m->options_ = options;
  const Status s = MethodLoader(*m, view, ops, arena).load(nullptr, 0);
  m->failure_.status = s;
  if (failure != nullptr) *failure = m->failure_;
  if (!s.ok()) return s;
  m->failure_ = Failure();
  return m;
}

}  // namespace glint
