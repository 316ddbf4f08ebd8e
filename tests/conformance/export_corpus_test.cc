// Compiles and runs every program of a folder of recorded exports.
//   export_corpus_test --corpus DIR [--name PART] [--target cpu|portable] [--verbose] [--strict]
// DIR has index.jsonl, tensors.safetensors and the .pt2 files, or .pte files, which run as they are. Rows that name the same file run in order in one session. A
// row may have more: "file" as {"METHOD": "ARCHIVE", ...}, "method", "reset": true (states first take their initial values),
// "seed": N (of the random operators), "copies": {"TARGET": N} (instructions that move a whole state: as many, no more).
// "refused": "TEXT" (the compiler refuses it and says so). Inputs and outputs are names of tensors, or scalars: numbers (with a fraction or exponent for floats), true, false and null.
// Prints "N passed, M failed, K refused"; exit 1 on any failure. Refused: a clear error while compiling, with --strict a failure where the
// row does not expect it.

#include <CLI/CLI.hpp>
#include <simdjson.h>

#include <cmath>
#include <cstdio>
#include <deque>
#include <map>

#include <sys/wait.h>
#include <unistd.h>

#include "glint/compiler/compiler.h"
#include "glint/core/shape.h"
#include "glint/ops/ops.h"
#include "glint/runtime/method.h"
#include "glint/testing/corpus.h"

namespace glint {
namespace {

using testing::HostTensor;
namespace dom = simdjson::dom;

enum class Verdict : uint8_t { kPassed, kFailed, kRefused };

/// A tensor of the corpus, or a scalar.
struct Operand {
  std::string tensor;  // its name; empty: a scalar
  Value scalar;
};

struct Row {
  std::string name, file;
  std::vector<Operand> inputs, outputs;
  std::string method = "forward";
  compiler::Sources sources;
  bool reset = false;
  std::optional<uint64_t> seed;
  std::map<std::string, int64_t> copies;
  std::string refused;  // what the compiler is to say; empty: nothing
};

/// Counts instructions that move as much as a state holds: those with a result and another operand of that size.
class Copies final : public Trace {
 public:
  void ran(const Event& e) override {
    for (const Value& out : e.results)
      for (const Value& in : e.operands)
        if (is_large(out) && is_large(in) && in.tensor->data != out.tensor->data) {
          ++count;
          return;
        }
  }
  size_t bytes = SIZE_MAX;  // of the smallest state
  int64_t count = 0;

 private:
  bool is_large(const Value& v) const { return v.kind == Value::Kind::kTensor && v.tensor->size_bytes() >= bytes; }
};

/// Memory that grows in chunks and lives as long as the object.
class Chunks {
 public:
  Arena arena() { return Arena(grow, this); }

