#include <algorithm>
#include <map>
#include <memory>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "glint/base/platform.h"
#include "glint/cli/options.h"
#include "glint/cli/verb.h"
#include "glint/compiler/import/pt2.h"
#include "glint/format/pte.h"

namespace glint::cli {
namespace {

using nlohmann::ordered_json;

struct Flags {
  std::string file;
  bool json = false, values = false;
};

// ---- a program ----

std::string dims_text(const TensorView& t, const PteMethod& m, bool input, uint32_t index) {
  std::string s;
  for (uint32_t d = 0; d < t.rank; ++d) {
    const auto range = input ? m.input_range(index, d) : m.output_range(index, d);
    s += d ? "," : "";
    if (range && range->min != range->max) s += fmt::format("{}..{}{}", range->min, range->max, range->multiple > 1 ? fmt::format(" by {}", range->multiple) : "");
    else if (t.dynamism != TensorView::Dynamism::kStatic && !range) s += fmt::format("<={}", t.sizes[d]);
    else s += fmt::format("{}", t.sizes[d]);
  }
  return s;
}

bool is_row_major(const TensorView& t) {
  for (size_t i = 0; i < t.dim_order.size(); ++i)
    if (t.dim_order[i] != i) return false;
  return true;
}

std::string value_text(const ValueView& v, const PteMethod& m, bool input, uint32_t index) {
  switch (v.kind) {
    case ValueView::Kind::kTensor: {
      std::string s = fmt::format("{}[{}]", dtype_name(v.tensor.dtype), dims_text(v.tensor, m, input, index));
      if (!is_row_major(v.tensor)) s += fmt::format(" order {}", fmt::join(v.tensor.dim_order, ","));
      return s;
    }
    case ValueView::Kind::kInt: return fmt::format("int {}", v.i);
    case ValueView::Kind::kBool: return fmt::format("bool {}", v.i != 0);
    case ValueView::Kind::kDouble: return fmt::format("float {}", v.d);
    case ValueView::Kind::kString: return fmt::format("\"{}\"", v.text);
    case ValueView::Kind::kNone: return "None";
    default: return "list";
  }
}

ordered_json method_json(const PteMethod& m) {
  ordered_json j;
  j["name"] = m.name();
  const auto list = [&](std::span<const int32_t> values, bool input) {
    ordered_json out = ordered_json::array();
    for (uint32_t i = 0; i < values.size(); ++i) {
      const std::string_view name = input ? m.input_name(i) : m.output_name(i);
      out.push_back({{"name", name.empty() ? fmt::format("{}{}", input ? "input" : "output", i) : std::string(name)}, {"type", value_text(m.value(uint32_t(values[i])), m, input, i)}});
    }
    return out;
  };
  j["inputs"] = list(m.inputs(), true);
  j["outputs"] = list(m.outputs(), false);
  std::map<std::string, int> ops;
  int moves = 0, jumps = 0, frees = 0;
  std::map<std::string, int> delegates;
  for (uint32_t i = 0; i < m.instruction_count(); ++i) {
    const InstructionView ins = m.instruction(i);
    if (ins.kind == InstructionView::Kind::kKernel) {
      const OperatorView op = m.op(uint32_t(ins.index));
      ++ops[op.overload.empty() ? std::string(op.name) : fmt::format("{}.{}", op.name, op.overload)];
    } else if (ins.kind == InstructionView::Kind::kDelegate) {
      ++delegates[std::string(m.delegate(uint32_t(ins.index)).id)];
    } else {
      ++(ins.kind == InstructionView::Kind::kMove ? moves : ins.kind == InstructionView::Kind::kJumpFalse ? jumps : frees);
    }
  }
  j["instructions"] = m.instruction_count();
  j["operators"] = ops;
  j["delegates"] = delegates;
  if (moves + jumps + frees > 0) j["control"] = {{"move", moves}, {"jump-false", jumps}, {"free", frees}};
  uint64_t constants = 0, states = 0;
  size_t constant_count = 0;
  std::map<const void*, uint64_t> seen;
  ordered_json state_names = ordered_json::array();
  for (uint32_t i = 0; i < m.value_count(); ++i) {
    const ValueView v = m.value(i);
    if (v.kind != ValueView::Kind::kTensor) continue;
    if (v.tensor.storage == TensorView::Storage::kConstant && seen.emplace(v.tensor.data.data(), 0).second) constants += v.tensor.size_bytes, ++constant_count;
    if (v.tensor.state) {
      states += v.tensor.size_bytes;
      state_names.push_back({{"name", v.tensor.name}, {"bytes", v.tensor.size_bytes}});
    }
  }
  j["constants"] = {{"count", constant_count}, {"bytes", constants}};
  j["states"] = state_names;
  ordered_json memory = ordered_json::array();
  for (size_t i = 1; i < m.memory_sizes().size(); ++i) memory.push_back(m.memory_sizes()[i]);
  j["planned_memory"] = memory;
  return j;
}

ordered_json file_json(const PteFile& f) {
  ordered_json j;
  j["bytes"] = f.bytes().size();
  j["writer"] = f.writer();
  ordered_json parts = ordered_json::array();
  parts.push_back({{"part", "program"}, {"bytes", f.flatbuffer_size()}});
  for (uint32_t i = 0; i < f.segment_count(); ++i) parts.push_back({{"part", fmt::format("segment {}", i)}, {"bytes", f.segment(i).size()}});
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) { return a["bytes"] > b["bytes"]; });
  j["layout"] = parts;
  ordered_json named = ordered_json::array();
  for (uint32_t i = 0; i < f.named_data_count(); ++i) named.push_back({{"key", f.named_data_key(i)}, {"bytes", f.named_data(i).size()}});
  j["named_data"] = named;
  for (uint32_t i = 0; i < f.method_count(); ++i) j["methods"].push_back(method_json(f.method(i)));
  return j;
}

