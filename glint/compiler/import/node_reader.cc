#include "glint/compiler/import/node_reader.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "glint/base/checked.h"
#include "glint/compiler/import/export_names.h"
#include "glint/compiler/import/origin.h"
#include "glint/core/tensor.h"
#include "glint/kernels/convert.h"

namespace glint::compiler {
namespace {

using ir::Arg;
using ir::Dim;
using ir::Type;

[[noreturn]] void fail(Code code, const std::string& message) { throw ir::Error(code, message); }
[[noreturn]] void invalid(const std::string& message) { fail(Code::kInvalidProgram, message); }

std::string quoted(std::string_view name) { return "'" + std::string(name.substr(0, 200)) + "'"; }

ir::OriginPtr origin_of(Json node) {
  ir::Origin origin;
  if (const auto name = node.find("name"); name && name->is_string()) origin.name = name->as_string();
  if (origin.name.empty()) {
    for (Json output : node.at("outputs").items()) {
      const auto [kind, value] = output.only_member();
      if (kind == "as_tensor") origin.name = value.at("name").as_string();
      break;
    }
  }
  if (const auto metadata = node.find("metadata")) {
    if (const auto trace = metadata->find("stack_trace"); trace && trace->is_string()) origin.source = source_of_stack_trace(trace->as_string());
    if (const auto stack = metadata->find("nn_module_stack"); stack && stack->is_string()) origin.module_path = module_of_stack(stack->as_string());
  }
  return std::make_shared<const ir::Origin>(std::move(origin));
}

/// The dim order of dense strides: empty when row-major (or not dense, or not known).
std::vector<uint8_t> order_of(const std::vector<Dim>& sizes, const std::vector<Dim>& strides) {
  const size_t rank = sizes.size();
  std::vector<uint8_t> order(rank);
  std::iota(order.begin(), order.end(), uint8_t(0));
  const auto dense_in = [&](const std::vector<uint8_t>& o) {
    Dim expected = 1;
    for (size_t i = rank; i-- > 0;) {
      if (!(sizes[o[i]] == Dim(1)) && !(strides[o[i]] == expected)) return false;
      expected = expected * sizes[o[i]];
    }
    return true;
  };
  const auto is_static = [](const Dim& d) { return d.is_static(); };
  if (rank < 2 || dense_in(order)) return {};
  if (std::all_of(strides.begin(), strides.end(), is_static)) {
    std::stable_sort(order.begin(), order.end(), [&](uint8_t a, uint8_t b) { return strides[a].value() > strides[b].value(); });
  } else {  // symbolic strides cannot be sorted: only channels last is looked for
    std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  }
  return dense_in(order) ? order : std::vector<uint8_t>{};
}

void collect_sym_int(Json sym_int, SymbolReader& symbols) {
  const auto [kind, value] = sym_int.only_member();
  if (kind == "as_expr") symbols.read(value.at("expr_str").as_string());
}

/// Operators that run their graph as it is: what they change (gradients, tracing) does not concern inference.
bool is_transparent(const std::string& op) {
  return op == "higher_order::wrap_with_set_grad_enabled" || op == "higher_order::wrap_with_autocast" || op == "higher_order::strict_mode" ||
         op == "higher_order::invoke_subgraph";
}

void flatten(const Arg& arg, std::vector<Arg>& flat) {
  if (!arg.is_list()) return flat.push_back(arg);
  for (const Arg& a : arg.list()) flatten(a, flat);
}

}  // namespace

void collect_symbols(Json graph, SymbolReader& symbols) {
  for (const auto& [name, meta] : graph.at("tensor_values").members()) {
    for (Json size : meta.at("sizes").items()) collect_sym_int(size, symbols);
    for (Json stride : meta.at("strides").items()) collect_sym_int(stride, symbols);
  }
  for (const auto& [name, value] : graph.at("sym_int_values").members()) collect_sym_int(value, symbols);
  for (Json node : graph.at("nodes").items())
    for (Json input : node.at("inputs").items())
      if (const auto nested = input.at("arg").find("as_graph")) collect_symbols(nested->at("graph"), symbols);
}

NodeReader::NodeReader(Json json, const ir::OpLookup& ops, SymbolReader& symbols, ir::Graph& graph)
    : json_(json), ops_(ops), symbols_(symbols), graph_(graph) {
  for (const auto& [name, meta] : json_.at("tensor_values").members()) tensors_.emplace(name, meta);
  for (const auto& [name, value] : json_.at("sym_int_values").members()) sym_ints_.emplace(name, value);
}

void NodeReader::define(std::string_view name, ir::Value* value) {
  if (!values_.emplace(name, value).second) invalid("the value " + quoted(name) + " is defined twice");
}

ir::Value* NodeReader::value(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) invalid("the value " + quoted(name) + " is used but not defined");
  return found->second;
}

