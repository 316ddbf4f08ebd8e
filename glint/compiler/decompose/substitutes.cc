// Operators that this runtime has, in terms of those that stock runtimes have too: for targets without them.

#include <algorithm>
#include <cmath>

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

Value* self(X& x) { return x.tensor("self"); }
bool has_argument(X& x, const char* name) { return x.node().schema->arg_index(name) >= 0; }

// ---- making tensors ----

Value* filled(X& x, const Dims& sizes, const Arg& value) {
  const DType d = x.dtype("dtype").value_or(x.dtype_of(self(x)));
  return x.full(sizes, value.is_none() ? x.zero(d) : value, d);
}
Value* new_zeros(X& x) { return filled(x, x.sizes("size"), {}); }
Value* new_ones(X& x) { return filled(x, x.sizes("size"), 1); }
Value* new_full(X& x) { return filled(x, x.sizes("size"), x.arg("fill_value")); }

/// Counted from both ends, as PyTorch does, so that the last element is `end` itself.
Value* linspace(X& x) {
  const int64_t steps = x.integer("steps");
  const DType d = x.dtype("dtype").value_or(DType::kF32);
  x.require(steps >= 0, "linspace: the number of steps is negative");
  x.require(is_floating(d), "linspace: whole numbers need an operator of their own");
  const auto end_of = [&](const char* name) { return Expansion::is_tensor(x.arg(name)) ? x.to(x.tensor(name), d) : x.scalar(d, x.number(name)); };
  Value *start = end_of("start"), *end = end_of("end");
  if (steps == 1) return x.view(start, {Dim(1)});
  Value* step = x.div(x.sub(end, start), double(steps - 1));
  Value* i = x.arange(steps, d);
  Value* left = x.add(x.mul(i, step), start);
  Value* right = x.sub(end, x.mul(x.sub(double(steps - 1), i), step));
  return x.where(x.lt(i, double(steps / 2)), left, right);
}

// ---- elementwise ----

/// x * f(y), where a zero x gives zero unless y is NaN.
Value* zero_or_product(X& x, Value* a, Value* y, Value* f) {
  Value* product = x.mul(a, f);
  Value* plain = x.where(x.eq(a, 0), x.zero(x.dtype_of(product)), product);
  return x.where(x.unary("isnan", y), NAN, plain);
}

/// Whether the sign is negative, of zeros too.
Value* is_negative(X& x, Value* a) {
  if (!is_floating(x.dtype_of(a))) return x.lt(a, 0);
  return x.logical_or(x.lt(a, 0), x.logical_and(x.eq(a, 0), x.lt(x.unary("reciprocal", a), 0)));
}

Value* copysign(X& x, Value* other) {
  Value* size = x.abs(x.to_float(self(x)));
  return x.where(is_negative(x, other), x.neg(size), size);
}

/// The one that is not NaN, or the larger (smaller) one.
Value* ignoring_nan(X& x, bool largest) {
  const DType d = x.result_type({x.arg("self"), x.arg("other")});
  Value *a = x.to(self(x), d), *b = x.to(x.tensor("other"), d);
  Value* both = largest ? x.maximum(a, b) : x.minimum(a, b);
  if (!is_floating(d)) return both;
  return x.where(x.unary("isnan", a), b, x.where(x.unary("isnan", b), a, both));
}

/// log(base^a + base^b)
Value* log_add(X& x, double base) {
  Value *a = self(x), *b = x.tensor("other");
  Value *top = x.maximum(a, b), *low = x.minimum(a, b);
  Value* gap = x.sub(low, top);
  Value* term = base == 2 ? x.mul(x.unary("log1p", x.exp(x.mul(gap, M_LN2))), 1 / M_LN2) : x.unary("log1p", x.exp(gap));
  Value* same_infinity = x.logical_and(x.eq(a, b), x.eq(x.abs(a), INFINITY));
  return x.where(same_infinity, a, x.add(top, term));
}

/// By the ratio of the sides, whose square neither overflows nor vanishes.
Value* hypot(X& x) {
  Value *a = x.abs(self(x)), *b = x.abs(x.tensor("other"));
  Value *top = x.maximum(a, b), *low = x.minimum(a, b);
  Value* plain = x.logical_or(x.eq(top, 0), x.eq(top, INFINITY));
  Value* ratio = x.where(plain, 0.0, x.div(low, top));
  return x.mul(top, x.sqrt(x.add(x.square(ratio), 1.0)));
}

