// Damaged program files: whatever the bytes say, loading and running them is an error or a bounded run.
// Run under the asan preset to see every stray access.
#include <chrono>
#include <cstring>
#include <memory>

#include <limits>

#include <unistd.h>

#include <gtest/gtest.h>

#include "glint/format/ptd.h"
#include "glint/ops/ops.h"
#include "glint/runtime/method.h"
#include "glint/testing/program_builder.h"

namespace glint {
namespace {

using Bytes = std::vector<std::byte>;
using Builder = testing::ProgramBuilder;
using testing::tensor;

// ---- seeds: between them every kind of value, instruction and data ---------------------------------------------------

void convolution(Builder& b) {
  const int32_t x = b.input({1, 2, 6, 6}), w = b.constant({3, 2, 3, 3}, std::vector<float>(54, 0.5f)), bias = b.constant({3}, {1, 2, 3});
  const int32_t y = b.planned({1, 3, 4, 4}, 0), p = b.planned({1, 3, 2, 2}, 256), q = b.add(tensor({1, 3, 2, 2}, Storage::kPlanned, DType::kI64));
  b.method.values[size_t(q)].tensor.offset = 512;
  b.op("aten::convolution", "out", {x, w, bias, b.ints({1, 1}), b.ints({0, 0}), b.ints({1, 1}), b.flag(false), b.ints({0, 0}), b.number(1), y, y});
  b.op("aten::max_pool2d_with_indices", "out", {y, b.ints({2, 2}), b.ints({2, 2}), b.ints({0, 0}), b.ints({1, 1}), b.flag(false), p, q, b.add(ValueSpec::of_tensor_list({p, q}))});
  const int32_t m = b.planned({1, 3}, 768);
  b.op("aten::mean", "out", {p, b.ints({2, 3}), b.flag(false), b.add(ValueSpec::none()), m, m});
  b.method.outputs = {m, q};
  b.method.instructions.back().origin = "model.py:1";
}

void lists(Builder& b) {
  const int32_t x = b.input({4, 2}), y = b.planned({8, 2}, 0), l = b.planned({4, 2}, 64), r = b.planned({4, 2}, 128), s = b.planned({3, 2}, 256);
  b.op("aten::cat", "out", {b.add(ValueSpec::of_tensor_list({x, x})), b.number(0), y, y});
  const int32_t halves = b.add(ValueSpec::of_tensor_list({l, r}));
  b.op("aten::split_copy", "Tensor_out", {y, b.number(4), b.number(0), halves});
  TensorSpec i = tensor({3}, Storage::kConstant, DType::kI64);
  i.data = int32_t(b.program.constants.size());
  const int64_t rows[] = {0, 3, 1};
  b.program.constants.push_back(DataSpec::of(std::as_bytes(std::span(rows))));
  const int32_t index = b.add(i), t = b.planned({3, 2}, 320);
  b.op("aten::index_select", "out", {l, b.number(0), index, s, s});
  b.op("aten::index", "Tensor_out", {r, b.add(ValueSpec::of_optional_tensor_list({index})), t, t});
  const int32_t view = b.view(y, {2, 2}, {4, 1}, 2), z = b.planned({2, 2}, 384);
  b.op("aten::mul", "Scalar_out", {view, b.add(ValueSpec::of_double(2.5)), z, z});
  b.method.outputs = {s, t, z};
}

void control(Builder& b) {
  const int32_t x = b.input({3, 2}), i = b.number(0), done = b.flag(false), y = b.dynamic({3, 2}, Storage::kPlanned), row = b.planned({2}, 0), out = b.add(tensor({2}));
  b.method.values[size_t(y)].tensor.offset = 256;
  b.op("aten::select_copy", "int_out", {x, b.number(0), i, row, row});
  b.op("executorch_prim::et_copy_index", "tensor", {y, row, i});
  b.op("executorch_prim::add", "Scalar", {i, b.number(1), i});
  b.op("executorch_prim::eq", "Scalar", {i, b.number(3), done});
  b.method.instructions.push_back(InstructionSpec::jump_false(done, 0));
  b.method.instructions.push_back(InstructionSpec::move(row, out));
  b.method.instructions.push_back(InstructionSpec::free(row));
  b.method.outputs = {y, b.sum(out, out, b.planned({2}, 64))};
}

void dynamic(Builder& b) {
  const int32_t x = b.dynamic({8, 2}), y = b.dynamic({8, 2}, Storage::kPlanned), n = b.number(0), flat = b.dynamic({16}), copy = b.dynamic({16}, Storage::kPlanned);
  b.method.inputs = {x};
  b.method.input_names = {"points"};
  b.method.values[size_t(x)].tensor.ranges = {{2, 8, 2}, {2, 2, 1}};
  b.method.memory_sizes = {0, 4096};
  b.method.values[size_t(copy)].tensor.offset = 512;
  b.sum(x, b.constant({2}, {10, 20}), y);
  b.op("aten::sym_size", "int", {x, b.number(0), n});
  b.op("executorch_prim::et_view", "default", {y, b.add(ValueSpec::of_int_list({b.number(-1)})), flat});
  b.op("aten::view_copy", "out", {flat, b.add(ValueSpec::of_int_list({n, b.number(2)})), b.dynamic({8, 2}), b.number(0)});
  b.sum(flat, flat, copy);
  b.method.outputs = {copy, n};
}

void states(Builder& b) {
  const int32_t x = b.input({2}), cache = b.state({2}, "cache"), sum = b.planned({2}, 0);
  b.method.values[size_t(cache)].tensor.data = 0;
  const float initial[] = {1, 2};
  b.program.constants.push_back(DataSpec::of(std::as_bytes(std::span(initial))));
  b.sum(cache, x, sum);
  b.op("aten::copy_", "", {cache, sum, b.flag(false), cache});
  b.method.outputs = {sum};
}

/// A delegate that touches nothing but what it is told.
struct Nothing final : Delegate {
  Status run(std::span<const Value>, Trace*) override { return {}; }
};
Result<Delegate*> load_nothing(LoadContext& c) {
  Nothing* n = c.arena.make<Nothing>();
  if (n == nullptr) return out_of_memory("no memory");
  return static_cast<Delegate*>(n);
}
constexpr BackendRuntime kNothing{"nothing", nullptr, load_nothing};
const BackendRuntime* const kBackends[] = {&kNothing};

void delegates(Builder& b) {
  const int32_t x = b.input({2}), y = b.planned({2}, 0);
  b.method.delegates = {{"nothing", DataSpec::of("blob"), {{"level", {std::byte(1)}}}}};
  b.method.instructions = {InstructionSpec::call_delegate(0, {x, y})};
  b.program.named_data = {{"blob", DataSpec::of("shared bytes")}};
  b.method.encoded_inputs = b.method.encoded_outputs = "[1, {}]";
  b.add(ValueSpec::of_string("text"));
  b.add(ValueSpec::of_bool_list({1, 0}));
  b.add(ValueSpec::of_double_list({1, 2}));
  b.method.outputs = {y};
}

std::vector<Bytes> seeds() {
  std::vector<Bytes> all;
  const auto write = [&](const ProgramSpec& p, const WriteOptions& options) {
    std::string detail;
    all.emplace_back();
    const Status s = write_program(p, all.back(), options, &detail);
    EXPECT_TRUE(s.ok()) << s.why() << " " << detail;
  };
  for (const auto make : {convolution, lists, control, dynamic, states, delegates}) {
    Builder b;
    make(b);
    b.finish();
    write(b.program, {.segment_alignment = 64});
    b.program.writer.clear();  // as files of other writers: states are guessed, nothing is named
    b.program.methods[0].input_names.clear();
    write(b.program, {.segment_alignment = 64, .inline_constants = make != states && make != delegates});
  }
  return all;
}

// ---- running one file ------------------------------------------------------------------------------------------------

class Victim {
 public:
  Victim() : memory_(2 << 20), inputs_(64 << 10) {}

