// Chains of elementwise float32 operators become one tile program: the epilogue of the convolution or matrix product
// that feeds them, or glint::tile. A region grows along the graph as long as it has a single value that others use.

#include <algorithm>
#include <limits>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "glint/compiler/ir/match.h"
#include "glint/compiler/pass.h"
#include "glint/kernels/elementwise/tile_program.h"

namespace glint::compiler {
namespace {

using ir::Arg;
using ir::Dim;
using ir::Graph;
using ir::Node;
using ir::Value;
using kernels::TileBuilder;
using kernels::TileMode;
using kernels::TileOp;

struct Simple { std::string_view op; TileOp tile; };
/// One operand, no further arguments that matter (or those checked in `encode`).
constexpr Simple kUnary[] = {
    {"aten::relu", TileOp::kRelu},       {"aten::neg", TileOp::kNeg},         {"aten::abs", TileOp::kAbs},         {"aten::sigmoid", TileOp::kSigmoid},
    {"aten::tanh", TileOp::kTanh},       {"aten::silu", TileOp::kSilu},       {"aten::hardswish", TileOp::kHardSwish}, {"aten::hardsigmoid", TileOp::kHardSigmoid},
    {"aten::exp", TileOp::kExp},         {"aten::log", TileOp::kLog},         {"aten::sqrt", TileOp::kSqrt},       {"aten::rsqrt", TileOp::kRsqrt},
    {"aten::square", TileOp::kSquare},   {"aten::reciprocal", TileOp::kReciprocal}, {"aten::erf", TileOp::kErf},  {"aten::floor", TileOp::kFloor},
    {"aten::ceil", TileOp::kCeil},       {"aten::round", TileOp::kRound},     {"aten::trunc", TileOp::kTrunc},
};
constexpr Simple kBinary[] = {
    {"aten::add.Tensor", TileOp::kAdd}, {"aten::sub.Tensor", TileOp::kSub}, {"aten::mul.Tensor", TileOp::kMul}, {"aten::div.Tensor", TileOp::kDiv},
    {"aten::minimum", TileOp::kMin},    {"aten::maximum", TileOp::kMax},
    {"aten::add.Scalar", TileOp::kAdd}, {"aten::sub.Scalar", TileOp::kSub}, {"aten::mul.Scalar", TileOp::kMul}, {"aten::div.Scalar", TileOp::kDiv},
};

template <size_t N>
const Simple* find(const Simple (&table)[N], std::string_view op) {
  for (const Simple& s : table)
    if (s.op == op) return &s;
  return nullptr;
}

bool is_f32(const Value* v) { return v != nullptr && v->type.is_tensor() && v->type.dtype == DType::kF32; }

/// Builds the program of a region: which operand or step each value is.
class Encoder {
 public:
  Encoder(const Value* accumulator, const Value* result) : builder_(accumulator != nullptr), result_(result) {
    if (accumulator != nullptr) steps_[accumulator] = 0;
  }

  /// Adds the steps of `n`; false when a tile cannot compute it.
  bool encode(const Node& n) {
    const std::optional<int> step = steps(n);
    if (!step || !builder_.ok()) return false;
    steps_[n.result()] = *step;
    return true;
  }
  std::string finish() { return std::string(builder_.finish()); }
  const std::vector<Value*>& operands() const { return operands_; }
  bool ok() const { return builder_.ok() && operands_.size() <= size_t(kernels::kTileMaxOperands); }

