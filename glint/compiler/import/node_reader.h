#pragma once

// The nodes of one exported graph, or of one nested in it.

#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "glint/compiler/import/json.h"
#include "glint/compiler/import/symbolic.h"
#include "glint/compiler/ir/builder.h"

namespace glint::compiler {

/// Appends the nodes of an exported graph to an ir::Graph. The names of the exported graph have a scope of their own.
class NodeReader {
 public:
  /// `symbols` has met every expression of the program; `graph` has the same symbols.
  NodeReader(Json json, const ir::OpLookup& ops, SymbolReader& symbols, ir::Graph& graph);

  /// Binds a name of the exported graph; throws ir::Error when it is bound already.
  void define(std::string_view name, ir::Value* value);
  /// Throws ir::Error when nothing is bound to `name`.
  ir::Value* value(std::string_view name) const;
  void read_nodes();
  /// An argument of the export schema as an argument of a node. None stays none.
  ir::Arg arg(Json argument) const;
  /// The type that the exported graph states for a tensor.
  ir::Type tensor_type(std::string_view name) const;
  /// The type of any result or input: {"as_tensor": ...}, {"as_sym_int": ...}, ...
  ir::Type type_of(std::string_view kind, Json value) const;

 private:
  struct Result { std::string_view name; ir::Type type; };  // no name: a result that is not there
  using Table = std::unordered_map<std::string_view, Json>;

  void read_node(Json node, const ir::OriginPtr& origin);
  std::vector<Result> results_of(Json node) const;
  void add_result(std::string_view kind, Json value, std::vector<Result>& results) const;
  ir::Arg symbolic_arg(Json value) const;
  /// Higher-order operators: with their graphs as regions, or taken apart when they only change a mode.
  void read_higher_order(const std::string& op, Json node, const ir::OriginPtr& origin);
  void read_inline(const std::string& op, const std::vector<Json>& inputs, const std::vector<Result>& results);
  void read_associative_scan(const std::vector<ir::Arg>& args, std::vector<std::unique_ptr<ir::Graph>>& regions, const std::vector<Result>& results,
                             const ir::OriginPtr& origin);
  std::unique_ptr<ir::Graph> region(Json graph_argument) const;
  std::vector<ir::Arg> schema_args(const Schema& schema, const std::vector<Json>& inputs) const;
  std::string scalar_overload(std::string op, const std::vector<Json>& inputs) const;
  ir::Arg fit(ir::Arg arg, const SchemaArg& to) const;
  void bind(const std::vector<Result>& results, const std::vector<ir::Value*>& values);

  Json json_;
  const ir::OpLookup& ops_;
  SymbolReader& symbols_;
  ir::Graph& graph_;
  Table tensors_, sym_ints_;
  std::unordered_map<std::string_view, ir::Value*> values_;
};

/// Lets `symbols` meet every expression of an exported graph and of those nested in it. `in_sizes`: the symbols that sizes of tensors use.
void collect_symbols(Json graph, SymbolReader& symbols, std::set<int>& in_sizes);

}  // namespace glint::compiler
