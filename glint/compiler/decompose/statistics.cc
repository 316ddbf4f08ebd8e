// Reductions in their many overloads: norms, variances, quantiles, differences and integrals.

#include <algorithm>
#include <cmath>

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

Value* self(X& x) { return x.tensor("self"); }
Value* cast(X& x, Value* a) {
  const auto d = x.dtype("dtype");
  return d ? x.to(a, *d) : a;
}
bool keep(X& x) { return x.flag("keepdim"); }
/// Removes several dimensions of size 1.
Value* squeeze(X& x, Value* a, const Axes& axes) { return axes.empty() ? a : x.op("aten::squeeze.dims", {a, axes}); }

// ---- variance ----

/// The axes as an argument: None means all of them, as does an empty list.
Arg variance_axes(X& x) { return x.node().schema->arg_index("dim") >= 0 && !x.ints("dim").empty() ? Arg(x.ints("dim")) : Arg(); }
Arg correction(X& x) { return x.node().schema->arg_index("unbiased") >= 0 ? Arg(x.flag("unbiased") ? 1 : 0) : x.arg("correction"); }
bool variance_keep(X& x) { return x.node().schema->arg_index("keepdim") >= 0 && keep(x); }

Value* var(X& x) { return x.op("aten::var.correction", {self(x), variance_axes(x), correction(x), variance_keep(x)}); }
Values var_mean(X& x) { return x.ops("aten::var_mean.correction", {self(x), variance_axes(x), correction(x), variance_keep(x)}); }
Value* std_dev(X& x) { return x.sqrt(var(x)); }
Values std_mean(X& x) {
  const Values both = var_mean(x);
  return {x.sqrt(both[0]), both[1]};
}

// ---- norms ----

Value* linalg_norm(X& x) {
  Value* a = cast(x, self(x));
  const Axes axes = x.axes("dim", x.rank(a));
  if (!x.has("ord")) return vector_norm(x, a, 2, axes, keep(x));
  if (axes.size() == 2 || x.arg("ord").is_string()) return matrix_norm(x, a, x.arg("ord"), axes, keep(x));
  x.require(axes.size() == 1, "linalg_norm: with an order, one or two dimensions");
  return vector_norm(x, a, x.number("ord"), axes, keep(x));
}

/// torch.norm: None means 2.
Value* norm(X& x) {
  Value* a = x.node().schema->arg_index("dtype") >= 0 ? cast(x, self(x)) : self(x);
  const bool has_axes = x.node().schema->arg_index("dim") >= 0;
  return vector_norm(x, a, x.has("p") ? x.number("p") : 2.0, has_axes ? x.axes("dim", x.rank(a)) : x.all_axes(a), has_axes && keep(x));
}

// ---- sums ----

/// An axis, a list of axes, or none of them named, which means all.
Axes reduced_axes(X& x, Value* a) { return x.node().schema->arg_index("dim") >= 0 ? x.axes("dim", x.rank(a)) : x.all_axes(a); }

Value* nansum(X& x) {
  Value* a = cast(x, self(x));
  const Axes axes = reduced_axes(x, a);
  if (!is_floating(x.dtype_of(a))) return x.sum(a, axes, keep(x));
  return x.sum(x.op("aten::masked_fill.Scalar", {a, x.unary("isnan", a), 0.0}), axes, keep(x));
}

Value* nanmean(X& x) {
  Value* a = cast(x, self(x));
  x.require(is_floating(x.dtype_of(a)), "nanmean: a floating point tensor is expected");
  const Axes axes = reduced_axes(x, a);
  Value* bad = x.unary("isnan", a);
  Value* total = x.sum(x.op("aten::masked_fill.Scalar", {a, bad, 0.0}), axes, keep(x));
  return x.div(total, x.sum(x.logical_not(bad), axes, keep(x)));
}

Value* count_nonzero(X& x) { return x.sum(x.ne(self(x), 0), reduced_axes(x, self(x))); }

Value* all_of(X& x) {
  Value* a = self(x);
  Value* y = x.logical_not(x.any(x.logical_not(a), reduced_axes(x, a), variance_keep(x)));
  return x.dtype_of(a) == DType::kU8 ? x.to(y, DType::kU8) : y;
}

