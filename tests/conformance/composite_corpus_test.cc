// Runs recorded single calls of operators that the compiler takes apart: each becomes a graph of one call, is made functional, taken
// apart and interpreted.
//   composite_corpus_test --corpus FILE.jsonl [--line N] [--verbose]
// Rows and output are those of op_corpus_test. Refused: an error of the compiler.

#include <CLI/CLI.hpp>

#include <cstdio>

#include "glint/compiler/compiler.h"
#include "glint/compiler/decompose/decompose.h"
#include "glint/compiler/ir/interpret.h"
#include "glint/compiler/pass_manager.h"
#include "tests/conformance/recorded_calls.h"

namespace glint {
namespace {

using namespace recorded;
using ir::Arg;

enum class Verdict { kPassed, kFailed, kRefused };

/// A graph of one call whose tensors are inputs.
class OneCall {
 public:
  OneCall(const Schema& schema, std::vector<Operand>& operands) : schema_(schema) {
    for (size_t i = 0; i < operands.size(); ++i) args_.push_back(arg(schema.arg_store[i], operands[i]));
  }
  void call(std::vector<ir::Type> types) {
    ir::Node* n = graph.add_node(nullptr, std::string(schema_.name), args_, std::move(types));
    n->schema = &schema_;
    n->def = compiler::op_lookup().def(schema_.name);
    for (ir::Value* v : n->results()) graph.outputs.push_back(v);
  }

  ir::Graph graph;
  std::vector<ir::Item> inputs;

 private:
  Arg tensor(const HostTensor& t) {
    const HostTensor dense = t.contiguous();
    const std::vector<int64_t> sizes(t.tensor().sizes().begin(), t.tensor().sizes().end());
    inputs.push_back(ir::Item::tensor(t.tensor().dtype, sizes, {static_cast<const std::byte*>(dense.tensor().data), dense.tensor().size_bytes()}));
    return graph.add_input("x" + std::to_string(inputs.size()), ir::Type::tensor(t.tensor().dtype, {sizes.begin(), sizes.end()}));
  }
  Arg arg(const SchemaArg& a, const Operand& o) {
    using K = Operand::Kind;
    Arg::List list;
    switch (o.kind) {
      case K::kNone: return {};
      case K::kTensor: return tensor(o.tensors[0]);
      case K::kTensors:
        for (size_t i = 0; i < o.tensors.size(); ++i) list.push_back(i < o.absent.size() && o.absent[i] ? Arg() : tensor(o.tensors[i]));
        return list;
      case K::kInt:
        if (a.type == ArgType::kDType) return DType(o.ints[0]);
        if (a.type == ArgType::kFloat) return double(o.ints[0]);
        if (a.type == ArgType::kBool) return o.ints[0] != 0;
        if (a.list) return Arg(std::vector<int64_t>(size_t(std::max<int>(a.list_size, 1)), o.ints[0]));
        return o.ints[0];
      case K::kInts:
        if (a.type == ArgType::kFloat) {
          for (int64_t v : o.ints) list.push_back(double(v));
          return list;
        }
        if (a.list_size > 1 && o.ints.size() == 1) return Arg(std::vector<int64_t>(size_t(a.list_size), o.ints[0]));
        return Arg(o.ints);
      case K::kFloat: return o.floats[0];
      case K::kFloats: for (double v : o.floats) list.push_back(v); return list;
      case K::kBool: return o.bools[0] != 0;
      case K::kBools: for (char v : o.bools) list.push_back(v != 0); return list;
      case K::kString: return o.text;
    }
    return {};
  }

