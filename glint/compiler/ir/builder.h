#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "glint/compiler/ir/graph.h"

namespace glint::ir {

/// Finds operators for the compiler: definitions that run, and schemas of composites that a pass takes apart.
class OpLookup {
 public:
  /// `composites`: full schema texts of operators without definition. Both outlive the lookup.
  OpLookup(OpTable ops, std::span<const Schema* const> composites);
  /// "aten::add.Tensor"; null when unknown. In-place names ("aten::add_.Tensor") give the functional schema.
  const Schema* schema(std::string_view name) const;
  const OpDef* def(std::string_view name) const;

 private:
  struct Index;
  std::shared_ptr<const Index> index_;
};

/// Fills in defaults up to the schema's length; throws ir::Error when a required argument is missing or there are too many.
void complete_args(const Schema& schema, std::vector<Arg>& args);

/// Types of the results of calling `def`, by running its infer at every sample of the graph's symbols and fitting
/// the sizes. Data-dependent sizes become new symbols with the operator's bound. Throws ir::Error naming `what`
/// (and its operands) when infer refuses. `list_results`: entries of a Tensor[] result.
std::vector<Type> infer_types(Graph& graph, const OpDef& def, std::span<const Arg> args, size_t list_results, const OriginPtr& origin);

/// Inserts nodes before a point, with types inferred. All functions throw ir::Error.
class Builder {
 public:
  /// New nodes go before `at` (end of graph when null) and take `origin` (or at's).
  Builder(Graph& graph, const OpLookup& ops, Node* at, OriginPtr origin = {});

  /// Calls an operator with one result. Trailing arguments may be left out; composites are not allowed... except
  /// those that a later decomposition removes, whose result type must then be given by `composite`.
  Value* op(std::string_view name, std::vector<Arg> args);
  /// All results. `list_results` for Tensor[].
  std::vector<Value*> ops(std::string_view name, std::vector<Arg> args, size_t list_results = 1);
  /// A node without inference, e.g. a composite to be decomposed later.
  Value* composite(std::string_view name, std::vector<Arg> args, Type type);

  /// A constant tensor of these elements (converted to dtype), row-major.
  Value* constant(DType dtype, const std::vector<int64_t>& sizes, const std::vector<double>& elements);
  /// 0-d.
  Value* scalar(DType dtype, double v) { return constant(dtype, {}, {v}); }
  /// A size as an argument: a number when static; else the int value (an existing sym_size or computed one,
  /// reused where the graph has it) that equals `d` while running.
  Arg size(const Dim& d);
  Arg sizes(const std::vector<Dim>& dims);
  /// Arithmetic on int arguments (numbers fold; else executorch_prim nodes).
  Arg add(const Arg& a, const Arg& b);
  Arg mul(const Arg& a, const Arg& b);

  Graph& graph() const { return graph_; }
  const OpLookup& lookup() const { return ops_; }
  Node* at() const { return at_; }

 private:
  Graph& graph_;
  const OpLookup& ops_;
  Node* at_;
  OriginPtr origin_;
};

}  // namespace glint::ir
