// Calls whose operands are all constants become constants. Small results are computed now; large ones when their
// bytes are wanted, so that weights are never all in memory at once. A result much larger than its operands stays
// a call: computing it is cheaper than storing it.

#include <algorithm>
#include <cstring>

#include "glint/compiler/ir/interpret.h"
#include "glint/compiler/ir/match.h"
#include "glint/compiler/ir/text.h"
#include "glint/compiler/pass.h"

namespace glint::compiler {
namespace {

using ir::Arg;
using ir::Graph;
using ir::Node;
using ir::Value;

constexpr uint64_t kEager = 1 << 20;   // results up to this many bytes are computed now
constexpr uint64_t kGrowth = 1 << 20;  // how much larger than its operands a result may be

/// One call over constants, kept apart from the graph it came from.
struct Call {
  Graph graph;
  Node* node = nullptr;
};

ir::Item load(const Value& constant);

std::vector<ir::Item> evaluate(const Node& node, std::span<std::byte> into = {}) {
  std::vector<std::pair<const Value*, ir::Item>> loaded;
  for (const Value* v : node.inputs()) loaded.emplace_back(v, load(*v));
  return ir::run_node(node, [&](const Value& v) -> const ir::Item& {
    return std::find_if(loaded.begin(), loaded.end(), [&](const auto& l) { return l.first == &v; })->second;
  }, into);
}

void copy_bytes(const ir::Item& item, std::span<std::byte> out) {
  if (!out.empty() && out.data() != item.memory.get()) std::memcpy(out.data(), item.memory.get(), out.size());
}

class LazyResult final : public ir::ConstantData {
 public:
  LazyResult(std::shared_ptr<const Call> call, size_t index, size_t size) : call_(std::move(call)), index_(index), size_(size) {
    // Equal calls give equal bytes: the hash is that of the call, so that nothing is computed only to be compared.
    std::string text = call_->node->op + " " + std::to_string(index);
    for (const Arg& a : call_->node->args()) text += " " + describe(a);
    set_hash(ir::hash_bytes(std::as_bytes(std::span(text))));
  }
  size_t size() const override { return size_; }
  Status read(std::span<std::byte> out) const override {
    try {
      const ir::Item item = evaluate(*call_->node, index_ == 0 ? out : std::span<std::byte>())[index_];
      if (out.size() != size_ || item.meta.size_bytes() != size_) return internal_error("a folded constant has another size than expected");
      copy_bytes(item, out);
      return {};
    } catch (const ir::Error& e) {
      return Status(e.diagnostic.code, "a folded constant cannot be computed");
    }
  }

  /// The result for one that reads it where it lies: a permutation of a constant copies nothing.
  ir::Item item() const {
    const Node& n = *call_->node;
    if (!n.is("aten::permute")) return evaluate(n)[index_];
    ir::Item item = load(*n.input(0));
    const TensorMeta from = item.meta;
    const std::vector<int64_t> dims = n.arg(1).ints();
    for (size_t d = 0; d < dims.size(); ++d) {
      const size_t source = size_t(dims[d] < 0 ? dims[d] + from.rank : dims[d]);
      item.meta.size[d] = from.size[source];
      item.meta.stride[d] = from.stride[source];
    }
    return item;
  }

 private:
  static std::string describe(const Arg& a) {
    if (a.is_value()) return a.value()->constant->hash() + ir::describe(a.value()->type, {});
    if (!a.is_list()) return ir::print_arg(a);
    std::string s = "[";
    for (const Arg& item : a.list()) s += describe(item) + ",";
    return s + "]";
  }

