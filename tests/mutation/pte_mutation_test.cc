// Thousands of damaged programs: each is refused or runs within its limits; never a crash, a hang or a leak.
//   pte_mutation_test [--count N] [--seed N] [--first N]
// Each kind of damage gets its share of N: 32- and 64-bit scalars to extremes, fields dropped from their tables, bytes
// flipped, truncations. Meant for the asan preset, quick enough for all. Variants are numbered and repeatable: --first
// begins at one of them. Exit 1 when a variant takes too long; a crash names its variant.

#include <CLI/CLI.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <random>

#include <unistd.h>

#include "glint/backends/xnnpack/runtime.h"
#include "glint/base/platform.h"
#include "glint/compiler/compiler.h"
#include "glint/module/host_memory.h"
#include "glint/ops/ops.h"
#include "glint/runtime/method.h"

/// Of the sanitizers; absent without them.
extern "C" [[gnu::weak]] void __sanitizer_set_death_callback(void (*callback)());

namespace glint {
namespace {

constexpr size_t kMemoryLimit = size_t(64) << 20;
constexpr size_t kInputLimit = size_t(4) << 20;
constexpr uint64_t kInstructionLimit = 5000;
constexpr unsigned kSecondsLimit = 20;

struct Seed {
  std::string name;
  std::vector<std::byte> bytes;
  size_t head = 0;                  // bytes of the FlatBuffer: where damage is of interest
  std::vector<uint32_t> fields;     // where a vtable says where a field is
};

enum class Damage : uint8_t { kScalar32, kScalar64, kDropped, kFlipped, kTruncated };
constexpr const char* kDamageNames[] = {"scalar32", "scalar64", "dropped", "flipped", "truncated"};

struct Tally { int refused_file = 0, refused_method = 0, failed = 0, ran = 0; };

char g_variant[160];

void name_variant() {
  (void)!write(STDERR_FILENO, g_variant, std::strlen(g_variant));
  (void)!write(STDERR_FILENO, "\n", 1);
}

void out_of_time(int) {
  static constexpr char kText[] = "takes too long: ";
  (void)!write(STDERR_FILENO, kText, sizeof kText - 1);
  name_variant();
  _exit(1);
}

void crashed(int signal) {
  static constexpr char kText[] = "crashed: ";
  (void)!write(STDERR_FILENO, kText, sizeof kText - 1);
  name_variant();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

template <class T>
T read(const std::vector<std::byte>& bytes, size_t at) {
  T v;
  std::memcpy(&v, bytes.data() + at, sizeof v);
  return v;
}

/// A table starts with its distance to a vtable: sizes of both, then where each field is.
std::vector<uint32_t> vtable_fields(const std::vector<std::byte>& bytes, size_t head) {
  std::vector<uint32_t> fields;
  for (size_t table = 8; table + 4 <= head; table += 4) {
    const int64_t vtable = int64_t(table) - read<int32_t>(bytes, table);
    if (vtable < 8 || vtable % 2 != 0 || vtable + 4 > int64_t(head)) continue;
    const size_t size = read<uint16_t>(bytes, size_t(vtable)), table_size = read<uint16_t>(bytes, size_t(vtable) + 2);
    if (size < 4 || size % 2 != 0 || size > 64 || size_t(vtable) + size > head || table_size < 4 || table + table_size > head) continue;
    for (size_t at = size_t(vtable) + 4; at < size_t(vtable) + size; at += 2) {
      const uint16_t field = read<uint16_t>(bytes, at);
      if (field >= 4 && field < table_size) fields.push_back(uint32_t(at));
    }
  }
  std::sort(fields.begin(), fields.end());
  fields.erase(std::unique(fields.begin(), fields.end()), fields.end());
  return fields;
}

void add_seed(std::vector<Seed>& seeds, std::string name, std::vector<std::byte> bytes) {
  Seed s;
  s.name = std::move(name);
  const auto file = PteFile::open(bytes);
  if (!file.ok()) return;
  s.head = std::min<size_t>(bytes.size(), file->flatbuffer_size());
  s.fields = vtable_fields(bytes, s.head);
  s.bytes = std::move(bytes);
  seeds.push_back(std::move(s));
}

/// The recorded archives, compiled for both targets, and the stock programs at hand.
std::vector<Seed> make_seeds(std::string& error) {
  namespace fs = std::filesystem;
  std::vector<Seed> seeds;
  for (const char* release : {"torch-2.5", "torch-2.13", "torch-2.14"})
    for (const char* model : {"net", "attention_dynamic", "state"})
      for (const auto kind : {compiler::Target::Kind::kCpu, compiler::Target::Kind::kPortable}) {
        compiler::CompileOptions options;
        options.target.kind = kind;
        options.target.cpu = detect_cpu();
        compiler::CompileReport report;
        std::vector<std::byte> bytes;
        const std::string path = std::string(GLINT_SOURCE_DIR "/tests/data/archives/") + release + "/" + model + ".pt2";
        if (!compiler::compile(path, bytes, options, report, error).ok()) return {};
        add_seed(seeds, std::string(release) + "/" + model + (kind == compiler::Target::Kind::kCpu ? " cpu" : " portable"), std::move(bytes));
      }
  std::vector<fs::path> paths;
  for (const char* folder : {"interop", "xnnpack"})
    for (const auto& entry : fs::directory_iterator(fs::path(GLINT_SOURCE_DIR "/tests/data") / folder))
      if (entry.path().extension() == ".pte") paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  for (const fs::path& path : paths) {
    const auto mapped = MappedFile::open(path.c_str());
    if (!mapped.ok()) continue;
    add_seed(seeds, path.filename().string(), {mapped->bytes().begin(), mapped->bytes().end()});
  }
  return seeds;
}

/// Damages `bytes`; says what it did.
std::string damage(Damage kind, const Seed& seed, std::mt19937_64& random, std::vector<std::byte>& bytes) {
  static constexpr int32_t k32[] = {0, 1, -1, INT32_MIN, INT32_MAX};
  static constexpr int64_t k64[] = {0, 1, -1, INT64_MIN, INT64_MAX, int64_t(1) << 31, int64_t(1) << 32, INT64_MAX - 1, -16};
  const auto pick = [&](size_t count) { return size_t(random() % std::max<size_t>(count, 1)); };
  const auto store = [&](size_t at, auto v) { std::memcpy(bytes.data() + at, &v, sizeof v); };
  switch (kind) {
    case Damage::kScalar32: {
      const size_t at = pick(seed.head / 4) * 4, which = pick(std::size(k32));
      store(at, k32[which]);
      return "at " + std::to_string(at) + " = " + std::to_string(k32[which]);
    }
    case Damage::kScalar64: {
      const size_t at = pick(seed.head / 8) * 8, which = pick(std::size(k64));
      store(at, k64[which]);
      return "at " + std::to_string(at) + " = " + std::to_string(k64[which]);
    }
    case Damage::kDropped: {
      if (seed.fields.empty()) return "nothing";
      const size_t at = seed.fields[pick(seed.fields.size())];
      store(at, uint16_t(0));
      return "field at " + std::to_string(at);
    }
    case Damage::kFlipped: {
      const size_t at = pick(seed.head);
      bytes[at] ^= std::byte(1 + pick(255));
      return "at " + std::to_string(at);
    }
    case Damage::kTruncated: {
      const size_t part = pick(64), size = seed.bytes.size() * part / 64 + (pick(2) != 0 ? pick(16) : 0);
      bytes.resize(std::min(size, bytes.size()));
      return "to " + std::to_string(bytes.size());
    }
  }
  return "";
}

/// Memory of exactly a file's size, so that AddressSanitizer sees the first byte behind it.
struct FileCopy {
  explicit FileCopy(const std::vector<std::byte>& bytes) : size(bytes.size()) {
    p = static_cast<std::byte*>(::operator new(std::max<size_t>(size, 1), std::align_val_t(64)));
    std::copy(bytes.begin(), bytes.end(), p);
  }
  ~FileCopy() { ::operator delete(p, std::align_val_t(64)); }
  FileCopy(const FileCopy&) = delete;
  FileCopy& operator=(const FileCopy&) = delete;
  std::byte* p;
  size_t size;
};

/// Gives every input: ones. False when an input is refused or too large to try.
bool give_inputs(Method& m, HostMemory& memory, std::vector<std::unique_ptr<Tensor>>& tensors) {
  for (uint32_t i = 0; i < m.input_count(); ++i) {
    const Value& wanted = m.input(i);
    if (wanted.kind != Value::Kind::kTensor) {
      if (!m.set_input(i, wanted).ok()) return false;
      continue;
    }
    const size_t bytes = wanted.tensor->size_bytes();
    if (bytes > kInputLimit) return false;
    auto t = std::make_unique<Tensor>(*wanted.tensor);
    t->data = memory.arena().allocate(std::max<size_t>(bytes, 1), 64);
    if (t->data == nullptr) return false;
    std::memset(t->data, 0, bytes);
    for (size_t b = 0, step = std::max<size_t>(dtype_size(t->dtype), 1); b < bytes; b += step) std::memset(static_cast<char*>(t->data) + b, 1, 1);
    tensors.push_back(std::move(t));
    if (!m.set_input(i, Value::of(tensors.back().get())).ok()) return false;
  }
  return true;
}

/// Reads what an execution gave, so that a sanitizer sees a result that lies elsewhere.
unsigned read_outputs(const Method& m) {
  unsigned sum = 0;
  for (uint32_t i = 0; i < m.output_count(); ++i) {
    const Value& v = m.output(i);
    if (v.kind != Value::Kind::kTensor || v.tensor->data == nullptr || !v.tensor->is_contiguous()) continue;
    const auto* p = static_cast<const unsigned char*>(v.tensor->data);
    for (size_t b = 0, n = v.tensor->size_bytes(); b < n; ++b) sum += p[b];
  }
  return sum;
}

constexpr const BackendRuntime* kBackends[] = {&backend_xnnpack};

void try_program(const std::vector<std::byte>& bytes, const Cpu& cpu, Tally& tally) {
  const FileCopy copy(bytes);
  HostMemory memory(kMemoryLimit);
  const auto program = Program::load({copy.p, copy.size}, ops::all(), kBackends, cpu, memory.arena());
  if (!program.ok()) return void(++tally.refused_file);
  const auto session = Session::create(**program, memory.arena());
  if (!session.ok()) return void(++tally.refused_file);
  const uint32_t methods = std::min<uint32_t>((*program)->file().method_count(), 4);
  for (uint32_t i = 0; i < methods; ++i) {
    std::vector<std::unique_ptr<Tensor>> tensors;
    const auto method = Method::load(**session, (*program)->file().method(i).name(), memory.arena(), {.instruction_limit = kInstructionLimit});
    if (!method.ok()) {
      ++tally.refused_method;
      continue;
    }
    static volatile unsigned keep = 0;
    bool ran = true;
    for (int call = 0; ran && call < 2; ++call) {
      ran = give_inputs(**method, memory, tensors) && (*method)->execute().ok();
      if (ran) keep = keep + read_outputs(**method);
    }
    ++(ran ? tally.ran : tally.failed);
    (*method)->close();
  }
}

int main_(int argc, char** argv) {
  CLI::App app("Damages programs in many ways and runs them.");
  uint64_t count = 2000, seed = 1, first = 0;
  app.add_option("--count", count, "how many damaged programs");
  app.add_option("--seed", seed, "another series");
  app.add_option("--first", first, "begin at this variant");
  CLI11_PARSE(app, argc, argv);

  std::string error;
  const std::vector<Seed> seeds = make_seeds(error);
  if (seeds.empty()) return std::fprintf(stderr, "no program to damage: %s\n", error.c_str()), 1;
  std::signal(SIGALRM, out_of_time);
  if (__sanitizer_set_death_callback != nullptr) {
    __sanitizer_set_death_callback(name_variant);
  } else {
    for (const int s : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(s, crashed);
  }

  const Cpu cpu = detect_cpu();
  Tally whole;
  for (const Seed& s : seeds) {
    std::snprintf(g_variant, sizeof g_variant, "undamaged %s", s.name.c_str());
    const int before = whole.ran;
    try_program(s.bytes, cpu, whole);
    if (whole.ran == before) return std::fprintf(stderr, "%s does not run undamaged\n", s.name.c_str()), 1;
  }

  // Of sixteen: eight 32-bit scalars, three 64-bit ones, two dropped fields, two flips, one truncation.
  static constexpr Damage kShare[16] = {
      Damage::kScalar32, Damage::kScalar64, Damage::kScalar32, Damage::kDropped, Damage::kScalar32, Damage::kFlipped, Damage::kScalar32, Damage::kScalar64,
      Damage::kScalar32, Damage::kTruncated, Damage::kScalar32, Damage::kDropped, Damage::kScalar32, Damage::kFlipped, Damage::kScalar32, Damage::kScalar64};
  Tally tally;
  double slowest = 0;
  std::string slowest_name;
  for (uint64_t i = first; i < first + count; ++i) {
    std::mt19937_64 random(seed * 0x9e3779b97f4a7c15 + i);
    const Seed& s = seeds[size_t(random() % seeds.size())];
    const Damage kind = kShare[i % 16];
    std::vector<std::byte> bytes = s.bytes;
    const std::string what = damage(kind, s, random, bytes);
    std::snprintf(g_variant, sizeof g_variant, "variant %llu: %s, %s %s", static_cast<unsigned long long>(i), s.name.c_str(), kDamageNames[size_t(kind)],
                  what.c_str());
    alarm(kSecondsLimit);
    const auto start = std::chrono::steady_clock::now();
    try_program(bytes, cpu, tally);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    alarm(0);
    if (seconds > slowest) slowest = seconds, slowest_name = g_variant;
  }
  std::printf("%llu damaged programs of %zu: %d refused as files, methods: %d refused, %d ended in an error, %d ran; slowest %.3f s (%s)\n",
              static_cast<unsigned long long>(count), seeds.size(), tally.refused_file, tally.refused_method, tally.failed, tally.ran, slowest,
              slowest_name.c_str());
  return 0;
}

}  // namespace
}  // namespace glint

int main(int argc, char** argv) { return glint::main_(argc, argv); }
