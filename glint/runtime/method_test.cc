#include "glint/runtime/method.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <thread>

#include <gtest/gtest.h>

#include "glint/format/program_spec.h"
#include "glint/format/ptd.h"
#include "glint/ops/ops.h"
#include "glint/testing/program_builder.h"

// The test counts allocations. GCC inlines one of a pair of replaced operators without the other.
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace {
std::atomic<size_t> allocations{0};
}
void* operator new(size_t n) {
  ++allocations;
  if (void* p = std::malloc(n)) return p;
  std::abort();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }

namespace glint {
namespace {

using Floats_ = std::vector<float>;

using Builder = testing::ProgramBuilder;
using testing::tensor;

/// A program, its session and memory.
struct Loaded {
  explicit Loaded(ProgramSpec spec, const WriteOptions& options = {}) : memory(1 << 20), arena(memory) {
    std::string detail;
    const Status s = write_program(spec, bytes, options, &detail);
    EXPECT_TRUE(s.ok()) << s.why() << " " << detail;
    const auto p = Program::load(bytes, ops::all(), {}, cpu, arena, &failure);
    status = p.status();
    if (!p.ok()) return;
    program = *p;
    session = *Session::create(*program, arena);
  }
  Method* load(const char* name = "forward", const MethodOptions& options = {}) {
    if (!status.ok()) return nullptr;
    const auto m = Method::load(*session, name, arena, options, &failure);
    status = m.status();
    return m.ok() ? *m : nullptr;
  }
  std::vector<std::byte> bytes, memory;
  Arena arena;
  Cpu cpu;
  const Program* program = nullptr;
  Session* session = nullptr;
  Status status;
  Failure failure;
};

Tensor wrap(Floats_& v, std::vector<int64_t> sizes) {
  Tensor t;
  (void)t.set(DType::kF32, sizes);
  t.data = v.data();
  return t;
}
Floats_ elements(const Value& v) { return {v.tensor->as<float>(), v.tensor->as<float>() + v.tensor->numel()}; }

/// Sets inputs of these sizes and executes.
Status call(Method& m, std::vector<std::pair<Floats_*, std::vector<int64_t>>> inputs) {
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    Tensor t = wrap(*inputs[i].first, inputs[i].second);
    GLINT_TRY(m.set_input(i, Value::of(&t)));
  }
  return m.execute();
}

struct Counter final : Trace {
  void ran(const Event& e) override { names.emplace_back(e.name); }
  std::vector<std::string> names;
};

TEST(Method, ComputesWithConstantsInPlace) {
  Builder b;
  const int32_t x = b.input({2, 2}), c = b.constant({2, 2}, {10, 20, 30, 40});
  b.method.outputs = {b.sum(x, c, b.planned({2, 2}, 64))};
  b.finish();
  for (bool inline_constants : {false, true}) {
    Loaded run(b.program, {.inline_constants = inline_constants});
    Method* m = run.load();
    ASSERT_NE(m, nullptr) << run.status.why();
    Floats_ v = {1, 2, 3, 4};
    ASSERT_TRUE(call(*m, {{&v, {2, 2}}}).ok());
    EXPECT_EQ(elements(m->output(0)), (Floats_{11, 22, 33, 44}));
    const auto data = run.program->file().method(0).value(uint32_t(c)).tensor.data;
    EXPECT_EQ(m->operands(0)[1].tensor->data, data.data());
  }
}

TEST(Method, ExecuteAllocatesNothing) {
  Builder b;
  const int32_t x = b.input({2, 2}), y = b.sum(x, x, b.planned({2, 2}, 0));
  b.method.outputs = {b.product(y, x, b.planned({2, 2}, 64))};
  b.finish();
  Loaded run(b.program);
  Method* m = run.load();
  ASSERT_NE(m, nullptr) << run.status.why();
  Floats_ v = {1, 2, 3, 4};
  Tensor t = wrap(v, {2, 2});
  const size_t used = run.arena.used(), before = allocations;
  for (int i = 0; i < 100; ++i) {
    ASSERT_TRUE(m->set_input(0, Value::of(&t)).ok());
    ASSERT_TRUE(m->execute().ok());
  }
  EXPECT_EQ(run.arena.used(), used);
  EXPECT_EQ(allocations, before);
  EXPECT_LE(used, run.arena.high_water());
}

TEST(Method, PlansWhatTheFileDoesNot) {
  Builder b;
  const int32_t x = b.input({2, 2});
  int32_t y = x;
  for (int i = 0; i < 6; ++i) y = b.sum(y, x, b.add(tensor({2, 2})));
  b.method.outputs = {y};
  b.finish();
  Loaded run(b.program);
  Method* m = run.load();
  ASSERT_NE(m, nullptr) << run.status.why();
  EXPECT_EQ(m->activation_bytes(), 128u) << "two buffers take turns";
  Floats_ v = {1, 2, 3, 4};
  ASSERT_TRUE(call(*m, {{&v, {2, 2}}}).ok());
  EXPECT_EQ(elements(m->output(0)), (Floats_{7, 14, 21, 28}));
}

TEST(Method, ViewsCostNothingAndAreWrittenThrough) {
  // y = cat([x + x, x * x]): both are computed straight into y, x's halves are views of x.
  Builder b;
  const int32_t x = b.input({4}), y = b.planned({4}, 0);
  const int32_t lower = b.view(x, {2}, {1}, 0), upper = b.view(x, {2}, {1}, 2);
  const int32_t first = b.view(y, {2}, {1}, 0), second = b.view(y, {2}, {1}, 2);
  b.sum(lower, lower, first);
  b.product(upper, upper, second);
  b.method.outputs = {y};
  b.finish();
  Loaded run(b.program);
  Counter trace;
  Method* m = run.load("forward", {.trace = &trace});
  ASSERT_NE(m, nullptr) << run.status.why();
  Floats_ v = {1, 2, 3, 4}, w = {5, 6, 7, 8};
  ASSERT_TRUE(call(*m, {{&v, {4}}}).ok());
  EXPECT_EQ(elements(m->output(0)), (Floats_{2, 4, 9, 16}));
  EXPECT_EQ(trace.names, (std::vector<std::string>{"aten::add.Tensor", "aten::mul.Tensor"}));
  ASSERT_TRUE(call(*m, {{&w, {4}}}).ok()) << "the views follow the input to other memory";
  EXPECT_EQ(elements(m->output(0)), (Floats_{10, 12, 49, 64}));
}

TEST(Method, BranchesAndMoves) {
  // out = c ? x + x : x * x
  Builder b;
  const int32_t x = b.input({2}), c = b.flag(true), no = b.flag(false), out = b.add(tensor({2}));
  b.method.inputs.push_back(c);
  b.method.instructions.push_back(InstructionSpec::jump_false(c, 4));
  const int32_t sum = b.sum(x, x, b.planned({2}, 0));
  b.method.instructions.push_back(InstructionSpec::move(sum, out));
  b.method.instructions.push_back(InstructionSpec::jump_false(no, 6));
  const int32_t product = b.product(x, x, b.planned({2}, 64));
  b.method.instructions.push_back(InstructionSpec::move(product, out));
  b.method.instructions.push_back(InstructionSpec::free(out));
  b.method.outputs = {b.sum(out, out, b.planned({2}, 128))};
  b.finish();
  Loaded run(b.program);
  Method* m = run.load();
  ASSERT_NE(m, nullptr) << run.status.why();
  Floats_ v = {3, 5};
  Tensor t = wrap(v, {2});
  for (bool taken : {true, false, true}) {
    ASSERT_TRUE(m->set_input(0, Value::of(&t)).ok());
    ASSERT_TRUE(m->set_input(1, Value::of(taken)).ok());
    ASSERT_TRUE(m->execute().ok()) << m->failure().status.why();
    EXPECT_EQ(elements(m->output(0)), (taken ? Floats_{12, 20} : Floats_{18, 50}));
  }
}

TEST(Method, LoopsCollectAndEnd) {
  // for i in range(3): y[i] = x[i] + x[i], as stock files write torch.map
  Builder b;
  const int32_t x = b.input({3, 2}), i = b.number(0), done = b.flag(false), one = b.number(1), y = b.dynamic({3, 2}, Storage::kPlanned);
  b.method.memory_sizes = {0, 4096};
  b.method.values[size_t(y)].tensor.offset = 256;
  const int32_t row = b.planned({2}, 0);
  b.op("aten::select_copy", "int_out", {x, b.number(0), i, row, row});
  const int32_t twice = b.sum(row, row, b.planned({2}, 64));
  b.op("executorch_prim::et_copy_index", "tensor", {y, twice, i});
  b.op("executorch_prim::add", "Scalar", {i, one, i});
  b.op("executorch_prim::eq", "Scalar", {i, b.number(3), done});
  b.method.instructions.push_back(InstructionSpec::jump_false(done, 0));
  b.method.outputs = {y};
  b.finish();
  Loaded run(b.program);
  Method* m = run.load();
  ASSERT_NE(m, nullptr) << run.status.why() << run.failure.name;
  Floats_ v = {1, 2, 3, 4, 5, 6};
  for (int k = 0; k < 2; ++k) {
    ASSERT_TRUE(call(*m, {{&v, {3, 2}}}).ok()) << m->failure().status.why();
    EXPECT_EQ(elements(m->output(0)), (Floats_{2, 4, 6, 8, 10, 12}));
  }
}

TEST(Method, AJumpThatNeverEndsIsStopped) {
  Builder b;
  b.method.instructions = {InstructionSpec::jump_false(b.flag(false), 0)};
  b.finish();
  Loaded run(b.program);
  Method* m = run.load("forward", {.instruction_limit = 1000});
  ASSERT_NE(m, nullptr);
  EXPECT_EQ(m->execute().code(), Code::kInvalidProgram);
}

TEST(Method, DynamicShapesWithinTheirBounds) {
  // y = x + row, with x [n, 2], 2 <= n <= 8 in multiples of 2; n is given back as a number too.
  Builder b;
  const int32_t x = b.dynamic({8, 2});
  b.method.inputs = {x};
  b.method.input_names = {"points"};
  b.method.values[size_t(x)].tensor.ranges = {{2, 8, 2}, {2, 2, 1}};
  const int32_t row = b.constant({2}, {10, 20}), y = b.dynamic({8, 2}, Storage::kPlanned), n = b.number(0);
  b.method.memory_sizes = {0, 4096};
  b.sum(x, row, y);
  b.op("aten::sym_size", "int", {x, b.number(0), n});
  const int32_t items = b.add(ValueSpec::of_int_list({b.number(-1)}));
  const int32_t flat = b.dynamic({16});
  b.op("executorch_prim::et_view", "default", {y, items, flat});
  b.method.outputs = {y, n, flat};
  b.finish();
  Loaded run(b.program);
  Method* m = run.load();
  ASSERT_NE(m, nullptr) << run.status.why();
  const size_t used = run.arena.used();
  for (int64_t size : {2, 8, 4, 4}) {
    Floats_ v(size_t(size) * 2, 1);
    ASSERT_TRUE(call(*m, {{&v, {size, 2}}}).ok()) << m->failure().status.why();
    const Tensor& out = *m->output(0).tensor;
    EXPECT_EQ(out.size[0], size);
    EXPECT_EQ(elements(m->output(0))[size_t(size) * 2 - 1], 21);
    EXPECT_EQ(m->output(1).i, size);
    EXPECT_EQ(m->output(2).tensor->size[0], size * 2);
    EXPECT_EQ(m->output(2).tensor->data, out.data);
  }
  EXPECT_EQ(run.arena.used(), used);
  Floats_ v(40, 1);
  const struct { std::vector<int64_t> sizes; const char* why; int dim; } refused[] = {
      {{10, 2}, "a size of the input is outside its range", 0}, {{0, 2}, "a size of the input is outside its range", 0}, {{3, 2}, "a size of the input is outside its range", 0},
      {{2, 3}, "a size of the input is outside its range", 1}, {{2}, "the input has another rank", -1}};
  for (const auto& r : refused) {
    EXPECT_STREQ(call(*m, {{&v, r.sizes}}).why(), r.why);
    EXPECT_EQ(m->failure().dim, r.dim);
    EXPECT_EQ(m->failure().name, "points");
  }
  ASSERT_TRUE(call(*m, {{&v, {4, 2}}}).ok()) << "an error does not stay";
}

TEST(Method, UpdatesLieOverTheirFirstOperandOnly) {
  // rows[i] = x in the state's memory, by the name in place, by the out variant, and through a view of the last two rows.
  const auto program = [](int way) {
    Builder b;
    const int32_t x = b.input({1, 2}), rows = b.state({3, 2}, "rows"), at = b.add([] {
      TensorSpec t = tensor({1}, Storage::kConstant, DType::kI64);
      t.data = 0;
      return t;
    }());
    b.program.constants.push_back(DataSpec::of(std::as_bytes(std::span<const int64_t>(std::initializer_list<int64_t>{1}))));
    const int32_t indices = b.add(ValueSpec::of_optional_tensor_list({at})), last = b.view(rows, {2, 2}, {2, 1}, 2), first = b.view(rows, {1, 2}, {2, 1}, 0);
    const int32_t target = way == 2 || way == 3 ? last : rows, source = way == 4 ? first : x;
    if (way == 0) b.op("aten::index_put_", "", {target, indices, source, b.flag(false), target});
    else if (way == 3) b.op("aten::index_put", "out", {rows, indices, source, b.flag(false), last, last});
    else b.op("aten::index_put", "out", {target, indices, source, b.flag(false), target, target});
    b.method.outputs = {rows};
    b.finish();
    return b.program;
  };
  for (const int way : {0, 1, 2}) {
    Loaded run(program(way));
    Method* m = run.load();
    ASSERT_NE(m, nullptr) << run.status.why();
    Floats_ x = {7, 8};
    ASSERT_TRUE(call(*m, {{&x, {1, 2}}}).ok());
    EXPECT_EQ(elements(m->output(0)), way == 2 ? (Floats_{0, 0, 0, 0, 7, 8}) : (Floats_{0, 0, 7, 8, 0, 0})) << way;
  }
  for (const int way : {3, 4}) {  // over another part of the operand; from a part of what is updated
    Loaded run(program(way));
    EXPECT_EQ(run.load(), nullptr) << way;
    EXPECT_EQ(run.status.code(), Code::kInvalidProgram);
  }
}

/// prefill(x): cache[:] = x; decode(d): cache += d, gives cache + cache.
ProgramSpec cache_program() {
  Builder b;
  {
    const int32_t x = b.input({2}), cache = b.state({2}, "cache");
    b.op("aten::copy_", "", {cache, x, b.flag(false), cache});
    b.finish("prefill");
  }
  const int32_t d = b.input({2}), cache = b.state({2}, "cache");
  const int32_t grown = b.sum(cache, d, b.planned({2}, 64));
  b.op("aten::copy_", "", {cache, grown, b.flag(false), cache});
  b.method.outputs = {b.sum(cache, cache, b.planned({2}, 0))};
  b.finish("decode");
  return b.program;
}

TEST(Session, MethodsShareStates) {
  Loaded run(cache_program());
  Method *prefill = run.load("prefill"), *decode = run.load("decode");
  ASSERT_TRUE(prefill != nullptr && decode != nullptr) << run.status.why();
  ASSERT_EQ(run.program->states().size(), 1u);
  Floats_ x = {1, 2}, d = {10, 10};
  ASSERT_TRUE(call(*prefill, {{&x, {2}}}).ok());
  ASSERT_TRUE(call(*decode, {{&d, {2}}}).ok());
  EXPECT_EQ(elements(decode->output(0)), (Floats_{22, 24}));
  std::vector<std::byte> saved(run.session->state_bytes());
  ASSERT_TRUE(run.session->save(saved).ok());
  const auto forked = run.session->fork(run.arena);
  ASSERT_TRUE(forked.ok());
  const auto other = Method::load(**forked, "decode", run.arena);
  ASSERT_TRUE(other.ok());
  ASSERT_TRUE(call(*decode, {{&d, {2}}}).ok());
  EXPECT_EQ(elements(decode->output(0)), (Floats_{42, 44}));
  ASSERT_TRUE(call(**other, {{&d, {2}}}).ok()) << "the fork goes its own way";
  EXPECT_EQ(elements((*other)->output(0)), (Floats_{42, 44}));
  ASSERT_TRUE(run.session->restore(saved).ok());
  ASSERT_TRUE(call(*decode, {{&d, {2}}}).ok());
  EXPECT_EQ(elements(decode->output(0)), (Floats_{42, 44}));
  run.session->reset();
  ASSERT_TRUE(call(*decode, {{&d, {2}}}).ok());
  EXPECT_EQ(elements(decode->output(0)), (Floats_{20, 20}));
  EXPECT_FALSE(run.session->save(std::span(saved).first(1)).ok());
}

TEST(Session, RandomNumbersComeFromItsSeed) {
  Builder b;
  const int32_t x = b.input({3}), out = b.planned({3}, 0);
  b.method.outputs = {b.op("aten::uniform", "out", {x, b.add(ValueSpec::of_double(0)), b.add(ValueSpec::of_double(1)), b.add(ValueSpec{}), out, out})};
  b.finish();
  Loaded run(b.program);
  Method* m = run.load();
  ASSERT_NE(m, nullptr) << run.status.why();
  Floats_ v(3);
  const auto draw = [&](Method& method) { return call(method, {{&v, {3}}}).ok() ? elements(method.output(0)) : Floats_(); };
  run.session->seed(0);
  const Floats_ first = draw(*m), second = draw(*m);
  EXPECT_FLOAT_EQ(first[0], 0.49625659f) << "torch.manual_seed(0); torch.rand(3)";
  EXPECT_FLOAT_EQ(second[2], 0.63407868f);
  std::vector<std::byte> saved(run.session->state_bytes());
  ASSERT_TRUE(run.session->save(saved).ok());
  const auto forked = run.session->fork(run.arena);
  ASSERT_TRUE(forked.ok());
  const auto other = Method::load(**forked, "forward", run.arena);
  ASSERT_TRUE(other.ok());
  const Floats_ third = draw(*m);
  EXPECT_EQ(draw(**other), third);
  ASSERT_TRUE(run.session->restore(saved).ok());
  EXPECT_EQ(draw(*m), third);
  run.session->reset();
  EXPECT_EQ(draw(*m), first);
  (*forked)->reset();
  EXPECT_EQ(draw(**other), first);
  std::fill(saved.begin(), saved.end(), std::byte(255));
  EXPECT_FALSE(run.session->restore(saved).ok()) << "a generator that points outside its numbers";
}

TEST(Session, ThreadsShareAProgram) {
  Loaded run(cache_program());
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int k = 0; k < 4; ++k)
    threads.emplace_back([&, k] {
      std::vector<std::byte> memory(1 << 16);
      Arena arena(memory);
      const auto session = Session::create(*run.program, arena);
      if (!session.ok()) return void(++wrong);
      const auto m = Method::load(**session, "decode", arena);
      Floats_ d = {float(k), 1};
      for (int i = 1; i <= 100; ++i) {
        if (!m.ok() || !call(**m, {{&d, {2}}}).ok() || elements((*m)->output(0))[0] != 2.0f * float(k * i)) ++wrong;
      }
    });
  for (auto& t : threads) t.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Session, ExternalWeightsByName) {
  Builder b;
  const int32_t x = b.input({2});
  TensorSpec w = tensor({2}, Storage::kExternal);
  w.name = "w";
  b.method.outputs = {b.sum(x, b.add(w), b.planned({2}, 0))};
  b.finish();
  Loaded run(b.program);
  EXPECT_EQ(run.load(), nullptr);
  EXPECT_EQ(run.failure.status.code(), Code::kNotFound);
  EXPECT_EQ(run.failure.name, "w");
  const auto file = [](const char* name, Floats_ v) {
    NamedTensorSpec t{name, DType::kF32, {int64_t(v.size())}, {}, DataSpec::of(std::as_bytes(std::span<const float>(v)))};
    std::vector<std::byte> bytes;
    EXPECT_TRUE(write_tensors({&t, 1}, bytes).ok());
    return bytes;
  };
  const auto first = file("w", {1, 2}), second = file("w", {5, 6}), wrong = file("w", {1, 2, 3});
  const PtdFile a = *PtdFile::open(first), c = *PtdFile::open(second), d = *PtdFile::open(wrong);
  const NamedData *la[] = {&a}, *lc[] = {&c}, *ld[] = {&d};
  run.session->bind(la);
  run.status = {};
  Method* m = run.load();
  ASSERT_NE(m, nullptr) << run.status.why();
  Floats_ v = {10, 10};
  ASSERT_TRUE(call(*m, {{&v, {2}}}).ok());
  EXPECT_EQ(elements(m->output(0)), (Floats_{11, 12}));
  run.session->bind(lc);
  ASSERT_TRUE(call(*m, {{&v, {2}}}).ok());
  EXPECT_EQ(elements(m->output(0)), (Floats_{15, 16}));
  run.session->bind(ld);
  EXPECT_EQ(call(*m, {{&v, {2}}}).code(), Code::kInvalidArgument);
}

