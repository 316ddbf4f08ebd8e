#pragma once

// Calls operator definitions from the IR: arguments become core Values over storage of the call.

#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "glint/compiler/ir/graph.h"

namespace glint::ir {

using OpValue = ::glint::Value;  // a core value; ir::Value is a value of the graph

/// What an IR value is in this call: a number, or a tensor whose meta and data go to `store`.
using Resolve = std::function<OpValue(const Value& value, Tensor& store)>;

/// Operands and results of one call. Pointers stay valid while it lives; it does not move.
class Call {
 public:
  /// Throws ir::Error when an argument does not fit the schema. `list_results`: entries of each Tensor[] result.
  Call(const Schema& schema, std::span<const Arg> args, size_t list_results, const Resolve& resolve);
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  std::vector<OpValue> in, out;
  std::deque<Tensor> results;  // the tensors among the results, lists flattened

 private:
  OpValue bind(const SchemaArg& arg, const Arg& value, const Resolve& resolve);
  OpValue bind_list(const SchemaArg& arg, const Arg::List& items, const Resolve& resolve);
  OpValue bind_tensors(const Arg::List& items, const Resolve& resolve);
  OpValue wrapped(const Arg& number);

  std::span<const Arg> args_;
  std::deque<Tensor> tensors_;
  std::deque<std::vector<Tensor*>> lists_;
  std::deque<std::vector<int64_t>> ints_;
  std::deque<std::vector<double>> floats_;
  std::vector<std::unique_ptr<bool[]>> bools_;
  std::deque<double> elements_;
};

/// Sizes of `type` under an assignment of the symbols, with the strides of its dim order. False when they are no sizes.
bool meta_at(const Type& type, const Symbols& symbols, const std::vector<int64_t>& assignment, TensorMeta& meta);
/// Resolves values to their types at an assignment: tensors without data, numbers by their expressions.
Resolve resolve_types(const Symbols& symbols, const std::vector<int64_t>& assignment);
/// The dtype that a Python number takes where a tensor is expected: that of the tensors it meets, when of the same category.
DType wrapped_dtype(const Arg& number, std::span<const Arg> args);
/// For int-valued operators of symbolic sizes (sym_size, executorch_prim): the type of the result; false for others.
bool symbolic_result(std::string_view op, std::span<const Arg> args, Type& type);

}  // namespace glint::ir
