#include <algorithm>
#include <cstring>
#include <map>

#include "glint/base/checked.h"
#include "glint/core/tensor.h"
#include "glint/format/output_file.h"
#include "glint/format/program_generated.h"
#include "glint/format/signature_generated.h"

namespace glint {
namespace {

constexpr uint64_t kConstantAlignment = 64, kHeaderBytes = 32;

// ---- checking a spec -------------------------------------------------------------------------------------------------

struct Checker {
  const ProgramSpec& spec;
  std::string detail;

  Status fail(Literal why, int32_t where, std::string text) {
    detail = std::move(text);
    return {Code::kInvalidArgument, why, where};
  }

  Status program() {
    if (spec.methods.empty()) return invalid_argument("a program needs a method");
    for (size_t i = 0; i < spec.methods.size(); ++i) {
      for (size_t k = 0; k < i; ++k)
        if (spec.methods[k].name == spec.methods[i].name) return fail("two methods have one name", -1, spec.methods[i].name);
      GLINT_TRY(method(spec.methods[i]));
    }
    return {};
  }

  Status method(const MethodSpec& m) {
    if (m.name.empty()) return invalid_argument("a method has no name");
    const auto is_value = [&](int64_t v) { return v >= 0 && v < int64_t(m.values.size()); };
    const auto at = [&](const char* what, size_t i) { return m.name + ": " + what + " " + std::to_string(i); };
    for (size_t i = 0; i < m.values.size(); ++i) GLINT_TRY(value(m, m.values[i], int32_t(i)));
    for (const auto* list : {&m.inputs, &m.outputs})
      for (int32_t v : *list)
        if (!is_value(v)) return fail("an input or output is not a value", -1, m.name);
    if (!m.input_names.empty() && m.input_names.size() != m.inputs.size()) return fail("there are not as many input names as inputs", -1, m.name);
    if (!m.output_names.empty() && m.output_names.size() != m.outputs.size()) return fail("there are not as many output names as outputs", -1, m.name);
    for (size_t i = 0; i < m.instructions.size(); ++i) {
      const InstructionSpec& s = m.instructions[i];
      using K = InstructionSpec::Kind;
      for (int32_t v : s.args)
        if (!is_value(v)) return fail("an argument is not a value", int32_t(i), at("instruction", i));
      const size_t needed = s.kind == K::kMove ? 2 : s.kind == K::kJumpFalse || s.kind == K::kFree ? 1 : s.args.size();
      if (s.args.size() != needed) return fail("an instruction has the wrong number of arguments", int32_t(i), at("instruction", i));
      if (s.kind == K::kKernel && s.op.empty()) return fail("a kernel call names no operator", int32_t(i), at("instruction", i));
      if (s.kind == K::kDelegate && (s.delegate < 0 || size_t(s.delegate) >= m.delegates.size())) return fail("a delegate does not exist", int32_t(i), at("instruction", i));
      if (s.kind == K::kJumpFalse && (s.target < 0 || size_t(s.target) > m.instructions.size())) return fail("a jump goes outside the method", int32_t(i), at("instruction", i));
    }
    return {};
  }

  Status value(const MethodSpec& m, const ValueSpec& v, int32_t i) {
    using K = ValueSpec::Kind;
    const std::string where = m.name + ": value " + std::to_string(i);
    const auto item_is = [&](int64_t item, K kind) { return item >= 0 && item < int64_t(m.values.size()) && m.values[size_t(item)].kind == kind; };
    for (int64_t item : v.items) {
      if (v.kind == K::kIntList && !item_is(item, K::kInt)) return fail("an item of an int list is not an int value", i, where);
      if (v.kind == K::kTensorList && !item_is(item, K::kTensor)) return fail("an item of a tensor list is not a tensor value", i, where);
      if (v.kind == K::kOptionalTensorList && item != -1 && !item_is(item, K::kTensor)) return fail("an item of a tensor list is not a tensor value", i, where);
    }
    return v.kind == K::kTensor ? tensor(m, v.tensor, i, where) : Status();
  }

