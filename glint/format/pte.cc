#include "glint/format/pte.h"

#include <bit>
#include <cstring>

#include "glint/base/checked.h"
#include "glint/core/tensor.h"
#include "glint/format/program_generated.h"
#include "glint/format/signature_generated.h"

namespace glint {

static_assert(std::endian::native == std::endian::little, "program files are read in place");

namespace {

// Far above any real program; they bound the time that a hostile file can take.
constexpr uint32_t kMaxDepth = 16, kMaxTables = 4'000'000, kMaxMethods = 4096, kMaxChains = 64;
constexpr uint64_t kMaxListItems = 64'000'000;

using PlanTable = pte::ExecutionPlan;

template <class T>
std::span<const T> items(const flatbuffers::Vector<T>* v) {
  return v == nullptr || v->size() == 0 ? std::span<const T>() : std::span<const T>(v->data(), v->size());
}
/// FlatBuffers' verifier aligns a vector's length, not its wider elements. Empty ones may lie anywhere.
template <class T>
bool aligned(const flatbuffers::Vector<T>* v) { return v == nullptr || v->size() == 0 || reinterpret_cast<uintptr_t>(v->Data()) % 8 == 0; }
constexpr Status kMisaligned = invalid_program("a list in the file is not aligned to its elements");
template <class T>
uint32_t count(const flatbuffers::Vector<T>* v) { return v == nullptr ? 0 : v->size(); }
std::string_view text(const flatbuffers::String* s) { return s == nullptr ? std::string_view() : std::string_view(s->c_str(), s->size()); }
std::span<const std::byte> raw(const flatbuffers::Vector<uint8_t>* v) { return std::as_bytes(items(v)); }

uint64_t read_u64(const std::byte* p) {
  uint64_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
uint32_t read_u32(const std::byte* p) {
  uint32_t v;
  std::memcpy(&v, p, sizeof v);
  return v;
}

const pte::Program* program(const void* root) { return static_cast<const pte::Program*>(root); }
const PlanTable* as_plan(const void* plan) { return static_cast<const PlanTable*>(plan); }
const signature::Method* as_signature(const void* method) { return static_cast<const signature::Method*>(method); }

bool inside(uint64_t offset, uint64_t size, uint64_t end) { return offset <= end && size <= end - offset; }

ValueView::Kind kind_of(pte::KernelTypes t) {
  using K = ValueView::Kind;
  switch (t) {
    case pte::KernelTypes::Int: return K::kInt;
    case pte::KernelTypes::Bool: return K::kBool;
    case pte::KernelTypes::Double: return K::kDouble;
    case pte::KernelTypes::Tensor: return K::kTensor;
    case pte::KernelTypes::String: return K::kString;
    case pte::KernelTypes::IntList: return K::kIntList;
    case pte::KernelTypes::DoubleList: return K::kDoubleList;
    case pte::KernelTypes::BoolList: return K::kBoolList;
    case pte::KernelTypes::TensorList: return K::kTensorList;
    case pte::KernelTypes::OptionalTensorList: return K::kOptionalTensorList;
    default: return K::kNone;
  }
}

uint64_t offset_of(const pte::AllocationDetails& a) { return uint64_t(a.memory_offset_high()) << 32 | a.memory_offset_low(); }

/// The element of the inline or segment constants that `t` names, from its start to the end of what holds it.
std::span<const std::byte> constant_bytes(const PteFile& file, const pte::Program& p, const pte::Tensor& t) {
  const uint32_t i = t.data_buffer_idx();
  const pte::SubsegmentOffsets* where = nullptr;
  if (t.allocation_info() != nullptr) {
    const uint64_t set = t.extra_tensor_info() != nullptr ? t.extra_tensor_info()->mutable_data_segments_idx() : 0;
    if (set < count(p.mutable_data_segments())) where = p.mutable_data_segments()->Get(uint32_t(set));
  } else if (count(p.constant_buffer()) != 0) {
    return i < count(p.constant_buffer()) ? raw(p.constant_buffer()->Get(i)->storage()) : std::span<const std::byte>();
  } else {
    where = p.constant_segment();
  }
  if (where == nullptr || i >= count(where->offsets()) || where->segment_index() >= file.segment_count()) return {};
  const auto segment = file.segment(where->segment_index());
  const uint64_t offset = where->offsets()->Get(i);
  return offset <= segment.size() ? segment.subspan(size_t(offset)) : std::span<const std::byte>();
}

TensorView tensor_view(const PteFile& file, const pte::Program& p, const pte::Tensor& t) {
  TensorView v;
  v.dtype = DType(t.scalar_type());
  v.sizes = items(t.sizes());
  v.rank = uint8_t(v.sizes.size());
  v.dim_order = items(t.dim_order());
  v.dynamism = TensorView::Dynamism(t.shape_dynamism());
  int64_t bytes = int64_t(dtype_size(v.dtype));
  for (int32_t s : v.sizes) bytes *= s;  // verified when the file was opened
  v.size_bytes = size_t(bytes);
  const auto* extra = t.extra_tensor_info();
  if (extra != nullptr) v.name = text(extra->fully_qualified_name());
  const auto* allocation = t.allocation_info();
  if (extra != nullptr && extra->location() == pte::TensorDataLocation::EXTERNAL) {
    v.storage = TensorView::Storage::kExternal;
    return v;
  }
  if (t.data_buffer_idx() > 0) v.data = constant_bytes(file, p, t).first(v.size_bytes);
  if (allocation != nullptr) {
    v.storage = TensorView::Storage::kPlanned;
    v.memory_id = allocation->memory_id();
    v.offset = offset_of(*allocation);
    v.state = t.data_buffer_idx() > 0 || !v.name.empty();
  } else if (t.data_buffer_idx() > 0) {
    v.storage = TensorView::Storage::kConstant;
    v.dynamism = TensorView::Dynamism::kStatic;
  }
  return v;
}

}  // namespace

/// The pass over everything that FlatBuffers' own verifier does not know.
struct PteCheck {
  const PteFile& file;
  const pte::Program& p;
  uint64_t list_items = 0;  // seen so far: vectors can be shared, so the file's size bounds nothing

