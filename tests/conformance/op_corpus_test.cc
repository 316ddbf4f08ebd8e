// Runs recorded single-operator calls through the operator definitions.
//   op_corpus_test --corpus FILE.jsonl [--op NAME] [--line N] [--reversed] [--verbose]
// The tensors are in FILE.safetensors beside it. A row may have "seed": N (random operators draw on from the row before else) and
// "changed": {"OPERAND": TENSOR} (what operands that the call writes hold afterwards). Names without "::" are of aten.
// Or "raises": true (PyTorch refuses the call: any answer will do), "unset": true (only dtypes and sizes of results are compared),
// "slack": [x, ...] (of each result: an error allowed besides the tolerance), "factors": "eigh" or "svd" (factors.h).
// Prints "N passed, M failed, K refused"; exit 1 on any failure.

#include <CLI/CLI.hpp>
#include <simdjson.h>

#include <cmath>
#include <cstdio>
#include <map>

#include "glint/ops/ops.h"
#include "tests/conformance/factors.h"
#include "tests/conformance/recorded_calls.h"

namespace glint {
namespace {

using namespace recorded;
using testing::HostTensor;
using testing::Operand;
namespace dom = simdjson::dom;

/// The number of terms summed for one output element, from the kind of operator.
double terms_summed(std::string_view op, const std::vector<Operand>& in, const HostTensor& want) {
  const auto has = [&](std::string_view part) { return op.find(part) != op.npos; };
  const auto numel = [&](size_t i) { return i < in.size() && !in[i].tensors.empty() ? double(in[i].tensors[0].tensor().numel()) : 1.0; };
  const auto last = [&](size_t i) {
    if (i >= in.size() || in[i].tensors.empty()) return 1.0;
    const Tensor& t = in[i].tensors[0].tensor();
    return t.rank > 0 ? double(t.size[size_t(t.rank - 1)]) : 1.0;
  };
  const double out = std::max<double>(1, double(want.tensor().numel()));
  if (has("addmm") || has("addmv") || has("baddbmm") || has("addbmm")) return last(1) * (has("addbmm") ? 8 : 1);
  if (op.substr(0, 3) == "mm." || op.substr(0, 4) == "bmm." || has("mv.") || has("dot.")) return last(0);
  if (has("convolution_backward")) return numel(0);
  if (has("convolution")) return numel(1);
  if (has("backward") || has("scatter") || has("index_put") || has("index_add") || has("col2im")) return std::max(numel(0), numel(1));
  if (has("sum") || has("prod") || has("mean") || has("var") || has("std") || has("norm") || has("softmax") || has("cdist") || has("pdist") || has("fft") || has("pool"))
    return std::max(1.0, has("norm.") || has("softmax") || has("fft") || has("cum") ? numel(0) : numel(0) / out);
  if (has("upsample") || has("grid_sampler")) return 16;
  return 1;
}

/// Lays operands out with the first dimension fastest, where the operator accepts any strides.
void reverse_layout(const OpDef& op, std::vector<Operand>& operands) {
  if (op.flags.contiguous_only || op.name().substr(0, 16) == "aten::as_strided") return;  // the latter counts on the layout
  for (Operand& o : operands)
    for (size_t i = 0; i < o.tensors.size(); ++i) {
      if (i < o.absent.size() && o.absent[i]) continue;
      HostTensor& t = o.tensors[i];
      std::vector<uint8_t> order;
      for (int d = t.tensor().rank; d-- > 0;) order.push_back(uint8_t(d));
      TensorMeta meta = t.tensor();
      meta.set_dim_order(order);
      t = t.with_strides({meta.stride.begin(), meta.stride.begin() + meta.rank});
    }
}

void make_contiguous(std::vector<Operand>& operands) {
  for (Operand& o : operands)
    for (size_t i = 0; i < o.tensors.size(); ++i)
      if (i >= o.absent.size() || !o.absent[i]) o.tensors[i] = o.tensors[i].contiguous();
}

bool flag(dom::element row, const char* name) {
  bool on = false;
  return row[name].get(on) == simdjson::SUCCESS && on;
}

/// The error that a row allows result `i` besides the tolerance.
double slack(dom::element row, size_t i) {
  dom::array list;
  if (row["slack"].get(list) != simdjson::SUCCESS || i >= list.size()) return 0;
  return parse_float(list.at(i).value());
}

enum class Verdict { kPassed, kFailed, kRefused };

Verdict run_case(dom::element row, const testing::TensorFile& tensors, const Cpu& cpu, bool reversed, Generator& generator, std::string& why) {
  const std::string_view recorded = row["op"];
  const std::string name = operator_name(row);
  const OpDef* op = find_op(ops::all(), name);
  if (op == nullptr) {
    why = "no such operator in this build";
    return Verdict::kRefused;
  }
  const Schema& schema = *op->schema;
  std::vector<Operand> operands;
  try {
    operands = read_operands(row, schema, tensors);
    for (size_t i = 0; i < schema.arg_count; ++i)
      if (schema.arg_store[i].type == ArgType::kTensor && !schema.arg_store[i].optional && operands[i].kind == Operand::Kind::kNone) throw Refused{"a tensor is missing"};
  } catch (const Refused& r) {
    why = r.why;
    return Verdict::kRefused;
  } catch (const std::exception& e) {
    why = e.what();
    return Verdict::kRefused;
  }
  std::vector<HostTensor> want;
  std::vector<bool> is_tensor;
  const bool list_result = schema.return_count == 1 && schema.return_store[0].list;
  if (!row["out"].is_null())
    for (dom::element e : dom::array(row["out"]["list"])) {
      if (e.is_null()) {
        want.emplace_back();
        is_tensor.push_back(false);
        continue;
      }
      Operand o = read_operand(e, schema.return_store[0], tensors);
      is_tensor.push_back(o.kind == Operand::Kind::kTensor);
      want.push_back(o.kind == Operand::Kind::kTensor ? o.tensors[0] : HostTensor(DType::kF64, {}, {o.kind == Operand::Kind::kInt ? double(o.ints[0]) : o.kind == Operand::Kind::kBool ? double(o.bools[0]) : o.kind == Operand::Kind::kFloat ? o.floats[0] : 0.0}));
    }
  testing::CallOptions options;
  options.cpu = cpu;
  if (op->flags.contiguous_only) make_contiguous(operands);
  if (uint64_t seed; row["seed"].get(seed) == simdjson::SUCCESS) generator.seed(seed);
  options.generator = &generator;
  options.reversed_results = reversed;
  if (reversed) reverse_layout(*op, operands);
  if (list_result) options.list_results = uint32_t(want.size());
  if (flag(row, "raises")) {
    options.memory_limit = 64 << 20;
    testing::call(*op, operands, options);
    return Verdict::kPassed;
  }
  for (const bool in_place : {false, true}) {
    if (in_place && !op->flags.updates_self) break;
    options.in_place = in_place;
    const testing::Outcome got = testing::call(*op, operands, options);
    if (!got.status.ok()) {
      why = std::string(code_name(got.status.code())) + ": " + got.status.why();
      return got.status.code() == Code::kUnsupported ? Verdict::kRefused : Verdict::kFailed;
    }
    if (got.results.size() < want.size()) {
      why = "gives " + std::to_string(got.results.size()) + " results, not " + std::to_string(want.size());
      return Verdict::kFailed;
    }
    std::string_view factors;
    if (row["factors"].get(factors) == simdjson::SUCCESS) {
      why = factors::check(factors, operands[0].tensors[0], got.results, testing::epsilon(want[0].tensor().dtype));
      if (!why.empty()) return Verdict::kFailed;
    }
    for (size_t i = 0; i < want.size(); ++i) {
      if (!factors.empty() && i != (factors == "eigh" ? 0 : 1)) continue;
      if (!is_tensor[i]) {
        if (want[i].tensor().data == nullptr) continue;  // None: PyTorch left it undefined
        const double a = got.results[i].values()[0], b = want[i].values()[0];
        if (a == b || (a != a && b != b)) continue;
        why = "result " + std::to_string(i) + " is " + std::to_string(a) + ", not " + std::to_string(b);
        return Verdict::kFailed;
      }
      const double tolerance = 8 * testing::epsilon(want[i].tensor().dtype) * std::sqrt(terms_summed(recorded, operands, want[i]));
      if (flag(row, "unset")) {
        if (got.results[i].describe() != want[i].describe()) why = "gives " + got.results[i].describe() + ", not " + want[i].describe();
      } else {
        why = testing::compare(got.results[i], want[i], tolerance, slack(row, i));
      }
      if (!why.empty()) {
        why = "result " + std::to_string(i) + " " + why;
        return Verdict::kFailed;
      }
    }
    dom::object changed;  // operands that the call writes
    if (row["changed"].get(changed) != simdjson::SUCCESS) continue;
    for (const auto& [index, contents] : changed) {
      const size_t i = std::stoul(std::string(index));
      const Operand after = read_operand(contents, schema.arg_store[i], tensors);
      why = testing::compare(operands[i].tensors[0], after.tensors[0], 0);
      if (!why.empty()) {
        why = "afterwards operand " + std::string(index) + " " + why;
        return Verdict::kFailed;
      }
    }
  }
  return Verdict::kPassed;
}

std::string describe(dom::element row, const testing::TensorFile& tensors) {
  std::string s = simdjson::minify(row["args"]) + " " + simdjson::minify(row["kwargs"]);
  try {
    for (dom::element e : dom::array(row["args"])) {
      dom::object o;
      if (e.get(o) == simdjson::SUCCESS && o["tensor"].error() == simdjson::SUCCESS) s += " " + read_tensor(o, tensors).describe();
    }
  } catch (...) {
  }
  return s.size() > 400 ? s.substr(0, 400) + "..." : s;
}

int main_(int argc, char** argv) {
  CLI::App app("Replays recorded single-operator calls.");
  std::string corpus, only;
  int only_line = 0;
  bool verbose = false, reversed = false;
  app.add_option("--corpus", corpus, "FILE.jsonl, with FILE.safetensors beside it")->required();
  app.add_option("--op", only, "only calls whose overload contains this");
  app.add_option("--line", only_line, "only that line");
  app.add_flag("--reversed", reversed, "operands and results laid out with the first dimension fastest");
  app.add_flag("--verbose", verbose, "list failures and refusals with their reasons");
  CLI11_PARSE(app, argc, argv);

  std::string stem = corpus.size() > 6 && corpus.substr(corpus.size() - 6) == ".jsonl" ? corpus.substr(0, corpus.size() - 6) : corpus;
  std::string error;
  const auto tensors = testing::TensorFile::open(stem + ".safetensors", error);
  if (!error.empty()) return std::fprintf(stderr, "%s\n", error.c_str()), 2;
  dom::parser parser;
  dom::document_stream rows;
  if (parser.load_many(stem + ".jsonl", 8 << 20).get(rows) != simdjson::SUCCESS) return std::fprintf(stderr, "%s: cannot be read\n", corpus.c_str()), 2;

  const Cpu cpu = detect_cpu();
  Generator generator;
  int passed = 0, failed = 0, refused = 0, line = 0;
  std::map<std::string, std::array<int, 3>> by_op;
  for (auto row : rows) {
    ++line;
    const std::string op{std::string_view(row["op"])};
    if ((!only.empty() && op.find(only) == op.npos) || (only_line != 0 && line != only_line)) continue;
    std::string why;
    Verdict v;
    try {
      v = run_case(row.value(), tensors, cpu, reversed, generator, why);
    } catch (const std::exception& e) {
      v = Verdict::kFailed;
      why = e.what();
    }
    ++(v == Verdict::kPassed ? passed : v == Verdict::kFailed ? failed : refused);
    ++by_op[op][size_t(v)];
    if (verbose && v != Verdict::kPassed) std::printf("line %d %s %s: %s\n    %s\n", line, v == Verdict::kFailed ? "FAILED" : "refused", op.c_str(), why.c_str(), describe(row.value(), tensors).c_str());
  }
  if (failed + refused > 0)
    for (const auto& [op, n] : by_op)
      if (n[1] + n[2] > 0) std::printf("%-45s %d passed, %d failed, %d refused\n", op.c_str(), n[0], n[1], n[2]);
  std::printf("%d passed, %d failed, %d refused\n", passed, failed, refused);
  return failed > 0 ? 1 : 0;
}

}  // namespace
}  // namespace glint

int main(int argc, char** argv) { return glint::main_(argc, argv); }
