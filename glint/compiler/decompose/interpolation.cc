// Resizing images. Every mode is separable: along one axis, an output element is a sum of a few input elements with fixed
// weights, so a mode is a table of taps.

#include <algorithm>
#include <cmath>

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

/// For each output element along an axis: where tap k reads, and how much it counts.
struct Tap {
  std::vector<double> index, weight;
};
using Taps = std::vector<Tap>;

enum class Mode { kNearest, kNearestExact, kLinear, kCubic, kLinearSmooth, kCubicSmooth };

struct Axis {
  int64_t in, out;
  bool align_corners;
  double factor;  // output over input as the caller gave it; 0 when only sizes were given
};

float step(const Axis& a, Mode mode) {
  if (a.align_corners && mode != Mode::kNearest && mode != Mode::kNearestExact) return a.out > 1 ? float(a.in - 1) / float(a.out - 1) : 0;
  return a.factor > 0 ? float(1 / a.factor) : float(a.in) / float(a.out);
}

double cubic(double t, double a = -0.75) {
  t = std::abs(t);
  if (t <= 1) return ((a + 2) * t - (a + 3)) * t * t + 1;
  if (t < 2) return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a;
  return 0;
}

Taps nearest_taps(const Axis& a, Mode mode) {
  Taps taps(1);
  const float s = step(a, mode);
  for (int64_t i = 0; i < a.out; ++i) {
    const float place = mode == Mode::kNearestExact ? (float(i) + 0.5f) * s : float(i) * s;
    taps[0].index.push_back(double(std::min<int64_t>(int64_t(std::floor(place)), a.in - 1)));
  }
  return taps;
}

Taps linear_taps(const Axis& a) {
  Taps taps(2);
  const float s = step(a, Mode::kLinear);
  for (int64_t i = 0; i < a.out; ++i) {
    const float place = a.align_corners ? float(i) * s : std::max(0.0f, (float(i) + 0.5f) * s - 0.5f);
    const int64_t low = std::min<int64_t>(int64_t(place), a.in - 1);
    const float t = std::clamp(place - float(low), 0.0f, 1.0f);
    taps[0].index.push_back(double(low));
    taps[1].index.push_back(double(std::min(low + 1, a.in - 1)));
    taps[0].weight.push_back(1 - t);
    taps[1].weight.push_back(t);
  }
  return taps;
}

Taps cubic_taps(const Axis& a) {
  Taps taps(4);
  const float s = step(a, Mode::kCubic);
  for (int64_t i = 0; i < a.out; ++i) {
    const float place = a.align_corners ? float(i) * s : (float(i) + 0.5f) * s - 0.5f;
    const int64_t low = int64_t(std::floor(place));
    for (int64_t k = 0; k < 4; ++k) {
      taps[size_t(k)].index.push_back(double(std::clamp<int64_t>(low - 1 + k, 0, a.in - 1)));
      taps[size_t(k)].weight.push_back(cubic(double(place) - double(low) + 1 - double(k)));
    }
  }
  return taps;
}

/// Antialiased: the filter is as wide as the step where the image shrinks.
Taps smooth_taps(const Axis& a, bool cubic_filter) {
  const float s = step(a, Mode::kLinearSmooth);
  const float stretch = std::max(s, 1.0f), support = (cubic_filter ? 2.0f : 1.0f) * stretch;
  std::vector<std::vector<double>> index, weight;
  size_t most = 1;
  for (int64_t i = 0; i < a.out; ++i) {
    const float centre = s * (float(i) + 0.5f);
    const int64_t from = std::max<int64_t>(int64_t(centre - support + 0.5f), 0), to = std::min<int64_t>(int64_t(centre + support + 0.5f), a.in);
    std::vector<double> where, how;
    double total = 0;
    for (int64_t j = from; j < to; ++j) {
      const double t = (double(j) - double(centre) + 0.5) / double(stretch);
      const double w = cubic_filter ? cubic(t, -0.5) : std::max(0.0, 1 - std::abs(t));
      where.push_back(double(j));
      how.push_back(w);
      total += w;
    }
    for (double& w : how) w = total != 0 ? w / total : 0;
    most = std::max(most, where.size());
    index.push_back(where);
    weight.push_back(how);
  }
  Taps taps(most);
  for (size_t i = 0; i < index.size(); ++i)
    for (size_t k = 0; k < most; ++k) {
      taps[k].index.push_back(k < index[i].size() ? index[i][k] : 0);
      taps[k].weight.push_back(k < weight[i].size() ? weight[i][k] : 0);
    }
  return taps;
}

Taps taps_of(const Axis& a, Mode mode) {
  switch (mode) {
    case Mode::kLinear: return linear_taps(a);
    case Mode::kCubic: return cubic_taps(a);
    case Mode::kLinearSmooth: return smooth_taps(a, false);
    case Mode::kCubicSmooth: return smooth_taps(a, true);
    default: return nearest_taps(a, mode);
  }
}

