#include "glint/format/pte.h"

#include <cstring>
#include <string>

#include <gtest/gtest.h>

#include "glint/format/program_spec.h"
#include "glint/format/ptd.h"

namespace glint {
namespace {

using Bytes = std::vector<std::byte>;

DataSpec floats(std::vector<float> v) { return DataSpec::of(std::as_bytes(std::span<const float>(v))); }

TensorSpec tensor(std::vector<int64_t> sizes, Storage storage = Storage::kNone) {
  TensorSpec t;
  t.sizes = std::move(sizes);
  t.storage = storage;
  return t;
}

/// One of everything a file can hold.
ProgramSpec everything() {
  ProgramSpec p;
  p.writer = "test";
  p.constants = {floats({1, 2, 3, 4}), floats({1, 2, 3, 4}), floats({5, 6, 7, 8}), DataSpec::of("padding")};
  MethodSpec m;
  m.memory_sizes = {0, 256, 64};
  m.encoded_inputs = "in";
  m.encoded_outputs = "out";
  TensorSpec input = tensor({2, 2});
  input.dynamism = Dynamism::kBound;
  input.ranges = {{1, 2, 1}, {2, 2, 1}};
  TensorSpec a = tensor({4}, Storage::kConstant), b = a, c = tensor({2, 2}, Storage::kPlanned), s = tensor({2, 2}, Storage::kState), e = tensor({3}, Storage::kExternal);
  a.data = 0;
  b.data = 1;
  c.offset = 128;
  c.dim_order = {1, 0};
  s.memory_id = 2;
  s.data = 2;
  s.name = "cache.k";
  e.name = "weight";
  m.values = {ValueSpec::of_tensor(input), ValueSpec::of_tensor(a), ValueSpec::of_tensor(b), ValueSpec::of_tensor(c), ValueSpec::of_tensor(s), ValueSpec::of_tensor(e),
              ValueSpec::none(), ValueSpec::of_int(-7), ValueSpec::of_bool(true), ValueSpec::of_double(2.5), ValueSpec::of_string("text"),
              ValueSpec::of_int_list({7, 7}), ValueSpec::of_double_list({1, 2}), ValueSpec::of_bool_list({1, 0}), ValueSpec::of_tensor_list({1, 2}), ValueSpec::of_optional_tensor_list({-1, 3})};
  m.inputs = {0};
  m.outputs = {3, 7};
  m.input_names = {"x"};
  m.output_names = {"y", "n"};
  DelegateSpec d;
  d.id = "device";
  d.blob = DataSpec::of("blob");
  d.compile_specs = {{"level", {std::byte(3)}}};
  m.delegates = {d};
  auto kernel = InstructionSpec::kernel("aten::add", "out", {0, 1, 7, 3, 3});
  kernel.origin = "model.py:3";
  m.instructions = {kernel, InstructionSpec::call_delegate(0, {0, 3}), InstructionSpec::jump_false(8, 4), InstructionSpec::move(1, 3), InstructionSpec::free(3), kernel};
  p.methods = {m};
  MethodSpec other;
  other.name = "other";
  other.values = {ValueSpec::of_int(1)};
  other.outputs = {0};
  p.methods.push_back(other);
  p.named_data = {{"shared", DataSpec::of("blob")}};
  return p;
}

/// A copy whose first byte is aligned as a mapped file's would be.
struct Aligned {
  explicit Aligned(const Bytes& b) : store(b.size() / 16 + 1) { if (!b.empty()) std::memcpy(store.data(), b.data(), b.size()); bytes = {reinterpret_cast<std::byte*>(store.data()), b.size()}; }
  struct alignas(16) Block { std::byte b[16]; };
  std::vector<Block> store;
  std::span<std::byte> bytes;
};

Aligned written(const ProgramSpec& p, const WriteOptions& options = {}) {
  Bytes bytes;
  std::string detail;
  const Status s = write_program(p, bytes, options, &detail);
  EXPECT_TRUE(s.ok()) << s.why() << " " << detail;
  return Aligned(bytes);
}

std::string_view chars(std::span<const std::byte> b) { return {reinterpret_cast<const char*>(b.data()), b.size()}; }
float first_float(std::span<const std::byte> b) {
  float f;
  std::memcpy(&f, b.data(), 4);
  return f;
}

TEST(Pte, ReadsBackEverythingThatWasWritten) {
  const Aligned file = written(everything());
  const auto opened = PteFile::open(file.bytes);
  ASSERT_TRUE(opened.ok()) << opened.status().why();
  const PteFile& f = *opened;
  EXPECT_EQ(f.writer(), "test");
  ASSERT_EQ(f.method_count(), 2u);
  EXPECT_EQ(f.method(1).name(), "other");
  EXPECT_FALSE(f.find_method("none"));
  const PteMethod m = *f.find_method("forward");
  ASSERT_EQ(m.value_count(), 16u);
  EXPECT_EQ(m.inputs()[0], 0);
  EXPECT_EQ(m.outputs()[1], 7);
  EXPECT_EQ(m.encoded_inputs(), "in");
  EXPECT_EQ(m.encoded_outputs(), "out");
  EXPECT_EQ(m.input_name(0), "x");
  EXPECT_EQ(m.output_name(1), "n");
  EXPECT_EQ(m.input_range(0, 0)->min, 1);
  EXPECT_FALSE(m.output_range(0, 0));
  EXPECT_EQ(m.memory_sizes()[2], 64);

  using S = TensorView::Storage;
  EXPECT_EQ(m.value(0).tensor.storage, S::kNone);
  EXPECT_EQ(m.value(0).tensor.dynamism, TensorView::Dynamism::kBound);
  const TensorView a = m.value(1).tensor, b = m.value(2).tensor, c = m.value(3).tensor, s = m.value(4).tensor, e = m.value(5).tensor;
  EXPECT_EQ(a.storage, S::kConstant);
  EXPECT_EQ(first_float(a.data), 1);
  EXPECT_EQ(a.data.size(), 16u);
  EXPECT_EQ(a.data.data(), b.data.data()) << "equal constants are stored once";
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a.data.data()) % 16, 0u);
  EXPECT_EQ((a.data.data() - file.bytes.data()) % 4096, 0);
  EXPECT_EQ(c.storage, S::kPlanned);
  EXPECT_FALSE(c.state);
  EXPECT_EQ(c.offset, 128u);
  EXPECT_EQ(c.dim_order[0], 1);
  EXPECT_TRUE(s.state);
  EXPECT_EQ(s.memory_id, 2u);
  EXPECT_EQ(s.name, "cache.k");
  EXPECT_EQ(first_float(s.data), 5);
  EXPECT_EQ(e.storage, S::kExternal);
  EXPECT_EQ(e.name, "weight");