TEST(Method, LentMemoryServesSeveralMethods) {
  Loaded run(cache_program());
  alignas(64) static std::byte lent[256];
  const MethodOptions options{.activations = lent};
  Method *prefill = run.load("prefill", options), *decode = run.load("decode", options);
  ASSERT_TRUE(prefill != nullptr && decode != nullptr) << run.status.why();
  Floats_ x = {1, 2};
  ASSERT_TRUE(call(*prefill, {{&x, {2}}}).ok());
  ASSERT_TRUE(call(*decode, {{&x, {2}}}).ok());
  EXPECT_EQ(elements(decode->output(0)), (Floats_{4, 8}));
  EXPECT_GE(static_cast<void*>(decode->output(0).tensor->data), static_cast<void*>(lent));
}

TEST(Method, RefusesBadInputs) {
  Builder b;
  const int32_t x = b.input({2, 3});
  b.method.outputs = {b.sum(x, x, b.planned({2, 3}, 0))};
  b.finish();
  Loaded run(b.program);
  Method* m = run.load();
  ASSERT_NE(m, nullptr);
  EXPECT_STREQ(m->execute().why(), "an input was not given");
  Floats_ v(8);
  Tensor good = wrap(v, {2, 3}), t = good;
  EXPECT_STREQ(m->set_input(1, Value::of(&t)).why(), "the method has not that many inputs");
  EXPECT_STREQ(m->set_input(0, Value::of(int64_t(1))).why(), "the input is of another kind");
  t.dtype = DType::kI32;
  EXPECT_STREQ(m->set_input(0, Value::of(&t)).why(), "the input has another dtype");
  t = good;
  const uint8_t order[] = {1, 0};
  t.set_dim_order(order);
  EXPECT_STREQ(m->set_input(0, Value::of(&t)).why(), "the input's dimensions lie in another order in memory");
  t = good;
  t.data = nullptr;
  EXPECT_STREQ(m->set_input(0, Value::of(&t)).why(), "the input has no memory");
  t.data = reinterpret_cast<std::byte*>(v.data()) + 1;
  EXPECT_STREQ(m->set_input(0, Value::of(&t)).why(), "the input's memory is not aligned to its elements");
}