Value* sinc(X& x) {
  Value* t = x.mul(x.to_float(self(x)), M_PI);
  return x.where(x.eq(t, 0), 1.0, x.div(x.unary("sin", t), t));
}

Value* round_decimals(X& x) {
  const int64_t decimals = x.integer("decimals");
  const double scale = std::pow(10.0, double(std::abs(decimals)));
  if (decimals == 0) return x.unary("round", self(x));
  if (decimals > 0) return x.div(x.unary("round", x.mul(self(x), scale)), scale);
  return x.mul(x.unary("round", x.div(self(x), scale)), scale);
}

Value* heaviside(X& x) {
  Value *a = self(x), *at_zero = x.tensor("values");
  Value* step = x.where(x.eq(a, 0), at_zero, x.to(x.gt(a, 0), x.dtype_of(at_zero)));
  return is_floating(x.dtype_of(a)) ? x.where(x.unary("isnan", a), at_zero, step) : step;
}

Value* angle(X& x) {
  Value* a = self(x);
  x.require(!is_complex(x.dtype_of(a)), "angle: of a complex tensor it needs an operator of its own");
  Value* turned = x.where(x.lt(x.to_float(a), 0), M_PI, x.scalar(is_floating(x.dtype_of(a)) ? x.dtype_of(a) : DType::kF32, 0));
  return is_floating(x.dtype_of(a)) ? x.where(x.unary("isnan", a), a, turned) : turned;
}

// ---- by masks over positions ----

/// Column minus row of the last two dimensions, [rows, columns].
Value* offsets(X& x, Value* a) {
  return x.sub(x.unsqueeze(x.arange(x.dim(a, -1), DType::kI64), 0), x.unsqueeze(x.arange(x.dim(a, -2), DType::kI64), 1));
}

Value* triangle(X& x, bool upper) {
  Value* a = self(x);
  x.require(x.rank(a) >= 2, "a matrix needs two dimensions or more");
  const Dim d = x.size("diagonal");
  const Arg from = x.builder().size(d);
  Value* kept = upper ? x.ge(offsets(x, a), from) : x.le(offsets(x, a), from);
  return x.where(kept, a, x.zero(x.dtype_of(a)));
}

Value* cumprod(X& x) {
  Value* a = self(x);
  if (const auto d = x.dtype("dtype")) a = x.to(a, *d);
  else if (!is_floating(x.dtype_of(a)) && !is_complex(x.dtype_of(a))) a = x.to(a, DType::kI64);
  if (x.rank(a) == 0) return a;
  const int64_t axis = x.axis("dim", x.rank(a));
  Value* n = x.arange(x.dim(a, axis), DType::kI64);
  Value* seen = x.le(x.unsqueeze(n, 0), x.unsqueeze(n, 1));
  Value* wide = x.where(seen, x.unsqueeze(movedim(x, a, {axis}, {-1}), -2), x.one(x.dtype_of(a)));
  return movedim(x, x.op("aten::prod.dim_int", {wide, -1, false}), {-1}, {axis});
}

// ---- order ----

Values sort(X& x) {
  Value* a = self(x);
  if (x.rank(a) == 0) return {a, x.zeros({}, DType::kI64)};
  const int64_t axis = x.axis("dim", x.rank(a));
  x.require(!has_argument(x, "stable") || x.arg("stable").is_none() || !x.flag("stable"), "sort: keeping the order of equals needs an operator of its own");
  return x.ops("aten::topk", {a, x.builder().size(x.dim(a, axis)), axis, x.flag("descending"), true});
}

// ---- scattering ----

/// An index for one dimension and nothing for those before it.
Arg::List along(int64_t axis, Value* index) {
  Arg::List indices(static_cast<size_t>(axis));
  indices.push_back(index);
  return indices;
}

Value* index_add(X& x) {
  Value *a = self(x), *source = x.tensor("source");
  x.require(x.rank(a) > 0, "index_add: one dimension or more");
  if (x.number("alpha") != 1) source = x.mul(source, x.arg("alpha"));
  return x.op("aten::index_put", {a, along(x.axis("dim", x.rank(a)), x.to(x.tensor("index"), DType::kI64)), source, true});
}

