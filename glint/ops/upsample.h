#pragma once

#include <utility>

#include "glint/ops/grid_sampler.h"
#include "glint/ops/pool.h"

// Resizing [N, C, spatial...] along 1 to 3 dimensions, one dimension's filter at a time: a table says
// which run of input elements each output element reads, and with what weights. The arithmetic of
// coordinates is PyTorch's, in the compute type; bytes use its fixed-point weights.

namespace glint::ops {

enum class Resize { kNearest, kNearestExact, kLinear, kCubic, kLinearAntialias, kCubicAntialias };
inline bool is_antialias(Resize r) { return r >= Resize::kLinearAntialias; }

/// Output sizes and, where the caller gave them, scales.
struct ResizeSpec {
  std::array<int64_t, 3> size{};
  std::array<std::optional<double>, 3> scale{};
};

inline Status check_resized(int dims, const Tensor& self, ResizeSpec& spec, Resize mode, TensorMeta& out) {
  if (self.rank != dims + 2) return invalid_argument("upsample: the input has the wrong number of dimensions");
  const bool floating = is_floating(self.dtype), byte = self.dtype == DType::kU8;
  if (!floating && !(byte && (dims == 2 || mode <= Resize::kNearestExact))) return unsupported("upsample: not for this dtype");
  if (self.size[1] == 0) return invalid_argument("upsample: the input has no channels");
  std::array<int64_t, 5> sizes{self.size[0], self.size[1]};
  for (int d = 0; d < dims; ++d) {
    if (self.size[size_t(2 + d)] < 1 || spec.size[size_t(d)] < 1) return invalid_argument("upsample: input and output sizes must be positive");
    if (spec.size[size_t(d)] > kMaxWindow << 20 || self.size[size_t(2 + d)] > kMaxWindow << 20) return invalid_argument("upsample: a size is too large");
    sizes[size_t(2 + d)] = spec.size[size_t(d)];
  }
  return set_result(out, self.dtype, {sizes.data(), self.rank});
}

/// The overloads with output_size and a scale per dimension.
inline Status resize_to(int dims, const Tensor&, Ints size, std::initializer_list<std::optional<double>> scales, ResizeSpec& spec) {
  if (size.size() != size_t(dims)) return invalid_argument("upsample: output_size has the wrong number of sizes");
  for (size_t d = 0; d < size.size(); ++d) spec.size[d] = size[d], spec.scale[d] = scales.begin()[d];
  return {};
}

/// The .vec overloads: exactly one of output_size and scale_factors.
inline Status resize_by(int dims, const Tensor& self, std::optional<Ints> size, std::optional<Floats> factors, ResizeSpec& spec) {
  if (size.has_value() == factors.has_value()) return invalid_argument("upsample: give either output_size or scale_factors");
  if (size) {
    if (size->size() != size_t(dims)) return invalid_argument("upsample: output_size has the wrong number of sizes");
    std::copy(size->begin(), size->end(), spec.size.begin());
    return {};
  }
  if (factors->size() != size_t(dims)) return invalid_argument("upsample: scale_factors has the wrong number of entries");
  if (self.rank != dims + 2) return invalid_argument("upsample: the input has the wrong number of dimensions");
  for (size_t d = 0; d < factors->size(); ++d) {
    const double n = double(self.size[2 + d]) * (*factors)[d];
    if (!(n >= 0 && n < double(kMaxWindow << 20))) return invalid_argument("upsample: a scale factor is out of range");
    spec.size[d] = int64_t(n);
    spec.scale[d] = (*factors)[d];
  }
  return {};
}

/// Input elements per output element.
template <class C>
C resize_step(int64_t in, int64_t out, bool align_corners, std::optional<double> scale) {
  if (align_corners) return out > 1 ? C(in - 1) / C(out - 1) : C(0);
  return scale && *scale > 0 ? C(1.0 / *scale) : C(in) / C(out);
}

/// floor(x) within [0, size).
template <class C>
int64_t clamped(C x, int64_t size) {
  x = std::floor(x);
  return x >= C(size) ? size - 1 : x > 0 ? std::min(int64_t(x), size - 1) : 0;
}

/// What a resize does along one dimension.
struct ResizeAxis {
  Resize mode;
  int64_t in, out;
  bool align_corners;
  std::optional<double> scale;

