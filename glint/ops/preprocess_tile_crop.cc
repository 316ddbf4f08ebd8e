// An image [C, H, W] as tiles [H / s * W / s, C, s, s], row by row.

#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& input, int64_t s, TensorMeta& out) {
  if (input.rank != 3) return invalid_argument("tile_crop: the image must have three dimensions");
  if (s <= 0 || input.size[1] % s != 0 || input.size[2] % s != 0) return invalid_argument("tile_crop: tiles must divide the image's height and width");
  const int64_t sizes[] = {input.size[1] / s * (input.size[2] / s), input.size[0], s, s};
  return set_result(out, input.dtype, sizes);
}
Status run(OpContext&, const Tensor& input, int64_t s, Tensor& out) {
  if (out.numel() == 0) return {};
  const auto view = [](const Tensor& t, std::initializer_list<int64_t> sizes, std::initializer_list<int64_t> strides) {
    Tensor v = t;
    v.rank = uint8_t(sizes.size());
    std::copy(sizes.begin(), sizes.end(), v.size.begin());
    std::copy(strides.begin(), strides.end(), v.stride.begin());
    return v;
  };
  const int64_t down = input.size[1] / s, across = input.size[2] / s, channels = input.size[0];
  const Tensor from = view(input, {down, across, channels, s, s}, {s * input.stride[1], s * input.stride[2], input.stride[0], input.stride[1], input.stride[2]});
  Tensor to = view(out, {down, across, channels, s, s}, {across * out.stride[0], out.stride[0], out.stride[1], out.stride[2], out.stride[3]});
  copy_elements(from, to);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"preprocess::tile_crop(Tensor input, int tile_size) -> Tensor", infer, run>("preprocess::tile_crop.out"),
};

}  // namespace

extern constinit const OpFamily op_preprocess_tile_crop{kDefs};

}  // namespace glint::ops
