#include "glint/ops/norm.h"

namespace glint::ops {
namespace {

// v scaled along every dimension but `dim` (the first or last) to the norms g; and the norms it had.
Status infer(const Tensor& v, const Tensor& g, int64_t dim, TensorMeta& out, TensorMeta& norms) {
  if (!is_floating(v.dtype) || g.dtype != v.dtype) return invalid_argument("_weight_norm_interface: v and g must have one floating dtype");
  if (v.rank < 1 || (dim != 0 && dim != v.rank - 1)) return invalid_argument("_weight_norm_interface: dim must be the first or the last");
  if (g.numel() != v.size[size_t(dim)]) return invalid_argument("_weight_norm_interface: g must have one element for each slice");
  GLINT_TRY(set_result(norms, v.dtype == DType::kBF16 || v.dtype == DType::kF16 ? DType::kF32 : g.dtype, g.sizes()));
  return set_result(out, v.dtype, v.sizes());
}

Status run(OpContext&, const Tensor& v, const Tensor& g, int64_t dim, Tensor& out, Tensor& norms) {
  const size_t d = size_t(dim);
  const auto slice = make_loop(without(v, int(d)));
  const auto both = make_loop(without(out, int(d)), without(v, int(d)));
  with_floating(v.dtype, [&](auto c) {
    using C = decltype(c);
    for (int64_t i = 0; i < v.size[d]; ++i) {
      double squares = 0;
      for_each_row(slice, [&](const auto& o, const auto& step, int64_t n) {
        squares += line_sum<C>({v.dtype, at(v, i * v.stride[d] + o[0]), step[0], n}, [](C x) { return double(x) * double(x); });
      });
      const double norm = std::sqrt(squares);
      const C factor = C(element(g, element_offset(g, i)) / norm);
      set_element(norms, element_offset(norms, i), norm);
      for_each_row(both, [&](const auto& o, const auto& step, int64_t n) {
        line_map<C>({v.dtype, at(v, i * v.stride[d] + o[1]), step[1], n}, out.dtype, at(out, i * out.stride[d] + o[0]), step[0], [factor](C x) { return x * factor; });
      });
    }
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_weight_norm_interface(Tensor v, Tensor g, int dim=0) -> (Tensor, Tensor)", infer, run>("aten::_weight_norm_interface.out"),
};

}  // namespace

extern constinit const OpFamily op_weight_norm_interface{kDefs};

}  // namespace glint::ops