Dim NodeReader::size(Json sym_int) const {
  const auto [kind, value] = sym_int.only_member();
  if (kind == "as_int") return value.as_int();
  if (kind != "as_expr") invalid("a size of the unknown kind " + quoted(kind));
  return symbols_.read(value.at("expr_str").as_string());
}

Type NodeReader::tensor_type(std::string_view name, bool with_order) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) invalid("the tensor " + quoted(name) + " has no type");
  const Json meta = found->second;
  const int64_t number = meta.at("dtype").as_int();
  const auto dtype = dtype_of_export(number);
  if (!dtype && foreign_dtype_name(number)) fail(Code::kUnsupported, "the tensor " + quoted(name) + " has element type " + foreign_dtype_name(number));
  if (!dtype) invalid("the tensor " + quoted(name) + " has an element type that does not exist");
  if (meta.at("layout").as_int() != kExportStrided) fail(Code::kUnsupported, "the tensor " + quoted(name) + " is sparse");
  Type type = Type::tensor(*dtype, {});
  int64_t bytes = int64_t(dtype_size(*dtype));
  for (Json s : meta.at("sizes").items()) {
    const Dim d = size(s);
    if (d.is_static() && d.value() < 0) invalid("the tensor " + quoted(name) + " has a negative size");
    if (d.is_static() && !checked_mul(bytes, std::max<int64_t>(d.value(), 1), &bytes)) invalid("the tensor " + quoted(name) + " is too large");
    type.dims.push_back(d);
  }
  if (type.rank() > size_t(kMaxRank))
    fail(Code::kUnsupported, "the tensor " + quoted(name) + " has more than " + std::to_string(kMaxRank) + " dimensions");
  if (!with_order) return type;
  std::vector<Dim> strides;
  for (Json s : meta.at("strides").items()) strides.push_back(size(s));
  if (strides.size() != type.rank()) invalid("the tensor " + quoted(name) + " has another number of strides than of sizes");
  type.dim_order = order_of(type.dims, strides);
  return type;
}

Type NodeReader::type_of(std::string_view kind, Json value) const {
  if (kind == "as_tensor") return tensor_type(value.at("name").as_string());
  if (kind == "as_sym_float" || kind == "as_float") return Type::of(Type::Kind::kFloat);
  if (kind == "as_sym_bool" || kind == "as_bool") return Type::of(Type::Kind::kBool);
  if (kind == "as_int") return Type::integer(value.as_int());
  if (kind == "as_sym_int") {
    const auto found = sym_ints_.find(value.at("as_name").as_string());
    return found == sym_ints_.end() ? Type::of(Type::Kind::kInt) : Type::integer(size(found->second));
  }
  fail(Code::kUnsupported, "values of the kind " + quoted(kind) + " are not supported");
}

// ---- Arguments

Arg NodeReader::symbolic_arg(Json argument) const {
  const auto [kind, v] = argument.only_member();
  if (kind == "as_name") return value(v.as_string());
  if (kind == "as_int") return v.as_int();
  if (kind == "as_float") return v.as_float();
  if (kind == "as_bool") return v.as_bool();
  invalid("a symbolic number of the unknown kind " + quoted(kind));
}