  Status segments() const {
    // Stock files without constants list an empty segment and have no header.
    if (file.segment_base_ == 0)
      for (uint32_t i = 0; i < count(p.segments()); ++i)
        if (p.segments()->Get(i)->size() != 0) return invalid_program("the file has segments but no extended header");
    for (uint32_t i = 0; i < count(p.segments()); ++i) {
      const auto* s = p.segments()->Get(i);
      if (!inside(s->offset(), s->size(), file.segment_bytes_)) return invalid_program("a segment lies outside the file", int32_t(i));
    }
    return {};
  }

  Status subsegments(const pte::SubsegmentOffsets* s) const {
    if (s == nullptr || count(s->offsets()) == 0) return {};
    if (!aligned(s->offsets())) return kMisaligned;
    if (s->segment_index() >= count(p.segments())) return invalid_program("constants name a segment that does not exist");
    return {};
  }

  Status whole() {
    GLINT_TRY(segments());
    GLINT_TRY(subsegments(p.constant_segment()));
    if (count(p.constant_buffer()) != 0 && p.constant_segment() != nullptr && count(p.constant_segment()->offsets()) != 0)
      return invalid_program("constants are both inline and in a segment");
    for (uint32_t i = 0; i < count(p.mutable_data_segments()); ++i) GLINT_TRY(subsegments(p.mutable_data_segments()->Get(i)));
    for (uint32_t i = 0; i < count(p.named_data()); ++i) {
      const auto* n = p.named_data()->Get(i);
      if (n->key() == nullptr) return invalid_program("named data has no key", int32_t(i));
      if (n->segment_index() >= count(p.segments())) return invalid_program("named data names a segment that does not exist", int32_t(i));
    }
    if (count(p.execution_plan()) == 0) return invalid_program("the program has no method");
    if (p.execution_plan()->size() > kMaxMethods) return unsupported("the program has too many methods");
    for (const PlanTable* plan : *p.execution_plan()) GLINT_TRY(method(*plan));
    return {};
  }

