#include "glint/runtime/program.h"

#include "glint/runtime/bind.h"

namespace glint {
namespace {

// A real program has a few states a layer; matching them is quadratic.
constexpr size_t kMaxStates = 4096;
// Values looked at while guessing states; a file that needs more gets none guessed.
constexpr int64_t kGuessBudget = 50'000'000;

bool same_place(const TensorView& a, const TensorView& b) {
  return a.storage == TensorView::Storage::kPlanned && b.storage == TensorView::Storage::kPlanned && a.memory_id == b.memory_id && a.offset == b.offset;
}

/// Files that do not name their states: a planned tensor is one when an instruction reads it before any wrote it.
/// Views that were optimised away are other values at the same place.
class FirstUse {
 public:
  FirstUse(const PteMethod& m, OpTable ops, std::span<uint8_t> marks, std::span<Binding> bindings) : m_(m), marks_(marks), bindings_(bindings) {
    for (uint32_t i = 0; i < bindings.size(); ++i) bindings[i] = resolve(ops, m.op(i));
    for (int32_t v : m.inputs()) write(v);
    for (uint32_t i = 0; i < m.instruction_count(); ++i) instruction(m.instruction(i));
  }
  bool is_state(uint32_t v) const { return (marks_[v] & kState) != 0; }

 private:
  enum : uint8_t { kWritten = 1, kState = 2 };

  void instruction(const InstructionView& ins) {
    using K = InstructionView::Kind;
    if (ins.kind == K::kMove) return read(ins.from), write(ins.to);
    if (ins.kind == K::kDelegate)  // which arguments are results is the delegate's secret
      for (int32_t v : ins.args) write(v);
    if (ins.kind != K::kKernel) return;
    const Binding& b = bindings_[size_t(ins.index)];
    const bool view = b.kind == Binding::Kind::kView || b.kind == Binding::Kind::kStockView;
    for (size_t k = 0; k < ins.args.size(); ++k) {
      const bool operand = k < b.first_out && !(k == 0 && (b.kind == Binding::Kind::kCopyIndex || b.kind == Binding::Kind::kInPlace));
      if (b.kind != Binding::Kind::kUnknown && operand && !view) read(ins.args[k]);
      else write(ins.args[k]);
    }
  }
  template <class F>
  void each_tensor(int32_t v, F f) {
    if (--budget_ < 0) return;
    const ValueView value = m_.value(uint32_t(v));
    if (value.kind == ValueView::Kind::kTensor) f(v, value.tensor);
    for (int32_t t : value.tensors)
      if (t >= 0) each_tensor(t, f);
  }
  void write(int32_t v) {
    each_tensor(v, [&](int32_t t, const TensorView&) { marks_[size_t(t)] |= kWritten; });
  }
  void read(int32_t v) {
    each_tensor(v, [&](int32_t t, const TensorView& tensor) {
      if (marks_[size_t(t)] != 0 || tensor.storage != TensorView::Storage::kPlanned || tensor.size_bytes == 0) return;
      bool written = (budget_ -= m_.value_count()) < 0;
      for (uint32_t other = 0; other < m_.value_count() && !written; ++other) {
        if ((marks_[other] & kWritten) == 0) continue;
        const ValueView o = m_.value(other);
        written = o.kind == ValueView::Kind::kTensor && same_place(o.tensor, tensor);
      }
      marks_[size_t(t)] |= written ? kWritten : kState;
    });
  }