Arg NodeReader::arg(Json argument) const {
  const auto [kind, v] = argument.only_member();
  const auto list = [&](auto&& entry) {
    Arg::List items;
    for (Json item : v.items()) items.push_back(entry(item));
    return Arg(std::move(items));
  };
  const auto tensor = [this](Json t) { return Arg(value(t.at("name").as_string())); };
  const auto optional_tensor = [&](Json t) {
    const auto [inner, tv] = t.only_member();
    return inner == "as_none" ? Arg() : tensor(tv);
  };
  const auto integer = [](Json i) { return Arg(i.as_int()); };
  const auto number = [](Json f) { return Arg(f.as_float()); };
  const auto symbolic = [this](Json s) { return symbolic_arg(s); };
  const auto text = [](Json s) { return Arg(std::string(s.as_string())); };
  if (kind == "as_none") return {};
  if (kind == "as_tensor") return tensor(v);
  if (kind == "as_tensors") return list(tensor);
  if (kind == "as_optional_tensor") return optional_tensor(v);
  if (kind == "as_optional_tensors") return list(optional_tensor);
  if (kind == "as_nested_tensors") return list([&](Json row) {
    Arg::List items;
    for (Json item : row.items()) items.push_back(tensor(item));
    return Arg(std::move(items));
  });
  if (kind == "as_int") return integer(v);
  if (kind == "as_ints") return list(integer);
  if (kind == "as_float") return number(v);
  if (kind == "as_floats") return list(number);
  if (kind == "as_bool") return v.as_bool();
  if (kind == "as_bools") return list([](Json b) { return Arg(b.as_bool()); });
  if (kind == "as_string" || kind == "as_operator") return text(v);
  if (kind == "as_strings") return list(text);
  if (kind == "as_sym_int" || kind == "as_sym_float" || kind == "as_sym_bool") return symbolic(v);
  if (kind == "as_sym_ints" || kind == "as_sym_floats" || kind == "as_sym_bools") return list(symbolic);
  if (kind == "as_device") return std::string(v.at("type").as_string());
  if (kind == "as_scalar_type") {
    const auto dtype = dtype_of_export(v.as_int());
    if (dtype) return *dtype;
    if (const char* foreign = foreign_dtype_name(v.as_int())) fail(Code::kUnsupported, std::string("element type ") + foreign + " is not supported");
    invalid("an element type that does not exist");
  }
  if (kind == "as_memory_format") {
    const auto format = memory_format_of_export(v.as_int());
    if (!format) invalid("a memory format that does not exist");
    return int64_t(*format);
  }
  if (kind == "as_layout") {
    if (v.as_int() != kExportStrided) fail(Code::kUnsupported, "sparse layouts are not supported");
    return {};
  }
  if (kind == "as_complex") fail(Code::kUnsupported, "complex numbers as arguments are not supported");
  if (kind == "as_custom_obj") fail(Code::kUnsupported, "custom objects are not supported");
  fail(Code::kUnsupported, "arguments of the kind " + quoted(kind) + " are not supported");
}

/// A Python number where the schema wants a tensor. As a tensor of no dimensions it promotes as the number does, if it
/// has the type of the tensor beside it (of Python's own default when that is of a lower category).
Arg NodeReader::number_as_tensor(const Arg& number, const std::vector<Arg>& before) const {
  DType dtype = number.is_float() ? DType::kF32 : number.is_int() ? DType::kI64 : DType::kBool;
  for (const Arg& a : before) {
    if (!a.is_value() || !a.value()->type.is_tensor()) continue;
    const DType beside = a.value()->type.dtype;
    if (is_floating(beside) || is_complex(beside) || (number.is_int() && is_integer(beside)) || number.is_bool()) dtype = beside;
  }
  ir::Builder builder(graph_, ops_, nullptr);
  return builder.scalar(dtype, number.to_double());
}

