#include "glint/ops/indexed.h"

namespace glint::ops {
namespace {

constexpr int64_t kSum = 0, kMean = 1, kMax = 2;

// PyTorch leaves out the map from indices to bags where its fast sum does not need it. Its answer also looks at
// strides; ours takes the row-major case, so that results do not depend on the layout.
bool without_map(const Tensor& weight, int64_t mode, int64_t padding) { return mode == kSum && padding < 0 && weight.dtype != DType::kF64; }

int64_t bag_count(const Tensor& offsets, bool include_last) { return offsets.size[0] - (include_last ? 1 : 0); }

Status infer(const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool, int64_t mode, bool, const Tensor* per_sample, bool include_last,
             int64_t padding, TensorMeta& out, TensorMeta& map, TensorMeta& bag_size, TensorMeta& max_indices) {
  if (weight.rank != 2 || !is_floating(weight.dtype)) return invalid_argument("embedding_bag: weight must be a floating matrix");
  if (!is_index(indices.dtype) || !is_index(offsets.dtype)) return invalid_argument("embedding_bag: indices and offsets must be int64 or int32");
  if (indices.rank != 1 || offsets.rank != 1) return invalid_argument("embedding_bag: indices and offsets must be vectors");
  if (mode < kSum || mode > kMax) return invalid_argument("embedding_bag: mode must be 0, 1 or 2");
  if (include_last && offsets.size[0] < 1) return invalid_argument("embedding_bag: offsets must hold the last offset");
  if (per_sample != nullptr) {
    if (mode != kSum) return invalid_argument("embedding_bag: per_sample_weights go with sums only");
    if (per_sample->dtype != weight.dtype || !per_sample->same_sizes(indices)) return invalid_argument("embedding_bag: per_sample_weights must match indices and weight");
  }
  const DType type = promote_types(indices.dtype, offsets.dtype);
  const int64_t bags = bag_count(offsets, include_last);
  const int64_t sizes[] = {bags, weight.size[1]}, map_size[] = {without_map(weight, mode, padding) ? 0 : indices.size[0]};
  GLINT_TRY(set_result(out, weight.dtype, sizes));
  GLINT_TRY(set_result(map, type, map_size));
  GLINT_TRY(set_result(bag_size, type, {sizes, 1}));
  return set_result(max_indices, type, {sizes, mode == kMax ? size_t(2) : size_t(1)});
}

// The forward-only variant sizes what a sum leaves at zero by the offsets, the last one included.
Status infer_forward(const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool scale, int64_t mode, bool sparse,
                     const Tensor* per_sample, bool include_last, int64_t padding, TensorMeta& out, TensorMeta& map, TensorMeta& bag_size,
                     TensorMeta& max_indices) {
  GLINT_TRY(infer(weight, indices, offsets, scale, mode, sparse, per_sample, include_last, padding, out, map, bag_size, max_indices));
  if (mode != kSum) return {};
  GLINT_TRY(set_result(bag_size, bag_size.dtype, offsets.sizes()));
  return set_result(max_indices, max_indices.dtype, offsets.sizes());
}

int64_t number(const Tensor& t, int64_t i) { return kernels::load_one<int64_t>(t.dtype, t.data, i * t.stride[0]); }

// Bags' bounds grow from 0 to at most the number of indices.
Status check_offsets(const Tensor& indices, const Tensor& offsets) {
  int64_t last = 0;
  for (int64_t b = 0; b < offsets.size[0]; ++b) {
    const int64_t at = number(offsets, b);
    if (b == 0 ? at != 0 : at < last || at > indices.size[0]) return invalid_argument("embedding_bag: offsets are out of range");
    last = at;
  }
  return {};
}

// A tile of columns of one bag, reduced in C.
template <class C>
struct Bag {
  const Tensor &weight, &indices;
  const Tensor* per_sample;
  int64_t mode, padding, begin, end;