Value* logsumexp(X& x, Value* a, const Axes& axes, bool keep) {
  a = x.to_float(a);
  Value* top = x.amax(a, axes, true);
  top = x.op("aten::masked_fill.Scalar", {top, x.eq(x.abs(top), INFINITY), 0.0});
  Value* y = x.add(x.log(x.sum(x.exp(x.sub(a, top)), axes, true)), top);
  return keep ? y : squeeze(x, y, axes);
}

/// Row i sees the elements up to i: quadratic, and as exact as logsumexp.
Value* logcumsumexp(X& x) {
  Value* a = self(x);
  if (x.rank(a) == 0) return a;
  const int64_t axis = x.axis("dim", x.rank(a)), last = int64_t(x.rank(a));
  Value* n = x.arange(x.dim(a, axis), DType::kI64);
  Value* seen = x.le(x.unsqueeze(n, 0), x.unsqueeze(n, 1));
  Value* wide = x.where(seen, x.unsqueeze(movedim(x, a, {axis}, {-1}), -2), -INFINITY);
  return movedim(x, logsumexp(x, wide, {last}, false), {-1}, {axis});
}

// ---- order statistics; sorting puts NaN last ----

/// The elements of `sorted` along the last axis at `position` [.., 1].
Value* at(X& x, Value* sorted, Value* position) { return x.op("aten::gather", {sorted, -1, position}); }

Values median(X& x, Value* a, bool ignore_nan) {
  const Values s = x.ops("aten::sort", {a, -1, false});
  const Dim n = x.dim(a, -1);
  Value* position = x.full({Dim(1)}, x.builder().size(floor_div(n - Dim(1), Dim(2))), DType::kI64);
  Dims one = x.dims(a);
  one.back() = 1;
  if (is_floating(x.dtype_of(a))) {
    Value* good = x.sum(x.logical_not(x.unary("isnan", a)), {int64_t(x.rank(a)) - 1}, true);
    if (ignore_nan) position = x.op("aten::clamp_min", {x.op("aten::div.Scalar_mode", {x.sub(good, 1), 2, "floor"}), 0});
    else position = x.where(x.lt(good, x.builder().size(n)), good, position);  // the first NaN, if there is one
  }
  position = x.expand(position, one);
  return {at(x, s[0], position), at(x, s[1], position)};
}

Value* median_of_all(X& x, bool ignore_nan) { return x.squeeze(median(x, x.flatten(self(x), 0, -1), ignore_nan)[0], 0); }

Values median_along(X& x, bool ignore_nan) {
  Value* a = self(x);
  if (x.rank(a) == 0) return {a, x.zeros({}, DType::kI64)};
  const int64_t axis = x.axis("dim", x.rank(a));
  Values y = median(x, movedim(x, a, {axis}, {-1}), ignore_nan);
  for (Value*& v : y) v = keep(x) ? movedim(x, v, {-1}, {axis}) : x.squeeze(v, -1);
  return y;
}