  EXPECT_EQ(m.value(6).kind, ValueView::Kind::kNone);
  EXPECT_EQ(m.value(7).i, -7);
  EXPECT_EQ(m.value(8).i, 1);
  EXPECT_EQ(m.value(9).d, 2.5);
  EXPECT_EQ(m.value(10).text, "text");
  EXPECT_EQ(m.value(11).ints[1], 7);
  EXPECT_EQ(m.value(12).doubles[1], 2);
  EXPECT_FALSE(m.value(13).bools[1]);
  EXPECT_EQ(m.value(14).tensors[1], 2);
  EXPECT_EQ(m.value(15).tensors[0], -1);

  ASSERT_EQ(m.instruction_count(), 6u);
  using K = InstructionView::Kind;
  EXPECT_EQ(m.op(uint32_t(m.instruction(0).index)).name, "aten::add");
  EXPECT_EQ(m.op(uint32_t(m.instruction(0).index)).overload, "out");
  EXPECT_EQ(m.instruction(0).args.size(), 5u);
  EXPECT_EQ(m.origin(0), "model.py:3");
  EXPECT_EQ(m.origin(1), "");
  EXPECT_EQ(m.instruction(1).kind, K::kDelegate);
  EXPECT_EQ(m.instruction(2).kind, K::kJumpFalse);
  EXPECT_EQ(m.instruction(2).index, 4);
  EXPECT_EQ(m.instruction(3).to, 3);
  EXPECT_EQ(m.instruction(4).kind, K::kFree);
  EXPECT_EQ(m.operator_count(), 1u);
  EXPECT_EQ(m.delegate(0).id, "device");
  EXPECT_EQ(chars(m.delegate(0).blob), "blob");
  EXPECT_EQ(m.compile_spec(0, 0).key, "level");
  EXPECT_EQ(m.delegate(0).blob.data(), f.find_named_data("shared")->data()) << "equal blobs are stored once";
}

TEST(Pte, ReadsTheLayoutBeforeSegments) {
  ProgramSpec p;
  p.constants = {floats({1, 2, 3, 4})};
  MethodSpec m;
  TensorSpec t = tensor({4}, Storage::kConstant);
  t.data = 0;
  m.values = {ValueSpec::of_tensor(t)};
  p.methods = {m};
  const Aligned file = written(p, {.inline_constants = true});
  const auto f = PteFile::open(file.bytes);
  ASSERT_TRUE(f.ok()) << f.status().why();
  EXPECT_EQ(f->segment_count(), 0u);
  EXPECT_EQ(first_float(f->method(0).value(0).tensor.data), 1);
}

