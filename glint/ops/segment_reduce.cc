#include "glint/ops/rows.h"

namespace glint::ops {
namespace {

// Data is cut along `axis` into segments, each of which becomes one element; lengths (or offsets) may
// differ for each position of the dimensions before the axis.
Status infer(const Tensor& data, std::string_view reduce, const Tensor* lengths, const Tensor* indices, const Tensor* offsets, int64_t axis, bool, std::optional<Scalar>,
             TensorMeta& out) {
  if (!is_floating(data.dtype)) return unsupported("segment_reduce: only for floating dtypes");
  if (indices != nullptr) return unsupported("segment_reduce: indices are not supported");
  if ((lengths != nullptr) == (offsets != nullptr)) return invalid_argument("segment_reduce: give either lengths or offsets");
  const bool known = reduce == "sum" || reduce == "mean" || reduce == "max" || reduce == "min" || reduce == "prod";
  if (!known) return invalid_argument("segment_reduce: unknown reduction");
  const Tensor& cuts = lengths != nullptr ? *lengths : *offsets;
  const int d = data.rank > 0 ? wrap_dim(axis, data.rank) : -1;
  if (d < 0) return invalid_argument("segment_reduce: axis is out of range");
  if (cuts.dtype != DType::kI64 && cuts.dtype != DType::kI32) return invalid_argument("segment_reduce: lengths and offsets must be integers");
  if (cuts.rank != d + 1) return invalid_argument("segment_reduce: lengths must have one dimension for each up to the axis");
  for (int i = 0; i < d; ++i)
    if (cuts.size[size_t(i)] != data.size[size_t(i)]) return invalid_argument("segment_reduce: lengths do not fit the data");
  const int64_t segments = cuts.size[size_t(d)] - (offsets != nullptr ? 1 : 0);
  if (segments < 0) return invalid_argument("segment_reduce: offsets are empty");
  std::array<int64_t, kMaxRank> sizes = data.size;
  sizes[size_t(d)] = segments;
  return set_result(out, data.dtype, {sizes.data(), data.rank});
}

double reduce_segment(const Line& x, std::string_view reduce, std::optional<Scalar> initial) {
  const bool most = reduce == "max", least = reduce == "min", product = reduce == "prod", mean = reduce == "mean";
  double value = initial ? initial->to_double() : most ? -double(INFINITY) : least ? double(INFINITY) : product ? 1 : 0;
  x.each<double>([&](const double* v, int64_t, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      if (most || least) value = v[i] != v[i] || (most ? v[i] > value : v[i] < value) ? v[i] : value;
      else value = product ? value * v[i] : value + v[i];
    }
  });
  if (mean && x.size > 0) value /= double(x.size);
  return mean && x.size == 0 && !initial ? double(NAN) : value;
}

Status run(OpContext&, const Tensor& data, std::string_view reduce, const Tensor* lengths, const Tensor*, const Tensor* offsets, int64_t axis, bool unsafe,
           std::optional<Scalar> initial, Tensor& out) {
  const int d = wrap_dim(axis, data.rank);
  const Tensor& cuts = lengths != nullptr ? *lengths : *offsets;
  TensorMeta before = cuts;  // the cuts, repeated over the dimensions behind the axis
  before.rank = data.rank;
  for (int i = d; i < data.rank; ++i) before.size[size_t(i)] = 1, before.stride[size_t(i)] = 0;
  const int64_t cut_step = cuts.stride[size_t(d)], size = data.size[size_t(d)], segments = out.size[size_t(d)];
  bool valid = true;
  TensorMeta lines = out;
  lines.size[size_t(d)] = 1;
  for_each_row(make_loop(lines, without(data, d), before), [&](const auto& o, const auto& step, int64_t count) {
    for (int64_t i = 0; i < count && valid; ++i) {
      const auto cut = [&](int64_t k) { return kernels::load_one<int64_t>(cuts.dtype, cuts.data, o[2] + i * step[2] + k * cut_step); };
      int64_t start = 0;
      for (int64_t k = 0; k < segments; ++k) {
        if (offsets != nullptr) start = cut(k);
        const int64_t n = lengths != nullptr ? cut(k) : cut(k + 1) - std::max<int64_t>(start, 0);
        if (start < 0 || start > size || n < 0 || n > size - start) { valid = false; return; }
        const Line x{data.dtype, at(data, o[1] + i * step[1] + start * data.stride[size_t(d)]), data.stride[size_t(d)], n};
        kernels::store_one(out.dtype, out.data, o[0] + i * step[0] + k * out.stride[size_t(d)], reduce_segment(x, reduce, initial));
        start += n;
      }
      if (lengths != nullptr && !unsafe && start != size) valid = false;
    }
  });
  return valid ? Status() : invalid_argument("segment_reduce: the segments do not fit the data");
}

constexpr OpDef kDefs[] = {
    define_op<"aten::segment_reduce(Tensor data, str reduce, *, Tensor? lengths=None, Tensor? indices=None, Tensor? offsets=None, int axis=0, bool unsafe=False, Scalar? initial=None) -> Tensor",
              infer, run>("aten::segment_reduce.out"),
};

}  // namespace

extern constinit const OpFamily op_segment_reduce{kDefs};

}  // namespace glint::ops
