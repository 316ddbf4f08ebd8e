// Pooling in the forms that one- and two-dimensional core operators give.

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

/// A one-dimensional argument as a two-dimensional one, over a height of 1.
Axes widen(const Axes& a, int64_t first) { return {first, a.at(0)}; }

Axes stride_of(X& x, const Axes& kernel) {
  Axes stride = x.ints("stride", kernel.size());
  return stride.empty() ? kernel : stride;
}

Value* avg_pool1d(X& x) {
  const Axes kernel = x.ints("kernel_size"), stride = stride_of(x, kernel);
  Value* y = x.op("aten::avg_pool2d", {x.unsqueeze(x.tensor("self"), -2), widen(kernel, 1), widen(stride, 1), widen(x.ints("padding"), 0),
                                       x.arg("ceil_mode"), x.arg("count_include_pad")});
  return x.squeeze(y, -2);
}

Values max_pool1d(X& x) {
  const Axes kernel = x.ints("kernel_size"), stride = stride_of(x, kernel);
  Values y = x.ops("aten::max_pool2d_with_indices", {x.unsqueeze(x.tensor("self"), -2), widen(kernel, 1), widen(stride, 1),
                                                     widen(x.ints("padding"), 0), widen(x.ints("dilation"), 1), x.arg("ceil_mode")});
  for (Value*& v : y) v = x.squeeze(v, -2);
  return y;
}

template <size_t kSpatial>
Value* max_pool(X& x) {
  const Axes kernel = x.ints("kernel_size", kSpatial);
  return x.ops(kSpatial == 2 ? "aten::max_pool2d_with_indices" : "aten::max_pool3d_with_indices",
               {x.tensor("self"), kernel, stride_of(x, kernel), x.ints("padding", kSpatial), x.ints("dilation", kSpatial), x.arg("ceil_mode")})[0];
}

bool all_ones(const Dims& d) {
  for (const Dim& s : d)
    if (!(s == Dim(1))) return false;
  return true;
}

Value* adaptive_avg(X& x, Value* a, const Dims& out) {
  const int64_t rank = int64_t(x.rank(a)), spatial = int64_t(out.size());
  x.require(rank == spatial + 1 || rank == spatial + 2, "the input has the wrong number of dimensions");
  if (all_ones(out)) return x.mean(a, x.iota(rank - spatial, rank), true);
  ir::Builder& b = x.builder();
  if (spatial == 2) return x.op("aten::_adaptive_avg_pool2d", {a, b.sizes(out)});
  if (spatial == 1) return x.squeeze(x.op("aten::_adaptive_avg_pool2d", {x.unsqueeze(a, -2), b.sizes({Dim(1), out[0]})}), -2);
  // Bins are boxes: height and width first, then depth against both of them flattened.
  const Dims d = x.dims(a);
  const Dim planes = x.product(d, 0, d.size() - 3), area = out[1] * out[2];
  Value* y = x.op("aten::_adaptive_avg_pool2d", {x.view(a, {planes, d[d.size() - 3], d[d.size() - 2], d.back()}), b.sizes({out[1], out[2]})});
  y = x.op("aten::_adaptive_avg_pool2d", {x.view(y, {planes, d[d.size() - 3], area}), b.sizes({out[0], area})});
  Dims result(d.begin(), d.end() - 3);
  result.insert(result.end(), out.begin(), out.end());
  return x.view(y, result);
}

/// None in output_size would keep a size; exported programs hold numbers only.
template <size_t kSpatial>
Value* adaptive_avg_pool(X& x) {
  Dims out = x.sizes("output_size");
  if (out.size() == 1) out.resize(kSpatial, out[0]);
  x.require(out.size() == kSpatial, "output_size has the wrong length");
  return adaptive_avg(x, x.tensor("self"), out);
}

Values adaptive_max_pool1d(X& x) {
  Values y = x.ops("aten::adaptive_max_pool2d", {x.unsqueeze(x.tensor("self"), -2), widen(x.ints("output_size"), 1)});
  for (Value*& v : y) v = x.squeeze(v, -2);
  return y;
}

constexpr Row kRows[] = {
    {"aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, bool ceil_mode=False, "
     "bool count_include_pad=True) -> Tensor", avg_pool1d},
    {"aten::max_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, bool ceil_mode=False) -> Tensor",
     [](X& x) { return max_pool1d(x)[0]; }},
    {"aten::max_pool1d_with_indices(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=0, int[1] dilation=1, "
     "bool ceil_mode=False) -> (Tensor, Tensor)", max_pool1d},
    {"aten::max_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> Tensor",
     max_pool<2>},
    {"aten::max_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> Tensor",
     max_pool<3>},
    {"aten::adaptive_avg_pool1d(Tensor self, int[1] output_size) -> Tensor", adaptive_avg_pool<1>},
    {"aten::adaptive_avg_pool2d(Tensor self, SymInt[2] output_size) -> Tensor", adaptive_avg_pool<2>},
    {"aten::adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor", adaptive_avg_pool<3>},
    {"aten::_adaptive_avg_pool3d(Tensor self, SymInt[3] output_size) -> Tensor", adaptive_avg_pool<3>},
    {"aten::adaptive_max_pool1d(Tensor self, int[1] output_size) -> (Tensor, Tensor)", adaptive_max_pool1d},
};

}  // namespace

Rows pooling_rows() { return kRows; }

}  // namespace glint::compiler
