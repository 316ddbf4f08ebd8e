// Convolutions and matrix products with constant float32 weights become glint::conv and glint::linear over packed
// weights; recurrent layers get theirs packed. glint::pack is a pure operator: constant folding runs it and drops the original. A linear layer on more than two
// dimensions loses the reshapes that its decomposition put around the product.

#include <unordered_set>

#include "glint/compiler/ir/match.h"
#include "glint/compiler/pass.h"

namespace glint::compiler {
namespace {

using ir::Arg;
using ir::Builder;
using ir::Dim;
using ir::is_constant;
using ir::Node;
using ir::Value;

bool is_f32(const Value* v) { return v != nullptr && v->type.is_tensor() && v->type.dtype == DType::kF32; }

/// Two numbers from a list of one or two, as PyTorch reads it.
std::vector<int64_t> pair(const Arg& list) {
  std::vector<int64_t> v = list.ints();
  if (v.size() == 1) v.push_back(v[0]);
  return v;
}

void lower_convolution(ir::Graph& graph, const ir::OpLookup& ops, Node* n) {
  Value* x = n->input(0);
  Value* weight = n->input(1);
  Value* bias = n->input(2);
  if (!is_f32(x) || !is_f32(weight) || !is_constant(weight) || (bias != nullptr && (!is_constant(bias) || !is_f32(bias))) || n->arg("transposed").as_bool()) return;
  const size_t rank = x->type.rank();
  if ((rank != 3 && rank != 4) || !weight->type.is_static()) return;
  Builder b(graph, ops, n);
  std::vector<int64_t> stride = n->arg("stride").ints(), padding = n->arg("padding").ints(), dilation = n->arg("dilation").ints();
  if (rank == 3) {  // one line of pixels
    x = b.op("aten::unsqueeze", {x, 2});
    weight = b.op("aten::unsqueeze", {weight, 2});
    stride.insert(stride.begin(), 1);
    padding.insert(padding.begin(), 0);
    dilation.insert(dilation.begin(), 1);
  }
  std::vector<int64_t> sizes;
  for (const Dim& d : weight->type.dims) sizes.push_back(d.value());
  const int64_t groups = n->arg("groups").as_int();
  const bool depthwise = groups > 1 && sizes[0] == groups && sizes[1] == 1;
  Value* packed = b.op("glint::pack", {weight, bias == nullptr ? Arg() : Arg(bias), depthwise ? "f32.dw16" : "f32.n16", groups});
  Value* result = b.op("glint::conv", {x, packed, sizes, pair(Arg(stride)), pair(Arg(padding)), pair(Arg(dilation)), groups, "", Arg::List(), true});
  result->type.dim_order = {0, 2, 3, 1};
  if (rank == 3) result = b.op("aten::squeeze.dim", {result, 2});
  graph.replace_uses(n->result(), result);
  graph.erase(n);
}

bool is_reshape(const Node* n) { return n != nullptr && (n->is("aten::view") || n->is("aten::_unsafe_view")); }

/// view(product(view(x))) that only folds x's leading dimensions and unfolds them again: the outer view; else null.
Node* unfolded(const Node& product, const Value* rows, Value** x) {
  Node* fold = rows->producer;
  if (!is_reshape(fold) || product.result()->users().size() != 1 || product.graph().is_output(product.result())) return nullptr;
  Node* unfold = product.result()->users()[0];
  if (!is_reshape(unfold)) return nullptr;
  const auto& from = fold->input(0)->type.dims;
  const auto& to = unfold->result()->type.dims;
  if (from.size() < 2 || from.size() != to.size() || !(from.back() == rows->type.dims[1]) || !(to.back() == product.result()->type.dims[1])) return nullptr;
  for (size_t i = 0; i + 1 < from.size(); ++i)
    if (!(from[i] == to[i])) return nullptr;
  *x = fold->input(0);
  return unfold;
}

void lower_product(ir::Graph& graph, const ir::OpLookup& ops, Node* n, std::unordered_set<const Node*>& erased) {
  const bool biased = n->is("aten::addmm");
  Value* bias = biased ? n->input(0) : nullptr;
  Value* rows = n->input(biased ? 1 : 0);
  Value* weight = n->input(biased ? 2 : 1);
  if (!is_f32(rows) || !is_f32(weight) || !is_constant(weight) || !weight->type.is_static()) return;
  if (biased) {
    if (!is_constant(bias) || !is_f32(bias) || bias->type.rank() != 1 || !(bias->type.dims[0] == weight->type.dims[1])) return;
    if (n->arg("beta").to_double() != 1 || n->arg("alpha").to_double() != 1) return;
  }
  Value* x = rows;
  Node* unfold = unfolded(*n, rows, &x);
  Node* last = unfold != nullptr ? unfold : n;
  Builder b(graph, ops, last, ir::origin_for(n->origin, last->origin));
  Value* packed = b.op("glint::pack", {b.op("aten::permute", {weight, std::vector<int64_t>{1, 0}}), biased ? Arg(bias) : Arg(), "f32.n16", 1});
  Value* result = b.op("glint::linear", {x, packed, weight->type.dims[1].value(), "", Arg::List()});
  graph.replace_uses(last->result(), result);
  erased.insert(last);
  graph.erase(last);
  if (unfold != nullptr) graph.erase(n);
}

void pack_recurrent(const ir::OpLookup& ops, Node* n) {
  Value* weight = n->input(1);
  Value* bias = n->input(2);
  if (!is_f32(weight) || !is_constant(weight) || (bias != nullptr && !is_constant(bias))) return;
  Builder b(n->graph(), ops, n);
  n->set_arg(1, b.op("glint::pack", {weight, bias == nullptr ? Arg() : Arg(bias), "f32.n16", 1}));
  n->set_arg(2, Arg());
}

void run(ir::Graph& graph, PassContext& context) {
  std::unordered_set<const Node*> erased;  // nodes ahead that a product took with it
  for (Node* n : graph.nodes()) {
    if (erased.count(n) != 0) continue;
    if (n->is("aten::convolution")) lower_convolution(graph, context.ops, n);
    else if (n->is("aten::addmm") || n->is("aten::mm")) lower_product(graph, context.ops, n, erased);
    else if (n->is("glint::recurrent")) pack_recurrent(context.ops, n);
  }
}

}  // namespace

extern constinit const PassDef pass_pack_weights{
    .name = "pack-weights",
    .summary = "convolutions and products with constant weights use packed weights",
    .needs = ir::Stage::kCore,
    .gives = ir::Stage::kLowered,
    .run = run,
};

}  // namespace glint::compiler