  /// The file in memory of exactly its size, loaded and executed twice. Returns how far it came.
  int run(std::span<const std::byte> bytes) {
    std::unique_ptr<std::byte, Free> file(static_cast<std::byte*>(std::aligned_alloc(16, (bytes.size() + 15) / 16 * 16)));
    std::memcpy(file.get(), bytes.data(), bytes.size());
    const int stage = execute({file.get(), bytes.size()});
    EXPECT_EQ(std::memcmp(file.get(), bytes.data(), bytes.size()), 0) << "the program wrote its own file";
    return stage;
  }

 private:
  struct Free { void operator()(void* p) const { std::free(p); } };

  int execute(std::span<const std::byte> file) {
    Arena arena(memory_);
    const auto program = Program::load(file, ops::all(), kBackends, cpu_, arena);
    if (!program.ok()) return 0;
    const auto session = Session::create(**program, arena);
    if (!session.ok()) return 1;
    int stage = 1;
    for (uint32_t k = 0; k < (*program)->file().method_count() && k < 4; ++k) {
      const auto method = Method::load(**session, (*program)->file().method(k).name(), arena, {.instruction_limit = 200});
      if (!method.ok()) continue;
      stage = 2;
      for (int n = 0; n < 2; ++n) {
        bool given = true;
        for (uint32_t i = 0; i < (*method)->input_count(); ++i) given = give(**method, i, n == 1) && given;
        if (given && (*method)->execute().ok()) stage = 3;
      }
      (*method)->close();
    }
    return stage;
  }

  /// An input as large as allowed, then one with a first dimension of 2.
  bool give(Method& m, uint32_t i, bool small) {
    Value v = m.input(i);
    if (v.kind != Value::Kind::kTensor) return m.set_input(i, v).ok();
    Tensor t = *v.tensor;
    if (small && t.rank > 0) {
      t.size[0] = 2;
      t.set_contiguous();
    }
    TensorMeta checked;
    if (!checked.set(t.dtype, t.sizes()) || checked.size_bytes() > inputs_.size() * 8) return false;
    t.data = inputs_.data();
    return m.set_input(i, Value::of(&t)).ok();
  }