  Status tensor(const MethodSpec& m, const TensorSpec& t, int32_t i, const std::string& where) {
    TensorMeta meta;
    if (!meta.set(t.dtype, t.sizes)) return fail("a tensor's sizes are not valid", i, where);
    for (int64_t s : t.sizes)
      if (s > INT32_MAX) return fail("a dimension does not fit in 32 bits", i, where);
    if (!t.dim_order.empty()) {
      std::vector<uint8_t> sorted = t.dim_order;
      std::sort(sorted.begin(), sorted.end());
      bool ok = sorted.size() == t.sizes.size();
      for (size_t d = 0; d < sorted.size(); ++d) ok = ok && sorted[d] == d;
      if (!ok) return fail("a tensor's dim_order is not a permutation", i, where);
    }
    if (!t.ranges.empty() && t.ranges.size() != t.sizes.size()) return fail("a tensor has ranges of another rank", i, where);
    for (const DimRange& r : t.ranges)
      if (r.min < 0 || r.max < r.min || r.multiple < 1) return fail("a tensor has an empty range", i, where);
    const bool planned = t.storage == Storage::kPlanned || t.storage == Storage::kState;
    if (planned) {
      if (t.memory_id == 0 || t.memory_id >= m.memory_sizes.size()) return fail("a tensor lies in a memory that does not exist", i, where);
      const uint64_t size = uint64_t(std::max<int64_t>(0, m.memory_sizes[t.memory_id]));
      if (t.offset > size || meta.size_bytes() > size - t.offset) return fail("a tensor lies outside its planned memory", i, where);
    }
    if ((t.storage == Storage::kState || t.storage == Storage::kExternal) && t.name.empty()) return fail("a state or external tensor has no name", i, where);
    if (t.storage == Storage::kConstant || (t.storage == Storage::kState && t.data != -1)) {
      if (t.data < 0 || size_t(t.data) >= spec.constants.size()) return fail("a constant does not exist", i, where);
      if (spec.constants[size_t(t.data)].size != meta.size_bytes()) return fail("a constant has another size than its tensor", i, where);
    }
    return {};
  }
};

// ---- placing data ----------------------------------------------------------------------------------------------------

/// What follows the FlatBuffer: constants, initial values, and one segment for each blob.
struct Layout {
  struct Piece { uint64_t offset; const DataSpec* data; };  // from the segment base
  struct Segment { uint64_t offset, size; };

  const WriteOptions& options;
  std::vector<Piece> pieces;
  std::vector<Segment> segments;
  std::map<const DataSpec*, uint32_t> constant_index, state_index;  // data_buffer_idx; 0 is reserved
  std::vector<const DataSpec*> constants, states;                   // in the order of the indices, from 1
  std::vector<uint64_t> constant_offsets = {0}, state_offsets = {0};
  std::map<const DataSpec*, uint32_t> blob_segment;
  int64_t state_segment = -1;
  uint64_t end = 0;

  void open_segment(uint64_t size) {
    // Small segments need not start a page of their own.
    end = align_up(end, size >= options.segment_alignment ? options.segment_alignment : kConstantAlignment);
    segments.push_back({end, 0});
  }
  void place(const DataSpec* data, std::vector<uint64_t>* offsets) {
    if (offsets != nullptr) {
      end = segments.back().offset + align_up(end - segments.back().offset, kConstantAlignment);
      offsets->push_back(end - segments.back().offset);
    }
    pieces.push_back({end, data});
    end += data->size;
    segments.back().size = end - segments.back().offset;
  }

  Status build(const ProgramSpec& spec, const std::vector<const DataSpec*>& blobs) {
    DataPool constant_pool, state_pool, blob_pool;
    GLINT_TRY(for_each_data(spec, [&](const DataSpec& d, bool state) {
      (state ? state_pool : constant_pool).expect(d);
      return Status();
    }));
    GLINT_TRY(for_each_data(spec, [&](const DataSpec& d, bool state) {
      GLINT_TRY_LET(const size_t i, (state ? state_pool : constant_pool).add(d));
      (state ? state_index : constant_index)[&d] = uint32_t(i) + 1;
      return Status();
    }));
    constants = constant_pool.unique();
    states = state_pool.unique();
    uint64_t total = 0;
    if (!options.inline_constants) {
      for (const DataSpec* d : constants) total += d->size;
      open_segment(total);
      for (const DataSpec* d : constants) place(d, &constant_offsets);
    }
    if (!states.empty()) {
      state_segment = int64_t(segments.size());
      open_segment(0);
      for (const DataSpec* d : states) place(d, &state_offsets);
    }
    for (const DataSpec* d : blobs) blob_pool.expect(*d);
    const uint32_t first = uint32_t(segments.size());
    for (const DataSpec* d : blobs) {
      GLINT_TRY_LET(const size_t i, blob_pool.add(*d));
      if (first + i == segments.size()) {
        open_segment(d->size);
        place(d, nullptr);
      }
      blob_segment[d] = first + uint32_t(i);
    }
    return {};
  }