  Status method(const PlanTable& plan) {
    if (plan.name() == nullptr || plan.name()->size() == 0) return invalid_program("a method has no name");
    if (!aligned(plan.non_const_buffer_sizes())) return kMisaligned;
    for (int64_t size : items(plan.non_const_buffer_sizes()))
      if (size < 0) return invalid_program("a planned memory has a negative size");
    if (plan.non_const_buffer_device() != nullptr)
      for (const auto* d : *plan.non_const_buffer_device())
        if (d->device_type() != 0) return unsupported("planned memory on another device than the CPU");
    const uint32_t values = count(plan.values());
    for (uint32_t i = 0; i < values; ++i) GLINT_TRY(value(plan, *plan.values()->Get(i)).at(int32_t(i)));
    GLINT_TRY(indices(items(plan.inputs()), values, "an input is not a value of the method"));
    GLINT_TRY(indices(items(plan.outputs()), values, "an output is not a value of the method"));
    if (plan.operators() != nullptr)
      for (const auto* op : *plan.operators())
        if (op->name() == nullptr) return invalid_program("an operator has no name");
    for (uint32_t i = 0; i < count(plan.delegates()); ++i) GLINT_TRY(delegate(*plan.delegates()->Get(i)).at(int32_t(i)));
    if (count(plan.chains()) > kMaxChains) return unsupported("the method has too many chains");
    int32_t index = 0;
    for (uint32_t c = 0; c < count(plan.chains()); ++c) {
      const auto* chain = plan.chains()->Get(c);
      GLINT_TRY(indices(items(chain->inputs()), values, "a chain's input is not a value of the method"));
      GLINT_TRY(indices(items(chain->outputs()), values, "a chain's output is not a value of the method"));
      const uint32_t n = count(chain->instructions());
      for (uint32_t i = 0; i < n; ++i, ++index) GLINT_TRY(instruction(plan, *chain->instructions()->Get(i), n).at(index));
    }
    return {};
  }

  Status indices(std::span<const int32_t> list, uint32_t limit, Literal why) {
    if ((list_items += list.size()) > kMaxListItems) return unsupported("the program's lists are too long");
    for (int32_t i : list)
      if (i < 0 || uint32_t(i) >= limit) return {Code::kInvalidProgram, why};
    return {};
  }

  static pte::KernelTypes type_of(const PlanTable& plan, int64_t i) {
    return i >= 0 && i < int64_t(count(plan.values())) ? plan.values()->Get(uint32_t(i))->val_type() : pte::KernelTypes::NONE;
  }

  Status value(const PlanTable& plan, const pte::EValue& v) {
    if (v.val() == nullptr) return invalid_program("a value has no contents");
    using T = pte::KernelTypes;
    switch (v.val_type()) {
      case T::Null: case T::Int: case T::Bool: case T::Double: return {};
      case T::String: return v.val_as_String()->string_val() == nullptr ? invalid_program("a string value has no text") : Status();
      case T::Tensor: return tensor(plan, *v.val_as_Tensor());
      case T::IntList: {
        if (!aligned(v.val_as_IntList()->items())) return kMisaligned;
        const auto list = items(v.val_as_IntList()->items());
        if ((list_items += list.size()) > kMaxListItems) return unsupported("the program's lists are too long");
        for (int64_t i : list)
          if (type_of(plan, i) != T::Int) return invalid_program("an item of an int list is not an int value of the method");
        return {};
      }
      case T::DoubleList: return aligned(v.val_as_DoubleList()->items()) ? Status() : kMisaligned;
      case T::BoolList: {
        const auto list = items(v.val_as_BoolList()->items());
        if ((list_items += list.size()) > kMaxListItems) return unsupported("the program's lists are too long");
        for (uint8_t b : list)
          if (b > 1) return invalid_program("an item of a bool list is neither 0 nor 1");
        return {};
      }
      case T::TensorList: return tensors(plan, items(v.val_as_TensorList()->items()), false);
      case T::OptionalTensorList: return tensors(plan, items(v.val_as_OptionalTensorList()->items()), true);
      default: return invalid_program("a value is of an unknown kind");
    }
  }