  bool cubic() const { return mode == Resize::kCubic || mode == Resize::kCubicAntialias; }
  /// Half the width of an antialiasing filter, in input elements.
  double support() const { return (cubic() ? 2.0 : 1.0) * std::max(resize_step<double>(in, out, align_corners, scale), 1.0); }
  /// The most elements that one output element reads.
  int64_t most_taps() const {
    if (!is_antialias(mode)) return std::min<int64_t>(in, cubic() ? 4 : 2);
    const double taps = std::ceil(support()) * 2 + 1;
    return taps < double(in) ? int64_t(taps) : in;
  }
};

/// The table of one dimension: output element i reads elements start[i] .. start[i] + count[i].
template <class C>
struct ResizeTable {
  int64_t* start;
  int64_t* count;
  C* weight;
  int64_t pitch;
  const C* weights(int64_t i) const { return weight + i * pitch; }
};

/// Adds w to element i's weight for input index `at`, which may lie outside: then the border's.
template <class C>
void add_tap(const ResizeTable<C>& t, const ResizeAxis& a, int64_t i, int64_t at, C w) {
  t.weight[i * t.pitch + std::clamp<int64_t>(at, 0, a.in - 1) - t.start[i]] += w;
}

template <class C>
void cubic_or_linear(const ResizeTable<C>& t, const ResizeAxis& a, int64_t i) {
  const C step = resize_step<C>(a.in, a.out, a.align_corners, a.scale);
  C x = a.align_corners ? step * C(i) : step * (C(i) + C(0.5)) - C(0.5);
  std::fill_n(t.weight + i * t.pitch, t.pitch, C(0));
  if (a.mode == Resize::kCubic) {
    const C base = std::floor(x);
    C w[4];
    cubic_weights(std::clamp(x - base, C(0), C(1)), w);
    const int64_t first = base < -2 ? -3 : base > C(a.in) ? a.in : base == base ? int64_t(base) - 1 : 0;
    t.start[i] = std::clamp<int64_t>(first, 0, a.in - 1);
    t.count[i] = std::clamp<int64_t>(first + 3, 0, a.in - 1) - t.start[i] + 1;
    for (int k = 0; k < 4; ++k) add_tap(t, a, i, first + k, w[k]);
    return;
  }
  x = a.in == a.out ? C(i) : std::max(x, C(0));
  t.start[i] = clamped(x, a.in);
  const C fraction = std::clamp(x - C(t.start[i]), C(0), C(1));
  t.count[i] = t.start[i] + 1 < a.in ? 2 : 1;
  add_tap(t, a, i, t.start[i], 1 - fraction);
  add_tap(t, a, i, t.start[i] + 1, fraction);
}

/// A filter as wide as the shrinking asks for, cut off at the borders and normalised.
template <class C>
void antialias(const ResizeTable<C>& t, const ResizeAxis& a, int64_t i) {
  if (a.in == a.out) {  // kept as it is, whatever the scale
    t.start[i] = i, t.count[i] = 1, t.weight[i * t.pitch] = 1;
    return;
  }
  const C step = resize_step<C>(a.in, a.out, a.align_corners, a.scale), width = C(a.cubic() ? 2 : 1);
  const C support = step >= 1 ? width * step : width, inverse = step >= 1 ? 1 / step : C(1), centre = step * (C(i) + C(0.5));
  const auto filter = [&](C x) {
    x = std::fabs(x);
    if (!a.cubic()) return x < 1 ? 1 - x : C(0);
    const C b = C(-0.5);
    if (x < 1) return ((b + 2) * x - (b + 3)) * x * x + 1;
    return x < 2 ? ((x - 5) * x + 8) * x * b - 4 * b : C(0);
  };
  const C low = centre - support + C(0.5), high = centre + support + C(0.5);
  t.start[i] = low > 0 ? std::min(clamped(low, a.in), a.in - 1) : 0;
  const int64_t end = high >= C(a.in) ? a.in : high > 0 ? int64_t(high) : 0;
  t.count[i] = std::clamp<int64_t>(end - t.start[i], 0, t.pitch);
  C total = 0;
  C* w = t.weight + i * t.pitch;
  for (int64_t k = 0; k < t.count[i]; ++k) total += w[k] = filter((C(k + t.start[i]) - centre + C(0.5)) * inverse);
  for (int64_t k = 0; k < t.count[i]; ++k)
    if (total != 0) w[k] /= total;
}

/// Hands out table space; with null memory it only counts.
struct ResizeMemory {
  std::byte* at = nullptr;
  size_t used = 0;
  bool overflow = false;
  template <class T> T* take(int64_t n) {
    T* p = reinterpret_cast<T*>(at + used);
    int64_t bytes = 0, total = 0;
    if (!checked_mul(n, int64_t(sizeof(T)), &bytes) || bytes > INT64_MAX - 64 || !checked_add(int64_t(used), int64_t(align_up(uint64_t(bytes), 64)), &total)) overflow = true;
    else used = size_t(total);
    return p;
  }
};

template <class C>
ResizeTable<C> resize_table(const ResizeAxis& a, ResizeMemory& memory) {
  const int64_t pitch = a.most_taps();
  int64_t weights = 0;
  if (!checked_mul(a.out, pitch, &weights)) memory.overflow = true;
  ResizeTable<C> t{memory.take<int64_t>(a.out), memory.take<int64_t>(a.out), memory.take<C>(weights), pitch};
  if (memory.at == nullptr) return t;
  for (int64_t i = 0; i < a.out; ++i) is_antialias(a.mode) ? antialias(t, a, i) : cubic_or_linear(t, a, i);
  return t;
}

struct ResizeCall {
  int dims;
  Resize mode;
  bool align_corners;
  ResizeSpec spec;
  ResizeAxis axis(const Volume& in, const Volume& out, size_t d) const {
    const bool own = d >= size_t(3 - dims);
    return {mode, in.size[d], out.size[d], align_corners, own ? spec.scale[d - size_t(3 - dims)] : std::nullopt};
  }
};

template <class C>
void resize(const ResizeCall& call, const Tensor& self, ResizeMemory& memory, Tensor& out) {
  const Volume in = volume(self, call.dims), to = volume(out, call.dims);
  ResizeTable<C> table[3];
  for (size_t d = 0; d < 3; ++d) table[d] = resize_table<C>(call.axis(in, to, d), memory);
  if (!is_stored_as<C>(self.dtype)) memory.take<C>(in.count());
  if (memory.at == nullptr) return;
  std::byte* plane_memory = memory.at + memory.used - align_up(uint64_t(in.count()) * sizeof(C), 64);
  for_each_plane(call.dims, [&](const auto& o) {
    const Plane<C> plane = load_plane<C>(self, o[1], in, plane_memory);
    for_each_run(to.size, 0, to.count(), [&](int64_t z, int64_t y, int64_t, int64_t, int64_t width) {
      for_each_tile(width, [&](int64_t x0, int64_t n) {
        C row[kernels::kTile] = {};
        for (int64_t kz = 0; kz < table[0].count[z]; ++kz)
          for (int64_t ky = 0; ky < table[1].count[y]; ++ky) {
            const C w = table[0].weights(z)[kz] * table[1].weights(y)[ky];
            const C* from = plane.data + (table[0].start[z] + kz) * plane.step[0] + (table[1].start[y] + ky) * plane.step[1];
            for (int64_t x = 0; x < n; ++x) {
              const C* weights = table[2].weights(x0 + x);
              const C* p = from + table[2].start[x0 + x] * plane.step[2];
              C sum = 0;
              for (int64_t k = 0; k < table[2].count[x0 + x]; ++k) sum += weights[k] * p[k * plane.step[2]];
              row[x] += w * sum;
            }
          }
        kernels::store(out.dtype, at(out, o[0] + z * to.step[0] + y * to.step[1] + x0 * to.step[2]), to.step[2], n, row);
      });
    });
  }, out, self);
}

/// Byte images: weights as 16-bit integers with as many fraction bits as the largest allows, and
/// a byte again after each dimension, as PyTorch (and Pillow) do. A dimension that keeps its size is left alone.
struct ByteAxis {
  ResizeTable<double> table;
  int bits = 0;
  bool used = true;

