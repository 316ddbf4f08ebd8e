// Normalisations, and softmax in its public forms.

#include <cmath>
#include <limits>

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

double epsilon(DType d) {
  switch (d) {
    case DType::kF64: return std::numeric_limits<double>::epsilon();
    case DType::kF16: return 0x1p-10;
    case DType::kBF16: return 0x1p-7;
    default: return std::numeric_limits<float>::epsilon();
  }
}

/// running = (1 - momentum) * running + momentum * batch, written back.
void update_running(X& x, Value* running, Value* batch, double momentum) {
  if (!running) return;
  Value* kept = x.mul(running, 1 - momentum);
  Value* next = x.add(kept, x.mul(x.to(batch, x.dtype_of(running)), momentum));
  x.write(running, next);
}

/// With the running statistics written to.
Values batch_norm_legit(X& x) {
  const Values r = x.ops("aten::_native_batch_norm_legit_functional", {x.arg("input"), x.arg("weight"), x.arg("bias"), x.arg("running_mean"), x.arg("running_var"),
                                                                        x.arg("training"), x.arg("momentum"), x.arg("eps")});
  if (x.flag("training")) x.write(x.tensor("running_mean"), r[3]), x.write(x.tensor("running_var"), r[4]);
  return {r[0], r[1], r[2]};
}

Values batch_norm_with_update(X& x) {
  const Values r = x.ops("aten::_batch_norm_with_update_functional", {x.arg("input"), x.arg("weight"), x.arg("bias"), x.arg("running_mean"), x.arg("running_var"),
                                                                      x.arg("momentum"), x.arg("eps")});
  x.write(x.tensor("running_mean"), r[4]), x.write(x.tensor("running_var"), r[5]);
  return {r[0], r[1], r[2], r[3]};
}

Value* batch_norm(X& x) {
  Value* input = x.tensor("input");
  Value* mean = x.maybe("running_mean");
  Value* var = x.maybe("running_var");
  const Arg &weight = x.arg("weight"), &bias = x.arg("bias"), &momentum = x.arg("momentum"), &eps = x.arg("eps");
  if (!x.flag("training")) {
    x.require(mean && var, "evaluation needs the running mean and variance");
    return x.ops("aten::_native_batch_norm_legit_no_training", {input, weight, bias, mean, var, momentum, eps})[0];
  }
  if (mean || var) {
    Axes axes{0};
    for (int64_t i : x.iota(2, int64_t(x.rank(input)))) axes.push_back(i);
    const Values stats = x.ops("aten::var_mean.correction", {input, axes, 1, false});
    update_running(x, mean, stats[1], momentum.to_double());
    update_running(x, var, stats[0], momentum.to_double());
  }
  return x.ops("aten::_native_batch_norm_legit.no_stats", {input, weight, bias, true, momentum, eps})[0];
}

Value* group_norm(X& x, Value* input, const Arg& groups, const Arg& weight, const Arg& bias) {
  x.require(x.rank(input) >= 2, "the input needs at least two dimensions");
  const Dims d = x.dims(input);
  ir::Builder& build = x.builder();
  return x.ops("aten::native_group_norm",
               {input, weight, bias, build.size(d[0]), build.size(d[1]), build.size(x.product(d, 2)), groups, x.arg("eps")})[0];
}

Value* instance_norm(X& x) {
  Value* input = x.tensor("input");
  Value* mean = x.maybe("running_mean");
  Value* var = x.maybe("running_var");
  if (!x.flag("use_input_stats")) {
    x.require(mean && var, "without the input's own statistics the running mean and variance are needed");
    return x.ops("aten::_native_batch_norm_legit_no_training",
                 {input, x.arg("weight"), x.arg("bias"), mean, var, x.arg("momentum"), x.arg("eps")})[0];
  }
  if (mean || var) {
    const Values stats = x.ops("aten::var_mean.correction", {input, x.iota(2, int64_t(x.rank(input))), 1, false});
    update_running(x, mean, x.mean(stats[1], {0}), x.number("momentum"));
    update_running(x, var, x.mean(stats[0], {0}), x.number("momentum"));
  }
  // Every channel is a group of its own.
  return group_norm(x, input, x.builder().size(x.dim(input, 1)), x.arg("weight"), x.arg("bias"));
}

/// The normalised input and the factor it was scaled by.
Values rms_norm(X& x) {
  Value* input = x.tensor("input");
  const DType given = x.dtype_of(input);
  const DType wide = given == DType::kF16 || given == DType::kBF16 ? DType::kF32 : given;
  Value* a = x.to(input, wide);
  const int64_t rank = int64_t(x.rank(a)), count = int64_t(x.sizes("normalized_shape").size());
  x.require(count > 0 && count <= rank, "normalized_shape does not fit the input");
  const double eps = x.has("eps") ? x.number("eps") : epsilon(wide);
  Value* scale = x.rsqrt(x.add(x.mean(x.square(a), x.iota(rank - count, rank), true), eps));
  Value* y = x.mul(a, scale);
  if (x.has("weight")) y = x.mul(y, x.tensor("weight"));
  return {x.to(y, given), scale};
}