Value* quantile(X& x, bool ignore_nan) {
  Value* a = self(x);
  const bool all = !x.has("dim");
  const size_t rank = x.rank(a);
  const int64_t axis = all ? 0 : x.axis("dim", rank);
  Value* q = Expansion::is_tensor(x.arg("q")) ? x.tensor("q") : x.scalar(x.dtype_of(a), x.number("q"));
  const bool many = x.rank(q) == 1;
  q = x.view(q, {x.product(x.dims(q))});
  Value* rows = all ? x.flatten(a, 0, -1) : rank == 0 ? x.view(a, {Dim(1)}) : movedim(x, a, {axis}, {-1});
  Value* sorted = x.ops("aten::sort", {rows, -1, false})[0];
  const Axes last{int64_t(x.rank(rows)) - 1};
  const Arg top = x.builder().size(x.dim(rows, -1) - Dim(1));
  Value* bad = x.unary("isnan", rows);
  Value* rank_of;  // [.., Q]
  if (ignore_nan) {
    Value* good = x.to(x.sum(x.logical_not(bad), last, true), x.dtype_of(q));
    rank_of = x.op("aten::clamp_min", {x.mul(q, x.sub(good, 1)), 0});
  } else {
    rank_of = x.where(x.any(bad, last, true), x.full({}, top, x.dtype_of(q)), x.mul(q, top));
  }
  const std::string mode = x.text("interpolation");
  const auto index = [&](Value* v) { return x.to(v, DType::kI64); };
  Value* y;
  if (mode == "lower" || mode == "higher" || mode == "nearest") {
    y = at(x, sorted, index(x.unary(mode == "lower" ? "floor" : mode == "higher" ? "ceil" : "round", rank_of)));
  } else {
    Value* below = x.unary("floor", rank_of);
    Value* low = at(x, sorted, index(below));
    Value* high = at(x, sorted, index(x.unary("ceil", rank_of)));
    Value* weight = mode == "midpoint" ? x.full({}, 0.5, x.dtype_of(q)) : x.sub(rank_of, below);
    y = x.where(x.eq(low, high), low, x.add(low, x.mul(weight, x.sub(high, low))));  // infinities of one sign stay
  }
  y = many ? movedim(x, y, {-1}, {0}) : x.squeeze(y, -1);
  if (!keep(x) || rank == 0) return y;
  if (!all) return x.unsqueeze(y, axis + (many ? 1 : 0));
  Dims wide(rank, Dim(1));
  if (many) wide.insert(wide.begin(), x.dim(y, 0));
  return x.view(y, wide);
}

// ---- differences and integrals ----

Value* front(X& x, Value* a, int64_t axis, const Dim& count) { return x.slice(a, axis, 0, count); }
Value* rest(X& x, Value* a, int64_t axis, const Dim& from) { return x.slice(a, axis, from, x.dim(a, axis)); }

Value* diff_once(X& x, Value* a, int64_t axis) {
  Value* right = rest(x, a, axis, 1);
  Value* left = front(x, a, axis, x.dim(a, axis) - Dim(1));
  return x.dtype_of(a) == DType::kBool ? x.ne(right, left) : x.sub(right, left);
}

Value* diff(X& x) {
  Value* a = self(x);
  x.require(x.rank(a) > 0, "diff: one dimension or more");
  const int64_t axis = x.axis("dim", x.rank(a));
  Values parts{a};
  if (x.has("prepend")) parts.insert(parts.begin(), x.tensor("prepend"));
  if (x.has("append")) parts.push_back(x.tensor("append"));
  a = x.cat(parts, axis);
  for (int64_t n = x.integer("n"); n > 0; --n) {
    if (x.dim(a, axis) == Dim(0)) break;
    a = diff_once(x, a, axis);
  }
  return a;
}

/// Areas under each step along `axis`, times two, before the step's width.
Value* steps(X& x, Value* y, int64_t axis) { return x.add(rest(x, y, axis, 1), front(x, y, axis, x.dim(y, axis) - Dim(1))); }

/// Widths of the steps, shaped to go with y.
Value* widths(X& x, Value* y, Value* places, int64_t axis) {
  x.require(x.rank(places) > 0 && (x.rank(places) == 1 || size_t(axis) < x.rank(places)), "the places have too few dimensions");
  if (x.rank(places) != 1) return diff_once(x, places, axis);
  Dims d(x.rank(y), Dim(1));
  d[size_t(axis)] = x.dim(places, 0) - Dim(1);
  return x.view(diff_once(x, places, 0), d);
}

Value* trapezoid(X& x, bool cumulative) {
  Value* y = x.tensor("y");
  const int64_t axis = x.axis("dim", x.rank(y));
  const bool spaced = x.node().schema->arg_index("x") >= 0;
  if (!spaced && !cumulative && x.dim(y, axis) != Dim(0)) {  // as PyTorch: the sum without half of both ends
    Value* ends = x.add(x.select(y, axis, 0), x.select(y, axis, x.dim(y, axis) - Dim(1)));
    return x.mul(x.sub(x.sum(y, {axis}), x.mul(ends, 0.5)), x.number("dx"));
  }
  Value* areas = steps(x, y, axis);
  if (spaced) areas = x.mul(areas, widths(x, y, x.tensor("x"), axis));
  areas = cumulative ? x.op("aten::cumsum", {areas, axis}) : x.sum(areas, {axis});
  return spaced ? x.div(areas, 2.0) : x.mul(areas, x.number("dx") / 2);
}