Value* resample(X& x, Value* image, int64_t axis, const Taps& taps) {
  Value* sum = nullptr;
  const std::vector<int64_t> count{int64_t(taps[0].index.size())};
  for (const Tap& t : taps) {
    Value* y = x.op("aten::index_select", {image, axis, x.builder().constant(DType::kI64, count, t.index)});
    if (!t.weight.empty()) {
      std::vector<int64_t> shape(x.rank(image), 1);
      shape[size_t(axis)] = count[0];
      y = x.mul(y, x.builder().constant(x.dtype_of(image), shape, t.weight));
    }
    sum = sum ? x.add(sum, y) : y;
  }
  return sum;
}

struct Request {
  Value* image;
  Dims out;                     // spatial
  std::vector<double> factors;  // of each spatial axis; 0: not given
  bool align_corners = false;
};

Value* resize(X& x, const Request& r, Mode mode) {
  const size_t spatial = r.out.size();
  Value* y = r.image;
  x.require(x.rank(y) == spatial + 2, "the input has the wrong number of dimensions");
  const DType given = x.dtype_of(y);
  const bool interpolates = mode != Mode::kNearest && mode != Mode::kNearestExact;
  x.require(!interpolates || is_floating(given), "this mode resizes floating point images only");
  if (interpolates && given != DType::kF64) y = x.to(y, DType::kF32);
  // The last axis first: rows are then read in order.
  for (size_t i = spatial; i-- > 0;) {
    const Axis a{x.known(x.dim(y, int64_t(i) + 2), "the size of the image"), x.known(r.out[i], "the size of the resized image"), r.align_corners, r.factors[i]};
    x.require(a.in > 0 && a.out > 0, "empty images cannot be resized");
    if (a.in == a.out && (a.factor == 0 || a.factor == 1)) continue;
    y = resample(x, y, int64_t(i) + 2, taps_of(a, mode));
  }
  return x.to(y, given);
}

/// The size that a factor makes of a size, rounded down.
Dim scaled(X& x, const Dim& size, double factor) {
  if (size.is_static()) return int64_t(std::floor(double(size.value()) * factor));
  for (int64_t d = 1; d <= 64; ++d)
    if (factor * double(d) == std::floor(factor * double(d))) return floor_div(size * Dim(int64_t(factor * double(d))), Dim(d));
  x.refuse("a size that varies is scaled by a factor that is no simple fraction");
}

bool flag_if_present(X& x, const char* name) { return x.node().schema->arg_index(name) >= 0 && x.flag(name); }

/// Sizes or factors, one of which is given.
Request vector_form(X& x, size_t spatial) {
  Request r{x.tensor("input"), {}, std::vector<double>(spatial, 0), flag_if_present(x, "align_corners")};
  x.require(x.rank(r.image) == spatial + 2, "the input has the wrong number of dimensions");
  if (x.has("output_size")) {
    r.out = x.sizes("output_size");
  } else {
    const Arg& factors = x.arg("scale_factors");
    x.require(factors.is_list() && factors.list().size() == spatial, "neither sizes nor a factor for each axis");
    for (size_t i = 0; i < spatial; ++i) {
      r.factors[i] = factors.list()[i].to_double();
      r.out.push_back(scaled(x, x.dim(r.image, int64_t(i) + 2), r.factors[i]));
    }
  }
  x.require(r.out.size() == spatial, "a size for each axis");
  return r;
}

/// The overload with sizes and a factor for each axis as arguments of their own.
Request plain_form(X& x, const std::vector<const char*>& factors) {
  Request r{x.tensor("self"), x.sizes("output_size"), {}, flag_if_present(x, "align_corners")};
  for (const char* name : factors) r.factors.push_back(x.has(name) ? x.number(name) : 0);
  x.require(r.out.size() == factors.size(), "a size for each axis");
  return r;
}

template <size_t kSpatial, Mode kMode>
Value* resize_vector(X& x) {
  const Request r = vector_form(x, kSpatial);
  static constexpr const char* kNames[4][3] = {
      {"aten::upsample_nearest1d", "aten::upsample_nearest2d", "aten::upsample_nearest3d"},
      {"aten::_upsample_nearest_exact1d", "aten::_upsample_nearest_exact2d", "aten::_upsample_nearest_exact3d"},
      {"aten::upsample_linear1d", "aten::upsample_bilinear2d", "aten::upsample_trilinear3d"},
      {"", "aten::upsample_bicubic2d", ""}};
  if constexpr (kMode == Mode::kLinearSmooth || kMode == Mode::kCubicSmooth) return resize(x, r, kMode);
  const char* name = kNames[size_t(kMode) % 4][kSpatial - 1];
  if (!x.builder().lookup().def(name)) return resize(x, r, kMode);
  std::vector<Arg> args{r.image, x.builder().sizes(r.out)};
  if (kMode == Mode::kLinear || kMode == Mode::kCubic) args.push_back(r.align_corners);
  for (double f : r.factors) args.push_back(f > 0 ? Arg(f) : Arg());
  return x.op(name, args);
}

