#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

// Each tensor padded with zeros along `dim` to a multiple of num_chunks, split into that many chunks that are
// flattened from `dim` on, and the chunks of all tensors joined: [..., num_chunks, sum of chunk lengths].
struct Chunk {
  int64_t size = 0;   // along dim
  int64_t inner = 1;  // elements behind dim
};

Status chunk_of(const Tensor& t, int d, int64_t chunks, Chunk& c) {
  c.size = ceil_div(t.size[size_t(d)], chunks);
  for (int i = d + 1; i < t.rank; ++i)
    if (!checked_mul(c.inner, t.size[size_t(i)], &c.inner)) return invalid_argument("_chunk_cat: the result would be too large");
  return {};
}

Status infer(TensorList tensors, int64_t dim, int64_t chunks, TensorMeta& out) {
  if (tensors.size() == 0) return invalid_argument("_chunk_cat: no tensors");
  if (chunks < 1) return invalid_argument("_chunk_cat: num_chunks must be positive");
  const Tensor& first = *tensors[0];
  const int d = wrap_dim(dim, first.rank);
  if (d < 0 || first.rank == 0) return invalid_argument("_chunk_cat: dim is out of range");
  if (d + 2 > kMaxRank) return unsupported("_chunk_cat: too many dimensions");
  int64_t total = 0;
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = *tensors[i];
    if (t.dtype != first.dtype) return invalid_argument("_chunk_cat: the tensors must have one dtype");
    if (t.rank <= d || t.numel() == 0) return invalid_argument("_chunk_cat: a tensor is empty or has too few dimensions");
    for (int k = 0; k < d; ++k)
      if (t.size[size_t(k)] != first.size[size_t(k)]) return invalid_argument("_chunk_cat: sizes differ before dim");
    Chunk c;
    GLINT_TRY(chunk_of(t, d, chunks, c));
    int64_t length = 0;
    if (!checked_mul(c.size, c.inner, &length) || !checked_add(total, length, &total)) return invalid_argument("_chunk_cat: the result would be too large");
  }
  TensorMeta sizes = first;
  sizes.rank = uint8_t(d + 2);
  sizes.size[size_t(d)] = chunks;
  sizes.size[size_t(d + 1)] = total;
  return set_result(out, first.dtype, sizes.sizes());
}

Status run(OpContext&, TensorList tensors, int64_t dim, int64_t chunks, Tensor& out) {
  const int d = wrap_dim(dim, tensors[0]->rank), last = d + 1;
  fill_zero(out);
  int64_t start = 0;
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = *tensors[i];
    Chunk c;
    GLINT_TRY(chunk_of(t, d, chunks, c));
    for (int64_t k = 0; k * c.size < t.size[size_t(d)]; ++k) {
      const int64_t rows = std::min(c.size, t.size[size_t(d)] - k * c.size);
      Tensor to = out, from = t;
      narrow(to, d, k, 1);
      narrow(to, last, start, rows * c.inner);
      narrow(from, d, k * c.size, rows);
      copy_reshaped(from, to);
    }
    start += c.size * c.inner;
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_chunk_cat(Tensor[] tensors, int dim, int num_chunks) -> Tensor", infer, run>("aten::_chunk_cat.out"),
};

}  // namespace

extern constinit const OpFamily op_chunk_cat{kDefs};

}  // namespace glint::ops