Value* gradient_along(X& x, Value* a, int64_t axis, double h, int64_t order) {
  const Dim n = x.dim(a, axis);
  const auto cell = [&](int64_t i) { return i >= 0 ? x.slice(a, axis, i, i + 1) : x.slice(a, axis, n + Dim(i), n + Dim(i + 1)); };
  Value* inner = x.div(x.sub(rest(x, a, axis, 2), front(x, a, axis, n - Dim(2))), 2 * h);
  Value *first, *last;
  if (order == 1) {
    first = x.div(x.sub(cell(1), cell(0)), h);
    last = x.div(x.sub(cell(-1), cell(-2)), h);
  } else {
    first = x.add(x.add(x.mul(cell(0), -1.5 / h), x.mul(cell(1), 2 / h)), x.mul(cell(2), -0.5 / h));
    last = x.add(x.add(x.mul(cell(-1), 1.5 / h), x.mul(cell(-2), -2 / h)), x.mul(cell(-3), 0.5 / h));
  }
  return x.cat({first, inner, last}, axis);
}

/// At places that need not be evenly spaced.
Value* gradient_at(X& x, Value* a, int64_t axis, Value* places, int64_t order) {
  Dims d(x.rank(a), Dim(1));
  d[size_t(axis)] = x.dim(places, 0) - Dim(1);
  Value* h = x.view(diff_once(x, places, 0), d);
  Value* slope = x.div(diff_once(x, a, axis), h);  // between neighbours
  const Dim n = x.dim(slope, axis);
  Value *h0 = front(x, h, axis, n - Dim(1)), *h1 = rest(x, h, axis, 1);
  Value *s0 = front(x, slope, axis, n - Dim(1)), *s1 = rest(x, slope, axis, 1);
  Value* inner = x.div(x.add(x.mul(s0, h1), x.mul(s1, h0)), x.add(h0, h1));
  const auto ends = [&](Value* v) { return Values{x.slice(v, axis, 0, 1), x.slice(v, axis, x.dim(v, axis) - Dim(1), x.dim(v, axis))}; };
  const Values edge = ends(slope);
  if (order == 1) return x.cat({edge[0], inner, edge[1]}, axis);
  // The parabola through the last three points: its slope at the end is twice that of the end's step, less the slope inside.
  const Values inside = ends(inner);
  return x.cat({x.sub(x.mul(edge[0], 2), inside[0]), inner, x.sub(x.mul(edge[1], 2), inside[1])}, axis);
}

Values gradient(X& x) {
  Value* a = self(x);
  const int64_t order = x.integer("edge_order");
  x.require(order == 1 || order == 2, "gradient: edge_order is 1 or 2");
  const Axes axes = x.axes("dim", x.rank(a));
  Values all;
  for (size_t i = 0; i < axes.size(); ++i) {
    double h = 1;
    if (x.node().schema->arg_index("spacing") >= 0 && x.has("spacing")) {
      const Arg& s = x.arg("spacing");
      x.require(!s.is_list() || i < s.list().size(), "gradient: a spacing for each dimension");
      const Arg& one = s.is_list() ? s.list()[i] : s;
      if (Expansion::is_tensor(one) && x.rank(one.value()) == 1) {
        all.push_back(gradient_at(x, a, axes[i], one.value(), order));
        continue;
      }
      x.require(one.is_number(), "gradient: the spacing has to be known while compiling");
      h = one.to_double();
    }
    all.push_back(gradient_along(x, a, axes[i], h, order));
  }
  return all;
}

// ---- several variables ----

