#include "glint/compiler/import/node_reader.h"

#include <algorithm>
#include <set>

#include "glint/base/checked.h"
#include "glint/compiler/import/export_names.h"
#include "glint/compiler/import/origin.h"
#include "glint/compiler/ir/match.h"
#include "glint/compiler/ir/text.h"
#include "glint/core/tensor.h"

namespace glint::compiler {
namespace {

using ir::Arg;
using ir::Dim;
using ir::Type;

[[noreturn]] void fail(Code code, const std::string& message) { throw ir::Error(code, message); }
constexpr const char* kMisfit = "a graph of it takes or gives other values than it is given or gives";
[[noreturn]] void invalid(const std::string& message) { fail(Code::kInvalidProgram, message); }

std::string quoted(std::string_view name) { return "'" + std::string(name.substr(0, 200)) + "'"; }

ir::OriginPtr origin_of(Json node) {
  ir::Origin origin;
  if (const auto name = node.find("name"); name && name->is_string()) origin.name = name->as_string();
  if (origin.name.empty()) {
    for (Json output : node.at("outputs").items()) {
      const auto [kind, value] = output.only_member();
      if (const auto text = value.find(kind == "as_tensor" ? "name" : "as_name"); text && text->is_string())
        origin.name = text->as_string();
      break;
    }
  }
  if (const auto metadata = node.find("metadata")) {
    if (const auto trace = metadata->find("stack_trace"); trace && trace->is_string())
      origin.source = source_of_stack_trace(trace->as_string());
    if (const auto stack = metadata->find("nn_module_stack"); stack && stack->is_string())
      origin.module_path = module_of_stack(stack->as_string());
  }
  return std::make_shared<const ir::Origin>(std::move(origin));
}

/// The symbols of an expression, added to `found`.
void add_symbols(const ir::Expr& e, std::set<int>& found) {
  if (e.kind == ir::Expr::Kind::kSymbol) found.insert(int(e.value));
  for (const ir::ExprPtr& operand : e.operands) add_symbols(*operand, found);
}

Dim read_sym_int(Json sym_int, SymbolReader& symbols) {
  const auto [kind, value] = sym_int.only_member();
  if (kind == "as_int") return value.as_int();
  if (kind != "as_expr") invalid("a size of the unknown kind " + quoted(kind));
  return symbols.read(value.at("expr_str").as_string());
}

/// Operators that run their graph as it is: what they change (gradients, tracing) does not concern inference.
bool is_transparent(const std::string& op) {
  return op == "higher_order::wrap_with_set_grad_enabled" || op == "higher_order::wrap_with_autocast" ||
         op == "higher_order::strict_mode" || op == "higher_order::invoke_subgraph";
}

/// Whether an operand or a region's result can become a value of this type; `dropped`: how many dimensions more it has.
bool is_like(const Arg& a, const Type& type, int dropped = 0) {
  using K = Type::Kind;
  if (a.is_none()) return false;
  if (!a.is_value()) return a.is_int() ? type.kind == K::kInt : a.is_bool() ? type.kind == K::kBool : a.is_float() && type.kind == K::kFloat;
  const Type& from = a.value()->type;
  if (from.kind != type.kind) return false;
  return !type.is_tensor() || (from.dtype == type.dtype && int(from.rank()) == int(type.rank()) + dropped);
}

/// Whether every region takes what it is given and yields what the node, or the next step, wants.
bool regions_fit(const ir::Node& n) {
  if (!ir::is_control_flow(n)) return true;  // refused later, by name
  const bool is_cond = n.is("higher_order::cond"), is_while = n.is("higher_order::while_loop"), is_scan = n.is("higher_order::scan");
  const Arg::List none;
  const Arg::List& carried = is_while || is_scan ? n.arg(0).list() : none;
  const Arg::List& walked = is_cond || is_while ? none : n.arg(is_scan ? 1 : 0).list();
  const Arg::List& fixed = n.args().back().list();
  const auto condition = [](const Arg& a) { return is_like(a, Type::of(Type::Kind::kBool)) || (a.is_value() && a.value()->type.is_tensor() && a.value()->type.dtype == DType::kBool); };
  if (is_cond ? !condition(n.arg(0)) : is_while ? n.results().size() != carried.size() : walked.empty() || n.results().size() < carried.size()) return false;
  for (const auto& region : n.regions) {
    if (region->inputs.size() != carried.size() + walked.size() + fixed.size()) return false;
    for (size_t i = 0; i < region->inputs.size(); ++i) {
      const bool slice = i >= carried.size() && i < carried.size() + walked.size();
      const Arg& a = i < carried.size() ? carried[i] : slice ? walked[i - carried.size()] : fixed[i - carried.size() - walked.size()];
      if (!is_like(a, region->inputs[i]->type, slice ? 1 : 0) || (slice && !region->inputs[i]->type.is_tensor())) return false;
      if (i < carried.size() && !is_like(a, n.result(i)->type)) return false;
    }
    if (is_while && region == n.regions[0]) {
      if (region->outputs.size() != 1 || !condition(region->outputs[0])) return false;
      continue;
    }
    if (region->outputs.size() != n.results().size()) return false;
    for (size_t i = 0; i < n.results().size(); ++i) {
      const bool stacked = !is_cond && i >= carried.size();
      if (region->outputs[i].is_none() && is_cond) continue;
      if (!is_like(region->outputs[i], n.result(i)->type, stacked ? -1 : 0) || (stacked && !n.result(i)->type.is_tensor())) return false;
    }
  }
  return true;
}

void flatten(const Arg& arg, std::vector<Arg>& flat) {
  if (!arg.is_list()) return flat.push_back(arg);
  for (const Arg& a : arg.list()) flatten(a, flat);
}

}  // namespace

void collect_symbols(Json graph, SymbolReader& symbols, std::set<int>& in_sizes) {
  for (const auto& [name, meta] : graph.at("tensor_values").members())
    for (Json size : meta.at("sizes").items())
      if (const Dim d = read_sym_int(size, symbols); !d.is_static()) add_symbols(*d.expr(), in_sizes);
  for (const auto& [name, value] : graph.at("sym_int_values").members()) read_sym_int(value, symbols);
  for (Json node : graph.at("nodes").items())
    for (Json input : node.at("inputs").items())
      if (const auto nested = input.at("arg").find("as_graph")) collect_symbols(nested->at("graph"), symbols, in_sizes);
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

// Values are row-major here, however the exporter's example lay in memory: the passes of a target choose layouts.
Type NodeReader::tensor_type(std::string_view name) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end()) invalid("the tensor " + quoted(name) + " has no type");
  const Json meta = found->second;
  const int64_t number = meta.at("dtype").as_int();
  const auto dtype = dtype_of_export(number);
  if (!dtype && foreign_dtype_name(number))
    fail(Code::kUnsupported, "the tensor " + quoted(name) + " has element type " + foreign_dtype_name(number));
  if (!dtype) invalid("the tensor " + quoted(name) + " has an element type that does not exist");
  if (meta.at("layout").as_int() != kExportStrided) fail(Code::kUnsupported, "the tensor " + quoted(name) + " is sparse");
  Type type = Type::tensor(*dtype, {});
  int64_t bytes = int64_t(dtype_size(*dtype));
  for (Json s : meta.at("sizes").items()) {
    const Dim d = read_sym_int(s, symbols_);
    if (d.is_static() && d.value() < 0) invalid("the tensor " + quoted(name) + " has a negative size");
    if (d.is_static() && !checked_mul(bytes, std::max<int64_t>(d.value(), 1), &bytes))
      invalid("the tensor " + quoted(name) + " is too large");
    type.dims.push_back(d);
  }
  if (type.rank() > size_t(kMaxRank))
    fail(Code::kUnsupported, "the tensor " + quoted(name) + " has more than " + std::to_string(kMaxRank) + " dimensions");
  return type;
}