  template <class F>
  static Status for_each_data(const ProgramSpec& spec, F f) {
    for (const MethodSpec& m : spec.methods)
      for (const ValueSpec& v : m.values) {
        const TensorSpec& t = v.tensor;
        if (v.kind != ValueSpec::Kind::kTensor || t.data < 0) continue;
        if (t.storage == Storage::kConstant || t.storage == Storage::kState) GLINT_TRY(f(spec.constants[size_t(t.data)], t.storage == Storage::kState));
      }
    return {};
  }
};

// ---- building the FlatBuffer -----------------------------------------------------------------------------------------

template <class T>
using Offsets = std::vector<flatbuffers::Offset<T>>;

struct Builder {
  const ProgramSpec& spec;
  const Layout& layout;
  flatbuffers::FlatBufferBuilder fbb{1024};

  flatbuffers::Offset<pte::Tensor> tensor(const TensorSpec& t) {
    std::vector<int32_t> sizes(t.sizes.begin(), t.sizes.end());
    std::vector<uint8_t> order = t.dim_order;
    if (order.empty())
      for (size_t d = 0; d < sizes.size(); ++d) order.push_back(uint8_t(d));
    flatbuffers::Offset<pte::ExtraTensorInfo> extra = 0;
    if (t.storage == Storage::kState || t.storage == Storage::kExternal)
      extra = pte::CreateExtraTensorInfo(fbb, 0, fbb.CreateString(t.name),
                                         t.storage == Storage::kExternal ? pte::TensorDataLocation::EXTERNAL : pte::TensorDataLocation::SEGMENT);
    flatbuffers::Offset<pte::AllocationDetails> allocation = 0;
    if (t.storage == Storage::kPlanned || t.storage == Storage::kState)
      allocation = pte::CreateAllocationDetails(fbb, t.memory_id, uint32_t(t.offset), uint32_t(t.offset >> 32));
    uint32_t data = 0;
    if (t.storage == Storage::kConstant) data = layout.constant_index.at(&spec.constants[size_t(t.data)]);
    if (t.storage == Storage::kState && t.data >= 0) data = layout.state_index.at(&spec.constants[size_t(t.data)]);
    return pte::CreateTensor(fbb, int8_t(t.dtype), 0, fbb.CreateVector(sizes), fbb.CreateVector(order), false, data, allocation, 0,
                             pte::TensorShapeDynamism(t.dynamism), extra);
  }

  flatbuffers::Offset<pte::EValue> value(const ValueSpec& v) {
    using K = ValueSpec::Kind;
    using T = pte::KernelTypes;
    const std::vector<int32_t> indices(v.items.begin(), v.items.end());
    switch (v.kind) {
      case K::kNone: return pte::CreateEValue(fbb, T::Null, pte::CreateNull(fbb).Union());
      case K::kInt: return pte::CreateEValue(fbb, T::Int, pte::CreateInt(fbb, v.i).Union());
      case K::kBool: return pte::CreateEValue(fbb, T::Bool, pte::CreateBool(fbb, v.i != 0).Union());
      case K::kDouble: return pte::CreateEValue(fbb, T::Double, pte::CreateDouble(fbb, v.d).Union());
      case K::kString: return pte::CreateEValue(fbb, T::String, pte::CreateString(fbb, fbb.CreateString(v.text)).Union());
      case K::kTensor: return pte::CreateEValue(fbb, T::Tensor, tensor(v.tensor).Union());
      case K::kIntList: return pte::CreateEValue(fbb, T::IntList, pte::CreateIntList(fbb, fbb.CreateVector(v.items)).Union());
      case K::kDoubleList: return pte::CreateEValue(fbb, T::DoubleList, pte::CreateDoubleList(fbb, fbb.CreateVector(v.doubles)).Union());
      case K::kBoolList: {
        const std::vector<uint8_t> bools(v.items.begin(), v.items.end());
        return pte::CreateEValue(fbb, T::BoolList, pte::CreateBoolList(fbb, fbb.CreateVector(bools)).Union());
      }
      case K::kTensorList: return pte::CreateEValue(fbb, T::TensorList, pte::CreateTensorList(fbb, fbb.CreateVector(indices)).Union());
      case K::kOptionalTensorList: return pte::CreateEValue(fbb, T::OptionalTensorList, pte::CreateOptionalTensorList(fbb, fbb.CreateVector(indices)).Union());
    }
    return 0;
  }