Value* cov(X& x, Value* a, double correction, Value* fweights, Value* aweights) {
  x.require(x.rank(a) <= 2, "cov: at most two dimensions");
  const bool flat = x.rank(a) < 2;
  if (flat) a = x.view(a, {Dim(1), x.product(x.dims(a))});
  a = x.to_float(a);
  Value* w = fweights && aweights ? x.mul(fweights, aweights) : fweights ? fweights : aweights;
  Value *mean, *norm = nullptr;
  if (w) {
    Value* total = x.sum_all(w);
    mean = x.div(x.sum(x.mul(a, w), {1}, true), total);
    Value* taken = aweights && correction != 0 ? x.div(x.sum_all(x.mul(w, aweights)), total) : nullptr;
    norm = taken ? x.sub(total, x.mul(taken, correction)) : x.sub(total, correction);
    norm = x.op("aten::clamp_min", {norm, 0});
  } else {
    mean = x.mean(a, {1}, true);
    norm = x.full({}, x.builder().size(max(Dim(0), x.dim(a, 1) - Dim(int64_t(correction)))), x.dtype_of(a));
  }
  Value* centred = x.sub(a, mean);
  Value* weighted = w ? x.mul(centred, w) : centred;
  Value* c = x.div(x.mm(centred, conj(x, x.permute(x.to(weighted, x.dtype_of(centred)), {1, 0}))), norm);
  return flat || x.dim(c, 0) == Dim(1) ? x.view(c, {}) : c;
}

Value* corrcoef(X& x) {
  Value* c = cov(x, self(x), 1, nullptr, nullptr);
  if (x.rank(c) == 0) return x.div(c, c);
  Value* deviation = x.sqrt(diagonal(x, c, 0, 0, 1));
  Value* y = x.div(x.div(c, x.unsqueeze(deviation, 1)), x.unsqueeze(deviation, 0));
  if (!is_complex(x.dtype_of(y))) return x.clamp(y, -1.0, 1.0);
  return x.op("aten::view_as_complex", {x.clamp(x.op("aten::view_as_real", {y}), -1.0, 1.0)});
}

Value* histc(X& x) {
  Value* a = x.flatten(self(x), 0, -1);
  const DType d = x.dtype_of(a);
  x.require(is_floating(d), "histc: a floating point tensor is expected");
  const int64_t bins = x.integer("bins");
  x.require(bins > 0, "histc: bins is not positive");
  const double from = x.number("min"), to = x.number("max");
  Value *low, *high;
  if (from == to) {  // the range of the data, widened when it is a single value
    low = from == 0 ? x.amin(a, {0}) : x.scalar(d, from);
    high = from == 0 ? x.amax(a, {0}) : x.scalar(d, to);
    Value* single = x.to(x.eq(low, high), d);
    low = x.sub(low, single);
    high = x.add(high, single);
  } else {
    low = x.scalar(d, from);
    high = x.scalar(d, to);
  }
  Value* inside = x.logical_and(x.op("aten::ge.Tensor", {a, low}), x.op("aten::le.Tensor", {a, high}));
  Value* place = x.mul(x.div(x.sub(a, low), x.sub(high, low)), double(bins));
  Value* bin = x.unary("floor", x.clamp(x.where(inside, place, 0.0), 0.0, double(bins - 1)));
  Value* hit = x.logical_and(x.eq(x.unsqueeze(bin, 1), x.arange(bins, d)), x.unsqueeze(inside, 1));
  return x.to(x.sum(hit, {0}), d);
}