  int64_t reduce(int64_t column, int64_t n, C* acc, int64_t* best) const {
    int64_t count = 0;
    C row[kernels::kTile];
    std::fill_n(acc, n, C(0));
    std::fill_n(best, n, int64_t(0));
    for (int64_t i = begin; i < end; ++i) {
      const int64_t index = number(indices, i);
      if (index == padding) continue;
      kernels::load<C>(weight.dtype, address(weight, index * weight.stride[0] + column * weight.stride[1]), weight.stride[1], n, row);
      if (mode == kMax) {
        for (int64_t k = 0; k < n; ++k)
          if (count == 0 || row[k] > acc[k]) acc[k] = row[k], best[k] = index;
      } else if (per_sample != nullptr) {
        const C scale = kernels::load_one<C>(per_sample->dtype, per_sample->data, i * per_sample->stride[0]);
        for (int64_t k = 0; k < n; ++k) acc[k] += row[k] * scale;
      } else {
        for (int64_t k = 0; k < n; ++k) acc[k] += row[k];
      }
      ++count;
    }
    if (mode == kMean && count > 0)
      for (int64_t k = 0; k < n; ++k) acc[k] /= C(count);
    return count;
  }
};

template <class C>
void run_as(const Tensor& weight, const Tensor& indices, const Tensor& offsets, int64_t mode, const Tensor* per_sample, int64_t padding, Tensor& out,
            Tensor& map, Tensor& bag_size, Tensor& max_indices) {
  const int64_t columns = out.size[1], bags = out.size[0];
  for (int64_t b = 0; b < bags; ++b) {
    const Bag<C> bag{weight, indices, per_sample, mode, padding, number(offsets, b), b + 1 < offsets.size[0] ? number(offsets, b + 1) : indices.size[0]};
    int64_t count = 0;
    for (int64_t i = bag.begin; i < bag.end; ++i) count += number(indices, i) != padding;
    for (int64_t c = 0; c < columns; c += kernels::kTile) {
      C acc[kernels::kTile];
      int64_t best[kernels::kTile];
      const int64_t n = std::min(columns - c, kernels::kTile);
      bag.reduce(c, n, acc, best);
      kernels::store<C>(out.dtype, address(out, b * out.stride[0] + c * out.stride[1]), out.stride[1], n, acc);
      if (mode == kMax) kernels::store<int64_t>(max_indices.dtype, address(max_indices, b * max_indices.stride[0] + c * max_indices.stride[1]), max_indices.stride[1], n, best);
    }
    if (map.size[0] > 0)
      for (int64_t i = bag.begin; i < bag.end; ++i) kernels::store_one<int64_t>(map.dtype, map.data, i * map.stride[0], b);
    if (mode == kSum) continue;  // zeros, as PyTorch has them
    kernels::store_one<int64_t>(bag_size.dtype, bag_size.data, b * bag_size.stride[0], count);
    if (mode == kMean) kernels::store_one<int64_t>(max_indices.dtype, max_indices.data, b * max_indices.stride[0], count);
  }
}

Status run(OpContext&, const Tensor& weight, const Tensor& indices, const Tensor& offsets, bool, int64_t mode, bool, const Tensor* per_sample, bool,
           int64_t padding, Tensor& out, Tensor& map, Tensor& bag_size, Tensor& max_indices) {
  GLINT_TRY(check_offsets(indices, offsets));
  for (int64_t i = 0; i < indices.size[0]; ++i) {
    const int64_t index = number(indices, i);
    if (index < 0 || index >= weight.size[0]) return invalid_argument(kIndexError);
  }
  for (Tensor* t : {&map, &bag_size, &max_indices}) fill_zero(*t);
  if (weight.dtype == DType::kF64) run_as<double>(weight, indices, offsets, mode, per_sample, padding, out, map, bag_size, max_indices);
  else run_as<float>(weight, indices, offsets, mode, per_sample, padding, out, map, bag_size, max_indices);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_embedding_bag(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool sparse=False, "
              "Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)", infer, run>(
        "aten::_embedding_bag.out"),
    define_op<"aten::_embedding_bag_forward_only(Tensor weight, Tensor indices, Tensor offsets, bool scale_grad_by_freq=False, int mode=0, bool "
              "sparse=False, Tensor? per_sample_weights=None, bool include_last_offset=False, int padding_idx=-1) -> (Tensor, Tensor, Tensor, Tensor)",
              infer_forward, run>("aten::_embedding_bag_forward_only.out"),
};

}  // namespace

extern constinit const OpFamily op_embedding_bag{kDefs};

}  // namespace glint::ops