TEST(Method, RefusesAtLoad) {
  const struct { const char* why; void (*build)(Builder&); } cases[] = {
      {"no operator of this build has this name", [](Builder& b) { b.op("my::op", "out", {b.input({1})}); }},
      {"a kernel call has too few arguments", [](Builder& b) { b.op("aten::add", "out", {b.input({1}), b.constant({1}, {1})}); }},
      {"an argument is not a tensor", [](Builder& b) { const int32_t y = b.planned({1}, 0); b.op("aten::add", "out", {b.number(3), b.input({1}), b.number(1), y, y}); }},
      {"a result is written to a value that is not the tensor it needs", [](Builder& b) { b.sum(b.input({1}), b.input({1}), b.number(1)); }},
      {"an instruction writes a constant", [](Builder& b) {
         const int32_t rows = b.input({1, 1, 1, 1}), cache = b.constant({1, 2, 1, 1}, {0, 0}), out = b.planned({1}, 0);
         b.op("llama::update_cache", "out", {rows, cache, b.number(0), out, out});
       }},
      {"an instruction writes a constant", [](Builder& b) { b.sum(b.input({1}), b.input({1}), b.constant({1}, {1})); }},
      {"the result has other sizes than the program says", [](Builder& b) { b.sum(b.input({2}), b.input({2}), b.planned({3}, 0)); }},
      {"the result has another dtype than the program says", [](Builder& b) { const int32_t x = b.input({2}), y = b.planned({2}, 0); b.method.values[size_t(y)].tensor.dtype = DType::kI32; b.sum(x, x, y); }},
      {"the sizes of the operands do not broadcast", [](Builder& b) { b.sum(b.input({2}), b.input({3}), b.planned({3}, 0)); }},
      {"a tensor is read that nothing gives a value", [](Builder& b) { b.sum(b.add(tensor({2})), b.input({2}), b.planned({2}, 0)); }},
      {"a tensor's place in memory is not aligned to its elements", [](Builder& b) { b.sum(b.input({2}), b.input({2}), b.planned({2}, 2)); }},
      {"a result lies over an operand that the operator still reads", [](Builder& b) { b.sum(b.planned({2}, 0), b.input({2}), b.planned({2}, 4)); }},
      {"a view reaches beyond its tensor's memory", [](Builder& b) { b.view(b.planned({4}, 0), {4}, {1}, 1); }},
      {"a view reaches beyond its tensor's memory", [](Builder& b) { b.view(b.planned({4}, 0), {2}, {INT64_MAX / 8}, 0); }},
      {"a view's size in bytes overflows", [](Builder& b) { b.view(b.planned({4}, 0), {3}, {INT64_MAX}, 0); }},
      {"a view has a negative size or stride", [](Builder& b) { b.view(b.planned({4}, 0), {2}, {-1}, 3); }},
      {"a view has not a stride for each size, or a negative offset", [](Builder& b) { b.view(b.planned({4}, 0), {2}, {1}, -1); }},
      {"a move replaces a constant or an input", [](Builder& b) { const int32_t x = b.input({1}); b.method.instructions.push_back(InstructionSpec::move(b.constant({1}, {1}), x)); }},
      {"a jump's condition is neither a bool nor a bool tensor", [](Builder& b) { b.method.instructions.push_back(InstructionSpec::jump_false(b.input({1}), 0)); }},
      {"a tensor without an upper bound for its size", [](Builder& b) { const int32_t x = b.input({1}), y = b.dynamic({1}); b.method.values[size_t(y)].tensor.dynamism = Dynamism::kUnbound; b.sum(x, x, y); }},
      {"no backend of this build has the delegate's name", [](Builder& b) { b.method.delegates = {{"device", DataSpec::of("x"), {}}}; b.method.instructions = {InstructionSpec::call_delegate(0, {b.input({1})})}; }},
  };
  for (const auto& c : cases) {
    Builder b;
    c.build(b);
    b.finish();
    Loaded run(b.program);
    EXPECT_EQ(run.load(), nullptr);
    EXPECT_STREQ(run.status.why(), c.why);
    EXPECT_FALSE(run.failure.status.ok());
  }
}