/// Reduces runs of elements along an axis, given by their lengths or by where they start and end.
Value* segment_reduce(X& x) {
  Value* a = x.tensor("data");
  x.require(is_floating(x.dtype_of(a)), "segment_reduce: a floating point tensor is expected");
  const int64_t axis = x.axis("axis", x.rank(a));
  const std::string how = x.text("reduce");
  x.require(x.has("lengths") || x.has("offsets"), "segment_reduce: lengths or offsets are needed");
  Value* bounds = x.to(x.has("lengths") ? x.tensor("lengths") : x.tensor("offsets"), DType::kI64);
  x.require(int64_t(x.rank(bounds)) == axis + 1, "segment_reduce: the lengths have as many dimensions as come before the axis, and one");
  Value* end = x.has("lengths") ? x.op("aten::cumsum", {bounds, -1}) : rest(x, bounds, axis, 1);
  Value* start = x.has("lengths") ? x.sub(end, bounds) : front(x, bounds, axis, x.dim(bounds, axis) - Dim(1));
  const Dims d = x.dims(a);
  const Dim batch = x.product(d, 0, size_t(axis)), n = d[size_t(axis)], inner = x.product(d, size_t(axis) + 1), segments = x.dim(end, axis);
  // [batch, segment, n, inner]
  Value* place = x.arange(n, DType::kI64);
  const auto edge = [&](Value* v) { return x.view(v, {batch, segments, Dim(1)}); };
  Value* member = x.unsqueeze(x.logical_and(x.ge(place, edge(start)), x.lt(place, edge(end))), 3);
  Value* wide = x.view(a, {batch, Dim(1), n, inner});
  Value* count = x.unsqueeze(x.to(x.sub(edge(end), edge(start)), x.dtype_of(a)), 3);
  Value* y;
  const auto first = [&](double otherwise) { return x.has("initial") ? x.number("initial") : otherwise; };
  if (how == "max") {
    y = x.clamp(x.amax(x.where(member, wide, -INFINITY), {2}), first(-INFINITY));
  } else if (how == "min") {
    y = x.clamp(x.amin(x.where(member, wide, INFINITY), {2}), {}, first(INFINITY));
  } else if (how == "prod") {
    y = x.mul(x.op("aten::prod.dim_int", {x.where(member, wide, 1.0), 2, false}), first(1));
  } else {
    x.require(how == "sum" || how == "mean", "segment_reduce: sum, mean, max, min or prod");
    y = x.add(x.sum(x.where(member, wide, 0.0), {2}), first(0));
    Value* size = x.squeeze(count, 2);
    if (how == "mean") y = x.where(x.gt(size, 0), x.div(y, size), x.has("initial") ? y : x.div(y, size));
  }
  Dims out = d;
  out[size_t(axis)] = segments;
  return x.view(y, out);
}

/// base to the power of evenly spaced exponents.
Value* logspace(X& x) {
  const bool from_tensor = Expansion::is_tensor(x.arg("start")), to_tensor = Expansion::is_tensor(x.arg("end"));
  const std::string name = std::string("aten::linspace") + (from_tensor ? to_tensor ? ".Tensor_Tensor" : ".Tensor_Scalar" : to_tensor ? ".Scalar_Tensor" : "");
  const DType want = x.dtype("dtype").value_or(DType::kF32);
  const DType wide = is_floating(want) ? want : DType::kF32;
  return x.to(x.pow(x.number("base"), x.op(name, {x.arg("start"), x.arg("end"), x.arg("steps"), wide})), want);
}
#define GLINT_LOGSPACE(overload, start, end)                                                                                          \
  {"aten::logspace." overload "(" start " start, " end " end, int steps, float base=10.0, *, ScalarType? dtype=None, Layout? layout=None, " \
   "Device? device=None, bool? pin_memory=None) -> Tensor", logspace}