/// `arg` in the form that the schema gives it.
Arg NodeReader::fit(Arg arg, const SchemaArg& to, const std::vector<Arg>& before) const {
  const auto refuse = [&]() -> Arg { invalid("argument " + quoted(to.name) + " has the wrong kind"); };
  if (arg.is_none()) {
    const bool ignored = to.type == ArgType::kLayout || to.type == ArgType::kDevice;
    return to.optional || ignored ? Arg() : refuse();
  }
  if (to.list) {
    SchemaArg element = to;
    element.list = false;
    element.optional = to.optional_elements;
    if (!arg.is_list()) return Arg(Arg::List(size_t(std::max<int>(to.list_size, 1)), fit(arg, element, before)));
    Arg::List items;
    for (const Arg& item : arg.list()) items.push_back(fit(item, element, before));
    return Arg(std::move(items));
  }
  const bool is_tensor = arg.is_value() && arg.value()->type.is_tensor();
  const auto has_kind = [&](std::initializer_list<Type::Kind> kinds) {
    if (!arg.is_value()) return false;
    for (Type::Kind k : kinds)
      if (arg.value()->type.kind == k) return true;
    return false;
  };
  using K = Type::Kind;
  switch (to.type) {
    case ArgType::kTensor: return is_tensor ? arg : arg.is_number() ? number_as_tensor(arg, before) : refuse();
    case ArgType::kInt:
      if (arg.is_bool()) return int64_t(arg.as_bool());
      return arg.is_int() || has_kind({K::kInt, K::kBool}) ? arg : refuse();
    case ArgType::kFloat:
      if (arg.is_number()) return arg.to_double();
      return has_kind({K::kFloat, K::kInt}) ? arg : refuse();
    case ArgType::kBool:
      if (arg.is_int()) return arg.as_int() != 0;
      return arg.is_bool() || has_kind({K::kBool}) ? arg : refuse();
    case ArgType::kScalar: return arg.is_number() || (arg.is_value() && !is_tensor) ? arg : refuse();
    case ArgType::kString: return arg.is_string() ? arg : refuse();
    case ArgType::kDType: return arg.is_dtype() ? arg : refuse();
    case ArgType::kMemoryFormat: return arg.is_int() ? arg : refuse();
    case ArgType::kLayout: return refuse();
    case ArgType::kDevice: return !arg.is_string() ? refuse() : to.optional ? Arg() : arg;  // all there is here is one device
  }
  return refuse();
}

std::vector<Arg> NodeReader::schema_args(const Schema& schema, const std::vector<Json>& inputs) const {
  constexpr int64_t kKeyword = 2;
  std::vector<Arg> given(schema.arg_count);
  std::vector<bool> has(schema.arg_count, false);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string_view name = inputs[i].at("name").as_string();
    const auto kind = inputs[i].find("kind");
    int at = schema.arg_index(name);
    // Functions of Python name their arguments differently; by position they agree.
    if (at < 0 && i < schema.arg_count && !(kind && kind->as_int() == kKeyword) && !has[i]) at = int(i);
    if (at < 0) invalid("there is no argument " + quoted(name));
    if (has[size_t(at)]) invalid("argument " + quoted(name) + " is given twice");
    has[size_t(at)] = true;
    given[size_t(at)] = arg(inputs[i].at("arg"));
  }
  std::vector<Arg> args;
  std::vector<Arg> defaults;
  for (size_t i = 0; i < schema.arg_count; ++i) {
    if (has[i]) {
      args.push_back(fit(std::move(given[i]), schema.args()[i], args));
      continue;
    }
    if (schema.args()[i].default_text.empty()) invalid("argument " + quoted(schema.args()[i].name) + " is missing");
    defaults = args;
    complete_args(schema, i, defaults);
    args.push_back(std::move(defaults[i]));
  }
  return args;
}
