#include <string_view>

#include "glint/core/op_def.h"
#include "glint/core/shape.h"
#include "glint/kernels/gemm/packed.h"

namespace glint::ops {
namespace {

struct PackShape {
  bool depthwise;
  int64_t outputs, depth, taps;
};

Status pack_shape(const TensorMeta& weight, std::string_view format, int64_t groups, PackShape& s) {
  if (format != "f32.n16" && format != "f32.dw16") return unsupported("pack: unknown format");
  if (weight.dtype != DType::kF32) return unsupported("pack: only float32 weights can be packed");
  if (weight.rank < 2) return invalid_argument("pack: the weight has fewer than two dimensions");
  s = {format == "f32.dw16", weight.size[0], weight.size[1], 1};
  for (int d = 2; d < weight.rank; ++d) s.taps *= weight.size[size_t(d)];
  if (groups < 1 || s.outputs % groups != 0) return invalid_argument("pack: groups do not divide the outputs");
  if (s.depthwise && (s.depth != 1 || groups != s.outputs)) return invalid_argument("pack: dw16 wants one input and one output a group");
  return {};
}

Status infer(const Tensor& weight, const Tensor* bias, std::string_view format, int64_t groups, TensorMeta& out) {
  PackShape s;
  GLINT_TRY(pack_shape(weight, format, groups, s));
  if (bias != nullptr && (bias->dtype != DType::kF32 || bias->rank != 1 || bias->size[0] != s.outputs))
    return invalid_argument("pack: the bias is not a float32 vector of the outputs");
  int64_t k, rows, bytes;
  if (s.outputs > INT32_MAX || !checked_mul(s.depth, s.taps, &k) || !checked_add(k, 1, &rows) || !checked_mul(rows, 64, &bytes))
    return invalid_argument("pack: the weight is too large");
  const int64_t sizes[] = {s.depthwise ? ceil_div(s.outputs, 16) : kernels::n16_panels(s.outputs, groups), bytes};
  if (!out.set(DType::kU8, sizes)) return invalid_argument("pack: the weight is too large");
  return {};
}

Status run(OpContext&, const Tensor& weight, const Tensor* bias, std::string_view format, int64_t groups, Tensor& out) {
  PackShape s;
  GLINT_TRY(pack_shape(weight, format, groups, s));
  if (out.numel() == 0) return {};
  kernels::WeightView w{};
  w.data = weight.as<float>();
  w.outputs = s.outputs;
  w.depth = s.depth;
  w.taps = s.taps;
  w.output_step = weight.stride[0];
  w.depth_step = weight.stride[1];
  w.groups = groups;
  if (bias != nullptr) w.bias = bias->as<float>(), w.bias_step = bias->stride[0];
  // Taps of any strides, without a list of offsets: packing runs once, so one at a time will do.
  TensorMeta taps;
  taps.rank = uint8_t(weight.rank - 2);
  for (int d = 0; d < taps.rank; ++d) taps.size[size_t(d)] = weight.size[size_t(d + 2)], taps.stride[size_t(d)] = weight.stride[size_t(d + 2)];
  w.tap_offset = [](const void* t, int64_t tap) { return element_offset(*static_cast<const TensorMeta*>(t), tap); };
  w.tap_context = &taps;
  (s.depthwise ? kernels::pack_f32_dw16 : kernels::pack_f32_n16)(w, out.as<float>());
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"glint::pack(Tensor weight, Tensor? bias, str format, int groups=1) -> Tensor", infer, run>(),
};

}  // namespace

extern constinit const OpFamily op_glint_pack{kDefs};

}  // namespace glint::ops