  Status tensors(const PlanTable& plan, std::span<const int32_t> list, bool optional) {
    if ((list_items += list.size()) > kMaxListItems) return unsupported("the program's lists are too long");
    for (int32_t i : list) {
      if (optional && i == -1) continue;
      const auto type = type_of(plan, i);
      if (type != pte::KernelTypes::Tensor && !(optional && type == pte::KernelTypes::Null))
        return invalid_program("an item of a tensor list is not a tensor of the method");
    }
    return {};
  }

  Status tensor(const PlanTable& plan, const pte::Tensor& t) const {
    if (!is_valid_dtype(t.scalar_type())) return unsupported("a tensor has a dtype that this build does not know");
    if (t.storage_offset() != 0) return unsupported("a tensor has a storage offset");
    if (t.layout() != 0) return unsupported("a tensor is not strided");
    if (uint8_t(t.shape_dynamism()) > 2) return invalid_program("a tensor's shape dynamism is unknown");
    const auto sizes = items(t.sizes());
    const auto order = items(t.dim_order());
    if (sizes.size() > size_t(kMaxRank)) return unsupported("a tensor has more than 16 dimensions");
    if (order.size() != sizes.size()) return invalid_program("a tensor's sizes and dim_order differ in length");
    uint32_t seen = 0;
    int64_t bytes = int64_t(dtype_size(DType(t.scalar_type())));
    bool empty = false;
    for (size_t d = 0; d < sizes.size(); ++d) {
      if (order[d] >= sizes.size() || (seen >> order[d] & 1) != 0) return invalid_program("a tensor's dim_order is not a permutation");
      seen |= 1u << order[d];
      if (sizes[d] < 0) return invalid_program("a tensor has a negative size");
      if (sizes[d] == 0) empty = true;
      else if (!checked_mul(bytes, sizes[d], &bytes)) return invalid_program("a tensor's size in bytes overflows");
    }
    if (empty) bytes = 0;
    if (uint64_t(bytes) > SIZE_MAX) return unsupported("a tensor is larger than memory");
    return placement(plan, t, uint64_t(bytes));
  }

  Status placement(const PlanTable& plan, const pte::Tensor& t, uint64_t bytes) const {
    const auto* extra = t.extra_tensor_info();
    const auto* allocation = t.allocation_info();
    if (extra != nullptr) {
      if (uint8_t(extra->location()) > 1) return invalid_program("a tensor's data location is unknown");
      if (extra->device_type() != 0) return unsupported("a tensor on another device than the CPU");
      if (extra->location() == pte::TensorDataLocation::EXTERNAL) {
        if (text(extra->fully_qualified_name()).empty()) return invalid_program("an external tensor has no name");
        if (allocation != nullptr) return unsupported("a mutable tensor with an external initial value");
        return {};
      }
    }
    if (allocation != nullptr) {
      const auto memories = items(plan.non_const_buffer_sizes());
      if (allocation->memory_id() == 0 || allocation->memory_id() >= memories.size())
        return invalid_program("a tensor lies in a planned memory that does not exist");
      if (!inside(offset_of(*allocation), bytes, uint64_t(memories[allocation->memory_id()])))
        return invalid_program("a tensor lies outside its planned memory");
    }
    if (t.data_buffer_idx() > 0 && bytes > constant_bytes(file, p, t).size())
      return invalid_program("a constant lies outside the data of the file");
    return {};
  }

