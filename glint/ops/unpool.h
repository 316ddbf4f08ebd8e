#pragma once

#include "glint/ops/pool.h"

namespace glint::ops {

/// Puts each element where its index says, in a plane of output_size filled with zeros.
inline Status infer_unpool(int dims, const Tensor& self, const Tensor& indices, Ints output_size, TensorMeta& out) {
  if (!is_floating(self.dtype)) return unsupported("max_unpool: only for floating dtypes");
  if (self.rank != dims + 1 && self.rank != dims + 2) return invalid_argument("max_unpool: the input has the wrong number of dimensions");
  if (indices.dtype != DType::kI64 || !indices.same_sizes(self)) return invalid_argument("max_unpool: the indices must be int64 and of the input's sizes");
  std::array<int64_t, 3> sizes{1, 1, 1};
  if (output_size.size() != size_t(dims) || !spatial_list(output_size, dims, 0, sizes)) return invalid_argument("max_unpool: bad output_size");
  for (int d = 1; d < self.rank; ++d)
    if (self.size[size_t(d)] == 0) return invalid_argument("max_unpool: only the batch may be empty");
  return set_pooled(self, dims, sizes, self.dtype, out);
}

inline Status run_unpool(int dims, const Tensor& self, const Tensor& indices, Tensor& out) {
  const Volume from = volume(self, dims), index = volume(indices, dims), to = volume(out, dims);
  const int64_t count = to.count();
  const int width = int(dtype_size(self.dtype));
  bool valid = true;
  clear(out);
  for_each_plane(dims, [&](const auto& o) {
    for_each_run(from.size, 0, from.count(), [&](int64_t z, int64_t y, int64_t, int64_t, int64_t n) {
      for (int64_t x = 0; x < n; ++x) {
        const int64_t i = indices.as<int64_t>()[o[2] + z * index.step[0] + y * index.step[1] + x * index.step[2]];
        if (i < 0 || i >= count) { valid = false; continue; }
        const int64_t dest = i % to.size[2] * to.step[2] + i / to.size[2] % to.size[1] * to.step[1] + i / (to.size[2] * to.size[1]) * to.step[0];
        kernels::copy_row(width, at(self, o[1] + z * from.step[0] + y * from.step[1] + x * from.step[2]), 1, at(out, o[0] + dest), 1, 1);
      }
    });
  }, out, self, indices);
  return valid ? Status() : invalid_argument("max_unpool: an index is out of range");
}

}  // namespace glint::ops
