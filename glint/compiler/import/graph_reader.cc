#include "glint/compiler/import/graph_reader.h"

#include <algorithm>
#include <unordered_set>

#include "glint/compiler/import/node_reader.h"
#include "glint/compiler/import/writes.h"

namespace glint::compiler {
namespace {

using ir::Symbol;
using ir::Type;

[[noreturn]] void fail(Code code, const std::string& message) { throw ir::Error(code, message); }
[[noreturn]] void invalid(const std::string& message) { fail(Code::kInvalidProgram, message); }

std::string quoted(std::string_view name) { return "'" + std::string(name.substr(0, 200)) + "'"; }

/// A bound of a range constraint; nothing when there is none. Releases have written null, infinities as text and numbers next to INT64_MAX.
std::optional<int64_t> bound(const std::optional<Json>& value) {
  if (!value) return std::nullopt;
  if (value->is_string()) {
    const std::string_view text = value->as_string();
    for (std::string_view open : {"int_oo", "-int_oo", "oo", "-oo", "Infinity", "-Infinity"})
      if (text == open) return std::nullopt;
    invalid("a range ends at " + quoted(text));
  }
  constexpr int64_t kEndless = int64_t(1) << 62;
  const int64_t v = value->as_int();
  if (v >= kEndless || v <= -kEndless) return std::nullopt;
  return v;
}

class ProgramReader {
 public:
  ProgramReader(Json program, const Weights& weights, const ir::OpLookup& ops, const ImportOptions& options, ir::Graph& graph)
      : program_(program), module_(program.at("graph_module")), json_(module_.at("graph")), weights_(weights), ops_(ops), options_(options),
        graph_(graph), symbols_(graph.symbols) {}

  void run() {
    collect_symbols(json_, symbols_, in_sizes_);
    read_ranges();
    apply_bounds();
    NodeReader reader(json_, ops_, symbols_, graph_);
    read_specs();
    read_inputs(reader);
    reader.read_nodes();
    read_outputs(reader);
  }

 private:
  void read_ranges();
  void apply_bounds();
  void read_specs();
  void read_inputs(NodeReader& reader);
  void read_input(Json spec, Json input, NodeReader& reader);
  void read_user_input(Json input, NodeReader& reader);
  void read_weight(std::string_view value, std::string_view name, NodeReader& reader);
  void known_from_input(const ir::Dim& size);
  void read_outputs(NodeReader& reader);
  void read_output(std::string_view kind, Json spec, NodeReader& reader);
  size_t input_index(const ir::Value* value) const;