  const Schema& schema_;
  std::vector<Arg> args_;
};

/// Products and sums of everything there is, generously: composites are chains of operators.
double terms(const OneCall& call) {
  double most = 16;
  for (const ir::Item& i : call.inputs) most = std::max(most, double(i.meta.numel()));
  return most;
}

double slack(dom::element row, size_t i) {
  dom::array list;
  if (row["slack"].get(list) != simdjson::SUCCESS || i >= list.size()) return 0;
  return parse_float(list.at(i).value());
}

Verdict run_case(dom::element row, const testing::TensorFile& tensors, std::string& why) {
  const std::string name = operator_name(row);
  const compiler::Composite* composite = compiler::find_composite(name);
  if (composite == nullptr) return why = "the compiler has no such operator", Verdict::kRefused;
  try {
    std::vector<Operand> operands = read_operands(row, *composite->schema, tensors);
    OneCall call(*composite->schema, operands);
    std::vector<HostTensor> want;
    std::vector<ir::Type> types;
    bool raises = false;
    if (row["raises"].get(raises) != simdjson::SUCCESS) raises = false;
    if (!row["out"].is_null())
      for (dom::element e : dom::array(row["out"]["list"])) {
        const Operand o = read_operand(e, composite->schema->return_store[0], tensors);
        if (o.kind != Operand::Kind::kTensor) throw Refused{"a result that is no tensor"};
        want.push_back(o.tensors[0]);
        const auto sizes = want.back().tensor().sizes();
        types.push_back(ir::Type::tensor(want.back().tensor().dtype, {sizes.begin(), sizes.end()}));
      }
    if (raises) return Verdict::kPassed;  // the exporter has run the call: it never comes to the compiler
    call.call(types);
    const compiler::Target target;
    compiler::PassContext context{compiler::op_lookup(), target};
    for (const char* pass : {"functionalize", "decompose"}) compiler::run_pass(*compiler::find_pass(pass), call.graph, context);
    ir::StateStore states;
    const ir::Interpretation got = ir::interpret(call.graph, call.inputs, states);
    for (size_t i = 0; i < want.size(); ++i) {
      const ir::Item& item = got.outputs.at(i);
      HostTensor result(item.meta.dtype, {item.meta.sizes().begin(), item.meta.sizes().end()});
      if (item.meta.numel() > 0) std::memcpy(result.tensor().data, item.memory.get(), result.tensor().size_bytes());
      why = testing::compare(result, want[i], 8 * testing::epsilon(want[i].tensor().dtype) * std::sqrt(terms(call)), slack(row, i));
      if (!why.empty()) return why = "result " + std::to_string(i) + " " + why, Verdict::kFailed;
    }
    return Verdict::kPassed;
  } catch (const ir::Error& e) {
    return why = e.diagnostic.message, Verdict::kRefused;
  } catch (const Refused& r) {
    return why = r.why, Verdict::kRefused;
  } catch (const std::exception& e) {
    return why = e.what(), Verdict::kFailed;
  }
}

int main_(int argc, char** argv) {
  CLI::App app("Replays recorded calls of operators that the compiler takes apart.");
  std::string corpus;
  int only = 0;
  bool verbose = false;
  app.add_option("--corpus", corpus, "FILE.jsonl, with FILE.safetensors beside it")->required();
  app.add_option("--line", only, "only that line");
  app.add_flag("--verbose", verbose, "list failures and refusals with their reasons");
  CLI11_PARSE(app, argc, argv);
  const std::string stem = corpus.substr(0, corpus.size() - std::min<size_t>(corpus.size(), 6));
  std::string error;
  const auto tensors = testing::TensorFile::open(stem + ".safetensors", error);
  if (!error.empty()) return std::fprintf(stderr, "%s\n", error.c_str()), 2;
  dom::parser parser;
  dom::document_stream rows;
  if (parser.load_many(stem + ".jsonl", 8 << 20).get(rows) != simdjson::SUCCESS) return std::fprintf(stderr, "%s: cannot be read\n", corpus.c_str()), 2;
  int line = 0, counts[3] = {};
  for (auto row : rows) {
    if (++line != only && only != 0) continue;
    std::string why;
    const Verdict v = run_case(row.value(), tensors, why);
    ++counts[size_t(v)];
    if (verbose && v != Verdict::kPassed)
      std::printf("line %d %s %s: %s\n", line, v == Verdict::kFailed ? "FAILED" : "refused", std::string(std::string_view(row["op"])).c_str(), why.c_str());
  }
  std::printf("%d passed, %d failed, %d refused\n", counts[0], counts[1], counts[2]);
  return counts[1] > 0 ? 1 : 0;
}

}  // namespace
}  // namespace glint

int main(int argc, char** argv) { return glint::main_(argc, argv); }
