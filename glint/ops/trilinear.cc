#include "glint/ops/compute.h"

namespace glint::ops {
namespace {

// Each operand gets sizes of 1 at its `expand` positions; their product is summed over `sumdim`.
struct Views { TensorMeta a, b, c; };

bool insert(const Tensor& t, Ints expand, int rank, TensorMeta& view) {
  if (t.rank + int(expand.size()) != rank) return false;
  uint32_t inserted = 0;
  for (int64_t e : expand) {
    if (e < 0 || e >= rank || (inserted >> e & 1)) return false;
    inserted |= 1u << e;
  }
  view.dtype = t.dtype;
  view.rank = uint8_t(rank);
  for (int d = 0, own = 0; d < rank; ++d) {
    const bool is_new = inserted >> d & 1;
    view.size[size_t(d)] = is_new ? 1 : t.size[size_t(own)];
    view.stride[size_t(d)] = is_new ? 0 : t.stride[size_t(own)];
    own += !is_new;
  }
  return true;
}

// The views, the sizes of their product, and which dimensions are summed.
Status prepare(const Tensor& i1, const Tensor& i2, const Tensor& i3, Ints e1, Ints e2, Ints e3, Ints sumdim, Views& v, TensorMeta& all, uint32_t& summed) {
  const int64_t rank = i1.rank + int64_t(std::min<size_t>(e1.size(), 2 * kMaxRank));
  if (rank > kMaxRank || !insert(i1, e1, int(rank), v.a) || !insert(i2, e2, int(rank), v.b) || !insert(i3, e3, int(rank), v.c))
    return invalid_argument("_trilinear: bad expand lists");
  GLINT_TRY(broadcast(v.a, v.b, all));
  GLINT_TRY(broadcast(all, v.c, all));
  summed = 0;
  for (int64_t d : sumdim) {
    const int dim = wrap_dim(d, int(rank));
    if (dim < 0) return invalid_argument("_trilinear: sumdim is out of range");
    summed |= 1u << dim;
  }
  return {};
}

Status infer(const Tensor& i1, const Tensor& i2, const Tensor& i3, Ints e1, Ints e2, Ints e3, Ints sumdim, int64_t, TensorMeta& out) {
  Views v;
  TensorMeta all;
  uint32_t summed;
  if (i1.dtype != i2.dtype || i1.dtype != i3.dtype) return invalid_argument("_trilinear: the operands differ in dtype");
  if (i1.dtype == DType::kC32) return unsupported("_trilinear: not for this dtype");
  GLINT_TRY(prepare(i1, i2, i3, e1, e2, e3, sumdim, v, all, summed));
  std::array<int64_t, kMaxRank> sizes;
  size_t n = 0;
  for (int d = 0; d < all.rank; ++d)
    if (!(summed >> d & 1)) sizes[n++] = all.size[size_t(d)];
  return set_result(out, i1.dtype, {sizes.data(), n});
}

// The dimensions of `t` that are (or are not) summed.
TensorMeta part(const TensorMeta& t, uint32_t summed, bool want) {
  TensorMeta m;
  m.dtype = t.dtype;
  for (int d = 0; d < t.rank; ++d) {
    if (bool(summed >> d & 1) != want) continue;
    m.size[m.rank] = t.size[size_t(d)];
    m.stride[m.rank++] = t.stride[size_t(d)];
  }
  return m;
}

template <class C>
void run_as(const Tensor& i1, const Tensor& i2, const Tensor& i3, const Views& v, const TensorMeta& all, uint32_t summed, Tensor& out) {
  const auto outer = make_loop(out, part(v.a, summed, false), part(v.b, summed, false), part(v.c, summed, false));
  const auto inner = make_loop(part(all, summed, true), part(v.a, summed, true), part(v.b, summed, true), part(v.c, summed, true));
  for_each_row(outer, [&](const auto& o, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      C sum{};
      for_each_row(inner, [&](const auto& p, const auto& q, int64_t count) {
        for_each_tile(count, [&](int64_t start, int64_t tile) {
          C x[kernels::kTile], y[kernels::kTile], z[kernels::kTile];
          kernels::load(i1.dtype, at(i1, o[1] + i * step[1] + p[1] + start * q[1]), q[1], tile, x);
          kernels::load(i2.dtype, at(i2, o[2] + i * step[2] + p[2] + start * q[2]), q[2], tile, y);
          kernels::load(i3.dtype, at(i3, o[3] + i * step[3] + p[3] + start * q[3]), q[3], tile, z);
          for (int64_t k = 0; k < tile; ++k) sum = add(sum, mul(mul(x[k], y[k]), z[k]));
        });
      });
      kernels::store_one(out.dtype, out.data, o[0] + i * step[0], sum);
    }
  });
}

Status run(OpContext&, const Tensor& i1, const Tensor& i2, const Tensor& i3, Ints e1, Ints e2, Ints e3, Ints sumdim, int64_t, Tensor& out) {
  Views v;
  TensorMeta all;
  uint32_t summed;
  GLINT_TRY(prepare(i1, i2, i3, e1, e2, e3, sumdim, v, all, summed));
  with_compute(out.dtype, [&](auto c) { run_as<decltype(c)>(i1, i2, i3, v, all, summed, out); });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_trilinear(Tensor i1, Tensor i2, Tensor i3, int[] expand1, int[] expand2, int[] expand3, int[] sumdim, int unroll_dim=1) -> Tensor", infer, run>(
        "aten::_trilinear.out"),
};

}  // namespace

extern constinit const OpFamily op_trilinear{kDefs};

}  // namespace glint::ops
