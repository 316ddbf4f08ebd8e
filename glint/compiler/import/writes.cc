#include "glint/compiler/import/writes.h"

#include <algorithm>
#include <unordered_map>

#include "glint/compiler/import/export_names.h"

namespace glint::compiler {
namespace {

/// Operators whose results may share the memory of their first argument.
constexpr std::string_view kViews[] = {
    "H", "T", "_conj", "_reshape_alias", "adjoint", "alias", "as_strided", "atleast_1d", "atleast_2d", "atleast_3d", "broadcast_to",
    "chunk", "contiguous", "detach", "diagonal", "dsplit", "expand", "expand_as", "flatten", "hsplit", "imag", "lift", "lift_fresh",
    "mH", "mT", "matrix_H", "moveaxis", "movedim", "narrow", "numpy_T", "permute", "positive", "ravel", "real", "reshape", "reshape_as",
    "resolve_conj", "resolve_neg", "select", "slice", "split", "split_with_sizes", "squeeze", "swapaxes", "swapdims", "t",
    "tensor_split", "to", "transpose", "type_as", "unbind", "unflatten", "unfold", "unsafe_chunk", "unsqueeze", "view", "view_as",
    "view_as_complex", "view_as_real", "vsplit",
};

std::string_view base_of(std::string_view op) {
  const size_t colons = op.find("::");
  if (colons != op.npos) op.remove_prefix(colons + 2);
  return op.substr(0, op.find('.'));
}

bool is_view(std::string_view op) { return std::binary_search(std::begin(kViews), std::end(kViews), base_of(op)); }

class Tracer {
 public:
  Tracer(const ir::OpLookup& ops, std::unordered_set<std::string_view>& written) : ops_(ops), written_(written) {}

  /// Names of `graph` stand for the inputs that `root` tells.
  void trace(Json graph, std::unordered_map<std::string_view, std::string_view> root) {
    for (Json node : graph.at("nodes").items()) visit(node, root);
  }

 private:
  using Roots = std::unordered_map<std::string_view, std::string_view>;

  template <class F>
  static void for_each_tensor(Json argument, F&& f) {
    const auto [kind, value] = argument.only_member();
    if (kind == "as_tensor") f(value.at("name").as_string());
    if (kind == "as_tensors")
      for (Json item : value.items()) f(item.at("name").as_string());
  }

  void write(Json argument, const Roots& root) {
    for_each_tensor(argument, [&](std::string_view name) {
      if (const auto found = root.find(name); found != root.end()) written_.insert(found->second);
    });
  }

  void visit(Json node, Roots& root) {
    const std::string op = operator_name(node.at("target").as_string());
    const std::vector<Json> inputs = node.at("inputs").items();
    for (size_t i = 0; i < inputs.size(); ++i)
      if (inputs[i].at("arg").find("as_graph")) visit_nested(inputs, i, root);
    if (inputs.empty()) return;
    const bool in_place = is_in_place(op);
    if (in_place) write(inputs[0].at("arg"), root);
    const Schema* schema = ops_.schema(op);
    const bool statistics = base_of(op) == "batch_norm" || base_of(op) == "instance_norm" || op == "aten::_native_batch_norm_legit";
    for (Json input : inputs) {
      const std::string_view name = input.at("name").as_string();
      const int at = schema != nullptr ? schema->arg_index(name) : -1;
      if (name == "out" || (at >= 0 && schema->args()[size_t(at)].written)) write(input.at("arg"), root);
      if (statistics && (name == "running_mean" || name == "running_var") && is_training(inputs)) write(input.at("arg"), root);
    }
    if (in_place || is_view(op)) alias(inputs[0].at("arg"), node, root);
  }

  /// batch_norm(training), its legit form and instance_norm(use_input_stats) update their statistics without saying so.
  static bool is_training(const std::vector<Json>& inputs) {
    for (Json input : inputs) {
      const std::string_view name = input.at("name").as_string();
      if (name != "training" && name != "use_input_stats") continue;
      const auto flag = input.at("arg").find("as_bool");
      return !flag || flag->as_bool();
    }
    return false;
  }

  void alias(Json argument, Json node, Roots& root) {
    std::string_view source;
    for_each_tensor(argument, [&](std::string_view name) {
      if (const auto found = root.find(name); found != root.end()) source = found->second;
    });
    if (source.empty()) return;
    for (Json output : node.at("outputs").items()) for_each_tensor(output, [&](std::string_view name) { root[name] = source; });
  }

  /// A graph among the arguments: what follows it are its inputs, in order.
  void visit_nested(const std::vector<Json>& inputs, size_t at, const Roots& root) {
    const Json nested = inputs[at].at("arg").at("as_graph").at("graph");
    std::vector<std::string_view> operands;
    for (size_t i = at + 1; i < inputs.size(); ++i)
      for_each_tensor(inputs[i].at("arg"), [&](std::string_view name) { operands.push_back(name); });
    Roots inner;
    size_t next = 0;
    for (Json parameter : nested.at("inputs").items())
      for_each_tensor(parameter, [&](std::string_view name) {
        if (next == operands.size()) return;
        if (const auto found = root.find(operands[next++]); found != root.end()) inner[name] = found->second;
      });
    trace(nested, std::move(inner));
  }

  const ir::OpLookup& ops_;
  std::unordered_set<std::string_view>& written_;
};

}  // namespace

std::unordered_set<std::string_view> written_inputs(Json graph, const ir::OpLookup& ops) {
  std::unordered_set<std::string_view> written;
  std::unordered_map<std::string_view, std::string_view> root;
  for (Json input : graph.at("inputs").items())
    if (const auto tensor = input.find("as_tensor")) root.emplace(tensor->at("name").as_string(), tensor->at("name").as_string());
  Tracer(ops, written).trace(graph, std::move(root));
  return written;
}

}  // namespace glint::compiler
