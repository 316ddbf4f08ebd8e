#include "glint/core/shape.h"

namespace glint {

Status broadcast(const TensorMeta& a, const TensorMeta& b, TensorMeta& out) {
  const int rank = a.rank > b.rank ? a.rank : b.rank;
  std::array<int64_t, kMaxRank> sizes{};
  for (int i = 0; i < rank; ++i) {  // i counts from the last dimension
    const int64_t sa = i < a.rank ? a.size[size_t(a.rank - 1 - i)] : 1;
    const int64_t sb = i < b.rank ? b.size[size_t(b.rank - 1 - i)] : 1;
    if (sa != sb && sa != 1 && sb != 1) return invalid_argument("the sizes of the operands do not broadcast");
    sizes[size_t(rank - 1 - i)] = sa == 1 ? sb : sa;
  }
  if (!out.set(out.dtype, {sizes.data(), size_t(rank)})) return invalid_argument("the broadcast result is too large");
  return {};
}

namespace loop_detail {

void build(const TensorMeta* const* metas, int count, Raw& raw) {
  const TensorMeta& out = *metas[0];
  // Dimensions of size 1 drop out; the rest are ordered by the first tensor's strides.
  int dims[kMaxRank], n = 0;
  for (int d = 0; d < out.rank; ++d)
    if (out.size[size_t(d)] != 1) dims[n++] = d;
  for (int i = 1; i < n; ++i)  // insertion sort, stable: rank is small
    for (int j = i; j > 0 && out.stride[size_t(dims[j - 1])] < out.stride[size_t(dims[j])]; --j) {
      const int t = dims[j];
      dims[j] = dims[j - 1];
      dims[j - 1] = t;
    }
  const auto step_of = [&](int k, int d) -> int64_t {
    const TensorMeta& m = *metas[k];
    const int own = d - (out.rank - m.rank);
    return own < 0 || (m.size[size_t(own)] == 1 && out.size[size_t(d)] != 1) ? 0 : m.stride[size_t(own)];
  };
  raw.rank = 0;
  for (int i = 0; i < n; ++i) {
    const int d = dims[i];
    int64_t both = out.size[size_t(d)];  // beside a size of zero, products may overflow
    bool merges = raw.rank > 0 && checked_mul(raw.size[raw.rank - 1], out.size[size_t(d)], &both);
    for (int k = 0; k < count && merges; ++k) {
      int64_t row = 0;
      merges = checked_mul(step_of(k, d), out.size[size_t(d)], &row) && raw.step[k][raw.rank - 1] == row;
    }
    const int at = merges ? raw.rank - 1 : raw.rank++;
    raw.size[at] = merges ? both : out.size[size_t(d)];
    for (int k = 0; k < count; ++k) raw.step[k][at] = step_of(k, d);
  }
  if (raw.rank == 0) {
    raw.rank = 1;
    raw.size[0] = 1;
    for (int k = 0; k < count; ++k) raw.step[k][0] = 0;
  }
}

}  // namespace loop_detail

int64_t element_offset(const TensorMeta& t, int64_t index) {
  int64_t offset = 0;
  for (int d = t.rank; d-- > 0;) {
    offset += index % t.size[size_t(d)] * t.stride[size_t(d)];
    index /= t.size[size_t(d)];
  }
  return offset;
}

}  // namespace glint
