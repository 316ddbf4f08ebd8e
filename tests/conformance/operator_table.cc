// docs/operators.md, made by asking the definitions.
//   operator_table --examples FILE.jsonl [--examples ...] --output docs/operators.md
//   operator_table --examples FILE.jsonl [--examples ...] --check docs/operators.md
// Each recorded call (recorded_calls.h) is made again with its tensors in every dtype: where the definition accepts and
// computes it, the dtype is there. A call that works is compiled for the CPU on its own: what becomes a fused operator, or is one of those
// with vector kernels of their own, is vectorised.

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>

#include "glint/compiler/compiler.h"
#include "glint/compiler/decompose/decompose.h"
#include "glint/kernels/convert.h"
#include "glint/ops/ops.h"
#include "tests/conformance/recorded_calls.h"

namespace glint {
namespace {

using namespace recorded;
using testing::HostTensor;
using testing::Operand;

constexpr DType kColumns[] = {DType::kF32, DType::kF64, DType::kF16, DType::kBF16, DType::kI8,   DType::kI16,
                              DType::kI32, DType::kI64, DType::kU8,  DType::kBool, DType::kC64, DType::kC128};
constexpr size_t kCount = std::size(kColumns);

enum class Support : char { kNone = ' ', kView = 'W', kReference = 'R', kVector = 'V' };
using Cells = std::array<Support, kCount>;

// ---- a call in another dtype

HostTensor converted(const HostTensor& t, DType d) {
  const HostTensor from = t.contiguous();
  HostTensor out(d, {t.tensor().sizes().begin(), t.tensor().sizes().end()});
  for (int64_t i = 0, n = from.tensor().numel(); i < n; ++i)
    kernels::store_one(d, out.tensor().data, i, kernels::load_one<c128>(from.tensor().dtype, from.tensor().data, i));
  return out;
}

/// The dtype that a call is about: of its first floating or complex tensor, else of its first tensor.
std::optional<DType> main_dtype(const std::vector<Operand>& operands) {
  std::optional<DType> first;
  for (const Operand& o : operands)
    for (size_t i = 0; i < o.tensors.size(); ++i) {
      if (i < o.absent.size() && o.absent[i]) continue;
      const DType d = o.tensors[i].tensor().dtype;
      if (is_floating(d) || is_complex(d)) return d;
      if (!first) first = d;
    }
  return first;
}

/// All floating and complex tensors of the call, or, if it has none, those of the first tensor's dtype.
std::vector<Operand> in_dtype(std::vector<Operand> operands, const Schema& schema, DType to) {
  const std::optional<DType> from = main_dtype(operands);
  const auto inexact = [](DType d) { return is_floating(d) || is_complex(d); };
  const auto changes = [&](DType d) { return d == *from || (inexact(d) && inexact(*from)); };
  for (size_t k = 0; k < operands.size(); ++k) {
    Operand& o = operands[k];
    for (size_t i = 0; i < o.tensors.size(); ++i)
      if (!(i < o.absent.size() && o.absent[i]) && changes(o.tensors[i].tensor().dtype)) o.tensors[i] = converted(o.tensors[i], to);
    if (schema.arg_store[k].type != ArgType::kDType) continue;
    if (!from) o = Operand(to);  // makes a tensor of nothing
    else if (o.kind == Operand::Kind::kInt && o.ints[0] == int64_t(*from)) o = Operand(to);
  }
  return operands;
}

/// Whether whole numbers of several dtypes meet: then another dtype may be one operand's only.
bool mixes_integers(const std::vector<Operand>& operands) {
  const std::optional<DType> main = main_dtype(operands);
  if (!main || is_floating(*main) || is_complex(*main)) return false;
  for (const Operand& o : operands)
    for (size_t i = 0; i < o.tensors.size(); ++i)
      if (!(i < o.absent.size() && o.absent[i]) && o.tensors[i].tensor().dtype != *main) return true;
  return false;
}

// ---- what the compiler makes of it

ir::Arg argument(ir::Graph& g, const Operand& o, const SchemaArg& arg, bool only_first_varies, size_t& inputs) {
  const auto tensor = [&](const HostTensor& t) -> ir::Arg {
    const HostTensor dense = t.contiguous();
    ir::Type type = ir::Type::tensor(t.tensor().dtype, {});
    for (const int64_t s : t.tensor().sizes()) type.dims.emplace_back(s);
    if (inputs++ == 0 || !only_first_varies) return g.add_input("x" + std::to_string(inputs), type);
    const auto* bytes = static_cast<const std::byte*>(dense.tensor().data);
    return g.add_constant("c" + std::to_string(inputs), type, ir::make_constant({bytes, bytes + dense.tensor().size_bytes()}));
  };
  const auto list = [](const auto& values) { return ir::Arg(ir::Arg::List(values.begin(), values.end())); };
  using K = Operand::Kind;
  switch (o.kind) {
    case K::kNone: return {};
    case K::kTensor: return tensor(o.tensors[0]);
    case K::kTensors: {
      ir::Arg::List items;
      for (size_t i = 0; i < o.tensors.size(); ++i) items.push_back(i < o.absent.size() && o.absent[i] ? ir::Arg() : tensor(o.tensors[i]));
      return items;
    }
    case K::kInt:
      if (arg.type == ArgType::kDType) return DType(o.ints[0]);
      if (arg.list) return ir::Arg(std::vector<int64_t>(size_t(std::max<int>(1, arg.list_size)), o.ints[0]));
      if (arg.type == ArgType::kFloat) return double(o.ints[0]);
      return o.ints[0];
    case K::kInts: return arg.type == ArgType::kFloat ? list(std::vector<double>(o.ints.begin(), o.ints.end())) : list(o.ints);
    case K::kFloat: return o.floats[0];
    case K::kFloats: return list(o.floats);
    case K::kBool: return bool(o.bools[0]);
    case K::kBools: return list(std::vector<bool>(o.bools.begin(), o.bools.end()));
    case K::kString: return o.text;
  }
  return {};
}

Support compiled(const OpDef& def, const std::vector<Operand>& operands, size_t results, bool only_first_varies, bool followed) {
  ir::Module module;
  ir::Graph& g = *module.methods.emplace_back(std::make_unique<ir::Graph>());
  std::vector<ir::Arg> args;
  size_t inputs = 0;
  for (size_t k = 0; k < operands.size(); ++k) args.push_back(argument(g, operands[k], def.schema->arg_store[k], only_first_varies, inputs));
  ir::Builder builder(g, compiler::op_lookup(), nullptr);
  for (ir::Value* v : builder.ops(def.name(), std::move(args), results)) g.outputs.push_back(v);
  if (only_first_varies) g.outputs.resize(1);  // as where the indices of a maximum are not used
  if (followed) {
    ir::Value* first = g.outputs[0].value();
    if (!first->type.is_tensor() || is_complex(first->type.dtype)) return Support::kReference;
    g.outputs[0] = builder.op(first->type.dtype == DType::kBool ? "aten::logical_not" : "aten::neg", {first});
  }
  compiler::lower(module, {});
  if (inputs == 0) return Support::kReference;  // folded
  bool nothing = true;
  for (const ir::Node* n : g.nodes()) {
    const bool fused = n->op.starts_with("glint::") && n->op != "glint::view" && n->op != "glint::pack";
    if (followed && !fused && n->op != "glint::view") return Support::kReference;
    if ((fused && !followed) || (n->def != nullptr && n->def->flags.vector_f32 && n->result()->type.dtype == DType::kF32)) return Support::kVector;
    nothing = nothing && n->op == "glint::view";
  }
  return followed ? Support::kVector : nothing ? Support::kView : Support::kReference;
}

// ---- one operator

struct Example { std::vector<Operand> operands; size_t list_results; };

Support support(const OpDef& def, const Example& e, DType d) {
  const std::vector<Operand> operands = in_dtype(e.operands, *def.schema, d);
  testing::CallOptions options;
  options.list_results = uint32_t(e.list_results);
  options.memory_limit = 64 << 20;
  if (!testing::call(def, operands, options).status.ok()) return Support::kNone;
  // With weights that vary or not; alone or, as elementwise operators are fused in chains only, before another.
  for (const bool followed : {false, true})
    for (const bool only_first_varies : {false, true}) {
      try {
        const Support s = compiled(def, operands, e.list_results, only_first_varies, followed);
        if (s != Support::kReference) return s;
      } catch (const ir::Error&) {  // a result whose size has no bound here
      }
    }
  return Support::kReference;
}

Cells cells(const OpDef& def, const std::vector<Example>& examples) {
  Cells row;
  row.fill(Support::kNone);
  const auto rank = [](Support s) { return s == Support::kVector ? 3 : s == Support::kView ? 2 : s == Support::kReference ? 1 : 0; };
  const bool only_mixed = std::all_of(examples.begin(), examples.end(), [](const Example& e) { return mixes_integers(e.operands); });
  for (size_t c = 0; c < kCount; ++c)
    for (const Example& e : examples) {
      if (!only_mixed && mixes_integers(e.operands)) continue;
      if (!main_dtype(e.operands) && def.schema->arg_index("dtype") < 0 && c > 0) continue;  // one dtype only
      const Support s = support(def, e, kColumns[c]);
      // One example that moves elements outweighs another whose sizes let it be a view.
      if (s == Support::kReference && row[c] == Support::kView) row[c] = s;
      else if (rank(s) > rank(row[c]) && !(s == Support::kView && row[c] == Support::kReference)) row[c] = s;
    }
  return row;
}

// ---- the page

constexpr const char* kHead = R"(# Operators

Made from the definitions by `operator_table` (tests/conformance), and checked by the test `operators_page`: do not edit.

Every operator runs in its reference form on any processor. With `--target=cpu` the compiler turns many into fused operators with vector kernels.
**V**: vectorised. **R**: the reference form. **W**: a view, for which nothing is computed or copied. Empty: refused, as PyTorch refuses it or has no use for it.
The results of every operator are PyTorch's, in these dtypes, for any strides, up to 16 dimensions, sizes of zero included.

)";

std::string page(const std::map<std::string, std::vector<Example>>& examples, std::vector<std::string>& without) {
  std::map<std::string, std::string> rows;
  std::map<std::string, std::pair<int, int>> columns;
  std::string numbers;
  size_t fused = 0;
  for (unsigned f = 0; f < ops::kOpsCount; ++f)
    for (const OpDef& def : ops::kOps[f]->defs) {
      const std::string name(def.name());
      if (name.starts_with("glint::")) {
        ++fused;
        continue;
      }
      if (name.starts_with("executorch_prim::")) {
        numbers += (numbers.empty() ? "`" : ", `") + name.substr(17) + "`";
        continue;
      }
      const auto found = examples.find(name);
      if (found == examples.end()) {
        without.push_back(name);
        continue;
      }
      std::string line = "| [" + name + "](../glint/ops/" + ops::kOpsNames[f] + ".cc) |";
      for (const Support s : cells(def, found->second)) line += std::string(" ") + char(s) + " |";
      rows[name] = line + "\n";
    }
  std::string text = kHead;
  text += "| " + std::to_string(rows.size()) + " operators |";
  for (const DType d : kColumns) text += std::string(" ") + dtype_short_name(d) + " |";
  text += "\n|---|";
  for (size_t i = 0; i < kCount; ++i) text += ":-:|";
  text += "\n";
  for (const auto& [name, line] : rows) text += line;
  text += "\n## Numbers\n\nArithmetic on sizes and other numbers, `executorch_prim`: " + numbers + ".\n";
  text += "\n## Composites\n\nThe compiler takes these apart into the operators above; their dtypes are those of the parts.\n\n";
  std::vector<std::string> names;
  for (const auto& c : compiler::composites())
    if (find_op(ops::all(), c.schema->name) == nullptr) names.emplace_back(c.schema->name);
  std::sort(names.begin(), names.end());
  size_t width = 0;
  for (const std::string& n : names) {
    const bool breaks = width + n.size() > 120;
    text += (n == names[0] ? "`" : breaks ? ",\n`" : ", `") + n + "`";
    width = breaks ? n.size() : width + n.size() + 4;
  }
  text += " (" + std::to_string(names.size()) + ").\n";
  return text;
}

int main_(int argc, char** argv) {
  CLI::App app("Makes the page of operators.");
  std::vector<std::string> files;
  std::string output, check;
  app.add_option("--examples", files, "FILE.jsonl of recorded calls, with FILE.safetensors beside it")->required();
  app.add_option("--output", output, "write the page here");
  app.add_option("--check", check, "fail unless this file is the page");
  CLI11_PARSE(app, argc, argv);
  std::map<std::string, std::vector<Example>> examples;
  for (const std::string& file : files) {
    const std::string stem = file.substr(0, file.size() - 6);
    std::string error;
    const auto tensors = testing::TensorFile::open(stem + ".safetensors", error);
    if (!error.empty()) return std::fprintf(stderr, "%s\n", error.c_str()), 2;
    dom::parser parser;
    dom::document_stream rows;
    if (parser.load_many(file, 8 << 20).get(rows) != simdjson::SUCCESS) return std::fprintf(stderr, "%s: cannot be read\n", file.c_str()), 2;
    for (auto row : rows) {
      const std::string name = operator_name(row.value());
      const OpDef* def = find_op(ops::all(), name);
      std::vector<Example>& list = examples[name];
      if (def == nullptr || list.size() == 8 || row.value()["out"].is_null()) continue;
      try {
        list.push_back({read_operands(row.value(), *def->schema, tensors), dom::array(row.value()["out"]["list"]).size()});
      } catch (const Refused&) {
      }
    }
  }
  std::vector<std::string> without;
  const std::string text = page(examples, without);
  for (const std::string& name : without) std::fprintf(stderr, "%s: no example\n", name.c_str());
  if (!output.empty()) std::ofstream(output, std::ios::binary) << text;
  if (!check.empty()) {
    std::ifstream in(check, std::ios::binary);
    std::stringstream now;
    now << in.rdbuf();
    if (now.str() != text) return std::fprintf(stderr, "%s is not what the definitions say: make it again (see CONTRIBUTING.md)\n", check.c_str()), 1;
  }
  return without.empty() ? 0 : 1;
}

}  // namespace
}  // namespace glint

int main(int argc, char** argv) { return glint::main_(argc, argv); }
