#pragma once

// What random operators share: draws come in row-major order of the result, whatever its layout, because the order of
// draws decides the values. The algorithms are those of PyTorch's CPU kernels (ATen/native/cpu/DistributionTemplates.h).

#include "glint/ops/compute.h"

namespace glint::ops {

inline Status no_generator() { return unsupported("a random operator is called where there is no generator"); }

/// out[i] = draw(), a float, double, int64_t or c128.
template <class Draw>
void draw_each(Tensor& out, Draw draw) {
  using V = decltype(draw());
  TensorMeta order = out;
  order.set_contiguous();
  for_each_row(make_loop(order, out), [&](const auto& offset, const auto& step, int64_t n) {
    V tile[kernels::kTile];
    for_each_tile(n, [&](int64_t start, int64_t m) {
      for (int64_t i = 0; i < m; ++i) tile[i] = draw();
      kernels::store<V>(out.dtype, at(out, offset[1] + start * step[1]), step[1], m, tile);
    });
  });
}

/// out[i] = draw(in[i]), computed in V.
template <class V, class Draw>
void draw_from_each(const Tensor& in, Tensor& out, Draw draw) {
  TensorMeta order = out;
  order.set_contiguous();
  for_each_row(make_loop(order, out, in), [&](const auto& offset, const auto& step, int64_t n) {
    V tile[kernels::kTile];
    for_each_tile(n, [&](int64_t start, int64_t m) {
      kernels::load<V>(in.dtype, at(in, offset[2] + start * step[2]), step[2], m, tile);
      for (int64_t i = 0; i < m; ++i) tile[i] = draw(tile[i]);
      kernels::store<V>(out.dtype, at(out, offset[1] + start * step[1]), step[1], m, tile);
    });
  });
}

/// Of the exponential distribution.
inline double draw_exponential(Generator& g, double lambda) { return -1 / lambda * std::log1p(-g.uniform_double()); }

/// Fills `out`, floating or complex, with normal numbers.
void fill_normal(Generator& g, double mean, double std, Tensor& out);

}  // namespace glint::ops