Value* scatter_reduce(X& x) {
  Value *a = self(x), *index = x.tensor("index"), *source = x.tensor("src");
  const int64_t axis = x.axis("dim", x.rank(a));
  const std::string how = x.text("reduce");
  const bool keeps = !has_argument(x, "include_self") || x.flag("include_self");
  x.require(how == "sum" || how == "add" || (how == "mean" && is_floating(x.dtype_of(a))), "scatter_reduce: this reduction needs an operator of its own");
  if (!keeps) a = x.op("aten::scatter.value", {a, axis, index, x.zero(x.dtype_of(a))});
  Value* sum = x.op("aten::scatter_add", {a, axis, index, source});
  if (how != "mean") return sum;
  Value* ones = x.full(x.dims(self(x)), 1.0, x.dtype_of(a));
  if (!keeps) ones = x.op("aten::scatter.value", {ones, axis, index, 0.0});
  Value* count = x.op("aten::scatter_add", {ones, axis, index, x.full(x.dims(index), 1.0, x.dtype_of(a))});
  return x.div(sum, x.clamp(count, 1.0));
}

Value* diagonal_scatter(X& x) {
  Value *a = self(x), *source = x.tensor("src");
  const int64_t offset = x.integer("offset");
  const Axes axes = x.wrap({x.integer("dim1"), x.integer("dim2")}, x.rank(a));
  a = movedim(x, a, axes, {-2, -1});
  // The source's element for row i is number i, less the rows that the diagonal starts below.
  const int64_t skipped = std::max<int64_t>(0, -offset);
  const Dim rest = x.dim(a, -2) - x.dim(source, -1) - Dim(skipped);
  Value* rows = x.op("aten::constant_pad_nd", {source, x.builder().sizes({Dim(skipped), rest}), x.zero(x.dtype_of(source))});
  return movedim(x, x.where(x.eq(offsets(x, a), offset), x.unsqueeze(rows, -1), a), {-2, -1}, axes);
}

/// Places that are masked out read element 0, or are written nothing.
Arg::List clamped_indices(X& x) {
  Arg::List indices = x.arg("indices").list();
  Value* a = self(x);
  for (size_t i = 0; i < indices.size() && i < x.rank(a); ++i) {
    if (indices[i].is_none()) continue;
    Value* index = indices[i].value();
    Value* last = x.full({}, x.builder().size(x.dim(a, int64_t(i)) - Dim(1)), x.dtype_of(index));
    indices[i] = x.minimum(x.op("aten::clamp", {index, 0, Arg()}), last);
  }
  return indices;
}

Value* masked_index(X& x) {
  Value* y = x.op("aten::index.Tensor", {self(x), clamped_indices(x)});
  return x.op("aten::masked_fill.Scalar", {y, x.logical_not(x.tensor("mask")), x.arg("fill")});
}

Value* masked_index_put(X& x) {
  Value* values = x.tensor("values");
  values = x.op("aten::masked_fill.Scalar", {values, x.logical_not(x.tensor("mask")), x.zero(x.dtype_of(values))});
  return x.op("aten::index_put", {self(x), clamped_indices(x), values, true});
}

// ---- pooling in three dimensions: planes first, then depth against flattened planes ----

Axes tail(const Axes& a) { return {a[1], a[2]}; }
Axes depth_of(const Axes& a, int64_t other) { return {a[0], other}; }

struct Volume {
  Value* planes;  // [planes, depth, height, width]
  Dims leading;   // what `planes` was before
  Dim count, depth;
};

Volume volume(X& x, Value* a) {
  x.require(x.rank(a) == 4 || x.rank(a) == 5, "the input needs four or five dimensions");
  const Dims d = x.dims(a);
  const size_t first = d.size() - 3;
  const Dim count = x.product(d, 0, first);
  return {x.view(a, {count, d[first], d[first + 1], d[first + 2]}), Dims(d.begin(), d.begin() + ptrdiff_t(first)), count, d[first]};
}

Value* assemble(X& x, Value* flat, const Volume& v, Value* planes) {  // flat [planes, depth', height' * width']
  Dims out = v.leading;
  out.insert(out.end(), {x.dim(flat, 1), x.dim(planes, 2), x.dim(planes, 3)});
  return x.view(flat, out);
}

Value* flat_planes(X& x, Value* planes, const Volume& v) { return x.view(planes, {v.count, v.depth, x.dim(planes, 2) * x.dim(planes, 3)}); }