 private:
  static std::span<std::byte> grow(void* self, size_t bytes) {
    bytes = std::max<size_t>(bytes, 64 << 10);
    auto& chunks = static_cast<Chunks*>(self)->chunks_;
    chunks.push_back(std::make_unique<std::byte[]>(bytes));
    return {chunks.back().get(), bytes};
  }
  std::vector<std::unique_ptr<std::byte[]>> chunks_;
};

/// A compiled program with its session, kept for the rows of one file.
struct Loaded {
  std::vector<std::byte> bytes;
  Chunks chunks;
  Arena arena;
  const Program* program = nullptr;
  Session* session = nullptr;
  std::map<std::string, Method*> methods;
  Copies copies;
  std::string refusal;  // of the compiler
};

double tolerance(DType d) { return d == DType::kF16 || d == DType::kBF16 ? 4 * testing::epsilon(d) : 2e-5; }

std::string describe(const Failure& f, const Status& s) {
  std::string text = std::string(code_name(s.code())) + ": " + s.why();
  if (!f.name.empty()) text += " [" + std::string(f.name) + "]";
  return text;
}

bool same_scalar(const Value& got, const Value& want) {
  using K = Value::Kind;
  if (got.kind != want.kind) return false;
  switch (want.kind) {
    case K::kNone: return true;
    case K::kInt: return got.i == want.i;
    case K::kBool: return got.b == want.b;
    case K::kFloat: return std::abs(got.f - want.f) <= 2e-5 * std::abs(want.f);
    default: return false;
  }
}

Verdict run_row(const Row& row, Loaded& l, const testing::TensorFile& tensors, const std::string& target, std::string& why) {
  std::deque<HostTensor> given;
  std::vector<Value> inputs;
  for (const Operand& o : row.inputs) inputs.push_back(o.tensor.empty() ? o.scalar : Value::of(&given.emplace_back(tensors.get(o.tensor)).tensor()));
  Method* method = l.methods[row.method];
  if (row.reset) l.session->reset();
  if (row.seed) l.session->seed(*row.seed);
  l.copies.count = 0;
  if (method->input_count() != inputs.size()) {
    // Inputs that the program does not use may have been specialised away only with their numbers.
    why = "the program takes " + std::to_string(method->input_count()) + " inputs, not " + std::to_string(inputs.size());
    return Verdict::kFailed;
  }
  for (size_t i = 0; i < inputs.size(); ++i)
    if (const Status s = method->set_input(uint32_t(i), inputs[i]); !s.ok()) {
      why = "input " + std::to_string(i) + ": " + s.why();
      return Verdict::kFailed;
    }
  if (const Status s = method->execute(); !s.ok()) {
    why = describe(method->failure(), s);
    return Verdict::kFailed;
  }
  if (method->output_count() < row.outputs.size()) {
    why = "gives " + std::to_string(method->output_count()) + " outputs, not " + std::to_string(row.outputs.size());
    return Verdict::kFailed;
  }
  size_t next = 0;
  for (const Operand& o : row.outputs) {
    if (o.tensor.empty()) {
      if (!same_scalar(method->output(uint32_t(next++)), o.scalar)) return why = "output " + std::to_string(next - 1) + " is another scalar", Verdict::kFailed;
      continue;
    }
    const std::string& key = o.tensor;
    while (next < method->output_count() && method->output(uint32_t(next)).kind != Value::Kind::kTensor) ++next;
    if (next == method->output_count()) {
      why = "gives too few tensors";
      return Verdict::kFailed;
    }
    const Tensor& t = *method->output(uint32_t(next++)).tensor;
    HostTensor got(t.dtype, {t.sizes().begin(), t.sizes().end()});
    TensorMeta strided = t;
    for (int64_t i = 0, n = t.numel(), w = int64_t(dtype_size(t.dtype)); i < n; ++i)
      std::memcpy(static_cast<char*>(got.tensor().data) + i * w, static_cast<const char*>(t.data) + element_offset(strided, i) * w, size_t(w));
    const HostTensor want = tensors.get(key);
    why = testing::compare(got, want, tolerance(want.tensor().dtype));
    if (!why.empty()) {
      why = "output " + key + " " + why;
      return Verdict::kFailed;
    }
  }
  if (const auto copies = row.copies.find(target); copies != row.copies.end() && l.copies.count != copies->second) {
    why = std::to_string(l.copies.count) + " instructions move a whole state, not " + std::to_string(copies->second);
    return Verdict::kFailed;
  }
  return Verdict::kPassed;
}

Verdict load(const Row& row, const compiler::CompileOptions& options, const Cpu& cpu, Loaded& l, std::string& why) {
  compiler::CompileReport report;
  if (row.file.ends_with(".pte")) {
    const auto file = MappedFile::open(row.sources.at(0).path.c_str());
    if (!file.ok()) return why = file.status().why(), Verdict::kFailed;
    l.bytes.assign(file->bytes().begin(), file->bytes().end());
  } else if (const Status s = compiler::compile(row.sources, l.bytes, options, report, why); !s.ok())
    return s.code() == Code::kInternal ? Verdict::kFailed : Verdict::kRefused;
  l.arena = l.chunks.arena();
  Failure failure;
  const auto program = Program::load(l.bytes, ops::all(), {}, cpu, l.arena, &failure);
  if (!program.ok()) return why = "load: " + describe(failure, program.status()), Verdict::kFailed;
  l.program = *program;
  const auto session = Session::create(*l.program, l.arena);
  if (!session.ok()) return why = std::string("session: ") + session.status().why(), Verdict::kFailed;
  l.session = *session;
  for (const auto& s : l.program->states()) l.copies.bytes = std::min(l.copies.bytes, size_t(s.bytes));
  for (const compiler::Source& source : row.sources) {
    const std::string name = source.method.empty() ? "forward" : source.method;
    const auto method = Method::load(*l.session, name, l.arena, {.trace = &l.copies}, &failure);
    if (!method.ok()) return why = "method " + name + ": " + describe(failure, method.status()), Verdict::kFailed;
    l.methods[name] = *method;
  }
  return Verdict::kPassed;
}

std::vector<Operand> read_operands(dom::array array) {
  std::vector<Operand> operands;
  for (dom::element e : array) {
    Operand& o = operands.emplace_back();
    switch (e.type()) {
      case dom::element_type::STRING: o.tensor = std::string(std::string_view(e)); break;
      case dom::element_type::INT64: o.scalar = Value::of(int64_t(e)); break;
      case dom::element_type::DOUBLE: o.scalar = Value::of(double(e)); break;
      case dom::element_type::BOOL: o.scalar = Value::of(bool(e)); break;
      default: o.scalar = Value::none();
    }
  }
  return operands;
}

std::vector<Row> read_index(const std::string& folder, std::string& error) {
  const std::string path = folder + "/index.jsonl";
  std::vector<Row> rows;
  dom::parser parser;
  dom::document_stream stream;
  if (parser.load_many(path, 8 << 20).get(stream) != simdjson::SUCCESS) {
    error = path + ": cannot be read";
    return rows;
  }
  for (auto doc : stream) {
    dom::element e = doc.value();
    Row r;
    r.name = std::string(std::string_view(e["name"]));
    if (dom::object methods; e["file"].get(methods) == simdjson::SUCCESS) {
      for (const auto& [method, archive] : methods) {
        r.sources.push_back({std::string(method), folder + "/" + std::string(std::string_view(archive))});
        r.file += std::string(method) + "=" + r.sources.back().path + " ";
      }
    } else {
      r.file = std::string(std::string_view(e["file"]));
      r.sources = {folder + "/" + r.file};
    }
    if (std::string_view method; e["method"].get(method) == simdjson::SUCCESS) r.method = std::string(method);
    if (std::string_view refused; e["refused"].get(refused) == simdjson::SUCCESS) r.refused = std::string(refused);
    if (bool reset; e["reset"].get(reset) == simdjson::SUCCESS) r.reset = reset;
    if (uint64_t seed; e["seed"].get(seed) == simdjson::SUCCESS) r.seed = seed;
    if (dom::object copies; e["copies"].get(copies) == simdjson::SUCCESS)
      for (const auto& [target, n] : copies) r.copies[std::string(target)] = int64_t(n);
    r.inputs = read_operands(e["inputs"]);
    r.outputs = read_operands(e["outputs"]);
    rows.push_back(std::move(r));
  }
  return rows;
}

int main_(int argc, char** argv) {
  CLI::App app("Compiles and runs a folder of recorded exports.");
  std::string corpus, only, target = "cpu";
  bool verbose = false, strict = false;
  app.add_option("--corpus", corpus, "folder with index.jsonl, tensors.safetensors and the archives")->required();
  app.add_option("--name", only, "only programs whose name contains this");
  app.add_option("--target", target, "cpu or portable")->check(CLI::IsMember({"cpu", "portable"}));
  app.add_flag("--verbose", verbose, "list failures and refusals with their reasons");
  app.add_flag("--strict", strict, "refusals that no row expects are failures");
  CLI11_PARSE(app, argc, argv);

  std::string error;
  const auto tensors = testing::TensorFile::open(corpus + "/tensors.safetensors", error);
  const std::vector<Row> rows = read_index(corpus, error);
  if (!error.empty()) return std::fprintf(stderr, "%s\n", error.c_str()), 2;

  const Cpu cpu = detect_cpu();
  compiler::CompileOptions options;
  options.target.kind = target == "portable" ? compiler::Target::Kind::kPortable : compiler::Target::Kind::kCpu;
  options.target.cpu = cpu;
  int counts[3] = {0, 0, 0};
  std::map<std::string, std::unique_ptr<Loaded>> loaded;
  for (size_t i = 0; i < rows.size(); ++i) {
    const Row& row = rows[i];
    if (!only.empty() && row.name.find(only) == row.name.npos) continue;
    std::string why;
    Verdict v = Verdict::kFailed;
    try {
      auto& l = loaded[row.file];
      v = Verdict::kPassed;
      if (l == nullptr) {
        l = std::make_unique<Loaded>();
        v = load(row, options, cpu, *l, why);
        if (v == Verdict::kRefused) l->refusal = why;
      }
      if (v == Verdict::kPassed && l->methods.empty()) v = Verdict::kRefused, why = "its program was refused";
      if (v == Verdict::kPassed) v = run_row(row, *l, tensors, target, why);
      if (!row.refused.empty()) v = v == Verdict::kRefused && l->refusal.find(row.refused) != std::string::npos ? Verdict::kPassed : Verdict::kFailed;
      else if (strict && v == Verdict::kRefused) v = Verdict::kFailed;
      if (i + 1 == rows.size() || rows[i + 1].file != row.file) loaded.erase(row.file);
    } catch (const std::exception& e) {
      v = Verdict::kFailed;
      why = std::string("exception: ") + e.what();
    }
    ++counts[size_t(v)];
    if (verbose && v != Verdict::kPassed) std::printf("%s %s: %s\n", v == Verdict::kFailed ? "FAILED" : "refused", row.name.c_str(), why.c_str());
  }
  std::printf("%d passed, %d failed, %d refused\n", counts[0], counts[1], counts[2]);
  return counts[1] > 0 ? 1 : 0;
}

}  // namespace
}  // namespace glint

int main(int argc, char** argv) { return glint::main_(argc, argv); }