  Bytes memory_;
  std::vector<double> inputs_;  // aligned for every dtype
  Cpu cpu_;
};

/// Counts variants and watches the clock; a hang ends the process with the variant's number.
class Attack {
 public:
  void operator()(std::span<const std::byte> bytes) {
    alarm(60);
    const auto start = std::chrono::steady_clock::now();
    ++stages[victim_.run(bytes)];
    const double ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    slowest_ms = std::max(slowest_ms, ms);
    ++count;
  }
  ~Attack() { alarm(0); }
  size_t count = 0, stages[4] = {};
  double slowest_ms = 0;

 private:
  Victim victim_;
};

template <class T>
void scalars(Attack& attack, Bytes& file, size_t end, size_t stride) {
  using U = std::make_unsigned_t<T>;
  for (size_t at = 0; at + sizeof(T) <= end; at += stride) {
    T old;
    std::memcpy(&old, file.data() + at, sizeof old);
    const T values[] = {0, 1, T(-1), std::numeric_limits<T>::max(), std::numeric_limits<T>::min(), T(std::numeric_limits<T>::max() - 1), T(U(1) << (sizeof(T) * 8 - 2)), T(U(old) + 1), T(U(old) - 1), T(U(old) * 2)};
    for (T v : values) {
      if (v == old) continue;
      std::memcpy(file.data() + at, &v, sizeof v);
      attack(file);
    }
    std::memcpy(file.data() + at, &old, sizeof old);
  }
}

TEST(DamagedPte, SeedsRun) {
  Victim v;
  const auto files = seeds();
  for (size_t i = 0; i < files.size(); ++i) EXPECT_EQ(v.run(files[i]), 3) << i;
}

TEST(DamagedPte, ErrorsOrBoundedRuns) {
  Attack attack;
  for (Bytes file : seeds()) {
    // Behind the table are the elements of constants: any value is as good as another.
    uint64_t table = file.size();
    if (std::memcmp(file.data() + 8, "eh00", 4) == 0) std::memcpy(&table, file.data() + 16, 8);
    scalars<int32_t>(attack, file, size_t(table), 4);
    scalars<int16_t>(attack, file, size_t(table), 2);  // table layouts: an optional field goes away
    scalars<int64_t>(attack, file, size_t(table), 32);
    for (size_t at = 0; at < table; ++at) {
      const std::byte old = file[at];
      for (int bit : {0, 3, 7}) {
        file[at] = old ^ std::byte(1 << bit);
        attack(file);
      }
      file[at] = old;
    }
    for (size_t cut = 0; cut < 64; ++cut) attack(std::span(file).first(file.size() * cut / 64));
  }
  std::printf("%zu variants: %zu refused by the reader, %zu without a method, %zu loaded, %zu ran; slowest %.1f ms\n", attack.count, attack.stages[0], attack.stages[1],
              attack.stages[2], attack.stages[3], attack.slowest_ms);
  EXPECT_GE(attack.count, 20000u);
  EXPECT_LT(attack.slowest_ms, 2000);
}

TEST(DamagedPtd, ErrorsOrEntriesInsideTheFile) {
  const std::vector<float> elements(16, 1);
  const DataSpec data = DataSpec::of(std::as_bytes(std::span(elements)));
  const NamedTensorSpec tensors[] = {{"a", DType::kF32, {4, 4}, {1, 0}, data}, {"b", DType::kF64, {8}, {}, data}};
  Bytes file;
  ASSERT_TRUE(write_tensors(tensors, file).ok());
  size_t count = 0, opened = 0;
  const auto attack = [&](std::span<const std::byte> bytes) {
    ++count;
    const std::unique_ptr<std::byte, decltype(&std::free)> copy(static_cast<std::byte*>(std::aligned_alloc(16, (bytes.size() + 15) / 16 * 16)), &std::free);
    std::memcpy(copy.get(), bytes.data(), bytes.size());
    const auto f = PtdFile::open({copy.get(), bytes.size()});
    if (!f.ok()) return;
    ++opened;
    for (uint32_t i = 0; i < f->count(); ++i) {
      const NamedBytes e = f->entry(i);
      ASSERT_TRUE(e.bytes.data() >= copy.get() && e.bytes.data() + e.bytes.size() <= copy.get() + bytes.size());
      ASSERT_TRUE(!e.meta || e.meta->size_bytes() <= e.bytes.size());
      (void)f->find(f->name(i));
    }
  };
  const std::span<std::byte> all(file);
  for (size_t at = 0; at < file.size(); ++at)
    for (int value : {0, 1, 3, 0x7f, 0x80, 0xff}) {
      const std::byte old = file[at];
      file[at] = std::byte(value);
      attack(all);
      file[at] = old;
    }
  for (size_t cut = 0; cut < file.size(); ++cut) attack(all.first(cut));
  std::printf("%zu variants, %zu opened\n", count, opened);
}

}  // namespace
}  // namespace glint