TEST(Method, EveryShortageOfMemoryIsAnError) {
  Builder b;
  const int32_t x = b.dynamic({8, 2});
  b.method.inputs = {x};
  const int32_t y = b.dynamic({8, 2}), s = b.state({2}, "s");
  b.sum(x, s, y);
  b.method.outputs = {y};
  b.finish();
  std::vector<std::byte> bytes, memory(1 << 16);
  ASSERT_TRUE(write_program(b.program, bytes).ok());
  const Cpu cpu;
  bool worked = false;
  for (size_t size = 0; size < memory.size() && !worked; size += 16) {
    Arena arena{std::span<std::byte>(memory).first(size)};
    const auto p = Program::load(bytes, ops::all(), {}, cpu, arena);
    if (!p.ok()) { EXPECT_EQ(p.status().code(), Code::kOutOfMemory); continue; }
    const auto session = Session::create(**p, arena);
    if (!session.ok()) { EXPECT_EQ(session.status().code(), Code::kOutOfMemory); continue; }
    const auto m = Method::load(**session, "forward", arena);
    if (!m.ok()) { EXPECT_EQ(m.status().code(), Code::kOutOfMemory); continue; }
    Floats_ v(16, 1);
    worked = call(**m, {{&v, {8, 2}}}).ok();
    EXPECT_TRUE(worked);
  }
  EXPECT_TRUE(worked);
}