 private:
  std::optional<int> steps(const Node& n) {
    if (!is_f32(n.result())) return std::nullopt;
    if (const Simple* u = find(kUnary, n.op)) return with(n.input(0), [&](int a) { return builder_.step(u->tile, a); });
    if (const Simple* s = find(kBinary, n.op)) return binary(n, s->tile);
    if (n.is("aten::gelu")) return with(n.input(0), [&](int a) { return builder_.step(n.arg(1).as_string() == "tanh" ? TileOp::kGeluTanh : TileOp::kGelu, a); });
    if (n.is("aten::hardtanh")) return clamp(n, n.arg(1), n.arg(2));
    if (n.is("aten::clamp")) return clamp(n, n.arg(1), n.arg(2));
    if (n.is("aten::clamp_min")) return clamp(n, n.arg(1), Arg());
    if (n.is("aten::clamp_max")) return clamp(n, Arg(), n.arg(1));
    if (n.is("aten::leaky_relu") && n.arg(1).is_number())
      return with(n.input(0), [&](int a) { return builder_.step(TileOp::kLeakyRelu, a, builder_.constant(float(n.arg(1).to_double()))); });
    if (n.is("aten::pow.Tensor_Scalar") && n.arg(1).is_number() && n.arg(1).to_double() == 2)
      return with(n.input(0), [&](int a) { return builder_.step(TileOp::kSquare, a); });
    return std::nullopt;
  }

  template <class F>
  std::optional<int> with(Value* v, F&& f) {
    const auto a = step_of(v);
    return a ? std::optional<int>(f(*a)) : std::nullopt;
  }

  std::optional<int> binary(const Node& n, TileOp op) {
    const auto a = step_of(n.input(0));
    std::optional<int> b = n.arg(1).is_number() ? std::optional<int>(builder_.constant(float(n.arg(1).to_double()))) : step_of(n.input(1));
    if (!a || !b) return std::nullopt;
    if (n.schema->arg_index("alpha") >= 0) {
      const Arg& alpha = n.arg("alpha");
      if (!alpha.is_number() || alpha.to_double() != 1) return std::nullopt;  // the operator rounds once, a tile would round twice
    }
    return builder_.step(op, *a, *b);
  }

  std::optional<int> clamp(const Node& n, const Arg& lo, const Arg& hi) {
    constexpr float inf = std::numeric_limits<float>::infinity();
    if (!(lo.is_none() || lo.is_number()) || !(hi.is_none() || hi.is_number())) return std::nullopt;
    const float low = lo.is_none() ? -inf : float(lo.to_double()), high = hi.is_none() ? inf : float(hi.to_double());
    if (low != low || high != high) return std::nullopt;
    return with(n.input(0), [&](int a) { return builder_.clamp(a, low, high); });
  }

  std::optional<int> step_of(Value* v) {
    if (!is_f32(v)) return std::nullopt;
    if (const auto found = steps_.find(v); found != steps_.end()) return found->second;
    operands_.push_back(v);
    return steps_[v] = builder_.load(DType::kF32, mode_of(v));
  }

  /// One element, one for each index of the channel, or whatever numpy says.
  TileMode mode_of(const Value* v) const {
    for (const Dim& d : v->type.dims)
      if (!(d == Dim(1))) return TileMode::kFull;
    return TileMode::kScalar;
  }

  TileBuilder builder_;
  const Value* result_;
  std::unordered_map<const Value*, int> steps_;
  std::vector<Value*> operands_;
};

class Fusion {
 public:
  Fusion(Graph& graph, const ir::OpLookup& ops) : graph_(graph), ops_(ops), nodes_(graph.nodes()) {
    for (size_t i = 0; i < nodes_.size(); ++i) position_[nodes_[i]] = i;
  }

  void run() {
    for (Node* n : nodes_)  // epilogues first: they take what tiles could
      if (taken_.count(n) == 0 && (n->is("glint::conv") || n->is("glint::linear")) && n->arg("epilogue").as_string().empty()) fuse(n, true);
    for (Node* n : nodes_)
      if (taken_.count(n) == 0) fuse(n, false);
  }

 private:
  static constexpr size_t kMostNodes = 24;

  bool inside(const std::unordered_set<const Node*>& region, const Value* v) const { return v->producer != nullptr && region.count(v->producer) != 0; }