  std::shared_ptr<const Call> call_;
  size_t index_, size_;
};

ir::Item load(const Value& constant) {
  const auto* lazy = dynamic_cast<const LazyResult*>(constant.constant.get());
  return lazy != nullptr && constant.type.dim_order.empty() ? lazy->item() : ir::load_constant(constant);
}

Arg rebind(const Arg& arg, Graph& to) {
  if (arg.is_value()) return to.add_constant(arg.value()->name, arg.value()->type, arg.value()->constant);
  if (!arg.is_list()) return arg;
  Arg::List list;
  for (const Arg& a : arg.list()) list.push_back(rebind(a, to));
  return list;
}

std::shared_ptr<Call> detach(const Node& node) {
  auto call = std::make_shared<Call>();
  std::vector<Arg> args;
  for (const Arg& a : node.args()) args.push_back(rebind(a, call->graph));
  std::vector<ir::Type> types;
  for (const Value* v : node.results()) types.push_back(v->type);
  call->node = call->graph.add_node(nullptr, node.op, std::move(args), std::move(types), node.origin);
  call->node->schema = node.schema;
  call->node->def = node.def;
  return call;
}

/// Views of large constants that are needed as they are, too, would be second copies.
bool is_view_of_shared(const Node& node) {
  if (node.schema->arg_count == 0 || node.schema->arg_store[0].alias == 0) return false;
  const Value* v = node.input(0);
  return v != nullptr && v->constant->size() > kEager && v->users().size() > 1;
}

bool foldable(const Node& node) {
  if (node.def == nullptr || !ir::is_pure(node) || node.results().empty()) return false;
  uint64_t in = 0, out = 0;
  for (const Value* v : node.inputs()) {
    if (!ir::is_constant(v)) return false;
    in += v->constant->size();
  }
  for (const Value* v : node.results()) {
    if (!v->type.is_tensor() || !v->type.is_static() || !v->type.dim_order.empty()) return false;
    const uint64_t bytes = ir::size_bytes(v->type, node.graph().symbols);
    if (bytes > UINT64_MAX / 16) return false;
    out += bytes;
  }
  return out <= in + kGrowth && !is_view_of_shared(node);
}

void fold(Graph& graph, Node* node) {
  uint64_t bytes = 0;
  for (const Value* v : node->results()) bytes += ir::size_bytes(v->type, graph.symbols);
  std::vector<ir::Item> items;
  std::shared_ptr<Call> call;
  if (bytes <= kEager) items = evaluate(*node);
  else call = detach(*node);
  for (size_t i = 0; i < node->results().size(); ++i) {
    Value* v = node->result(i);
    if (graph.is_unused(v)) continue;
    const size_t size = size_t(ir::size_bytes(v->type, graph.symbols));
    ir::ConstantPtr data;
    if (call != nullptr) {
      data = std::make_shared<LazyResult>(call, i, size);
    } else {
      std::vector<std::byte> copy(size);
      copy_bytes(items[i], copy);
      data = ir::make_constant(std::move(copy));
    }
    graph.replace_uses(v, graph.add_constant(v->name, v->type, std::move(data)));
  }
  graph.erase(node);
}

// --- numbers -----------------------------------------------------------------

bool substitute(Arg& arg, const Value* v, int64_t number) {
  if (arg.is_value() && arg.value() == v) return arg = number, true;
  bool any = false;
  if (arg.is_list())
    for (Arg& a : arg.list()) any |= substitute(a, v, number);
  return any;
}

/// An int result that is known becomes a number wherever it is used.
void fold_number(Graph& graph, Node* node) {
  Value* v = node->result();
  const int64_t number = v->type.number.value();
  for (Node* user : std::vector<Node*>(v->users()))
    for (size_t i = 0; i < user->args().size(); ++i) {
      Arg changed = user->arg(i);
      if (substitute(changed, v, number)) user->set_arg(i, std::move(changed));
    }
  for (Arg& a : graph.outputs) substitute(a, v, number);
  if (graph.is_unused(v) && ir::is_removable(*node)) graph.erase(node);
}

void run(Graph& graph, PassContext&) {
  for (Node* n : graph.nodes()) {
    const bool number = n->results().size() == 1 && n->result()->type.kind == ir::Type::Kind::kInt && n->result()->type.has_number && n->result()->type.number.is_static();
    if (number) fold_number(graph, n);
    else if (foldable(*n)) fold(graph, n);
  }
  graph.prune_constants();
}

}  // namespace

extern constinit const PassDef pass_fold_constants{
    .name = "fold-constants",
    .summary = "compute calls whose operands are constants",
    .needs = ir::Stage::kCore,
    .gives = ir::Stage::kCore,
    .run = run,
};

}  // namespace glint::compiler
