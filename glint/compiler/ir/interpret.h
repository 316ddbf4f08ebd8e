#pragma once

// The meaning of a graph: every node runs with its operator's definition, every
// value is a tensor of its own. The reference that compiled programs are judged by.

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "glint/compiler/ir/graph.h"

namespace glint::ir {

/// A value while interpreting: a dense tensor or a number. Copies share the memory, which nobody writes to once made.
struct Item {
  Type::Kind kind = Type::Kind::kTensor;
  bool none = false;                 // an output that is None
  TensorMeta meta;                   // kTensor
  std::shared_ptr<std::byte[]> memory;
  int64_t i = 0;
  double f = 0;
  bool b = false;

  /// Row-major; the bytes are copied (zeros when empty).
  static Item tensor(DType dtype, const std::vector<int64_t>& sizes, std::span<const std::byte> bytes = {});
  /// Elements converted to `dtype`, row-major.
  static Item tensor(DType dtype, const std::vector<int64_t>& sizes, const std::vector<double>& elements);
  static Item of(int64_t v) { Item item; item.kind = Type::Kind::kInt; item.i = v; return item; }
  static Item of(double v) { Item item; item.kind = Type::Kind::kFloat; item.f = v; return item; }
  static Item of(bool v) { Item item; item.kind = Type::Kind::kBool; item.b = v; return item; }

  std::span<const std::byte> bytes() const { return {memory.get(), meta.size_bytes()}; }
  /// Elements in row-major order as doubles; a number is one element.
  std::vector<double> values() const;
};

/// Mutable buffers by qualified name; missing ones start from State::initial. Updated by interpret.
using StateStore = std::map<std::string, Item>;
/// Sees the results of every node, regions included.
using Observer = std::function<void(const Node& node, std::span<const Item> results)>;

struct Interpretation {
  std::vector<Item> outputs;
  std::vector<Item> inputs;  // as the caller sees them afterwards: mutated ones hold their final value
};

/// Runs a graph of core operators. Throws ir::Error naming the node that fails. Random numbers come from `generator`; null:
/// from one with the default seed.
Interpretation interpret(const Graph& graph, std::span<const Item> inputs, StateStore& states, const Observer& observer = {}, Generator* generator = nullptr);
/// Runs one node on given operands (resolved by `operand`): for constant folding. The first tensor that it yields is written
/// to `into` if that has its size.
std::vector<Item> run_node(const Node& node, const std::function<const Item&(const Value&)>& operand, std::span<std::byte> into = {},
                           Generator* generator = nullptr);
/// The bytes of a constant as a tensor.
Item load_constant(const Value& constant);

}  // namespace glint::ir