TEST(Pte, RefusesForeignAndCutFiles) {
  const Aligned file = written(everything());
  struct { std::string text; const char* why; } const cases[] = {
      {"", "too short"}, {"abc", "too short"}, {"this is a text file", "not a program file"}, {std::string("\0\0\0\0ET99....", 12), "another version"}};
  for (const auto& c : cases) {
    const Aligned bad(Bytes(reinterpret_cast<const std::byte*>(c.text.data()), reinterpret_cast<const std::byte*>(c.text.data() + c.text.size())));
    const auto f = PteFile::open(bad.bytes);
    ASSERT_FALSE(f.ok());
    EXPECT_NE(std::string(f.status().why()).find(c.why), std::string::npos) << f.status().why();
  }
  for (size_t size = 0; size < file.bytes.size() - 4096; size += 7) EXPECT_FALSE(PteFile::open(file.bytes.first(size)).ok()) << size;
  Bytes shifted(file.bytes.size() + 32);
  std::byte* p = shifted.data() + (16 - reinterpret_cast<uintptr_t>(shifted.data()) % 16) + 1;
  std::memcpy(p, file.bytes.data(), file.bytes.size());
  EXPECT_EQ(PteFile::open({p, file.bytes.size()}).status().code(), Code::kInvalidArgument);
}

TEST(Pte, WriterRefusesWhatCannotBeRead) {
  const std::pair<const char*, void (*)(ProgramSpec&)> cases[] = {
      {"a program needs a method", [](ProgramSpec& p) { p.methods.clear(); }},
      {"two methods have one name", [](ProgramSpec& p) { p.methods[1].name = "forward"; }},
      {"an argument is not a value", [](ProgramSpec& p) { p.methods[0].instructions[0].args[0] = 99; }},
      {"a jump goes outside the method", [](ProgramSpec& p) { p.methods[0].instructions[2].target = 9; }},
      {"a tensor lies outside its planned memory", [](ProgramSpec& p) { p.methods[0].values[3].tensor.offset = 250; }},
      {"a constant has another size than its tensor", [](ProgramSpec& p) { p.methods[0].values[1].tensor.sizes = {5}; }},
      {"a tensor's dim_order is not a permutation", [](ProgramSpec& p) { p.methods[0].values[3].tensor.dim_order = {0, 0}; }},
      {"an item of an int list is not an int value", [](ProgramSpec& p) { p.methods[0].values[11].items = {8}; }},
  };
  for (const auto& [why, change] : cases) {
    ProgramSpec p = everything();
    change(p);
    Bytes bytes;
    const Status s = write_program(p, bytes);
    EXPECT_STREQ(s.why(), why);
  }
}

TEST(Pte, AFailedWriteLeavesNoFile) {
  ProgramSpec p = everything();
  p.constants[0].write = [](const DataSink&) { return io_error("gone"); };
  const std::string path = ::testing::TempDir() + "glint_half.pte";
  std::remove(path.c_str());
  EXPECT_FALSE(write_program(p, path.c_str()).ok());
  std::FILE* f = std::fopen(path.c_str(), "rb");
  EXPECT_EQ(f, nullptr);
}

TEST(Ptd, RoundTrip) {
  NamedTensorSpec a{"a", DType::kF32, {2, 2}, {1, 0}, floats({1, 2, 3, 4})}, b{"b", DType::kF32, {1}, {}, floats({9})};
  const NamedTensorSpec tensors[] = {a, b};
  Bytes bytes;
  ASSERT_TRUE(write_tensors(tensors, bytes).ok());
  const Aligned file(bytes);
  const auto f = PtdFile::open(file.bytes);
  ASSERT_TRUE(f.ok()) << f.status().why();
  ASSERT_EQ(f->count(), 2u);
  const auto found = f->find("a");
  ASSERT_TRUE(found && found->meta);
  EXPECT_EQ(found->meta->stride[0], 1);
  EXPECT_EQ(first_float(found->bytes), 1);
  EXPECT_EQ(first_float(f->find("b")->bytes), 9);
  EXPECT_FALSE(f->find("c"));
  for (size_t size = 0; size < file.bytes.size(); size += 3) EXPECT_FALSE(PtdFile::open(file.bytes.first(size)).ok()) << size;
}

TEST(ContentHash, DoesNotDependOnThePieces) {
  const std::string text = "the quick brown fox jumps over the lazy dog";
  const auto bytes = std::as_bytes(std::span(text));
  ContentHash whole;
  whole.add(bytes);
  for (size_t cut = 0; cut <= bytes.size(); ++cut) {
    ContentHash pieces;
    pieces.add(bytes.first(cut));
    pieces.add(bytes.subspan(cut));
    EXPECT_EQ(pieces.get(), whole.get());
  }
  ContentHash shorter;
  shorter.add(bytes.first(bytes.size() - 1));
  EXPECT_NE(shorter.get(), whole.get());
}

}  // namespace
}  // namespace glint