Type NodeReader::type_of(std::string_view kind, Json value) const {
  if (kind == "as_tensor") return tensor_type(value.at("name").as_string());
  if (kind == "as_sym_float" || kind == "as_float") return Type::of(Type::Kind::kFloat);
  if (kind == "as_sym_bool" || kind == "as_bool") return Type::of(Type::Kind::kBool);
  if (kind == "as_int") return Type::integer(value.as_int());
  if (kind == "as_sym_int") {
    const auto found = sym_ints_.find(value.at("as_name").as_string());
    return found == sym_ints_.end() ? Type::of(Type::Kind::kInt) : Type::integer(read_sym_int(found->second, symbols_));
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
    if (const char* foreign = foreign_dtype_name(v.as_int()))
      fail(Code::kUnsupported, std::string("element type ") + foreign + " is not supported");
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

/// `arg` in the form that the schema gives it.
Arg NodeReader::fit(Arg arg, const SchemaArg& to) const {
  const auto refuse = [&]() -> Arg { invalid("argument " + quoted(to.name) + " has the wrong kind"); };
  if (arg.is_none()) {
    return to.optional || is_ignored(to.type) ? Arg() : refuse();
  }
  if (to.list) {
    SchemaArg element = to;
    element.list = false;
    element.optional = to.optional_elements;
    if (!arg.is_list()) return Arg(Arg::List(size_t(std::max<int>(to.list_size, 1)), fit(arg, element)));
    Arg::List items;
    for (const Arg& item : arg.list()) items.push_back(fit(item, element));
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
    case ArgType::kTensor: return is_tensor || arg.is_number() ? arg : refuse();  // a number promotes as Python's do
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
    case ArgType::kLayout:
    case ArgType::kGenerator: return refuse();
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
  for (size_t i = 0; i < schema.arg_count; ++i) {
    const SchemaArg& to = schema.args()[i];
    if (has[i]) given[i] = fit(std::move(given[i]), to);
    else if (!ir::parse_default(to, given[i])) invalid("argument " + quoted(to.name) + " is missing");
  }
  return given;
}

/// x * 0.5 is exported as mul.Tensor with a number. Where there is an overload for numbers, that is what is meant.
std::string NodeReader::scalar_overload(std::string op, const std::vector<Json>& inputs) const {
  const size_t dot = op.find('.');
  if (dot == op.npos || inputs.size() < 2) return op;
  const std::string overload = op.substr(dot + 1);
  const auto [kind, value] = inputs[1].at("arg").only_member();
  const bool number = kind == "as_int" || kind == "as_float" || kind == "as_bool" || kind == "as_sym_int" || kind == "as_sym_float" ||
      kind == "as_sym_bool";
  if (!number || (overload != "Tensor" && overload != "Tensor_mode")) return op;
  const std::string scalar = op.substr(0, dot) + ".Scalar" + overload.substr(6);
  return ops_.schema(scalar) != nullptr ? scalar : op;
}

// ---- Nodes

void NodeReader::add_result(std::string_view kind, Json value, std::vector<Result>& results) const {
  if (kind == "as_none") {  // a result that this call does not compute; it keeps its place
    results.push_back({{}, Type::tensor(DType::kF32, {Dim(0)})});
  } else if (kind == "as_tensors") {
    for (Json item : value.items()) add_result("as_tensor", item, results);
  } else if (kind == "as_tensor") {
    results.push_back({value.at("name").as_string(), type_of(kind, value)});
  } else {
    results.push_back({value.at("as_name").as_string(), type_of(kind, value)});
  }
}

std::vector<NodeReader::Result> NodeReader::results_of(Json node) const {
  std::vector<Result> results;
  for (Json output : node.at("outputs").items()) {
    const auto [kind, value] = output.only_member();
    add_result(kind, value, results);
  }
  return results;
}

void NodeReader::bind(const std::vector<Result>& results, const std::vector<ir::Value*>& values) {
  for (size_t i = 0; i < results.size(); ++i)
    if (!results[i].name.empty()) define(results[i].name, values[i]);
}

void NodeReader::read_nodes() {
  for (Json node : json_.at("nodes").items()) {
    const ir::OriginPtr origin = origin_of(node);
    try {
      read_node(node, origin);
    } catch (ir::Error& e) {
      if (e.diagnostic.origin == nullptr) {
        e.diagnostic.origin = origin;
        e.diagnostic.message = operator_name(node.at("target").as_string()).substr(0, 200) + ": " + e.diagnostic.message;
      }
      throw;
    }
  }
}

void NodeReader::read_node(Json node, const ir::OriginPtr& origin) {
  std::string op = operator_name(node.at("target").as_string());
  if (op.starts_with("higher_order::")) return read_higher_order(op, node, origin);
  const std::vector<Json> inputs = node.at("inputs").items();
  const std::vector<Result> results = results_of(node);
  op = scalar_overload(std::move(op), inputs);
  const Schema* schema = ops_.schema(op);
  std::vector<Arg> args;
  std::vector<std::string> names;
  if (schema != nullptr) {
    args = schema_args(*schema, inputs);
    const bool list = std::any_of(schema->returns().begin(), schema->returns().end(), [](const SchemaArg& r) { return r.list; });
    if (!list && results.size() != schema->return_count)
      invalid("there are " + std::to_string(results.size()) + " results instead of " + std::to_string(schema->return_count));
  } else {
    for (Json input : inputs) {
      args.push_back(arg(input.at("arg")));
      names.emplace_back(input.at("name").as_string());
    }
  }
  std::vector<Type> types;
  for (const Result& r : results) types.push_back(r.type);
  ir::Node* n = graph_.add_node(nullptr, op, std::move(args), std::move(types), origin);
  n->schema = schema;
  n->def = ops_.def(op);
  n->unknown_arg_names = std::move(names);
  bind(results, n->results());
}

// ---- Higher-order operators

void NodeReader::read_higher_order(const std::string& op, Json node, const ir::OriginPtr& origin) {
  const std::vector<Json> inputs = node.at("inputs").items();
  const std::vector<Result> results = results_of(node);
  if (is_transparent(op)) return read_inline(op, inputs, results);
  std::vector<Arg> args;
  std::vector<std::string> names;
  std::vector<std::unique_ptr<ir::Graph>> regions;
  for (Json input : inputs) {
    if (const auto nested = input.at("arg").find("as_graph")) {
      regions.push_back(region(*nested));
      continue;
    }
    args.push_back(arg(input.at("arg")));
    names.emplace_back(input.at("name").as_string());
  }
  if (op == "higher_order::while_loop" && args.size() == 3 && args[2].is_string()) args.pop_back(), names.pop_back();  // which operands it writes to
  if (op == "higher_order::associative_scan") return read_associative_scan(args, regions, results, origin);
  std::vector<Type> types;
  for (const Result& r : results) types.push_back(r.type);
  ir::Node* n = graph_.add_node(nullptr, op, std::move(args), std::move(types), origin);
  n->unknown_arg_names = std::move(names);
  n->regions = std::move(regions);
  if (!regions_fit(*n)) invalid(kMisfit);
  bind(results, n->results());
}

/// A scan over all entries but the first, which it carries at first; what a step yields is carried and stacked.
void NodeReader::read_associative_scan(const std::vector<Arg>& args, std::vector<std::unique_ptr<ir::Graph>>& regions,
                                       const std::vector<Result>& results, const ir::OriginPtr& origin) {
  if (args.size() != 2 || regions.size() != 1 || !args[0].is_list() || !args[1].is_list() || args[0].list().size() != results.size()) invalid(kMisfit);
  ir::Builder b(graph_, ops_, nullptr, origin);
  Arg::List first, rest;
  std::vector<Type> types;
  for (const Arg& x : args[0].list()) {
    if (!x.is_value() || !x.value()->type.is_tensor()) invalid(kMisfit);
    first.push_back(b.op("aten::select.int", {x, 0, 0}));
    rest.push_back(b.op("aten::slice.Tensor", {x, 0, 1}));
  }
  for (const Arg::List& list : {first, rest})
    for (const Arg& a : list) types.push_back(a.value()->type);
  std::vector<Arg>& yields = regions[0]->outputs;
  const std::vector<Arg> step = yields;
  yields.insert(yields.end(), step.begin(), step.end());
  ir::Node* n = graph_.add_node(nullptr, "higher_order::scan", {Arg(first), Arg(std::move(rest)), args[1]}, std::move(types), origin);
  n->regions = std::move(regions);
  if (!regions_fit(*n)) invalid(kMisfit);
  std::vector<ir::Value*> values;
  for (size_t i = 0; i < results.size(); ++i)
    values.push_back(b.op("aten::cat", {Arg(Arg::List{b.op("aten::unsqueeze", {first[i], 0}), n->result(results.size() + i)}), 0}));
  bind(results, values);
}

/// The graph among the arguments, its nodes appended here with its inputs bound to the arguments after it.
void NodeReader::read_inline(const std::string& op, const std::vector<Json>& inputs, const std::vector<Result>& results) {
  size_t at = 0;
  while (at < inputs.size() && !inputs[at].at("arg").find("as_graph")) ++at;
  if (at == inputs.size()) invalid("it has no graph");
  if (op == "higher_order::wrap_with_autocast" && at > 2) {
    const Arg enabled = arg(inputs[2].at("arg"));
    if (!enabled.is_bool() || enabled.as_bool())
      fail(Code::kUnsupported, "autocast is not supported inside a model; export with the types that it should compute in");
  }
  const Json nested = inputs[at].at("arg").at("as_graph").at("graph");
  std::vector<Arg> operands;
  for (size_t i = at + 1; i < inputs.size(); ++i) flatten(arg(inputs[i].at("arg")), operands);
  std::erase_if(operands, [](const Arg& a) { return a.is_string(); });  // invoke_subgraph's identifier

  NodeReader reader(nested, ops_, symbols_, graph_);
  const std::vector<Json> parameters = nested.at("inputs").items();
  if (parameters.size() != operands.size()) invalid("its graph takes another number of arguments");
  for (size_t i = 0; i < parameters.size(); ++i) {
    const auto [kind, value] = parameters[i].only_member();
    if (kind != "as_tensor" && kind != "as_sym_int") continue;  // a constant, which the nodes inside name themselves
    if (!operands[i].is_value()) invalid("its graph is given something other than a value");
    reader.define(value.at(kind == "as_tensor" ? "name" : "as_name").as_string(), operands[i].value());
  }
  reader.read_nodes();
  std::vector<Arg> outputs;
  for (Json output : nested.at("outputs").items()) flatten(reader.arg(output), outputs);
  if (outputs.size() != results.size()) invalid("its graph gives another number of results");
  std::vector<ir::Value*> values;
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!outputs[i].is_value() && !results[i].name.empty()) fail(Code::kUnsupported, "its graph returns a constant");
    values.push_back(outputs[i].is_value() ? outputs[i].value() : nullptr);
  }
  bind(results, values);
}

std::unique_ptr<ir::Graph> NodeReader::region(Json argument) const {
  auto body = std::make_unique<ir::Graph>();
  const Json json = argument.at("graph");
  body->name = argument.at("name").as_string();
  body->symbols = graph_.symbols;
  NodeReader reader(json, ops_, symbols_, *body);
  for (Json input : json.at("inputs").items()) {
    const auto [kind, value] = input.only_member();
    const bool named = kind == "as_tensor" || kind == "as_sym_int";
    const std::string name(named ? value.at(kind == "as_tensor" ? "name" : "as_name").as_string() : "unused");
    ir::Value* v = body->add_input(name, reader.type_of(kind, value));
    if (named) reader.define(value.at(kind == "as_tensor" ? "name" : "as_name").as_string(), v);
  }
  reader.read_nodes();
  for (Json output : json.at("outputs").items()) {
    std::vector<Arg> flat;
    flatten(reader.arg(output), flat);
    body->outputs.insert(body->outputs.end(), flat.begin(), flat.end());
  }
  return body;
}

}  // namespace glint::compiler