  flatbuffers::Offset<pte::Instruction> instruction(const InstructionSpec& s, int32_t op) {
    using K = InstructionSpec::Kind;
    using T = pte::InstructionArguments;
    switch (s.kind) {
      case K::kKernel: return pte::CreateInstruction(fbb, T::KernelCall, pte::CreateKernelCall(fbb, op, fbb.CreateVector(s.args)).Union());
      case K::kDelegate: return pte::CreateInstruction(fbb, T::DelegateCall, pte::CreateDelegateCall(fbb, s.delegate, fbb.CreateVector(s.args)).Union());
      case K::kMove: return pte::CreateInstruction(fbb, T::MoveCall, pte::CreateMoveCall(fbb, s.args[0], s.args[1]).Union());
      case K::kJumpFalse: return pte::CreateInstruction(fbb, T::JumpFalseCall, pte::CreateJumpFalseCall(fbb, s.args[0], s.target).Union());
      case K::kFree: return pte::CreateInstruction(fbb, T::FreeCall, pte::CreateFreeCall(fbb, s.args[0]).Union());
    }
    return 0;
  }

  flatbuffers::Offset<pte::BackendDelegate> delegate(const DelegateSpec& d) {
    Offsets<pte::CompileSpec> specs;
    for (const auto& c : d.compile_specs) {
      const auto key = fbb.CreateString(c.key);
      specs.push_back(pte::CreateCompileSpec(fbb, key, fbb.CreateVector(reinterpret_cast<const uint8_t*>(c.value.data()), c.value.size())));
    }
    const auto id = fbb.CreateString(d.id);
    const auto where = pte::CreateBackendDelegateDataReference(fbb, pte::DataLocation::SEGMENT, layout.blob_segment.at(&d.blob));
    return pte::CreateBackendDelegate(fbb, id, where, fbb.CreateVector(specs));
  }

  flatbuffers::Offset<pte::ExecutionPlan> method(const MethodSpec& m) {
    Offsets<pte::EValue> values;
    for (const ValueSpec& v : m.values) values.push_back(value(v));
    std::map<std::pair<std::string, std::string>, int32_t> ops;
    Offsets<pte::Operator> operators;
    Offsets<pte::Instruction> instructions;
    for (const InstructionSpec& s : m.instructions) {
      int32_t op = -1;
      if (s.kind == InstructionSpec::Kind::kKernel) {
        op = ops.emplace(std::pair(s.op, s.overload), int32_t(ops.size())).first->second;
        if (size_t(op) == operators.size()) {
          const auto name = fbb.CreateString(s.op);
          operators.push_back(pte::CreateOperator(fbb, name, fbb.CreateString(s.overload)));
        }
      }
      instructions.push_back(instruction(s, op));
    }
    Offsets<pte::BackendDelegate> delegates;
    for (const DelegateSpec& d : m.delegates) delegates.push_back(delegate(d));
    const auto chain_inputs = fbb.CreateVector(m.inputs), chain_outputs = fbb.CreateVector(m.outputs);
    const Offsets<pte::Chain> chains = {pte::CreateChain(fbb, chain_inputs, chain_outputs, fbb.CreateVector(instructions))};
    const auto name = fbb.CreateString(m.name);
    const auto in = fbb.CreateString(m.encoded_inputs), out = fbb.CreateString(m.encoded_outputs);
    const auto container = pte::CreateContainerMetadata(fbb, in, out);
    const auto v = fbb.CreateVector(values);
    const auto inputs = fbb.CreateVector(m.inputs), outputs = fbb.CreateVector(m.outputs);
    const auto c = fbb.CreateVector(chains);
    const auto o = fbb.CreateVector(operators);
    const auto d = fbb.CreateVector(delegates);
    return pte::CreateExecutionPlan(fbb, name, container, v, inputs, outputs, c, o, d, fbb.CreateVector(m.memory_sizes));
  }