/// A device that doubles its first argument into its second.
struct Doubler final : Delegate {
  Status run(std::span<const Value> args, Trace*) override {
    for (int64_t i = 0; i < args[0].tensor->numel(); ++i) args[1].tensor->as<float>()[i] = 2 * args[0].tensor->as<float>()[i];
    return {};
  }
  void close() override { ++closed; }
  static inline int closed = 0;
};
Result<Delegate*> load_doubler(LoadContext& c) {
  if (std::string_view(reinterpret_cast<const char*>(c.blob.data()), c.blob.size()) != "double") return invalid_program("not a doubler");
  if (c.arguments.size() != 2 || c.arguments[0].kind != Value::Kind::kTensor || c.arguments[1].kind != Value::Kind::kTensor || !c.writable[1]) return invalid_program("bad arguments");
  if (!c.named_data.find("table") || c.compile_specs.size() != 1 || c.compile_specs[0].key != "level") return invalid_program("bad context");
  static Doubler doubler;
  return static_cast<Delegate*>(&doubler);
}

TEST(Method, CallsDelegates) {
  Builder b;
  const int32_t x = b.input({2}), y = b.add(tensor({2}));
  b.method.delegates = {{"doubler", DataSpec::of("double"), {{"level", {}}}}};
  b.method.instructions = {InstructionSpec::call_delegate(0, {x, y})};
  b.method.outputs = {b.sum(x, y, b.planned({2}, 0))};
  b.program.named_data = {{"table", DataSpec::of("t")}};
  b.finish();
  std::vector<std::byte> bytes, memory(1 << 16);
  ASSERT_TRUE(write_program(b.program, bytes).ok());
  Arena arena(memory);
  const Cpu cpu;
  const BackendRuntime backend{"doubler", nullptr, load_doubler};
  const BackendRuntime* backends[] = {&backend};
  const auto p = Program::load(bytes, ops::all(), backends, cpu, arena);
  ASSERT_TRUE(p.ok());
  const auto session = Session::create(**p, arena);
  const auto m = Method::load(**session, "forward", arena);
  ASSERT_TRUE(m.ok()) << m.status().why();
  Floats_ v = {1, 2};
  ASSERT_TRUE(call(**m, {{&v, {2}}}).ok());
  EXPECT_EQ(elements((*m)->output(0)), (Floats_{3, 6}));
  (*m)->close();
  EXPECT_EQ(Doubler::closed, 1);
}

}  // namespace
}  // namespace glint