  /// Nodes after `root` that could join its region, in order.
  std::vector<Node*> candidates(Node* root) const {
    std::unordered_set<const Node*> region{root};
    std::vector<Node*> joined;
    // Users of the region in order of position; each joins when all it reads from after `root` is in the region.
    std::vector<Node*> queue(root->result()->users());
    while (joined.size() < kMostNodes) {
      std::sort(queue.begin(), queue.end(), [&](const Node* a, const Node* b) { return position_.at(a) > position_.at(b); });
      Node* next = nullptr;
      while (next == nullptr && !queue.empty()) {
        Node* n = queue.back();
        queue.pop_back();
        if (region.count(n) == 0 && position_.count(n) != 0 && taken_.count(n) == 0 && n->results().size() == 1 && n->result()->type.is_tensor() &&
            n->result()->type.dims == root->result()->type.dims && Encoder(nullptr, n->result()).encode(*n))
          next = n;
      }
      if (next == nullptr) break;
      region.insert(next);
      joined.push_back(next);
      for (Node* user : next->result()->users()) queue.push_back(user);
    }
    std::sort(joined.begin(), joined.end(), [&](const Node* a, const Node* b) { return position_.at(a) < position_.at(b); });
    return joined;
  }

  /// Whether only the last node's value is used outside of the region, and nothing the region reads comes from outside after passing through it.
  bool closed(const std::unordered_set<const Node*>& region, const Node* last) const {
    for (const Node* n : region) {
      if (n == last) continue;
      if (graph_.is_output(n->result())) return false;
      for (const Node* user : n->result()->users())
        if (region.count(user) == 0) return false;
    }
    return true;
  }

  void fuse(Node* root, bool epilogue) {
    if (root->results().size() != 1 || !is_f32(root->result())) return;
    if (!epilogue && !Encoder(nullptr, root->result()).encode(*root)) return;
    std::vector<Node*> more = candidates(root);
    while (!more.empty()) {
      std::unordered_set<const Node*> region(more.begin(), more.end());
      region.insert(root);
      Encoder encoder(epilogue ? root->result() : nullptr, more.back()->result());
      bool ok = closed(region, more.back()) && (epilogue || encoder.encode(*root));
      for (size_t i = 0; ok && i < more.size(); ++i) ok = encoder.encode(*more[i]);
      if (ok && encoder.ok()) return replace(root, more, encoder, epilogue);
      more.pop_back();
    }
  }

  void replace(Node* root, const std::vector<Node*>& more, Encoder& encoder, bool epilogue) {
    Node* last = more.back();
    ir::Builder b(graph_, ops_, last, ir::origin_for(root->origin, last->origin));
    Arg::List operands(encoder.operands().begin(), encoder.operands().end());
    std::vector<Arg> args;
    if (epilogue) {
      args.assign(root->args().begin(), root->args().end());
      args[size_t(root->schema->arg_index("epilogue"))] = Arg(encoder.finish());
      args[size_t(root->schema->arg_index("operands"))] = Arg(operands);
    } else {
      args = {Arg(operands), Arg(encoder.finish())};
    }
    Value* fused = b.op(epilogue ? root->op : "glint::tile", args);
    fused->type.dim_order = root->result()->type.dim_order;
    position_[fused->producer] = position_[last];
    taken_.insert(fused->producer);
    graph_.replace_uses(last->result(), fused);
    for (size_t i = more.size(); i-- > 0;) {
      taken_.insert(more[i]);
      graph_.erase(more[i]);
    }
    taken_.insert(root);
    graph_.erase(root);
  }

  Graph& graph_;
  const ir::OpLookup& ops_;
  std::vector<Node*> nodes_;
  std::unordered_map<const Node*, size_t> position_;
  std::unordered_set<const Node*> taken_;  // part of a fused node, or erased
};

void run(Graph& graph, PassContext& context) { Fusion(graph, context.ops).run(); }

}  // namespace

extern constinit const PassDef pass_fuse_elementwise{
    .name = "fuse-elementwise",
    .summary = "chains of elementwise operators become tile programs and epilogues",
    .needs = ir::Stage::kLowered,
    .gives = ir::Stage::kLowered,
    .run = run,
};

}  // namespace glint::compiler
