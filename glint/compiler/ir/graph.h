#pragma once

// The one printable IR of the compiler. A Graph is a list of nodes in execution
// order; a node calls an operator; values are typed and assigned once.

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "glint/base/result.h"
#include "glint/compiler/ir/symbols.h"
#include "glint/core/op_def.h"

namespace glint::ir {

class Graph;
class Node;
class Value;

/// Where a node comes from: what errors and profiles show.
struct Origin {
  std::string name;         // the imported value, "conv2d_3"
  std::string module_path;  // "features.0.0 (torch.nn.modules.conv.Conv2d)"
  std::string source;       // innermost line of the model's own code: "model.py:31 in forward: x = self.conv(x)"
};
using OriginPtr = std::shared_ptr<const Origin>;

struct Type {
  enum class Kind : uint8_t { kTensor, kInt, kFloat, kBool } kind = Kind::kTensor;
  // kTensor
  DType dtype = DType::kF32;
  std::vector<Dim> dims;
  std::vector<uint8_t> dim_order;  // outermost first; empty means row-major
  // kInt: the value as an expression, when known (symbolic sizes); else a new symbol or nothing
  Dim number;
  bool has_number = false;

  static Type tensor(DType dtype, std::vector<Dim> dims) { Type t; t.dtype = dtype; t.dims = std::move(dims); return t; }
  static Type integer(Dim d) { Type t; t.kind = Kind::kInt; t.number = std::move(d); t.has_number = true; return t; }
  static Type of(Kind k) { Type t; t.kind = k; return t; }

  bool is_tensor() const { return kind == Kind::kTensor; }
  size_t rank() const { return dims.size(); }
  bool is_static() const { for (const Dim& d : dims) if (!d.is_static()) return false; return true; }
};

/// The bytes of a constant, wherever they are. Immutable and shared.
class ConstantData {
 public:
  virtual ~ConstantData() = default;
  /// Writes all size() bytes, row-major elements, to `out`. May be called more than once, from one thread at a time.
  virtual Status read(std::span<std::byte> out) const = 0;
  virtual size_t size() const = 0;
  /// 128-bit content hash as 32 hex digits (computed on first use, by streaming); equal bytes, equal hash.
  const std::string& hash() const;

 protected:
  /// For data whose hash is known without reading it.
  void set_hash(std::string hash) { hash_ = std::move(hash); }

 private:
  mutable std::string hash_;
};
using ConstantPtr = std::shared_ptr<const ConstantData>;
/// A constant over bytes that it owns.
ConstantPtr make_constant(std::vector<std::byte> bytes);

/// One argument of a node: nothing, a value, a constant, or a list of these.
class Arg {
 public:
  using List = std::vector<Arg>;
  Arg() = default;
  Arg(Value* v) : v_(v) {}
  Arg(int64_t v) : v_(v) {}
  Arg(int v) : v_(int64_t(v)) {}
  Arg(double v) : v_(v) {}
  Arg(bool v) : v_(v) {}
  Arg(DType v) : v_(v) {}
  Arg(std::string v) : v_(std::move(v)) {}
  Arg(const char* v) : v_(std::string(v)) {}
  Arg(List v) : v_(std::move(v)) {}
  Arg(const std::vector<int64_t>& ints) : v_(List(ints.begin(), ints.end())) {}
  Arg(const std::vector<Value*>& values) : v_(List(values.begin(), values.end())) {}

  bool is_none() const { return std::holds_alternative<std::monostate>(v_); }
  bool is_value() const { return std::holds_alternative<Value*>(v_); }
  bool is_int() const { return std::holds_alternative<int64_t>(v_); }
  bool is_float() const { return std::holds_alternative<double>(v_); }
  bool is_bool() const { return std::holds_alternative<bool>(v_); }
  bool is_dtype() const { return std::holds_alternative<DType>(v_); }
  bool is_string() const { return std::holds_alternative<std::string>(v_); }
  bool is_list() const { return std::holds_alternative<List>(v_); }
  bool is_number() const { return is_int() || is_float() || is_bool(); }

  // Each throws std::bad_variant_access on another kind.
  Value* value() const { return std::get<Value*>(v_); }
  int64_t as_int() const { return std::get<int64_t>(v_); }
  double as_float() const { return std::get<double>(v_); }
  bool as_bool() const { return std::get<bool>(v_); }
  DType as_dtype() const { return std::get<DType>(v_); }
  const std::string& as_string() const { return std::get<std::string>(v_); }
  const List& list() const { return std::get<List>(v_); }
  List& list() { return std::get<List>(v_); }
  /// int, float or bool as a double.
  double to_double() const;
  /// A list of known ints; throws when an entry is not one.
  std::vector<int64_t> ints() const;

  bool operator==(const Arg& other) const = default;

 private:
  std::variant<std::monostate, Value*, int64_t, double, bool, DType, std::string, List> v_;
};

/// One result of a node, an input, a constant, or the value of a state on entry.
class Value {
 public:
  enum class Role : uint8_t { kResult, kInput, kConstant, kState, kCapture };

  Type type;
  std::string name;           // unique within the graph; printed as %name
  Role role = Role::kResult;
  Node* producer = nullptr;   // kResult only
  int index = 0;              // which result, input or state
  ConstantPtr constant;       // kConstant only

  /// The nodes that use this value, once for each use. Outputs and state updates of the graph are not nodes: see Graph::is_output.
  const std::vector<Node*>& users() const { return users_; }