  Status delegate(const pte::BackendDelegate& d) const {
    if (d.id() == nullptr) return invalid_program("a delegate has no backend name");
    const auto* where = d.processed();
    if (where == nullptr) return invalid_program("a delegate has no data");
    const uint32_t limit = where->location() == pte::DataLocation::INLINE ? count(p.backend_delegate_data()) : count(p.segments());
    if (uint8_t(where->location()) > 1 || where->index() >= limit) return invalid_program("a delegate's data does not exist");
    if (d.compile_specs() != nullptr)
      for (const auto* s : *d.compile_specs())
        if (s->key() == nullptr) return invalid_program("a compile spec has no key");
    return {};
  }

  Status instruction(const PlanTable& plan, const pte::Instruction& i, uint32_t chain_size) {
    if (i.instr_args() == nullptr) return invalid_program("an instruction has no contents");
    const uint32_t values = count(plan.values());
    const auto is_value = [&](int32_t v) { return v >= 0 && uint32_t(v) < values; };
    using T = pte::InstructionArguments;
    switch (i.instr_args_type()) {
      case T::KernelCall: {
        const auto* k = i.instr_args_as_KernelCall();
        if (k->op_index() < 0 || uint32_t(k->op_index()) >= count(plan.operators())) return invalid_program("a kernel call names an operator that does not exist");
        return indices(items(k->args()), values, "an argument of a kernel call is not a value of the method");
      }
      case T::DelegateCall: {
        const auto* d = i.instr_args_as_DelegateCall();
        if (d->delegate_index() < 0 || uint32_t(d->delegate_index()) >= count(plan.delegates())) return invalid_program("a delegate call names a delegate that does not exist");
        return indices(items(d->args()), values, "an argument of a delegate call is not a value of the method");
      }
      case T::MoveCall: {
        const auto* m = i.instr_args_as_MoveCall();
        return is_value(m->move_from()) && is_value(m->move_to()) ? Status() : invalid_program("a move names a value that does not exist");
      }
      case T::JumpFalseCall: {
        const auto* j = i.instr_args_as_JumpFalseCall();
        if (!is_value(j->cond_value_index())) return invalid_program("a jump's condition is not a value of the method");
        if (j->destination_instruction() < 0 || uint32_t(j->destination_instruction()) > chain_size) return invalid_program("a jump goes outside its chain");
        return {};
      }
      case T::FreeCall:
        return type_of(plan, i.instr_args_as_FreeCall()->value_index()) == pte::KernelTypes::Tensor ? Status() : invalid_program("a free names a value that is no tensor");
      default: return invalid_program("an instruction is of an unknown kind");
    }
  }

  /// The signature must fit the methods it describes: same counts, ranges one a dimension.
  Status signature(const signature::Signature& s) const {
    if (s.methods() == nullptr) return {};
    for (const auto* m : *s.methods()) {
      const auto method = file.find_method(text(m->name()));
      if (!method) continue;
      GLINT_TRY(ports(*method, m->inputs(), method->inputs()));
      GLINT_TRY(ports(*method, m->outputs(), method->outputs()));
      if (count(m->instructions()) != 0 && m->instructions()->size() != method->instruction_count())
        return invalid_program("glint.signature describes another number of instructions");
      for (uint32_t o : items(m->instructions()))
        if (o >= count(m->origins())) return invalid_program("glint.signature names an origin that does not exist");
    }
    return {};
  }