  Json program_, module_, json_;
  const Weights& weights_;
  const ir::OpLookup& ops_;
  const ImportOptions& options_;
  ir::Graph& graph_;
  SymbolReader symbols_;
  std::set<int> in_sizes_;
  std::unordered_set<std::string_view> written_;  // inputs of the exported graph that it changes
  std::unordered_set<std::string_view> mutated_;  // buffers and parameters that the signature says change
  std::vector<std::pair<std::string, bool>> storages_;  // of every weight: which bytes, and whether it is a state
};

void ProgramReader::read_ranges() {
  for (const auto& [name, range] : program_.at("range_constraints").members()) {
    const auto min = bound(range.find("min_val")), max = bound(range.find("max_val"));
    if (min && max && *min > *max) invalid("the range of " + quoted(name) + " is empty");
    const int index = graph_.symbols.find(name);
    if (index < 0) continue;
    Symbol& s = graph_.symbols.edit(index);
    s.max = max.value_or(Symbol::kUnbounded);
    if (s.max < 0 && in_sizes_.contains(index)) invalid("the range of the size " + quoted(name) + " is negative");
    s.min = in_sizes_.contains(index) ? std::max<int64_t>(min.value_or(0), 0) : min.value_or(-Symbol::kUnbounded);
  }
}

void ProgramReader::apply_bounds() {
  for (const auto& [name, most] : options_.bounds) {
    const int index = graph_.symbols.find(name);
    if (index < 0) {
      std::string known;
      for (int i = 0; i < graph_.symbols.size(); ++i) known += (i ? ", " : "") + graph_.symbols[i].name;
      fail(Code::kInvalidArgument, "there is no size " + quoted(name) + " to bound; the program has " + (known.empty() ? "none" : known));
    }
    Symbol& s = graph_.symbols.edit(index);
    if (most < s.min)
      fail(Code::kInvalidArgument, "the bound " + std::to_string(most) + " of " + quoted(name) + " is below its minimum, " +
          std::to_string(s.min));
    s.max = std::min(s.max, most);
  }
}

/// What has to be known before the inputs: which of them change, and how the caller's values are nested.
void ProgramReader::read_specs() {
  written_ = written_inputs(json_, ops_);
  for (Json spec : module_.at("signature").at("output_specs").items()) {
    const auto [kind, value] = spec.only_member();
    if (kind == "buffer_mutation") mutated_.insert(value.at("buffer_name").as_string());
    if (kind == "parameter_mutation") mutated_.insert(value.at("parameter_name").as_string());
  }
  for (Json entry : module_.at("module_call_graph").items()) {
    if (!entry.at("fqn").as_string().empty()) continue;
    if (const auto signature = entry.find("signature")) {
      graph_.in_spec = signature->at("in_spec").as_string();
      graph_.out_spec = signature->at("out_spec").as_string();
    }
    break;
  }
}

void ProgramReader::read_inputs(NodeReader& reader) {
  const std::vector<Json> specs = module_.at("signature").at("input_specs").items(), inputs = json_.at("inputs").items();
  if (specs.size() != inputs.size()) invalid("the signature has another number of inputs than the graph");
  for (size_t i = 0; i < specs.size(); ++i) read_input(specs[i], inputs[i], reader);
  for (const auto& [storage, is_state] : storages_) {
    if (!is_state) continue;
    if (std::count_if(storages_.begin(), storages_.end(), [&, s = &storage](const auto& other) { return other.first == *s; }) > 1)
      fail(Code::kUnsupported, "a buffer that the model changes shares its memory with another parameter or buffer");
  }
}

void ProgramReader::read_input(Json spec, Json input, NodeReader& reader) {
  const auto [kind, value] = spec.only_member();
  if (kind == "user_input") return read_user_input(value.at("arg"), reader);
  if (kind == "constant_input" || kind == "token") return;  // specialised when exported: nodes hold the value themselves
  const auto weight = [&](std::string_view name) {
    const std::string_view tensor = value.at("arg").at("name").as_string();
    if (const auto stated = input.find("as_tensor"); !stated || stated->at("name").as_string() != tensor)
      invalid("the input " + quoted(tensor) + " is another one in the graph");
    read_weight(tensor, value.at(name).as_string(), reader);
  };
  if (kind == "parameter") return weight("parameter_name");
  if (kind == "buffer") return weight("buffer_name");
  if (kind == "tensor_constant") return weight("tensor_constant_name");
  if (kind == "custom_obj") fail(Code::kUnsupported, "the model holds a custom object, " + quoted(value.at("custom_obj_name").as_string()));
  fail(Code::kUnsupported, "inputs of the kind " + quoted(kind) + " are not supported");
}

/// Numbers, strings and None among the inputs were specialised when the model was exported: nodes hold them as
/// constants and the program has no input for them.
void ProgramReader::read_user_input(Json input, NodeReader& reader) {
  const auto [kind, value] = input.only_member();
  if (kind == "as_tensor") {
    const std::string_view name = value.at("name").as_string();
    ir::Value* v = graph_.add_input(std::string(name), reader.tensor_type(name));
    for (const ir::Dim& d : v->type.dims) known_from_input(d);
    reader.define(name, v);
  } else if (kind == "as_sym_int" && value.find("as_name")) {
    const std::string_view name = value.at("as_name").as_string();
    ir::Value* v = graph_.add_input(std::string(name), reader.type_of(kind, value));
    if (v->type.has_number) known_from_input(v->type.number);
    reader.define(name, v);
  } else if (kind == "as_sym_float" || kind == "as_sym_bool") {
    const std::string_view name = value.at("as_name").as_string();
    reader.define(name, graph_.add_input(std::string(name), reader.type_of(kind, value)));
  } else if (kind == "as_custom_obj") {
    fail(Code::kUnsupported, "the model takes a custom object as input");
  }
}

/// A symbol that is the size of an input is known before the program runs, whatever it is called.
void ProgramReader::known_from_input(const ir::Dim& size) {
  if (size.is_static() || size.expr()->kind != ir::Expr::Kind::kSymbol) return;
  const int index = int(size.expr()->value);
  if (graph_.symbols[index].data_dependent) graph_.symbols.edit(index).data_dependent = false;
}

void ProgramReader::read_weight(std::string_view value, std::string_view name, NodeReader& reader) {
  const Weight* weight = weights_.find(name);
  if (weight == nullptr) invalid("the archive has no weight " + quoted(name));
  Type type = reader.tensor_type(value);
  bool same = type.dtype == weight->dtype && type.rank() == weight->sizes.size();
  for (size_t d = 0; same && d < type.rank(); ++d) same = type.dims[d] == ir::Dim(weight->sizes[d]);
  if (!same) invalid("the weight " + quoted(name) + " has another type than the graph states");
  const bool is_state = written_.contains(value) || mutated_.contains(name);
  storages_.emplace_back(weight->storage, is_state);
  reader.define(value, is_state ? graph_.add_state(std::string(name), std::move(type), weight->data)
                                : graph_.add_constant(std::string(value), std::move(type), weight->data));
}

void ProgramReader::read_outputs(NodeReader& reader) {
  const std::vector<Json> specs = module_.at("signature").at("output_specs").items();
  if (specs.size() != json_.at("outputs").items().size()) invalid("the signature has another number of outputs than the graph");
  for (Json spec : specs) {
    const auto [kind, value] = spec.only_member();
    read_output(kind, value, reader);
  }
}

size_t ProgramReader::input_index(const ir::Value* value) const {
  const auto found = std::find(graph_.inputs.begin(), graph_.inputs.end(), value);
  if (found == graph_.inputs.end()) invalid("the model changes " + quoted(value->name) + " as an input, which it is not");
  return size_t(found - graph_.inputs.begin());
}

void ProgramReader::read_output(std::string_view kind, Json spec, NodeReader& reader) {
  if (kind == "token") return;
  const Json argument = spec.at("arg");
  if (kind == "user_output") {
    const auto [arg_kind, value] = argument.only_member();
    const ir::Arg arg = reader.arg(argument);
    if (arg.is_list() || arg.is_dtype()) fail(Code::kUnsupported, "outputs of the kind " + quoted(arg_kind) + " are not supported");
    graph_.outputs.push_back(arg);
    graph_.output_names.push_back(arg.is_value() ? arg.value()->name : "");
    return;
  }
  ir::Value* value = reader.value(argument.at("name").as_string());
  if (kind == "loss_output") {
    graph_.outputs.emplace_back(value);
    graph_.output_names.push_back(value->name);
  } else if (kind == "buffer_mutation" || kind == "parameter_mutation") {
    const std::string_view name = spec.at(kind == "buffer_mutation" ? "buffer_name" : "parameter_name").as_string();
    for (ir::State& s : graph_.states) {
      if (s.name != name) continue;
      if (s.final != nullptr) invalid("the buffer " + quoted(name) + " is changed twice");
      s.final = value;
      return;
    }
    invalid("the model changes the buffer " + quoted(name) + ", which it does not have");
  } else if (kind == "user_input_mutation") {
    graph_.mutations.push_back({input_index(reader.value(spec.at("user_input_name").as_string())), value});
  } else {
    fail(Code::kUnsupported, "outputs of the kind " + quoted(kind) + " are not supported: export the model for inference");
  }
}

}  // namespace

void read_program(Json program, const Weights& weights, const ir::OpLookup& ops, const ImportOptions& options, ir::Graph& graph) {
  ProgramReader(program, weights, ops, options, graph).run();
}

}  // namespace glint::compiler