Value* layer_norm(X& x) {
  return x.ops("aten::native_layer_norm", {x.tensor("input"), x.arg("normalized_shape"), x.arg("weight"), x.arg("bias"), x.arg("eps")})[0];
}

Value* cast(X& x, Value* a) {
  const auto d = x.dtype("dtype");
  return d ? x.to(a, *d) : a;
}

/// Rows that are -inf throughout give zeros instead of NaN.
Value* safe_softmax(X& x) {
  Value* a = cast(x, x.tensor("self"));
  const int64_t axis = x.axis("dim", x.rank(a));
  Value* dead = x.eq(x.amax(a, {axis}, true), -INFINITY);
  return x.op("aten::masked_fill.Scalar", {softmax(x, a, axis), dead, 0.0});
}

Value* renorm(X& x) {
  Value* a = x.tensor("self");
  const int64_t keep = x.axis("dim", x.rank(a));
  Axes axes;
  for (int64_t i : x.all_axes(a))
    if (i != keep) axes.push_back(i);
  Value* norm = vector_norm(x, a, x.number("p"), axes, true);
  const Arg& limit = x.arg("maxnorm");
  Value* factor = x.div(limit, x.add(norm, 1e-7));
  return x.mul(a, x.to(x.where(x.gt(norm, limit), factor, 1.0), x.dtype_of(a)));
}

/// The norm over everything but one dimension; -1 means over everything.
/// -1: over all dimensions. Others count from the end when they are negative.
Value* norm_except(X& x, Value* v, double order, int64_t axis) {
  if (axis < -1) axis += int64_t(x.rank(v));
  Axes axes;
  for (int64_t i : x.all_axes(v))
    if (i != axis) axes.push_back(i);
  if (axes.empty()) return x.abs(v);
  return axis == -1 ? vector_norm(x, v, order, axes, false) : vector_norm(x, v, order, axes, true);
}

Values weight_norm(X& x) {
  Value* norm = norm_except(x, x.tensor("v"), 2, x.integer("dim"));
  return {x.mul(x.tensor("v"), x.div(x.tensor("g"), norm)), norm};
}

constexpr Row kRows[] = {
    {"aten::batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool training, float momentum, "
     "float eps, bool cudnn_enabled) -> Tensor", batch_norm},
    {"aten::_native_batch_norm_legit(Tensor input, Tensor? weight, Tensor? bias, Tensor running_mean, Tensor running_var, bool training, "
     "float momentum, float eps) -> (Tensor, Tensor, Tensor)", batch_norm_legit},
    {"aten::_batch_norm_with_update(Tensor input, Tensor? weight, Tensor? bias, Tensor(a!) running_mean, Tensor(b!) running_var, float momentum, "
     "float eps) -> (Tensor, Tensor, Tensor, Tensor)", batch_norm_with_update},
    {"aten::instance_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor? running_mean, Tensor? running_var, bool use_input_stats, "
     "float momentum, float eps, bool cudnn_enabled) -> Tensor", instance_norm},
    {"aten::layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, "
     "bool cudnn_enable=True) -> Tensor", layer_norm},
    {"aten::group_norm(Tensor input, int num_groups, Tensor? weight=None, Tensor? bias=None, float eps=1e-05, bool cudnn_enabled=True) -> Tensor",
     [](X& x) { return group_norm(x, x.tensor("input"), x.arg("num_groups"), x.arg("weight"), x.arg("bias")); }},
    {"aten::rms_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight=None, float? eps=None) -> Tensor",
     [](X& x) { return rms_norm(x)[0]; }},
    {"aten::_fused_rms_norm(Tensor input, int[] normalized_shape, Tensor? weight, float? eps) -> (Tensor, Tensor)", rms_norm},
    {"aten::norm_except_dim(Tensor v, int pow=2, int dim=0) -> Tensor",
     [](X& x) { return norm_except(x, x.tensor("v"), x.number("pow"), x.integer("dim")); }},
    {"aten::_weight_norm(Tensor v, Tensor g, int dim=0) -> Tensor", [](X& x) { return weight_norm(x)[0]; }},
    {"aten::_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)", weight_norm},
    {"aten::renorm(Tensor self, Scalar p, int dim, Scalar maxnorm) -> Tensor", renorm},
    {"aten::softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
     [](X& x) { return softmax(x, cast(x, x.tensor("self")), x.integer("dim")); }},
    {"aten::log_softmax.int(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
     [](X& x) { return log_softmax(x, cast(x, x.tensor("self")), x.integer("dim")); }},
    {"aten::special_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor",
     [](X& x) { return softmax(x, cast(x, x.tensor("self")), x.integer("dim")); }},
    {"aten::special_log_softmax(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor",
     [](X& x) { return log_softmax(x, cast(x, x.tensor("self")), x.integer("dim")); }},
    {"aten::_safe_softmax(Tensor self, int dim, ScalarType? dtype=None) -> Tensor", safe_softmax},
};

}  // namespace

Value* softmax(Expansion& x, Value* a, int64_t axis) { return x.op("aten::_softmax", {a, axis, false}); }
Value* log_softmax(Expansion& x, Value* a, int64_t axis) { return x.op("aten::_log_softmax", {a, axis, false}); }

Rows normalization_rows() { return kRows; }

}  // namespace glint::compiler
