// Fourier transforms over the three core ones: real to complex, complex to real, complex to complex.

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

enum Scale : int64_t { kUnscaled = 0, kByRoot = 1, kByCount = 2 };

Scale scale(X& x, bool forward) {
  const std::string norm = x.text("norm");
  if (norm == "ortho") return kByRoot;
  x.require(norm.empty() || norm == "backward" || norm == "forward", "the norm is backward, ortho or forward");
  return forward == (norm == "forward") ? kByCount : kUnscaled;
}

DType complex_of(DType d) { return is_complex(d) ? d : d == DType::kF64 ? DType::kC128 : d == DType::kF16 ? DType::kC32 : DType::kC64; }

Value* complexed(X& x, Value* a) { return x.to(x.to_float(a), complex_of(x.dtype_of(a))); }

/// Cut off or filled up with zeros to n along an axis.
Value* resized(X& x, Value* a, int64_t axis, const Dim& n) {
  const Dim have = x.dim(a, axis);
  if (have == n) return a;
  const int64_t want = x.known(n, "the length of the transform"), is = x.known(have, "the length of the signal");
  x.require(want > 0, "the length of the transform is not positive");
  if (want < is) return x.slice(a, axis, 0, want);
  Axes amounts(2 * (x.rank(a) - size_t(axis)), 0);
  amounts.back() = want - is;
  return x.op("aten::constant_pad_nd", {a, amounts, 0.0});
}

Value* c2c(X& x, Value* a, const Axes& axes, bool forward, Scale s) { return axes.empty() ? a : x.op("aten::_fft_c2c", {a, axes, int64_t(s), forward}); }
Value* r2c(X& x, Value* a, const Axes& axes, Scale s) { return x.op("aten::_fft_r2c", {a, axes, int64_t(s), true}); }
Value* c2r(X& x, Value* a, const Axes& axes, Scale s, const Dim& n) { return x.op("aten::_fft_c2r", {a, axes, int64_t(s), x.builder().size(n)}); }

// ---- what is transformed: axes and their lengths ----

struct Shape {
  Axes axes;
  Dims lengths;
};

Shape shape_1d(X& x, Value* a) {
  const int64_t axis = x.axis("dim", x.rank(a));
  x.require(x.rank(a) > 0, "a transform needs a dimension");
  return {{axis}, {x.has("n") ? x.size("n") : Dim(-1)}};
}

Shape shape_nd(X& x, Value* a) {
  Shape shape;
  if (x.has("s")) shape.lengths = x.sizes("s");
  if (x.has("dim")) shape.axes = x.wrap(x.ints("dim"), x.rank(a));
  else if (x.has("s")) shape.axes = x.iota(int64_t(x.rank(a) - shape.lengths.size()), int64_t(x.rank(a)));
  else shape.axes = x.all_axes(a);
  if (!x.has("s")) shape.lengths.assign(shape.axes.size(), Dim(-1));
  x.require(shape.axes.size() == shape.lengths.size(), "as many lengths as dimensions");
  return shape;
}

/// All axes but the last `skip` get their lengths; -1 keeps a length.
Value* resize_all(X& x, Value* a, const Shape& s, size_t skip = 0) {
  for (size_t i = 0; i + skip < s.axes.size(); ++i)
    if (!(s.lengths[i] == Dim(-1))) a = resized(x, a, s.axes[i], s.lengths[i]);
  return a;
}

template <Shape (*kShape)(X&, Value*), bool kForward>
Value* fft(X& x) {
  Value* a = complexed(x, x.tensor("self"));
  const Shape s = kShape(x, a);
  return c2c(x, resize_all(x, a, s), s.axes, kForward, scale(x, kForward));
}

/// Real input, half of the result; kConj: ihfft, an inverse transform.
template <Shape (*kShape)(X&, Value*), bool kInverse>
Value* rfft(X& x) {
  Value* a = x.to_float(x.tensor("self"));
  x.require(!is_complex(x.dtype_of(a)), "a real tensor is expected");
  const Shape s = kShape(x, a);
  x.require(!s.axes.empty(), "a transform of real numbers needs a dimension");
  a = resize_all(x, a, s);
  if (!kInverse) return r2c(x, a, s.axes, scale(x, true));
  Value* y = conj(x, r2c(x, a, {s.axes.back()}, scale(x, false)));
  return c2c(x, y, Axes(s.axes.begin(), s.axes.end() - 1), false, scale(x, false));
}

/// Half of a symmetric signal in, real result out; kForward: hfft.
template <Shape (*kShape)(X&, Value*), bool kForward>
Value* irfft(X& x) {
  Value* a = complexed(x, x.tensor("self"));
  const Shape s = kShape(x, a);
  x.require(!s.axes.empty(), "a transform to real numbers needs a dimension");
  const int64_t last = s.axes.back();
  const Dim n = s.lengths.back() == Dim(-1) ? (x.dim(a, last) - Dim(1)) * Dim(2) : s.lengths.back();
  a = resized(x, resize_all(x, a, s, 1), last, floor_div(n, Dim(2)) + Dim(1));
  a = c2c(x, a, Axes(s.axes.begin(), s.axes.end() - 1), kForward, scale(x, kForward));
  return c2r(x, kForward ? conj(x, a) : a, {last}, scale(x, kForward), n);
}

#define GLINT_FFT(name, function, flag)                                                                                    \
  {"aten::fft_" name "(Tensor self, SymInt? n=None, int dim=-1, str? norm=None) -> Tensor", function<shape_1d, flag>},      \
  {"aten::fft_" name "2(Tensor self, SymInt[1]? s=None, int[1] dim=[-2,-1], str? norm=None) -> Tensor", function<shape_nd, flag>}, \
  {"aten::fft_" name "n(Tensor self, SymInt[1]? s=None, int[1]? dim=None, str? norm=None) -> Tensor", function<shape_nd, flag>}

constexpr Row kRows[] = {
    GLINT_FFT("fft", fft, true), GLINT_FFT("ifft", fft, false), GLINT_FFT("rfft", rfft, false),
    GLINT_FFT("ihfft", rfft, true), GLINT_FFT("irfft", irfft, false), GLINT_FFT("hfft", irfft, true),
};
#undef GLINT_FFT

}  // namespace

Rows fft_rows() { return kRows; }

}  // namespace glint::compiler