  static Status ports(const PteMethod& method, const flatbuffers::Vector<flatbuffers::Offset<signature::Port>>* ports, std::span<const int32_t> values) {
    if (count(ports) == 0) return {};
    if (ports->size() != values.size()) return invalid_program("glint.signature describes another number of inputs or outputs");
    for (uint32_t i = 0; i < ports->size(); ++i) {
      const auto* ranges = ports->Get(i)->ranges();
      if (ranges == nullptr || ranges->size() == 0) continue;
      if (!aligned(ranges)) return kMisaligned;
      const ValueView v = method.value(uint32_t(values[i]));
      if (v.kind != ValueView::Kind::kTensor || ranges->size() != v.tensor.rank) return invalid_program("glint.signature has ranges of another rank");
      for (const auto* r : *ranges)
        if (r->min() < 0 || r->max() < r->min() || r->multiple() < 1) return invalid_program("glint.signature has an empty range");
    }
    return {};
  }
};

Result<PteFile> PteFile::open(std::span<const std::byte> bytes) {
  if (bytes.size() < 8) return invalid_program("too short for a program file");
  if (reinterpret_cast<uintptr_t>(bytes.data()) % 16 != 0) return invalid_argument("the program's bytes must be aligned to 16 in memory");
  if (std::memcmp(bytes.data() + 4, "ET12", 4) != 0)
    return std::memcmp(bytes.data() + 4, "ET", 2) == 0 ? unsupported("a program file of another version than ET12")
                                                        : invalid_program("not a program file: it does not start with ET12");
  PteFile f;
  f.file_ = bytes;
  f.flatbuffer_size_ = bytes.size();
  if (bytes.size() >= 32 && std::memcmp(bytes.data() + 8, "eh00", 4) == 0) {
    const uint32_t length = read_u32(bytes.data() + 12);
    if (length < 24 || (length >= 32 && bytes.size() < 40)) return invalid_program("the extended header is too short");
    f.flatbuffer_size_ = read_u64(bytes.data() + 16);
    f.segment_base_ = read_u64(bytes.data() + 24);
    if (f.flatbuffer_size_ > bytes.size()) return invalid_program("the file is shorter than its header says");
    if (f.segment_base_ != 0) {
      if (f.segment_base_ < f.flatbuffer_size_ || f.segment_base_ > bytes.size()) return invalid_program("the segments start outside the file");
      f.segment_bytes_ = bytes.size() - f.segment_base_;
      const uint64_t declared = length >= 32 ? read_u64(bytes.data() + 32) : 0;
      if (declared > f.segment_bytes_) return invalid_program("the file is shorter than its header says");
    }
  }
  // FlatBuffers' own limit; only constants kept inline could reach it.
  if (f.flatbuffer_size_ >= FLATBUFFERS_MAX_BUFFER_SIZE) return unsupported("the program is larger than 2 GB");
  flatbuffers::Verifier verifier(reinterpret_cast<const uint8_t*>(bytes.data()), size_t(f.flatbuffer_size_), kMaxDepth, kMaxTables);
  if (!pte::VerifyProgramBuffer(verifier)) return invalid_program("the program is damaged: its tables point outside of it");
  f.root_ = pte::GetProgram(bytes.data());
  PteCheck check{f, *program(f.root_)};
  GLINT_TRY(check.whole());
  if (const auto data = f.find_named_data("glint.signature")) {
    flatbuffers::Verifier own(reinterpret_cast<const uint8_t*>(data->data()), data->size(), kMaxDepth, kMaxTables);
    // A segment's place in the file is its writer's choice: a signature that cannot be read in place is ignored.
    if (reinterpret_cast<uintptr_t>(data->data()) % 8 == 0) {
      if (!signature::VerifySignatureBuffer(own)) return invalid_program("glint.signature is damaged");
      const auto* s = signature::GetSignature(data->data());
      GLINT_TRY(check.signature(*s));
      f.signature_ = s;
    }
  }
  return f;
}

uint32_t PteFile::method_count() const { return program(root_)->execution_plan()->size(); }

PteMethod PteFile::method(uint32_t i) const {
  PteMethod m;
  const PlanTable* plan = program(root_)->execution_plan()->Get(i);
  m.file_ = *this;
  m.plan_ = plan;
  for (uint32_t c = 0; c < count(plan->chains()); ++c) m.instruction_count_ += count(plan->chains()->Get(c)->instructions());
  if (signature_ != nullptr && static_cast<const signature::Signature*>(signature_)->methods() != nullptr)
    for (const auto* s : *static_cast<const signature::Signature*>(signature_)->methods())
      if (m.signature_ == nullptr && text(s->name()) == text(plan->name())) m.signature_ = s;
  return m;
}

std::optional<PteMethod> PteFile::find_method(std::string_view name) const {
  for (uint32_t i = 0; i < method_count(); ++i)
    if (text(program(root_)->execution_plan()->Get(i)->name()) == name) return method(i);
  return std::nullopt;
}

uint32_t PteFile::named_data_count() const { return count(program(root_)->named_data()); }
std::string_view PteFile::named_data_key(uint32_t i) const { return text(program(root_)->named_data()->Get(i)->key()); }
std::span<const std::byte> PteFile::named_data(uint32_t i) const { return segment(program(root_)->named_data()->Get(i)->segment_index()); }

std::optional<std::span<const std::byte>> PteFile::find_named_data(std::string_view key) const {
  for (uint32_t i = 0; i < named_data_count(); ++i)
    if (named_data_key(i) == key) return named_data(i);
  return std::nullopt;
}

std::string_view PteFile::writer() const {
  return signature_ == nullptr ? std::string_view() : text(static_cast<const signature::Signature*>(signature_)->writer());
}

uint32_t PteFile::segment_count() const { return count(program(root_)->segments()); }

std::span<const std::byte> PteFile::segment(uint32_t i) const {
  const auto* s = program(root_)->segments()->Get(i);
  return file_.subspan(size_t(segment_base_ + s->offset()), size_t(s->size()));
}

std::string_view PteMethod::name() const { return text(as_plan(plan_)->name()); }
uint32_t PteMethod::value_count() const { return count(as_plan(plan_)->values()); }
std::span<const int32_t> PteMethod::inputs() const { return items(as_plan(plan_)->inputs()); }
std::span<const int32_t> PteMethod::outputs() const { return items(as_plan(plan_)->outputs()); }
uint32_t PteMethod::operator_count() const { return count(as_plan(plan_)->operators()); }
uint32_t PteMethod::delegate_count() const { return count(as_plan(plan_)->delegates()); }
std::span<const int64_t> PteMethod::memory_sizes() const { return items(as_plan(plan_)->non_const_buffer_sizes()); }

ValueView PteMethod::value(uint32_t i) const {
  const pte::EValue& e = *as_plan(plan_)->values()->Get(i);
  ValueView v;
  v.kind = kind_of(e.val_type());
  using K = ValueView::Kind;
  switch (v.kind) {
    case K::kNone: break;
    case K::kInt: v.i = e.val_as_Int()->int_val(); break;
    case K::kBool: v.i = e.val_as_Bool()->bool_val(); break;
    case K::kDouble: v.d = e.val_as_Double()->double_val(); break;
    case K::kString: v.text = text(e.val_as_String()->string_val()); break;
    case K::kTensor: v.tensor = tensor_view(file_, *program(file_.root_), *e.val_as_Tensor()); break;
    case K::kIntList: v.ints = items(e.val_as_IntList()->items()); break;
    case K::kDoubleList: v.doubles = items(e.val_as_DoubleList()->items()); break;
    case K::kBoolList: {
      const auto list = items(e.val_as_BoolList()->items());
      v.bools = {reinterpret_cast<const bool*>(list.data()), list.size()};
      break;
    }
    case K::kTensorList: v.tensors = items(e.val_as_TensorList()->items()); break;
    case K::kOptionalTensorList: v.tensors = items(e.val_as_OptionalTensorList()->items()); break;
  }
  return v;
}

InstructionView PteMethod::instruction(uint32_t i) const {
  const auto& chains = *as_plan(plan_)->chains();
  uint32_t chain = 0, base = 0;
  while (i - base >= count(chains.Get(chain)->instructions())) base += count(chains.Get(chain++)->instructions());
  const pte::Instruction& e = *chains.Get(chain)->instructions()->Get(i - base);
  InstructionView v;
  using T = pte::InstructionArguments;
  using K = InstructionView::Kind;
  switch (e.instr_args_type()) {
    case T::KernelCall:
      v.kind = K::kKernel;
      v.index = e.instr_args_as_KernelCall()->op_index();
      v.args = items(e.instr_args_as_KernelCall()->args());
      break;
    case T::DelegateCall:
      v.kind = K::kDelegate;
      v.index = e.instr_args_as_DelegateCall()->delegate_index();
      v.args = items(e.instr_args_as_DelegateCall()->args());
      break;
    case T::MoveCall:
      v.kind = K::kMove;
      v.from = e.instr_args_as_MoveCall()->move_from();
      v.to = e.instr_args_as_MoveCall()->move_to();
      break;
    case T::JumpFalseCall:
      v.kind = K::kJumpFalse;
      v.from = e.instr_args_as_JumpFalseCall()->cond_value_index();
      v.index = int32_t(base) + e.instr_args_as_JumpFalseCall()->destination_instruction();
      break;
    default:
      v.kind = K::kFree;
      v.from = e.instr_args_as_FreeCall()->value_index();
  }
  return v;
}

OperatorView PteMethod::op(uint32_t i) const {
  const auto* o = as_plan(plan_)->operators()->Get(i);
  return {text(o->name()), text(o->overload())};
}

DelegateView PteMethod::delegate(uint32_t i) const {
  const auto* d = as_plan(plan_)->delegates()->Get(i);
  const auto* where = d->processed();
  return {text(d->id()),
          where->location() == pte::DataLocation::INLINE ? raw(program(file_.root_)->backend_delegate_data()->Get(where->index())->data())
                                                         : file_.segment(where->index()),
          count(d->compile_specs())};
}

CompileSpecView PteMethod::compile_spec(uint32_t delegate, uint32_t i) const {
  const auto* s = as_plan(plan_)->delegates()->Get(delegate)->compile_specs()->Get(i);
  return {text(s->key()), raw(s->value())};
}

std::string_view PteMethod::encoded_inputs() const {
  const auto* c = as_plan(plan_)->container_meta_type();
  return c == nullptr ? std::string_view() : text(c->encoded_inp_str());
}
std::string_view PteMethod::encoded_outputs() const {
  const auto* c = as_plan(plan_)->container_meta_type();
  return c == nullptr ? std::string_view() : text(c->encoded_out_str());
}

namespace {

using Ports = flatbuffers::Vector<flatbuffers::Offset<signature::Port>>;
std::string_view port_name(const Ports* ports, uint32_t i) { return i < count(ports) ? text(ports->Get(i)->name()) : std::string_view(); }
std::optional<DimRangeView> port_range(const Ports* ports, uint32_t i, uint32_t dim) {
  if (i >= count(ports)) return std::nullopt;
  const auto* ranges = ports->Get(i)->ranges();
  if (ranges == nullptr || dim >= ranges->size()) return std::nullopt;
  const auto* r = ranges->Get(dim);
  return DimRangeView{r->min(), r->max(), r->multiple()};
}

}  // namespace

std::string_view PteMethod::input_name(uint32_t i) const {
  return signature_ == nullptr ? std::string_view() : port_name(as_signature(signature_)->inputs(), i);
}
std::string_view PteMethod::output_name(uint32_t i) const {
  return signature_ == nullptr ? std::string_view() : port_name(as_signature(signature_)->outputs(), i);
}
std::optional<DimRangeView> PteMethod::input_range(uint32_t i, uint32_t dim) const {
  return signature_ == nullptr ? std::nullopt : port_range(as_signature(signature_)->inputs(), i, dim);
}
std::optional<DimRangeView> PteMethod::output_range(uint32_t i, uint32_t dim) const {
  return signature_ == nullptr ? std::nullopt : port_range(as_signature(signature_)->outputs(), i, dim);
}
std::string_view PteMethod::origin(uint32_t instruction) const {
  const auto* s = as_signature(signature_);
  if (s == nullptr || instruction >= count(s->instructions())) return {};
  return text(s->origins()->Get(s->instructions()->Get(instruction)));
}

}  // namespace glint