constexpr Row kRows[] = {
    {"aten::segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, "
     "bool unsafe=False, Scalar? initial=None) -> Tensor", segment_reduce},
    GLINT_LOGSPACE("Tensor_Tensor", "Tensor", "Tensor"), GLINT_LOGSPACE("Tensor_Scalar", "Tensor", "Scalar"),
    GLINT_LOGSPACE("Scalar_Tensor", "Scalar", "Tensor"),

    {"aten::var(Tensor self, bool unbiased=True) -> Tensor", var},
    {"aten::var.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", var},
    {"aten::var_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)", var_mean},
    {"aten::var_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)", var_mean},
    {"aten::std(Tensor self, bool unbiased=True) -> Tensor", std_dev},
    {"aten::std.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> Tensor", std_dev},
    {"aten::std.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> Tensor", std_dev},
    {"aten::std_mean(Tensor self, bool unbiased=True) -> (Tensor, Tensor)", std_mean},
    {"aten::std_mean.dim(Tensor self, int[1]? dim, bool unbiased=True, bool keepdim=False) -> (Tensor, Tensor)", std_mean},
    {"aten::std_mean.correction(Tensor self, int[1]? dim=None, *, Scalar? correction=None, bool keepdim=False) -> (Tensor, Tensor)", std_mean},

    {"aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", [](X& x) {
       Value* a = cast(x, self(x));
       return vector_norm(x, a, x.number("ord"), x.axes("dim", x.rank(a)), keep(x));
     }},
    {"aten::linalg_matrix_norm(Tensor self, Scalar ord, int[] dim=[-2,-1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
     [](X& x) { return matrix_norm(x, cast(x, self(x)), x.arg("ord"), x.ints("dim"), keep(x)); }},
    {"aten::linalg_matrix_norm.str_ord(Tensor self, str ord='fro', int[] dim=[-2,-1], bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
     [](X& x) { return matrix_norm(x, cast(x, self(x)), x.arg("ord"), x.ints("dim"), keep(x)); }},
    {"aten::linalg_norm(Tensor self, Scalar? ord=None, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", linalg_norm},
    {"aten::linalg_norm.ord_str(Tensor self, str ord, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", linalg_norm},
    {"aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor", norm},
    {"aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor", norm},
    {"aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor", norm},
    {"aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor", norm},
    {"aten::nuclear_norm(Tensor self, bool keepdim=False) -> Tensor", [](X& x) {
       const int64_t rank = int64_t(x.rank(self(x)));
       x.require(rank >= 2, "a matrix needs two dimensions");
       return matrix_norm(x, self(x), "nuc", {rank - 2, rank - 1}, keep(x));
     }},
    {"aten::nuclear_norm.dim(Tensor self, int[2] dim, bool keepdim=False) -> Tensor",
     [](X& x) { return matrix_norm(x, self(x), "nuc", x.ints("dim"), keep(x)); }},
    {"aten::frobenius_norm.dim(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
     [](X& x) { return vector_norm(x, self(x), 2, x.axes("dim", x.rank(self(x))), keep(x)); }},

    {"aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
     [](X& x) { return x.op("aten::sum.dim_IntList", {self(x), x.all_axes(self(x)), false, x.arg("dtype")}); }},
    {"aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor",
     [](X& x) { return x.op("aten::mean.dim", {self(x), x.all_axes(self(x)), false, x.arg("dtype")}); }},
    {"aten::nansum(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", nansum},
    {"aten::nanmean(Tensor self, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", nanmean},
    {"aten::count_nonzero(Tensor self, int? dim=None) -> Tensor", count_nonzero},
    {"aten::count_nonzero.dim_IntList(Tensor self, int[] dim) -> Tensor", count_nonzero},
    {"aten::_is_all_true(Tensor self) -> Tensor", [](X& x) { return x.unary("all", x.tensor("self")); }},
    {"aten::_is_any_true(Tensor self) -> Tensor", [](X& x) { return x.unary("any", x.tensor("self")); }},
    {"aten::all(Tensor self) -> Tensor", all_of},
    {"aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor", all_of},
    {"aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", all_of},
    {"aten::aminmax(Tensor self, *, int? dim=None, bool keepdim=False) -> (Tensor min, Tensor max)", [](X& x) {
       const Axes axes = reduced_axes(x, self(x));
       return Values{x.amin(self(x), axes, keep(x)), x.amax(self(x), axes, keep(x))};
     }},
    {"aten::logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
     [](X& x) { return logsumexp(x, self(x), x.axes("dim", x.rank(self(x))), keep(x)); }},
    {"aten::special_logsumexp(Tensor self, int[1] dim, bool keepdim=False) -> Tensor",
     [](X& x) { return logsumexp(x, self(x), x.axes("dim", x.rank(self(x))), keep(x)); }},
    {"aten::logcumsumexp(Tensor self, int dim) -> Tensor", logcumsumexp},

    {"aten::msort(Tensor self) -> Tensor", [](X& x) { return x.ops("aten::sort", {self(x), 0, false})[0]; }},
    {"aten::argsort(Tensor self, int dim=-1, bool descending=False) -> Tensor",
     [](X& x) { return x.ops("aten::sort", {self(x), x.arg("dim"), x.arg("descending")})[1]; }},
    {"aten::argsort.stable(Tensor self, *, bool stable, int dim=-1, bool descending=False) -> Tensor",
     [](X& x) { return x.ops("aten::sort.stable", {self(x), x.arg("stable"), x.arg("dim"), x.arg("descending")})[1]; }},
    {"aten::median(Tensor self) -> Tensor", [](X& x) { return median_of_all(x, false); }},
    {"aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", [](X& x) { return median_along(x, false); }},
    {"aten::nanmedian(Tensor self) -> Tensor", [](X& x) { return median_of_all(x, true); }},
    {"aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", [](X& x) { return median_along(x, true); }},
    {"aten::quantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor",
     [](X& x) { return quantile(x, false); }},
    {"aten::quantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor",
     [](X& x) { return quantile(x, false); }},
    {"aten::nanquantile(Tensor self, Tensor q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor",
     [](X& x) { return quantile(x, true); }},
    {"aten::nanquantile.scalar(Tensor self, float q, int? dim=None, bool keepdim=False, *, str interpolation='linear') -> Tensor",
     [](X& x) { return quantile(x, true); }},

    {"aten::diff(Tensor self, int n=1, int dim=-1, Tensor? prepend=None, Tensor? append=None) -> Tensor", diff},
    {"aten::trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", [](X& x) { return trapezoid(x, false); }},
    {"aten::trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", [](X& x) { return trapezoid(x, false); }},
    {"aten::trapz.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", [](X& x) { return trapezoid(x, false); }},
    {"aten::trapz.dx(Tensor y, *, float dx=1, int dim=-1) -> Tensor", [](X& x) { return trapezoid(x, false); }},
    {"aten::cumulative_trapezoid.x(Tensor y, Tensor x, *, int dim=-1) -> Tensor", [](X& x) { return trapezoid(x, true); }},
    {"aten::cumulative_trapezoid.dx(Tensor y, *, Scalar dx=1, int dim=-1) -> Tensor", [](X& x) { return trapezoid(x, true); }},
    {"aten::gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]", gradient},
    {"aten::gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]", gradient},
    {"aten::gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]", gradient},
    {"aten::gradient.tensorarrayint(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor[]", gradient},
    {"aten::gradient.tensorarray(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor[]", gradient},
    {"aten::gradient.scalarrayint(Tensor self, *, Scalar[] spacing, int? dim=None, int edge_order=1) -> Tensor[]", gradient},
    {"aten::gradient.scalarrayarray(Tensor self, *, Scalar[] spacing, int[] dim, int edge_order=1) -> Tensor[]", gradient},

    {"aten::cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor",
     [](X& x) { return cov(x, self(x), x.number("correction"), x.maybe("fweights"), x.maybe("aweights")); }},
    {"aten::corrcoef(Tensor self) -> Tensor", corrcoef},
    {"aten::histc(Tensor self, int bins=100, Scalar min=0, Scalar max=0) -> Tensor", histc},
};

}  // namespace