template <size_t kSpatial, Mode kMode>
Value* resize_plain(X& x) {
  if constexpr (kSpatial == 1) return resize(x, plain_form(x, {"scales"}), kMode);
  else if constexpr (kSpatial == 2) return resize(x, plain_form(x, {"scales_h", "scales_w"}), kMode);
  else return resize(x, plain_form(x, {"scales_d", "scales_h", "scales_w"}), kMode);
}

/// theta [N, 2, 3] or [N, 3, 4] applied to a regular grid over -1..1, innermost coordinate first.
Value* affine_grid(X& x) {
  Value* theta = x.tensor("theta");
  const Axes size = x.ints("size");
  const size_t spatial = size.size() - 2;
  x.require((size.size() == 4 || size.size() == 5) && x.rank(theta) == 3, "affine_grid: images of two or three dimensions");
  int64_t points = 1;
  for (size_t i = 2; i < size.size(); ++i) {
    x.require(size[i] > 0, "affine_grid: empty images");
    points *= size[i];
    x.require(points <= 1 << 24, "affine_grid: the image is too large");
  }
  std::vector<double> grid;
  for (int64_t p = 0; p < points; ++p) {
    int64_t rest = p;
    for (size_t axis = size.size() - 1; axis >= 2; --axis) {
      const int64_t n = size[axis], i = rest % n;
      rest /= n;
      const double end_to_end = n > 1 ? 2.0 * double(i) / double(n - 1) - 1 : 0.0;
      grid.push_back(x.flag("align_corners") ? end_to_end : end_to_end * double(n - 1) / double(n));
    }
    grid.push_back(1);
  }
  Value* base = x.builder().constant(x.dtype_of(theta), {1, points, int64_t(spatial) + 1}, grid);
  Value* y = matmul(x, base, x.transpose(theta, 1, 2));
  Dims out{x.dim(theta, 0)};
  for (size_t i = 2; i < size.size(); ++i) out.push_back(size[i]);
  out.push_back(int64_t(spatial));
  return x.view(y, out);
}

#define GLINT_NEAREST(name, n, scales, mode)                                                                                   \
  {"aten::" name ".vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor", resize_vector<n, mode>},        \
  {"aten::" name "(Tensor self, SymInt[" #n "] output_size, " scales ") -> Tensor", resize_plain<n, mode>}
#define GLINT_SMOOTH(name, n, scales, mode)                                                                                            \
  {"aten::" name ".vec(Tensor input, SymInt[]? output_size, bool align_corners, float[]? scale_factors) -> Tensor", resize_vector<n, mode>}, \
  {"aten::" name "(Tensor self, SymInt[" #n "] output_size, bool align_corners, " scales ") -> Tensor", resize_plain<n, mode>}
#define GLINT_SCALES1 "float? scales=None"
#define GLINT_SCALES2 "float? scales_h=None, float? scales_w=None"
#define GLINT_SCALES3 "float? scales_d=None, float? scales_h=None, float? scales_w=None"

constexpr Row kRows[] = {
    GLINT_NEAREST("upsample_nearest1d", 1, GLINT_SCALES1, Mode::kNearest),
    GLINT_NEAREST("upsample_nearest2d", 2, GLINT_SCALES2, Mode::kNearest),
    GLINT_NEAREST("upsample_nearest3d", 3, GLINT_SCALES3, Mode::kNearest),
    GLINT_NEAREST("_upsample_nearest_exact1d", 1, GLINT_SCALES1, Mode::kNearestExact),
    GLINT_NEAREST("_upsample_nearest_exact2d", 2, GLINT_SCALES2, Mode::kNearestExact),
    GLINT_NEAREST("_upsample_nearest_exact3d", 3, GLINT_SCALES3, Mode::kNearestExact),
    GLINT_SMOOTH("upsample_linear1d", 1, GLINT_SCALES1, Mode::kLinear),
    GLINT_SMOOTH("upsample_bilinear2d", 2, GLINT_SCALES2, Mode::kLinear),
    GLINT_SMOOTH("upsample_trilinear3d", 3, GLINT_SCALES3, Mode::kLinear),
    GLINT_SMOOTH("upsample_bicubic2d", 2, GLINT_SCALES2, Mode::kCubic),
    GLINT_SMOOTH("_upsample_bilinear2d_aa", 2, GLINT_SCALES2, Mode::kLinearSmooth),
    GLINT_SMOOTH("_upsample_bicubic2d_aa", 2, GLINT_SCALES2, Mode::kCubicSmooth),
    {"aten::affine_grid_generator(Tensor theta, SymInt[] size, bool align_corners) -> Tensor", affine_grid},
    {"aten::grid_sampler(Tensor input, Tensor grid, int interpolation_mode, int padding_mode, bool align_corners) -> Tensor", [](X& x) {
       const char* name = x.rank(x.tensor("input")) == 5 ? "aten::grid_sampler_3d" : "aten::grid_sampler_2d";
       return x.op(name, {x.arg("input"), x.arg("grid"), x.arg("interpolation_mode"), x.arg("padding_mode"), x.arg("align_corners")});
     }},
};

}  // namespace

Rows interpolation_rows() { return kRows; }

}  // namespace glint::compiler
