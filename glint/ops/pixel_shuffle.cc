#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

// Channels in blocks of factor * factor [..., c * f * f, h, w] against pixels [..., c, h * f, w * f]: the two sides
// seen with the sizes [..., c, f, f, h, w].
Tensor channels_view(const Tensor& t, int64_t f) {
  Tensor v = t;
  const int c = v.rank - 3;
  const int64_t step = v.stride[size_t(c)];
  v.size[size_t(c)] /= f * f;
  v.stride[size_t(c)] = step * f * f;
  insert_dim(v, c + 1, f, step);
  insert_dim(v, c + 1, f, step * f);
  return v;
}
Tensor pixels_view(const Tensor& t, int64_t f) {
  Tensor v = t;
  const int h = v.rank - 2;
  const int64_t down = v.stride[size_t(h)], right = v.stride[size_t(h + 1)];
  v.size[size_t(h)] /= f;
  v.stride[size_t(h)] *= f;
  v.size[size_t(h + 1)] /= f;
  v.stride[size_t(h + 1)] *= f;
  insert_dim(v, h, f, right);
  insert_dim(v, h, f, down);
  return v;
}

Status check(const Tensor& self, int64_t f, int64_t* square) {
  if (self.rank < 3) return invalid_argument("pixel_shuffle: the operand must have three dimensions or more");
  if (self.rank + 2 > kMaxRank) return unsupported("pixel_shuffle: too many dimensions");
  if (f < 1 || !checked_mul(f, f, square)) return invalid_argument("pixel_shuffle: the factor is out of range");
  return {};
}

Status infer_shuffle(const Tensor& self, int64_t f, TensorMeta& out) {
  int64_t square = 0;
  GLINT_TRY(check(self, f, &square));
  TensorMeta sizes = self;
  int64_t* last = &sizes.size[size_t(self.rank - 3)];
  if (last[0] % square != 0) return invalid_argument("pixel_shuffle: the channels do not divide by the square of the factor");
  last[0] /= square;
  if (!checked_mul(last[1], f, &last[1]) || !checked_mul(last[2], f, &last[2])) return invalid_argument("pixel_shuffle: the result would be too large");
  return set_result(out, self.dtype, sizes.sizes());
}
Status run_shuffle(OpContext&, const Tensor& self, int64_t f, Tensor& out) {
  if (out.numel() == 0) return {};
  Tensor to = pixels_view(out, f);
  copy_elements(channels_view(self, f), to);
  return {};
}

Status infer_unshuffle(const Tensor& self, int64_t f, TensorMeta& out) {
  int64_t square = 0;
  GLINT_TRY(check(self, f, &square));
  TensorMeta sizes = self;
  int64_t* last = &sizes.size[size_t(self.rank - 3)];
  if (last[1] % f != 0 || last[2] % f != 0) return invalid_argument("pixel_unshuffle: height and width do not divide by the factor");
  last[1] /= f;
  last[2] /= f;
  if (!checked_mul(last[0], square, &last[0])) return invalid_argument("pixel_unshuffle: the result would be too large");
  return set_result(out, self.dtype, sizes.sizes());
}
Status run_unshuffle(OpContext&, const Tensor& self, int64_t f, Tensor& out) {
  if (out.numel() == 0) return {};
  Tensor to = channels_view(out, f);
  copy_elements(pixels_view(self, f), to);
  return {};
}

Status infer_channels(const Tensor& self, int64_t groups, TensorMeta& out) {
  if (self.rank < 3) return invalid_argument("channel_shuffle: the operand must have three dimensions or more");
  if (self.rank == kMaxRank) return unsupported("channel_shuffle: too many dimensions");
  if (groups < 1 || self.size[1] % groups != 0) return invalid_argument("channel_shuffle: the channels do not divide by groups");
  return set_result(out, self.dtype, self.sizes());
}
Status run_channels(OpContext&, const Tensor& self, int64_t groups, Tensor& out) {
  if (out.numel() == 0) return {};
  const int64_t each = self.size[1] / groups;
  Tensor from = self, to = out;  // both as [n, groups, each, ...]
  from.size[1] = to.size[1] = groups;
  insert_dim(from, 2, each, self.stride[1]);
  insert_dim(to, 2, each, out.stride[1] * groups);
  from.stride[1] = self.stride[1] * each;
  copy_elements(from, to);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::pixel_shuffle(Tensor self, int upscale_factor) -> Tensor", infer_shuffle, run_shuffle>("aten::pixel_shuffle.out"),
    define_op<"aten::pixel_unshuffle(Tensor self, int downscale_factor) -> Tensor", infer_unshuffle, run_unshuffle>("aten::pixel_unshuffle.out"),
    define_op<"aten::channel_shuffle(Tensor self, SymInt groups) -> Tensor", infer_channels, run_channels>("aten::channel_shuffle.out"),
    define_op<"aten::native_channel_shuffle(Tensor self, SymInt groups) -> Tensor", infer_channels, run_channels>(),
};

}  // namespace

extern constinit const OpFamily op_pixel_shuffle{kDefs};

}  // namespace glint::ops