 private:
  friend class Node;
  friend class Graph;
  std::vector<Node*> users_;
};

/// A call of an operator. Arguments follow the schema one for one, defaults filled in.
class Node {
 public:
  std::string op;                 // "aten::add.Tensor"
  const Schema* schema = nullptr; // null: an operator that nobody knows (refused by the compiler, named in the error)
  const OpDef* def = nullptr;     // null: composite or unknown
  OriginPtr origin;
  std::vector<std::string> unknown_arg_names;  // for printing when schema is null
  std::vector<std::unique_ptr<Graph>> regions; // bodies of cond, while_loop, map, scan: inputs are explicit captures
  int id = 0;                     // creation order; stable

  std::span<const Arg> args() const { return args_; }
  const Arg& arg(size_t i) const { return args_[i]; }
  /// By the schema's argument name; throws ir::Error when there is none.
  const Arg& arg(std::string_view name) const;
  void set_arg(size_t i, Arg value);
  void set_args(std::vector<Arg> args);
  /// The value of a tensor argument, or null for None.
  Value* input(size_t i) const { return args_[i].is_value() ? args_[i].value() : nullptr; }

  const std::vector<Value*>& results() const { return results_; }
  Value* result(size_t i = 0) const { return results_[i]; }
  bool is(std::string_view name) const { return op == name; }
  Graph& graph() const { return *graph_; }
  /// Every value among the arguments, lists included, in order.
  std::vector<Value*> inputs() const;

 private:
  friend class Graph;
  Graph* graph_ = nullptr;
  std::vector<Arg> args_;
  std::vector<Value*> results_;
  std::list<std::unique_ptr<Node>>::iterator self_;
};

/// A mutable buffer as SSA: `value` on entry, `final` at the end (null until functionalised; equal to `value`: unchanged).
struct State {
  std::string name;        // qualified, "layers.0.cache_k"
  Value* value = nullptr;  // Role::kState
  Value* final = nullptr;
  ConstantPtr initial;     // null: zeros
};

/// An input that the model writes to: on return the caller sees `final` in it.
struct InputMutation { size_t input; Value* final; };

/// One method of a program.
class Graph {
 public:
  Graph();
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  std::string name = "forward";
  Symbols symbols;
  std::vector<Value*> inputs;          // in the order of the user's inputs
  std::vector<Arg> outputs;            // flattened; values or constants (None, int, float, bool)
  std::vector<State> states;
  std::vector<InputMutation> mutations;
  std::vector<std::string> output_names;
  std::string in_spec, out_spec;       // pytree strings of the exported program, kept as they are

  /// Nodes in execution order: a snapshot, safe to iterate while editing.
  std::vector<Node*> nodes() const;
  /// The node before `node`, or null.
  Node* previous(const Node* node) const;
  /// The id of the node that is made next: nodes made from now on have ids from here.
  int next_node_id() const { return next_id_; }
  size_t node_count() const { return nodes_.size(); }
  std::vector<Value*> constants() const;

  Value* add_input(std::string name, Type type);
  Value* add_constant(std::string name, Type type, ConstantPtr data);
  /// Appends to `states`.
  Value* add_state(std::string name, Type type, ConstantPtr initial);
  /// A new node before `before` (at the end when null) with `result_types` results. Names results after origin or op.
  Node* add_node(Node* before, std::string op, std::vector<Arg> args, std::vector<Type> result_types, OriginPtr origin = {});
  /// Gives a node without results its results, with names of the caller's choice.
  void set_results(Node* node, const std::vector<std::string>& names, std::vector<Type> types);
  /// Every use of `from`, in nodes, outputs, state finals and mutations, becomes `to`. Origins are merged into `to`'s producer when it has none.
  void replace_uses(Value* from, Value* to);
  /// Removes a node none of whose results is used.
  void erase(Node* node);
  /// Drops constants (and captures) that nothing uses.
  void prune_constants();
  bool is_output(const Value* v) const;
  /// No node, output, state or mutation uses it.
  bool is_unused(const Value* v) const { return v->users().empty() && !is_output(v); }
  /// A name based on `hint` that no value of the graph has yet.
  std::string unique_name(std::string_view hint);
  Value* find_value(std::string_view name) const;
  /// Moves `node` before `before` (same graph).
  void move_before(Node* node, Node* before);
  /// Grows with every edit: how the pass manager sees whether a pass changed something.
  uint64_t version() const { return version_; }
  /// To be called after changing public fields directly.
  void touch() { ++version_; }

 private:
  friend class Node;
  Value* new_value(std::string_view hint, Type type, Value::Role role);
  void add_uses(Node* user, const Arg& arg);
  void drop_uses(Node* user, const Arg& arg);
  std::list<std::unique_ptr<Node>> nodes_;
  std::vector<std::unique_ptr<Value>> values_;
  std::vector<Value*> constants_;
  int next_id_ = 0;
  uint64_t version_ = 0;
  struct Names;
  std::unique_ptr<Names> names_;
};

/// What is compiled: one or more methods that share states by name.
struct Module {
  std::vector<std::unique_ptr<Graph>> methods;
};

/// A problem found while compiling: what an error message is made of.
struct Diagnostic {
  Code code = Code::kInvalidProgram;
  std::string message;   // "aten::add.Tensor: the sizes of the operands do not broadcast"
  std::string operands;  // "self f32[2,3], other f32[4]"
  OriginPtr origin;
  std::string hint;
  /// One paragraph: message, operands, origin, hint.
  std::string text() const;
};

/// Thrown inside the compiler, caught by its public functions.
struct Error {
  Diagnostic diagnostic;
  Error(Code code, std::string message, OriginPtr origin = {}, std::string operands = {}, std::string hint = {});
  /// About a node: names it and describes its operands.
  Error(Code code, const Node& node, std::string message, std::string hint = {});
};

/// "self f32[2,3], other i64[]" for a node's arguments.
std::string describe_operands(const Node& node);
/// "f32[2,s0]" ...
std::string describe(const Type& type, const Symbols& symbols);

}  // namespace glint::ir