Value* avg_pool3d(X& x) {
  const Volume v = volume(x, self(x));
  const Axes kernel = x.ints("kernel_size", 3), padding = x.ints("padding", 3);
  Axes stride = x.ints("stride", 3);
  if (stride.empty()) stride = kernel;
  const Arg &ceil = x.arg("ceil_mode"), &pads = x.arg("count_include_pad");
  const Arg divisor = x.has("divisor_override") ? Arg(1) : Arg();
  Value* planes = x.op("aten::avg_pool2d", {v.planes, tail(kernel), tail(stride), tail(padding), ceil, pads, divisor});
  Value* y = x.op("aten::avg_pool2d", {flat_planes(x, planes, v), depth_of(kernel, 1), depth_of(stride, 1), depth_of(padding, 0), ceil, pads, divisor});
  if (x.has("divisor_override")) y = x.div(y, x.arg("divisor_override"));
  return assemble(x, y, v, planes);
}

Values max_pool3d(X& x) {
  const Volume v = volume(x, self(x));
  const Axes kernel = x.ints("kernel_size", 3), padding = x.ints("padding", 3), dilation = x.ints("dilation", 3);
  Axes stride = x.ints("stride", 3);
  if (stride.empty()) stride = kernel;
  const Arg& ceil = x.arg("ceil_mode");
  const Values planes = x.ops("aten::max_pool2d_with_indices", {v.planes, tail(kernel), tail(stride), tail(padding), tail(dilation), ceil});
  const Values y = x.ops("aten::max_pool2d_with_indices", {flat_planes(x, planes[0], v), depth_of(kernel, 1), depth_of(stride, 1),
                                                           depth_of(padding, 0), depth_of(dilation, 1), ceil});
  // Where in its plane each winner was, and how many planes lie before.
  const Dim area = x.dim(planes[0], 2) * x.dim(planes[0], 3), full = x.dim(v.planes, 2) * x.dim(v.planes, 3);
  Value* won = x.view(y[1], {v.count, x.dim(y[1], 1) * area});
  Value* within = x.op("aten::gather", {x.view(planes[1], {v.count, v.depth * area}), 1, won});
  Value* depth = x.op("aten::div.Scalar_mode", {won, x.builder().size(area), "floor"});
  Value* index = x.view(x.add(within, x.mul(depth, x.builder().size(full))), x.dims(y[1]));
  return {assemble(x, y[0], v, planes[0]), assemble(x, index, v, planes[0])};
}

/// Bin i of `out` over `in` elements.
int64_t bin_start(int64_t i, int64_t in, int64_t out) { return i * in / out; }
int64_t bin_end(int64_t i, int64_t in, int64_t out) { return (i + 1) * in / out + ((i + 1) * in % out != 0); }

/// Every bin as a list of places, filled up by repeating its last one; bins are boxes of one to three dimensions.
Values adaptive_max(X& x, size_t spatial) {
  Value* a = self(x);
  const Dims d = x.dims(a);
  x.require(d.size() == spatial + 1 || d.size() == spatial + 2, "the input has the wrong number of dimensions");
  const Axes out = x.ints("output_size", spatial);
  const size_t first = d.size() - spatial;
  std::vector<std::vector<int64_t>> bins{{0}};  // over all axes so far
  int64_t elements = 1, most = 1;
  for (size_t axis = 0; axis < spatial; ++axis) {
    const int64_t in = x.known(d[first + axis], "the size of the image"), n = out[axis];
    x.require(in > 0 && n > 0 && n <= 1 << 12, "the size of the result is out of range");
    std::vector<std::vector<int64_t>> next;
    for (const auto& bin : bins)
      for (int64_t i = 0; i < n; ++i) {
        std::vector<int64_t> places;
        for (int64_t place : bin)
          for (int64_t p = bin_start(i, in, n); p < bin_end(i, in, n); ++p) places.push_back(place * in + p);
        next.push_back(places);
      }
    bins = std::move(next);
    elements *= in;
    x.require(bins.size() <= size_t(1) << 16, "the result is too large");
  }
  for (const auto& bin : bins) most = std::max(most, int64_t(bin.size()));
  x.require(int64_t(bins.size()) * most <= 1 << 20, "the windows are too many");
  std::vector<double> table;
  for (const auto& bin : bins)
    for (int64_t k = 0; k < most; ++k) table.push_back(double(bin[size_t(std::min(k, int64_t(bin.size()) - 1))]));
  Value* places = x.builder().constant(DType::kI64, {int64_t(bins.size()), most}, table);
  const Dim planes = x.product(d, 0, first);
  Value* windows = x.op("aten::index_select", {x.view(a, {planes, Dim(elements)}), 1, x.view(places, {Dim(int64_t(table.size()))})});
  const Values best = x.ops("aten::max.dim", {x.view(windows, {planes, Dim(int64_t(bins.size())), Dim(most)}), 2, false});
  Value* wide = x.expand(x.unsqueeze(places, 0), {planes, Dim(int64_t(bins.size())), Dim(most)});
  Value* index = x.squeeze(x.op("aten::gather", {wide, 2, x.unsqueeze(best[1], 2)}), 2);
  Dims shape(d.begin(), d.begin() + ptrdiff_t(first));
  for (int64_t n : out) shape.push_back(n);
  return {x.view(best[0], shape), x.view(index, shape)};
}