void print_program(const std::string& path, const ordered_json& j) {
  fmt::print("{}: {}{}\n", path, human_bytes(j["bytes"]), j["writer"] == "" ? "" : ", written by " + j["writer"].get<std::string>());
  for (const auto& m : j["methods"]) {
    fmt::print("method {}: {} instructions\n", m["name"].get<std::string>(), m["instructions"].get<int>());
    for (const char* side : {"inputs", "outputs"})
      for (const auto& v : m[side]) fmt::print("  {:7} {:20} {}\n", side == std::string("inputs") ? "input" : "output", v["name"].get<std::string>(), v["type"].get<std::string>());
    std::vector<std::pair<int, std::string>> ops;
    for (const auto& [name, n] : m["operators"].items()) ops.emplace_back(-n.get<int>(), name);
    std::sort(ops.begin(), ops.end());
    for (const auto& [n, name] : ops) fmt::print("  {:6} {}\n", -n, name);
    for (const auto& [name, n] : m["delegates"].items()) fmt::print("  {:6} calls of delegate {}\n", n.get<int>(), name);
    if (m.contains("control"))
      for (const auto& [name, n] : m["control"].items())
        if (n.get<int>() > 0) fmt::print("  {:6} {}\n", n.get<int>(), name);
    fmt::print("  constants: {} in {} tensors\n", human_bytes(m["constants"]["bytes"]), m["constants"]["count"].get<int>());
    for (const auto& s : m["states"]) fmt::print("  state {} {}\n", s["name"].get<std::string>(), human_bytes(s["bytes"]));
    for (const auto& b : m["planned_memory"]) fmt::print("  planned memory: {}\n", human_bytes(b));
  }
  fmt::print("layout:\n");
  for (const auto& p : j["layout"]) fmt::print("  {:>10} {}\n", human_bytes(p["bytes"]), p["part"].get<std::string>());
  for (const auto& n : j["named_data"]) fmt::print("  {:>10} named {}\n", human_bytes(n["bytes"]), n["key"].get<std::string>());
}

// ---- an archive ----