Value* largest(Expansion& x, Value* a, const Axes& axes, bool keep) {
  for (int64_t axis : axes)
    if (x.dim(a, axis) == Dim(0)) return x.sum(a, axes, keep);  // nothing there: zeros
  return x.amax(a, axes, keep);
}

Value* vector_norm(Expansion& x, Value* a, double order, const Axes& axes, bool keep) {
  x.require(is_floating(x.dtype_of(a)) || is_complex(x.dtype_of(a)), "a norm of whole numbers is not defined");
  if (const DType d = x.dtype_of(a); d == DType::kF16 || d == DType::kBF16)  // squares of halves overflow
    return x.to(vector_norm(x, x.to(a, DType::kF32), order, axes, keep), d);
  if (order == 2) return x.sqrt(x.sum(is_complex(x.dtype_of(a)) ? x.square(x.abs(a)) : x.square(a), axes, keep));
  if (order == 0) return x.sum(x.to(x.ne(a, 0), x.dtype_of(a)), axes, keep);
  Value* size = x.abs(a);
  if (std::isinf(order)) return order > 0 ? largest(x, size, axes, keep) : x.amin(size, axes, keep);
  if (order == 1) return x.sum(size, axes, keep);
  return x.pow(x.sum(x.pow(size, order), axes, keep), 1 / order);
}

Rows statistics_rows() { return kRows; }

}  // namespace glint::compiler
