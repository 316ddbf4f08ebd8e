// Convolutions leave their results channels-last; what follows them element by element, pools, resamples, pads or
// concatenates keeps that order, so that nothing is transposed between convolutions. Any order is correct: operators
// honour strides. Only the order in which results are stored changes.

#include <string_view>

#include "glint/compiler/pass.h"

namespace glint::compiler {
namespace {

using ir::Node;
using ir::Value;

/// Operators, besides elementwise ones, whose result follows the order of their first input.
constexpr std::string_view kFollow[] = {
    "glint::tile", "glint::pool", "aten::cat", "aten::avg_pool2d", "aten::max_pool2d_with_indices", "aten::_adaptive_avg_pool2d", "aten::adaptive_max_pool2d",
    "aten::upsample_nearest2d", "aten::upsample_nearest2d.vec", "aten::upsample_bilinear2d", "aten::upsample_bilinear2d.vec",
    "aten::upsample_bicubic2d", "aten::constant_pad_nd", "aten::_native_batch_norm_legit_no_training", "aten::reflection_pad2d", "aten::replication_pad2d",
    "aten::native_group_norm", "aten::mean.dim", "aten::pixel_shuffle",
};

bool follows(const Node& n) {
  if (n.def != nullptr && n.def->flags.may_alias) return true;
  for (const std::string_view name : kFollow)
    if (n.op == name) return true;
  return false;
}

/// The first operand of the result's rank that has an order of its own.
const Value* leader(const Node& n, size_t rank) {
  for (const Value* v : n.inputs())
    if (v->type.is_tensor() && v->type.rank() == rank && !v->type.dim_order.empty()) return v;
  return nullptr;
}

void run(ir::Graph& graph, PassContext&) {
  for (Node* n : graph.nodes()) {
    if (!follows(*n)) continue;
    for (Value* r : n->results()) {
      if (!r->type.is_tensor() || !r->type.dim_order.empty()) continue;
      if (const Value* v = leader(*n, r->type.rank())) r->type.dim_order = v->type.dim_order;
    }
  }
}

}  // namespace

extern constinit const PassDef pass_assign_layouts{
    .name = "assign-layouts",
    .summary = "results keep the channels-last order of the convolutions they follow",
    .needs = ir::Stage::kLowered,
    .gives = ir::Stage::kLowered,
    .run = run,
};

}  // namespace glint::compiler