  const PteMethod& m_;
  std::span<uint8_t> marks_;
  std::span<Binding> bindings_;
  int64_t budget_ = kGuessBudget;
};

}  // namespace

Result<const Program*> Program::load(std::span<const std::byte> file, OpTable ops, BackendTable backends, const Cpu& cpu, Arena& arena, Failure* failure) {
  Failure local;
  Failure& f = failure != nullptr ? *failure : local;
  f = Failure();
  const auto fail = [&](Status s) {
    f.status = s;
    return s;
  };
  const auto opened = PteFile::open(file);
  if (!opened.ok()) {
    f.at = opened.status().where() >= 0 ? Failure::At::kValue : Failure::At::kNowhere;
    f.index = opened.status().where();
    return fail(opened.status());
  }
  Program* p = arena.make<Program>();
  if (p == nullptr) return fail(out_of_memory("no memory for the program's tables"));
  p->file_ = *opened;
  p->ops_ = ops;
  p->backends_ = backends;
  p->cpu_ = &cpu;
  if (const Status s = p->collect_states(arena, f); !s.ok()) return fail(s);
  for (uint32_t k = 0; k < p->file_.method_count(); ++k) {
    const PteMethod m = p->file_.method(k);
    for (uint32_t i = 0; i < m.operator_count() && !p->random_; ++i) {
      const Binding b = resolve(ops, m.op(i));
      p->random_ = b.def != nullptr && b.def->flags.random;
    }
  }
  return static_cast<const Program*>(p);
}

Status Program::collect_states(Arena& arena, Failure& failure) {
  const Status no_memory = out_of_memory("no memory for the program's tables");
  const bool guess = file_.writer().empty();
  // Room for the worst case; what is left over is given back, so the lists come last.
  size_t planned = 0, most_values = 0, most_ops = 0;
  for (uint32_t k = 0; k < file_.method_count(); ++k) {
    const PteMethod m = file_.method(k);
    most_values = m.value_count() > most_values ? m.value_count() : most_values;
    most_ops = m.operator_count() > most_ops ? m.operator_count() : most_ops;
    for (uint32_t i = 0; i < m.value_count(); ++i) planned += m.value(i).tensor.storage == TensorView::Storage::kPlanned;
  }
  if (planned == 0) return {};
  const size_t state_room = planned < kMaxStates ? planned : kMaxStates;
  StateInfo* states = arena.make<StateInfo>(state_room);
  if (states == nullptr) return no_memory;
  const size_t mark = arena.used();
  StateRef* refs = arena.make<StateRef>(planned);
  const size_t refs_end = arena.used();
  uint8_t* marks = arena.make<uint8_t>(most_values);
  Binding* bindings = arena.make<Binding>(most_ops);
  if (refs == nullptr || marks == nullptr || bindings == nullptr) return no_memory;
  size_t state_count = 0, ref_count = 0;
  for (uint32_t k = 0; k < file_.method_count(); ++k) {
    const PteMethod m = file_.method(k);
    const size_t n = m.value_count();
    for (size_t i = 0; i < n; ++i) marks[i] = 0;
    std::optional<FirstUse> first;
    if (guess) first.emplace(m, ops_, std::span(marks, n), std::span(bindings, m.operator_count()));
    for (uint32_t i = 0; i < n; ++i) {
      const ValueView v = m.value(i);
      const TensorView& t = v.tensor;
      if (v.kind != ValueView::Kind::kTensor || !(t.state || (guess && first->is_state(i)))) continue;
      // Methods share a state by its name, or by its place in a memory other than the first, which is each method's own.
      size_t s = 0;
      for (; s < state_count; ++s) {
        const StateInfo& o = states[s];
        if (!t.name.empty() ? o.name == t.name : o.name.empty() && o.memory_id == t.memory_id && o.offset == t.offset && (o.method < 0 || o.method == int32_t(k))) break;
      }
      if (s == state_count) {
        if (state_count == state_room) return unsupported("the program has too many states");
        states[state_count++] = {t.name, t.size_bytes, t.dtype, t.data, t.memory_id, t.offset, t.name.empty() && t.memory_id == 1 ? int32_t(k) : -1};
      } else if (states[s].bytes != t.size_bytes) {
        failure.at = Failure::At::kState;
        failure.index = int32_t(s);
        failure.name = t.name;
        return invalid_program("two methods give one state different sizes", int32_t(i));
      } else if (states[s].initial.empty()) {
        states[s].initial = t.data;
      }
      refs[ref_count++] = {k, i, int32_t(s)};
    }
    // Values at the place of one of this method's states are the same memory seen otherwise.
    const size_t own = ref_count;
    size_t first_ref = own;
    while (first_ref > 0 && refs[first_ref - 1].method == k) --first_ref;
    for (uint32_t i = 0; i < n && first_ref < own; ++i) {
      const ValueView v = m.value(i);
      if (v.kind != ValueView::Kind::kTensor || v.tensor.storage != TensorView::Storage::kPlanned) continue;
      for (size_t r = first_ref; r < own; ++r) {
        if (refs[r].value == i) break;
        const TensorView t = m.value(refs[r].value).tensor;
        if (same_place(t, v.tensor) && v.tensor.size_bytes <= t.size_bytes) {
          refs[ref_count++] = {k, i, refs[r].state};
          break;
        }
      }
    }
  }
  states_ = {states, state_count};
  refs_ = {refs, ref_count};
  arena.rewind(ref_count == 0 ? mark : refs_end - (planned - ref_count) * sizeof(StateRef));
  return {};
}

int32_t Program::method_index(std::string_view name) const {
  for (uint32_t i = 0; i < file_.method_count(); ++i)
    if (file_.method(i).name() == name) return int32_t(i);
  return -1;
}

}  // namespace glint