  void program(const DataSpec* signature) {
    Offsets<pte::ExecutionPlan> plans;
    for (const MethodSpec& m : spec.methods) plans.push_back(method(m));
    Offsets<pte::DataSegment> segments;
    for (const auto& s : layout.segments) segments.push_back(pte::CreateDataSegment(fbb, s.offset, s.size));
    Offsets<pte::NamedData> named;
    for (const NamedDataSpec& n : spec.named_data) {
      const auto key = fbb.CreateString(n.key);
      named.push_back(pte::CreateNamedData(fbb, key, layout.blob_segment.at(&n.data)));
    }
    if (signature != nullptr) {
      const auto key = fbb.CreateString("glint.signature");
      named.push_back(pte::CreateNamedData(fbb, key, layout.blob_segment.at(signature)));
    }
    Offsets<pte::Buffer> buffers;
    flatbuffers::Offset<pte::SubsegmentOffsets> constant_segment = 0;
    if (layout.options.inline_constants) {
      buffers = inline_constants();
    } else {
      constant_segment = pte::CreateSubsegmentOffsets(fbb, 0, fbb.CreateVector(layout.constant_offsets));
    }
    Offsets<pte::SubsegmentOffsets> states;
    if (layout.state_segment >= 0) states.push_back(pte::CreateSubsegmentOffsets(fbb, uint32_t(layout.state_segment), fbb.CreateVector(layout.state_offsets)));
    const auto p = fbb.CreateVector(plans);
    const auto b = fbb.CreateVector(buffers);
    const auto s = fbb.CreateVector(segments);
    const auto inline_blobs = fbb.CreateVector(Offsets<pte::BackendDelegateInlineData>());
    const auto m = fbb.CreateVector(states);
    const auto n = fbb.CreateVector(named);
    pte::FinishProgramBuffer(fbb, pte::CreateProgram(fbb, 0, p, b, inline_blobs, s, constant_segment, m, n));
  }