ordered_json graph_json(const ir::Graph& g) {
  ordered_json j;
  j["name"] = g.name;
  for (const ir::Value* v : g.inputs) j["inputs"].push_back({{"name", v->name}, {"type", ir::describe(v->type, g.symbols)}});
  for (size_t i = 0; i < g.outputs.size(); ++i) {
    const ir::Arg& a = g.outputs[i];
    j["outputs"].push_back({{"name", i < g.output_names.size() ? g.output_names[i] : fmt::format("output{}", i)}, {"type", a.is_value() ? ir::describe(a.value()->type, g.symbols) : "constant"}});
  }
  for (int i = 0; i < g.symbols.size(); ++i) {
    const ir::Symbol& s = g.symbols[i];
    ordered_json symbol{{"name", s.name}, {"min", s.min}};
    if (s.max != ir::Symbol::kUnbounded) symbol["max"] = s.max;
    if (s.multiple > 1) symbol["multiple"] = s.multiple;
    if (s.data_dependent) symbol["data_dependent"] = true;
    j["symbols"].push_back(symbol);
  }
  std::map<std::string, int> ops;
  for (const ir::Node* n : g.nodes()) ++ops[n->op];
  j["operators"] = ops;
  uint64_t bytes = 0;
  for (const ir::Value* v : g.constants()) bytes += v->constant->size();
  j["constants"] = {{"count", g.constants().size()}, {"bytes", bytes}};
  for (const ir::State& s : g.states) j["states"].push_back({{"name", s.name}, {"type", ir::describe(s.value->type, g.symbols)}});
  j["in_spec"] = g.in_spec;
  j["out_spec"] = g.out_spec;
  return j;
}

void print_archive(const std::string& path, const ordered_json& graphs) {
  fmt::print("{}: exported program\n", path);
  for (const auto& m : graphs) {
    fmt::print("method {}\n", m["name"].get<std::string>());
    for (const char* side : {"inputs", "outputs"})
      if (m.contains(side))
        for (const auto& v : m[side]) fmt::print("  {:7} {:20} {}\n", side == std::string("inputs") ? "input" : "output", v["name"].get<std::string>(), v["type"].get<std::string>());
    if (m.contains("symbols"))
      for (const auto& s : m["symbols"]) fmt::print("  size {:10} {}..{}{}\n", s["name"].get<std::string>(), s["min"].get<int64_t>(), s.contains("max") ? std::to_string(s["max"].get<int64_t>()) : "?", s.contains("data_dependent") ? " (depends on data)" : "");
    for (const auto& [name, n] : m["operators"].items()) fmt::print("  {:6} {}\n", n.get<int>(), name);
    fmt::print("  constants: {} in {} tensors\n", human_bytes(m["constants"]["bytes"]), m["constants"]["count"].get<int>());
    if (m.contains("states"))
      for (const auto& s : m["states"]) fmt::print("  state {} {}\n", s["name"].get<std::string>(), s["type"].get<std::string>());
  }
}

int run(const Flags& f) {
  auto file = MappedFile::open(f.file.c_str());
  if (!file.ok()) return fail(fmt::format("{}: {}", f.file, file.status().why()));
  const auto bytes = file->bytes();
  if (bytes.size() >= 2 && char(bytes[0]) == 'P' && char(bytes[1]) == 'K') {
    try {
      const auto module = compiler::import_pt2(f.file, compiler::op_lookup());
      ordered_json graphs = ordered_json::array();
      for (const auto& g : module->methods) graphs.push_back(graph_json(*g));
      if (f.json) fmt::print("{}\n", graphs.dump(2, ' ', false, ordered_json::error_handler_t::replace));
      else print_archive(f.file, graphs);
      return 0;
    } catch (const ir::Error& e) {
      return fail(fmt::format("{}: {}", f.file, e.diagnostic.text()));
    }
  }
  const auto program = PteFile::open(bytes);
  if (!program.ok()) return fail(fmt::format("{}: {}", f.file, program.status().why()));
  const ordered_json j = file_json(*program);
  if (f.json) fmt::print("{}\n", j.dump(2, ' ', false, ordered_json::error_handler_t::replace));
  else print_program(f.file, j);
  return 0;
}

}  // namespace

std::function<int()> setup_inspect(CLI::App& app) {
  auto f = std::make_shared<Flags>();
  app.add_option("file", f->file, "program (.pte) or exported archive (.pt2)")->required();
  app.add_flag("--json", f->json, "as JSON");
  app.footer("Examples:\n  glint inspect model.pte\n  glint inspect model.pt2 --json");
  return [f] { return run(*f); };
}

}  // namespace glint::cli
