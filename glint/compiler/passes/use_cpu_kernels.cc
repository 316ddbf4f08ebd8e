// Float32 calls for which this build has a fast operator of its own take it: products of two activations, pools, and
// the padding in front of a convolution, which becomes the convolution's own.

#include "glint/compiler/pass.h"

namespace glint::compiler {
namespace {

using ir::Arg;
using ir::Builder;
using ir::Node;
using ir::Value;

bool is_f32(const Value* v, size_t rank) { return v != nullptr && v->type.is_tensor() && v->type.dtype == DType::kF32 && v->type.rank() == rank; }

void replace(Node* n, Value* by) {
  n->graph().replace_uses(n->result(), by);
  n->graph().erase(n);
}

void lower_product(Builder& b, Node* n) {
  const size_t rank = n->is("aten::bmm") ? 3 : 2;
  if (!is_f32(n->input(0), rank) || !is_f32(n->input(1), rank)) return;
  replace(n, b.op("glint::matmul", {n->input(0), n->input(1), false, 1.0}));
}

void lower_max_pool(Builder& b, Node* n) {
  if (!is_f32(n->input(0), 4) || !n->graph().is_unused(n->result(1))) return;
  replace(n, b.op("glint::pool", {n->input(0), "max", n->arg(1), n->arg(2), n->arg(3), n->arg(4), n->arg(5)}));
}

void lower_avg_pool(Builder& b, Node* n) {
  if (!is_f32(n->input(0), 4)) return;
  replace(n, b.op("glint::pool", {n->input(0), "avg", n->arg(1), n->arg(2), n->arg(3), std::vector<int64_t>{1, 1}, n->arg(4), n->arg(5), n->arg(6)}));
}

void lower_adaptive_avg_pool(Builder& b, Node* n) {
  if (!is_f32(n->input(0), 4)) return;
  for (const Arg& a : n->arg(1).list())
    if (!a.is_int()) return;
  replace(n, b.op("glint::pool", {n->input(0), "adaptive_avg", n->arg(1)}));
}

/// conv(constant_pad_nd(x, [left, right, top, bottom], 0)) pads by itself.
void fold_padding(Builder& b, Node* conv) {
  Node* pad = conv->input(0)->producer;
  if (pad == nullptr || !pad->is("aten::constant_pad_nd") || !pad->arg(2).is_number() || pad->arg(2).to_double() != 0) return;
  for (const Arg& a : pad->arg(1).list())
    if (!a.is_int() || a.as_int() < 0) return;
  std::vector<int64_t> by = pad->arg(1).ints();
  if (by.size() > 4) return;
  by.resize(4);
  const size_t at = size_t(conv->schema->arg_index("padding"));
  std::vector<int64_t> own = conv->arg(at).ints();
  if (own.size() == 2) own = {own[0], own[1], own[0], own[1]};
  const std::vector<int64_t> padding = {own[0] + by[2], own[1] + by[0], own[2] + by[3], own[3] + by[1]};  // top, left, bottom, right
  std::vector<Arg> args(conv->args().begin(), conv->args().end());
  args[0] = pad->input(0);
  args[at] = Arg(padding);
  Value* result = b.op("glint::conv", std::move(args));
  result->type.dim_order = conv->result()->type.dim_order;
  replace(conv, result);
}

void run(ir::Graph& graph, PassContext& context) {
  for (Node* n : graph.nodes()) {
    Builder b(graph, context.ops, n);
    if (n->is("aten::bmm") || n->is("aten::mm")) lower_product(b, n);
    else if (n->is("aten::max_pool2d_with_indices")) lower_max_pool(b, n);
    else if (n->is("aten::avg_pool2d")) lower_avg_pool(b, n);
    else if (n->is("aten::_adaptive_avg_pool2d")) lower_adaptive_avg_pool(b, n);
    else if (n->is("glint::conv")) fold_padding(b, n);
  }
}

}  // namespace

extern constinit const PassDef pass_use_cpu_kernels{
    .name = "use-cpu-kernels",
    .summary = "products, pools and padded convolutions take this build's own operators",
    .needs = ir::Stage::kLowered,
    .gives = ir::Stage::kLowered,
    .run = run,
};

}  // namespace glint::compiler