/// Elements go back to where pooling found them.
Value* unpool(X& x, size_t spatial) {
  Value* a = self(x);
  const Dims d = x.dims(a), size = x.sizes("output_size");
  x.require(d.size() > spatial && size.size() == spatial, "the input has the wrong number of dimensions");
  const size_t first = d.size() - spatial;
  const Dim planes = x.product(d, 0, first), from = x.product(d, first);
  Value* empty = x.zeros({planes, x.product(size)}, x.dtype_of(a));
  Value* y = x.op("aten::scatter.src", {empty, 1, x.view(x.tensor("indices"), {planes, from}), x.view(a, {planes, from})});
  Dims shape(d.begin(), d.begin() + ptrdiff_t(first));
  shape.insert(shape.end(), size.begin(), size.end());
  return x.view(y, shape);
}

#define GLINT_NEW "ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor"
#define GLINT_LINSPACE(overload, start, end) {"aten::linspace" overload "(" start " start, " end " end, int steps, *, " GLINT_NEW, linspace}

constexpr Row kRows[] = {
    {"aten::new_zeros(Tensor self, SymInt[] size, *, " GLINT_NEW, new_zeros},
    {"aten::new_empty(Tensor self, SymInt[] size, *, " GLINT_NEW, new_zeros},
    {"aten::new_empty_strided(Tensor self, SymInt[] size, SymInt[] stride, *, " GLINT_NEW, new_zeros},
    {"aten::new_ones(Tensor self, SymInt[] size, *, " GLINT_NEW, new_ones},
    {"aten::new_full(Tensor self, SymInt[] size, Scalar fill_value, *, " GLINT_NEW, new_full},
    {"aten::empty_like(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, "
     "MemoryFormat? memory_format=None) -> Tensor", [](X& x) { return filled(x, x.dims(self(x)), {}); }},
    GLINT_LINSPACE("", "Scalar", "Scalar"), GLINT_LINSPACE(".Tensor_Tensor", "Tensor", "Tensor"),
    GLINT_LINSPACE(".Tensor_Scalar", "Tensor", "Scalar"), GLINT_LINSPACE(".Scalar_Tensor", "Scalar", "Tensor"),

    {"aten::xlogy.Tensor(Tensor self, Tensor other) -> Tensor",
     [](X& x) { return zero_or_product(x, self(x), x.tensor("other"), x.log(x.to_float(x.tensor("other")))); }},
    {"aten::special_xlog1py(Tensor self, Tensor other) -> Tensor",
     [](X& x) { return zero_or_product(x, self(x), x.tensor("other"), x.unary("log1p", x.to_float(x.tensor("other")))); }},
    {"aten::special_entr(Tensor self) -> Tensor", [](X& x) {
       Value* a = x.to_float(self(x));
       Value* y = zero_or_product(x, x.neg(a), a, x.log(a));
       return x.where(x.lt(a, 0), -INFINITY, y);
     }},
    {"aten::logaddexp(Tensor self, Tensor other) -> Tensor", [](X& x) { return log_add(x, M_E); }},
    {"aten::logaddexp2(Tensor self, Tensor other) -> Tensor", [](X& x) { return log_add(x, 2); }},
    {"aten::exp2(Tensor self) -> Tensor", [](X& x) { return x.pow(2.0, x.to_float(self(x))); }},
    {"aten::erfc(Tensor self) -> Tensor", [](X& x) { return x.sub(1.0, x.unary("erf", self(x))); }},
    {"aten::copysign.Tensor(Tensor self, Tensor other) -> Tensor", [](X& x) { return copysign(x, x.tensor("other")); }},
    {"aten::signbit(Tensor self) -> Tensor", [](X& x) { return is_negative(x, self(x)); }},
    {"aten::sgn(Tensor self) -> Tensor", [](X& x) {
       x.require(!is_complex(x.dtype_of(self(x))), "sgn: of a complex tensor it needs an operator of its own");
       return x.unary("sign", self(x));
     }},
    {"aten::sinc(Tensor self) -> Tensor", sinc},
    {"aten::isposinf(Tensor self) -> Tensor", [](X& x) { return x.eq(self(x), INFINITY); }},
    {"aten::isneginf(Tensor self) -> Tensor", [](X& x) { return x.eq(self(x), -INFINITY); }},
    {"aten::fmax(Tensor self, Tensor other) -> Tensor", [](X& x) { return ignoring_nan(x, true); }},
    {"aten::fmin(Tensor self, Tensor other) -> Tensor", [](X& x) { return ignoring_nan(x, false); }},
    {"aten::frac(Tensor self) -> Tensor", [](X& x) { return x.sub(self(x), x.unary("trunc", self(x))); }},
    {"aten::heaviside(Tensor self, Tensor values) -> Tensor", heaviside},
    {"aten::hypot(Tensor self, Tensor other) -> Tensor", hypot},
    {"aten::round.decimals(Tensor self, *, int decimals) -> Tensor", round_decimals},
    {"aten::angle(Tensor self) -> Tensor", angle},
    {"aten::_softmax_backward_data(Tensor grad_output, Tensor output, int dim, ScalarType input_dtype) -> Tensor", [](X& x) {
       Value *y = x.tensor("output"), *g = x.mul(x.tensor("grad_output"), y);
       return x.to(x.sub(g, x.mul(y, x.sum(g, {x.axis("dim", x.rank(g))}, true))), x.dtype("input_dtype").value_or(x.dtype_of(g)));
     }},

    {"aten::triu(Tensor self, SymInt diagonal=0) -> Tensor", [](X& x) { return triangle(x, true); }},
    {"aten::tril(Tensor self, SymInt diagonal=0) -> Tensor", [](X& x) { return triangle(x, false); }},
    {"aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", cumprod},
    {"aten::sort(Tensor self, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", sort},
    {"aten::sort.stable(Tensor self, *, bool? stable, int dim=-1, bool descending=False) -> (Tensor values, Tensor indices)", sort},

    {"aten::index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor", index_add},
    {"aten::scatter_reduce.two(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool include_self=True) -> Tensor", scatter_reduce},
    {"aten::scatter.reduce(Tensor self, int dim, Tensor index, Tensor src, *, str reduce) -> Tensor", scatter_reduce},
    {"aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor", diagonal_scatter},
    {"aten::_unsafe_masked_index(Tensor self, Tensor mask, Tensor?[] indices, Scalar fill) -> Tensor", masked_index},
    {"aten::_unsafe_masked_index_put_accumulate(Tensor self, Tensor mask, Tensor?[] indices, Tensor values) -> Tensor", masked_index_put},

    {"aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, "
     "int? divisor_override=None) -> Tensor", avg_pool3d},
    {"aten::max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, "
     "bool ceil_mode=False) -> (Tensor, Tensor)", max_pool3d},
    {"aten::adaptive_max_pool2d(Tensor self, int[2] output_size) -> (Tensor, Tensor)", [](X& x) { return adaptive_max(x, 2); }},
    {"aten::adaptive_max_pool3d(Tensor self, int[3] output_size) -> (Tensor, Tensor)", [](X& x) { return adaptive_max(x, 3); }},
    {"aten::max_unpool2d(Tensor self, Tensor indices, SymInt[2] output_size) -> Tensor", [](X& x) { return unpool(x, 2); }},
    {"aten::max_unpool3d(Tensor self, Tensor indices, SymInt[3] output_size, int[3] stride, int[3] padding) -> Tensor",
     [](X& x) { return unpool(x, 3); }},
};
#undef GLINT_NEW
#undef GLINT_LINSPACE

}  // namespace

Rows substitutes_rows() { return kRows; }

}  // namespace glint::compiler