  ByteAxis(const ResizeAxis& a, ResizeMemory& memory) : table(resize_table<double>(a, memory)), used(a.in != a.out) {
    if (memory.at == nullptr || !used) return;
    double most = 0;
    for (int64_t i = 0; i < a.out; ++i)
      for (int64_t k = 0; k < table.count[i]; ++k) most = std::max(most, table.weights(i)[k]);
    while (bits < 22 && 0.5 + most * double(int64_t(1) << (bits + 1)) < double(1 << 15)) ++bits;
  }
  template <class F>
  int64_t filter(int64_t i, F&& element) const {
    if (!used) return element(i);
    int64_t sum = bits > 0 ? int64_t(1) << (bits - 1) : 0;
    for (int64_t k = 0; k < table.count[i]; ++k) {
      const double w = table.weights(i)[k] * double(int64_t(1) << bits);
      sum += element(table.start[i] + k) * int64_t(w < 0 ? w - 0.5 : w + 0.5);
    }
    return std::clamp<int64_t>(sum >> bits, 0, 255);
  }
};

inline void resize_bytes(const ResizeCall& call, const Tensor& self, ResizeMemory& memory, Tensor& out) {
  const Volume in = volume(self, 2), to = volume(out, 2);
  const ByteAxis rows(call.axis(in, to, 1), memory), cols(call.axis(in, to, 2), memory);
  if (memory.at == nullptr) return;
  for_each_plane(2, [&](const auto& o) {
    const uint8_t* from = self.as<uint8_t>() + o[1];
    for (int64_t y = 0; y < to.size[1]; ++y)
      for (int64_t x = 0; x < to.size[2]; ++x)
        out.as<uint8_t>()[o[0] + y * to.step[1] + x * to.step[2]] = uint8_t(rows.filter(y, [&](int64_t iy) {
          return cols.filter(x, [&](int64_t ix) { return int64_t(from[iy * in.step[1] + ix * in.step[2]]); });
        }));
  }, out, self);
}

/// Nearest neighbours move elements and never round them.
template <class C>
int64_t nearest(Resize mode, int dims, int64_t in, int64_t out, std::optional<double> scale, int64_t i) {
  if (mode == Resize::kNearest && dims == 2) {  // PyTorch's shortcuts, which look past the scale
    if (out == in) return i;
    if (out == 2 * in) return i / 2;
  }
  const C step = resize_step<C>(in, out, false, scale);
  return clamped(mode == Resize::kNearest ? C(i) * step : (C(i) + C(0.5)) * step, in);
}

inline void resize_nearest(const ResizeCall& call, const Tensor& self, Tensor& out) {
  const Volume in = volume(self, call.dims), to = volume(out, call.dims);
  const auto index = [&](size_t d, int64_t i) -> int64_t {
    const ResizeAxis a = call.axis(in, to, d);
    if (d < size_t(3 - call.dims)) return 0;
    if (self.dtype == DType::kF64 && call.dims != 2) return nearest<double>(call.mode, call.dims, a.in, a.out, a.scale, i);
    return nearest<float>(call.mode, call.dims, a.in, a.out, a.scale, i);
  };
  const int width = int(dtype_size(self.dtype));
  for (int64_t z = 0; z < to.size[0]; ++z)
    for (int64_t y = 0; y < to.size[1]; ++y) {
      const int64_t row = index(0, z) * in.step[0] + index(1, y) * in.step[1];
      for (int64_t x = 0; x < to.size[2]; ++x) {
        const int64_t from = row + index(2, x) * in.step[2], dest = z * to.step[0] + y * to.step[1] + x * to.step[2];
        for (int64_t batch = 0; batch < out.size[0]; ++batch)
          kernels::copy_row(width, at(self, from + batch * self.stride[0]), self.stride[1], at(out, dest + batch * out.stride[0]), out.stride[1], out.size[1]);
      }
    }
}

/// Runs, or with null memory finds out how much of it a run needs.
inline void run_resize(const ResizeCall& call, const Tensor& self, ResizeMemory& memory, Tensor& out) {
  if (out.numel() == 0) return;
  if (call.mode <= Resize::kNearestExact) {
    if (out.data != nullptr) resize_nearest(call, self, out);
  } else if (self.dtype == DType::kU8) {
    resize_bytes(call, self, memory, out);
  } else {
    with_floating(self.dtype, [&](auto c) { resize<decltype(c)>(call, self, memory, out); });
  }
}

inline Status plan_resize(const ResizeCall& call, const Tensor& self, const Tensor& out, Plan& plan) {
  if (call.mode <= Resize::kNearestExact) return {};
  Tensor none = out;
  none.data = nullptr;
  ResizeMemory memory;
  run_resize(call, self, memory, none);
  if (memory.overflow) return invalid_argument("upsample: the tables are too large");
  plan.scratch_bytes = memory.used;
  return {};
}

// What the operators of a family share: each file of it names a mode, a number of dimensions and two schemas.

template <size_t> using ResizeScale = std::optional<double>;

/// Modes that weigh neighbours: the overloads with output_size and a scale a dimension, and those with scale_factors ("vec").
template <Resize Mode, class Dims> struct Interpolation;
template <Resize Mode, size_t... D>
struct Interpolation<Mode, std::index_sequence<D...>> {
  static constexpr int kDims = int(sizeof...(D));
  static Status infer(const Tensor& self, Ints size, bool, ResizeScale<D>... scales, TensorMeta& out) {
    ResizeSpec spec;
    GLINT_TRY(resize_to(kDims, self, size, {scales...}, spec));
    return check_resized(kDims, self, spec, Mode, out);
  }
  static Status plan(const PlanContext&, const Tensor& self, Ints size, bool align_corners, ResizeScale<D>... scales, const Tensor& out, Plan& plan) {
    ResizeCall call{kDims, Mode, align_corners, {}};
    GLINT_TRY(resize_to(kDims, self, size, {scales...}, call.spec));
    return plan_resize(call, self, out, plan);
  }
  static Status run(OpContext& c, const Tensor& self, Ints size, bool align_corners, ResizeScale<D>... scales, Tensor& out) {
    ResizeCall call{kDims, Mode, align_corners, {}};
    GLINT_TRY(resize_to(kDims, self, size, {scales...}, call.spec));
    ResizeMemory memory{c.scratch()};
    run_resize(call, self, memory, out);
    return {};
  }
  static Status infer_vec(const Tensor& self, std::optional<Ints> size, bool, std::optional<Floats> factors, TensorMeta& out) {
    ResizeSpec spec;
    GLINT_TRY(resize_by(kDims, self, size, factors, spec));
    return check_resized(kDims, self, spec, Mode, out);
  }
  static Status plan_vec(const PlanContext&, const Tensor& self, std::optional<Ints> size, bool align_corners, std::optional<Floats> factors, const Tensor& out,
                         Plan& plan) {
    ResizeCall call{kDims, Mode, align_corners, {}};
    GLINT_TRY(resize_by(kDims, self, size, factors, call.spec));
    return plan_resize(call, self, out, plan);
  }
  static Status run_vec(OpContext& c, const Tensor& self, std::optional<Ints> size, bool align_corners, std::optional<Floats> factors, Tensor& out) {
    ResizeCall call{kDims, Mode, align_corners, {}};
    GLINT_TRY(resize_by(kDims, self, size, factors, call.spec));
    ResizeMemory memory{c.scratch()};
    run_resize(call, self, memory, out);
    return {};
  }
};

/// Modes that take one element: neither align_corners nor anything to plan.
template <Resize Mode, class Dims> struct Nearest;
template <Resize Mode, size_t... D>
struct Nearest<Mode, std::index_sequence<D...>> {
  using Any = Interpolation<Mode, std::index_sequence<D...>>;
  static Status infer(const Tensor& self, Ints size, ResizeScale<D>... scales, TensorMeta& out) { return Any::infer(self, size, false, scales..., out); }
  static Status run(OpContext& c, const Tensor& self, Ints size, ResizeScale<D>... scales, Tensor& out) { return Any::run(c, self, size, false, scales..., out); }
  static Status infer_vec(const Tensor& self, std::optional<Ints> size, std::optional<Floats> factors, TensorMeta& out) {
    return Any::infer_vec(self, size, false, factors, out);
  }
  static Status run_vec(OpContext& c, const Tensor& self, std::optional<Ints> size, std::optional<Floats> factors, Tensor& out) {
    return Any::run_vec(c, self, size, false, factors, out);
  }
};

}  // namespace glint::ops
