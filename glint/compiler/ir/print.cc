#include <charconv>
#include <cmath>
#include <cstring>

#include "glint/compiler/ir/ir.h"
#include "glint/compiler/ir/text.h"
#include "glint/kernels/convert.h"

namespace glint::ir {

namespace {

template <class T>
std::string shortest(T v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  char buffer[64];
  std::string s(buffer, std::to_chars(buffer, buffer + sizeof buffer, v).ptr);
  if (s.find_first_of(".e") == s.npos) s += ".0";
  return s;
}

/// One element of a constant (both halves of a complex number).
std::string print_element(DType dtype, const std::byte* p) {
  switch (dtype) {
    case DType::kF64: return print_double(kernels::load_one<double>(dtype, p, 0));
    case DType::kF32: case DType::kF16: case DType::kBF16: return print_float(kernels::load_one<float>(dtype, p, 0));
    case DType::kBool: return *p != std::byte(0) ? "true" : "false";
    case DType::kU64: { uint64_t v; std::memcpy(&v, p, 8); return std::to_string(v); }
    case DType::kC32: return print_element(DType::kF16, p) + ", " + print_element(DType::kF16, p + 2);
    case DType::kC64: return print_element(DType::kF32, p) + ", " + print_element(DType::kF32, p + 4);
    case DType::kC128: return print_element(DType::kF64, p) + ", " + print_element(DType::kF64, p + 8);
    default: return std::to_string(kernels::load_one<int64_t>(dtype, p, 0));
  }
}

constexpr size_t kMaxCompared = 4 << 20;  // larger constants are not searched for one repeated element

std::string print_constant(DType dtype, const ConstantData& data) {
  const size_t width = dtype_size(dtype), count = data.size() / width;
  const bool short_list = count <= size_t(kMaxPrinted);
  std::vector<std::byte> bytes(short_list || data.size() <= kMaxCompared ? data.size() : 0);
  if (bytes.size() != data.size() || !data.read(bytes).ok()) return "dense<" + data.hash() + ">";
  if (!short_list) {  // one number for all, or the hash
    const bool all_equal = !is_complex(dtype) && std::memcmp(bytes.data(), bytes.data() + width, bytes.size() - width) == 0;
    return all_equal ? print_element(dtype, bytes.data()) : "dense<" + data.hash() + ">";
  }
  std::string s = "[";
  for (size_t i = 0; i < count; ++i) s += (i ? ", " : "") + print_element(dtype, bytes.data() + i * width);
  return s + "]";
}

std::string print_list(const char* title, const std::vector<std::string>& items) {
  if (items.empty()) return "";
  std::string s = title;
  for (size_t i = 0; i < items.size(); ++i) s += (i ? ", " : "(") + items[i];
  return s + ")";
}

std::string typed(const Graph& g, const Value* v) { return "%" + v->name + ": " + describe(v->type, g.symbols); }

std::string print_symbol(const Symbol& s) {
  std::string text = s.name + ": " + std::to_string(s.min) + "..";
  if (s.max != Symbol::kUnbounded) text += std::to_string(s.max);
  if (s.multiple > 1) text += " step " + std::to_string(s.multiple);
  if (s.data_dependent) text += " data";
  return text;
}

std::string print_header(const Graph& g) {
  std::vector<std::string> inputs, symbols, states, constants, mutations, names;
  for (const Value* v : g.inputs) inputs.push_back(typed(g, v));
  for (int i = 0; i < g.symbols.size(); ++i) symbols.push_back(print_symbol(g.symbols[i]));
  for (const State& s : g.states) {
    std::string text = typed(g, s.value) + " = " + quote(s.name);
    if (s.initial != nullptr) text += " " + print_constant(s.value->type.dtype, *s.initial);
    if (s.final != nullptr) text += " -> %" + s.final->name;
    states.push_back(std::move(text));
  }
  for (const Value* v : g.constants()) constants.push_back(typed(g, v) + " = " + print_constant(v->type.dtype, *v->constant));
  for (const InputMutation& m : g.mutations) mutations.push_back(std::to_string(m.input) + " -> %" + m.final->name);
  for (const std::string& n : g.output_names) names.push_back(quote(n));
  std::string s = "graph " + g.name + print_list("", inputs);
  if (inputs.empty()) s += "()";
  s += print_list(" symbols", symbols) + print_list(" states", states) + print_list(" constants", constants);
  s += print_list(" mutations", mutations) + print_list(" outputs", names);
  if (!g.in_spec.empty() || !g.out_spec.empty()) s += " specs(" + quote(g.in_spec) + ", " + quote(g.out_spec) + ")";
  return s;
}

const char* memory_format_name(int64_t v) {
  constexpr const char* kNames[] = {"contiguous", "preserve", "channels_last", "channels_last_3d"};
  return v >= 0 && v < 4 ? kNames[v] : nullptr;
}

std::string print_args(const Node& node) {
  std::string s;
  bool positional = true;
  for (size_t i = 0; i < node.args().size(); ++i) {
    const Arg& a = node.arg(i);
    const SchemaArg* arg = node.schema != nullptr && i < node.schema->arg_count ? &node.schema->arg_store[i] : nullptr;
    std::string name = arg != nullptr ? std::string(arg->name) : i < node.unknown_arg_names.size() ? node.unknown_arg_names[i] : "";
    if (arg != nullptr) {
      const bool tensors = a.is_value() || (a.is_list() && !a.list().empty() && a.list()[0].is_value() && arg->type == ArgType::kTensor);
      if (!tensors || arg->keyword_only) positional = false;
      if (is_default(*arg, a)) continue;
      if (positional) name.clear();
    }
    std::string value = print_arg(a);
    if (arg != nullptr && arg->type == ArgType::kMemoryFormat && a.is_int() && memory_format_name(a.as_int()) != nullptr) value = memory_format_name(a.as_int());
    s += (s.empty() ? "" : ", ") + (name.empty() ? value : name + "=" + value);
  }
  return s;
}

std::string print_origin(const Origin& o) {
  std::string s = "  // " + o.name;
  for (const std::string* part : {&o.module_path, &o.source})
    if (!part->empty()) s += "; " + *part;
  for (char& c : s)
    if (c == '\n') c = ' ';
  return s;
}

void print_graph(const Graph& g, bool origins, const std::string& indent, std::string& out);

void print_node(const Node& node, bool origins, const std::string& indent, std::string& out) {
  out += indent;
  for (size_t i = 0; i < node.results().size(); ++i) out += (i ? ", %" : "%") + node.result(i)->name;
  out += (node.results().empty() ? "" : " = ") + node.op + "(" + print_args(node) + ")";
  for (size_t i = 0; i < node.results().size(); ++i) out += (i ? ", " : " : ") + describe(node.result(i)->type, node.graph().symbols);
  if (!node.regions.empty()) {
    out += " {\n";
    for (const auto& region : node.regions) print_graph(*region, origins, indent + "  ", out);
    out += indent + "}";
  }
  if (origins && node.origin != nullptr) out += print_origin(*node.origin);
  out += "\n";
}

void print_graph(const Graph& g, bool origins, const std::string& indent, std::string& out) {
  out += indent + print_header(g) + " {\n";
  for (const Node* node : g.nodes()) print_node(*node, origins, indent + "  ", out);
  out += indent + "  return";
  for (size_t i = 0; i < g.outputs.size(); ++i) out += (i ? ", " : " ") + print_arg(g.outputs[i]);
  out += "\n" + indent + "}\n";
}

}  // namespace

std::string print_double(double v) { return shortest(v); }
std::string print_float(float v) { return shortest(v); }

std::string quote(std::string_view text) {
  std::string s = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') s += '\\';
    if (c == '\n') s += "\\n";
    else if (uint8_t(c) < 0x20 || uint8_t(c) >= 0x7f) {  // tile programs are bytes
      constexpr char kDigits[] = "0123456789abcdef";
      (s += "\\x") += kDigits[uint8_t(c) >> 4];
      s += kDigits[uint8_t(c) & 15];
    } else s += c;
  }
  return s + "\"";
}

std::string print_arg(const Arg& a) {
  if (a.is_none()) return "None";
  if (a.is_value()) return "%" + a.value()->name;
  if (a.is_int()) return std::to_string(a.as_int());
  if (a.is_float()) return print_double(a.as_float());
  if (a.is_bool()) return a.as_bool() ? "true" : "false";
  if (a.is_dtype()) return dtype_short_name(a.as_dtype());
  if (a.is_string()) return quote(a.as_string());
  std::string s = "[";
  for (size_t i = 0; i < a.list().size(); ++i) s += (i ? "," : "") + print_arg(a.list()[i]);
  return s + "]";
}

std::string print(const Graph& graph, bool origins) {
  std::string s;
  print_graph(graph, origins, "", s);
  return s;
}

}  // namespace glint::ir