  Offsets<pte::Buffer> inline_constants() {
    Offsets<pte::Buffer> buffers = {pte::CreateBuffer(fbb)};
    for (const DataSpec* d : layout.constants) {
      std::vector<uint8_t> bytes;
      (void)d->write([&](std::span<const std::byte> piece) {
        for (std::byte b : piece) bytes.push_back(uint8_t(b));
        return Status();
      });
      bytes.resize(size_t(d->size));
      fbb.ForceVectorAlignment(bytes.size(), 1, 16);
      buffers.push_back(pte::CreateBuffer(fbb, fbb.CreateVector(bytes)));
    }
    return buffers;
  }
};

/// The contents of "glint.signature".
std::string signature_bytes(const ProgramSpec& spec) {
  flatbuffers::FlatBufferBuilder fbb;
  Offsets<signature::Method> methods;
  for (const MethodSpec& m : spec.methods) {
    const auto ports = [&](const std::vector<int32_t>& values, const std::vector<std::string>& names) {
      Offsets<signature::Port> list;
      for (size_t i = 0; i < values.size(); ++i) {
        std::vector<signature::DimRange> ranges;
        for (const DimRange& r : m.values[size_t(values[i])].tensor.ranges) ranges.emplace_back(r.min, r.max, r.multiple);
        const auto name = fbb.CreateString(i < names.size() ? names[i] : std::string());
        list.push_back(signature::CreatePort(fbb, name, ranges.empty() ? 0 : fbb.CreateVectorOfStructs(ranges)));
      }
      return fbb.CreateVector(list);
    };
    const auto inputs = ports(m.inputs, m.input_names), outputs = ports(m.outputs, m.output_names);
    std::map<std::string, uint32_t> index;
    std::vector<std::string> origins;
    std::vector<uint32_t> of_instruction;
    for (const InstructionSpec& s : m.instructions) {
      of_instruction.push_back(index.emplace(s.origin, uint32_t(origins.size())).first->second);
      if (of_instruction.back() == origins.size()) origins.push_back(s.origin);
    }
    const bool any = !(origins.empty() || (origins.size() == 1 && origins[0].empty()));
    const auto name = fbb.CreateString(m.name);
    const auto o = any ? fbb.CreateVectorOfStrings(origins) : 0;
    methods.push_back(signature::CreateMethod(fbb, name, inputs, outputs, o, any ? fbb.CreateVector(of_instruction) : 0));
  }
  const auto writer = fbb.CreateString(spec.writer);
  signature::FinishSignatureBuffer(fbb, signature::CreateSignature(fbb, writer, fbb.CreateVector(methods)));
  return {reinterpret_cast<const char*>(fbb.GetBufferPointer()), fbb.GetSize()};
}

bool says_anything(const ProgramSpec& spec) {
  if (!spec.writer.empty()) return true;
  for (const MethodSpec& m : spec.methods) {
    if (!m.input_names.empty() || !m.output_names.empty()) return true;
    for (const InstructionSpec& s : m.instructions)
      if (!s.origin.empty()) return true;
    for (const auto* list : {&m.inputs, &m.outputs})
      for (int32_t v : *list)
        if (!m.values[size_t(v)].tensor.ranges.empty()) return true;
  }
  return false;
}

Status write(const ProgramSpec& spec, OutputFile& out, const WriteOptions& options, std::string* detail) {
  Checker checker{spec, {}};
  if (const Status s = checker.program(); !s.ok()) {
    if (detail != nullptr) *detail = checker.detail;
    return s;
  }
  DataSpec signature;
  std::vector<const DataSpec*> blobs;
  for (const MethodSpec& m : spec.methods)
    for (const DelegateSpec& d : m.delegates) blobs.push_back(&d.blob);
  for (const NamedDataSpec& n : spec.named_data) blobs.push_back(&n.data);
  if (says_anything(spec)) {
    signature = DataSpec::of(signature_bytes(spec));
    blobs.push_back(&signature);
  }
  Layout layout{options};
  GLINT_TRY(layout.build(spec, blobs));
  Builder builder{spec, layout};
  builder.program(blobs.empty() || blobs.back() != &signature ? nullptr : &signature);

  const auto flat = std::as_bytes(std::span(builder.fbb.GetBufferPointer(), builder.fbb.GetSize()));
  if (layout.segments.empty()) {
    GLINT_TRY(out.write(flat));
    return out.finish();
  }
  // The header goes between the identifier and the rest, so the root's offset moves.
  const uint64_t flat_size = flat.size() + kHeaderBytes, base = align_up(flat_size, options.segment_alignment);
  std::byte head[8 + kHeaderBytes];
  std::memcpy(head, flat.data(), 8);
  uint32_t root;
  std::memcpy(&root, head, 4);
  root += uint32_t(kHeaderBytes);
  std::memcpy(head, &root, 4);
  const uint32_t length = uint32_t(kHeaderBytes);
  std::memcpy(head + 8, "eh00", 4);
  std::memcpy(head + 12, &length, 4);
  std::memcpy(head + 16, &flat_size, 8);
  std::memcpy(head + 24, &base, 8);
  std::memcpy(head + 32, &layout.end, 8);
  GLINT_TRY(out.write(head));
  GLINT_TRY(out.write(flat.subspan(8)));
  GLINT_TRY(out.pad_to(base));
  for (const auto& piece : layout.pieces) {
    GLINT_TRY(out.pad_to(base + piece.offset));
    GLINT_TRY(out.write(*piece.data));
  }
  return out.finish();
}

}  // namespace

Status write_program(const ProgramSpec& spec, const char* path, const WriteOptions& options, std::string* detail) {
  OutputFile out(path);
  return write(spec, out, options, detail);
}

Status write_program(const ProgramSpec& spec, std::vector<std::byte>& bytes, const WriteOptions& options, std::string* detail) {
  OutputFile out(bytes);
  return write(spec, out, options, detail);
}

}  // namespace glint
