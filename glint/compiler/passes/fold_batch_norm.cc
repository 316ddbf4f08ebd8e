// batch_norm(convolution(x, w, b))  =>  convolution(x, w * s, (b - mean) * s + beta) with s = gamma / sqrt(var + eps),
// where all of these are constants. The scaled weights are made when their bytes are wanted; arithmetic is in
// double, so that one rounding separates them from the exact product.

#include <cmath>
#include <optional>

#include "glint/compiler/ir/interpret.h"
#include "glint/compiler/ir/match.h"
#include "glint/compiler/pass.h"
#include "glint/kernels/convert.h"

namespace glint::compiler {
namespace {

using ir::Arg;
using ir::Node;
using ir::Value;

/// A weight with every output channel multiplied by its factor. The weight is seen as [outer, channels, inner];
/// groups of a transposed convolution repeat the channels: its channel is (outer / outer_per_group) * channels + c.
class ScaledWeight final : public ir::ConstantData {
 public:
  ScaledWeight(ir::ConstantPtr weight, DType dtype, int64_t channels, int64_t inner, int64_t outer_per_group, std::vector<double> factors)
      : weight_(std::move(weight)), dtype_(dtype), channels_(channels), inner_(inner), outer_per_group_(outer_per_group), factors_(std::move(factors)) {}
  size_t size() const override { return weight_->size(); }
  Status read(std::span<std::byte> out) const override {
    GLINT_TRY(weight_->read(out));
    const int64_t rows = inner_ == 0 ? 0 : int64_t(out.size() / dtype_size(dtype_)) / inner_;
    std::vector<double> row(static_cast<size_t>(inner_));
    for (int64_t r = 0; r < rows; ++r) {
      std::byte* p = out.data() + size_t(r * inner_) * dtype_size(dtype_);
      const double factor = factors_[size_t(r / channels_ / outer_per_group_ * channels_ + r % channels_)];
      kernels::load(dtype_, p, 1, inner_, row.data());
      for (double& v : row) v *= factor;
      kernels::store(dtype_, p, 1, inner_, row.data());
    }
    return {};
  }

 private:
  ir::ConstantPtr weight_;
  DType dtype_;
  int64_t channels_, inner_, outer_per_group_;
  std::vector<double> factors_;
};

struct BatchNorm {
  Value *input, *weight, *bias, *mean, *var;
  double eps;
};

std::optional<BatchNorm> match_batch_norm(const Node& n) {
  const bool no_training = n.is("aten::_native_batch_norm_legit_no_training");
  const bool evaluating = (n.is("aten::native_batch_norm") || n.is("aten::_native_batch_norm_legit_functional")) && n.arg(5) == Arg(false);
  if (!no_training && !evaluating) return std::nullopt;
  for (size_t i = 1; i < n.results().size(); ++i)
    if (!n.graph().is_unused(n.result(i))) return std::nullopt;
  const BatchNorm b{n.input(0), n.input(1), n.input(2), n.input(3), n.input(4), n.args().back().to_double()};
  if (!ir::is_constant(b.mean) || !ir::is_constant(b.var)) return std::nullopt;
  for (const Value* v : {b.weight, b.bias})
    if (v != nullptr && !ir::is_constant(v)) return std::nullopt;
  return b;
}

std::vector<double> values_or(const Value* v, size_t count, double otherwise) {
  return v != nullptr ? ir::load_constant(*v).values() : std::vector<double>(count, otherwise);
}

void fold(ir::Graph& graph, PassContext& context, Node& norm, const BatchNorm& b) {
  Node* conv = b.input->producer;
  if (conv == nullptr || !conv->is("aten::convolution") || !ir::is_only_use(b.input, &norm)) return;
  Value* weight = conv->input(1);
  Value* bias = conv->input(2);
  const ir::Type& type = b.input->type;
  if (!ir::is_constant(weight) || (bias != nullptr && !ir::is_constant(bias)) || !is_floating(weight->type.dtype)) return;
  if (weight->type.rank() < 2 || type.rank() < 2 || !type.dims[1].is_static() || !weight->type.dim_order.empty()) return;
  const size_t channels = size_t(type.dims[1].value());
  const std::vector<double> mean = values_or(b.mean, channels, 0), var = values_or(b.var, channels, 0);
  const std::vector<double> gamma = values_or(b.weight, channels, 1), beta = values_or(b.bias, channels, 0), old = values_or(bias, channels, 0);
  std::vector<double> factors(channels), shifted(channels);
  for (size_t c = 0; c < channels; ++c) {
    factors[c] = gamma[c] / std::sqrt(var[c] + b.eps);
    shifted[c] = (old[c] - mean[c]) * factors[c] + beta[c];
  }

  std::vector<int64_t> sizes;
  for (const ir::Dim& d : weight->type.dims) sizes.push_back(d.value());
  int64_t inner = 1;
  for (size_t i = 2; i < sizes.size(); ++i) inner *= sizes[i];
  const bool transposed = conv->arg("transposed") == Arg(true);
  const int64_t groups = conv->arg("groups").as_int();
  // Plain: [out, in/groups, ...], one row a channel. Transposed: [in, out/groups, ...].
  auto scaled = transposed ? std::make_shared<ScaledWeight>(weight->constant, weight->type.dtype, sizes[1], inner, std::max<int64_t>(sizes[0] / groups, 1), factors)
                           : std::make_shared<ScaledWeight>(weight->constant, weight->type.dtype, sizes[0], sizes[1] * inner, 1, factors);
  ir::Builder builder(graph, context.ops, &norm);
  Value* new_bias = builder.constant(bias != nullptr ? bias->type.dtype : weight->type.dtype, {int64_t(channels)}, shifted);
  std::vector<Arg> args(conv->args().begin(), conv->args().end());
  args[1] = graph.add_constant(weight->name, weight->type, std::move(scaled));
  args[2] = new_bias;
  graph.replace_uses(norm.result(), builder.op(conv->op, std::move(args)));
  graph.erase(&norm);
  graph.erase(conv);
}

void run(ir::Graph& graph, PassContext& context) {
  for (Node* n : graph.nodes())
    if (const auto b = match_batch_norm(*n)) fold(graph, context, *n, *b);
  graph.prune_constants();
}

}  // namespace

extern constinit const PassDef pass_fold_batch_norm{
    .name = "fold-batch-norm",
    .summary = "fold batch normalisation into the convolution before it",
    .needs = ir::Stage::kCore,
    .gives = ir::Stage::kCore,
    .run = run,
};

}  // namespace glint::compiler
