#include "glint/ops/compute.h"

namespace glint::ops {
namespace {

// self + outer(vec1, vec2), with the dtype of all three together; for bool, "or" and "and".
Status infer(const Tensor& self, const Tensor& vec1, const Tensor& vec2, Scalar beta, Scalar alpha, TensorMeta& out) {
  if (vec1.rank != 1 || vec2.rank != 1) return invalid_argument("addr: vec1 and vec2 must be vectors");
  const DType d = promote_types(self.dtype, promote_types(vec1.dtype, vec2.dtype));
  if (d == DType::kC32) return unsupported("addr: not for this dtype");
  if (!is_floating(d) && !is_complex(d) && (beta.is_float() || alpha.is_float())) return invalid_argument("addr: for integers alpha and beta must not be floats");
  const int64_t sizes[] = {vec1.size[0], vec2.size[0]};
  GLINT_TRY(set_result(out, d, sizes));
  TensorMeta both;
  GLINT_TRY(broadcast(self, out, both));
  if (!both.same_sizes(out)) return invalid_argument("addr: self does not broadcast to the result");
  return {};
}

template <class C>
void outer(const Tensor& self, const Tensor& vec1, const Tensor& vec2, Scalar beta, Scalar alpha, Tensor& out) {
  const bool boolean = out.dtype == DType::kBool, keep = beta.to_double() != 0;
  const C scale = boolean ? number<C>(Scalar::of(int64_t(alpha.to_bool()))) : number<C>(alpha), b = boolean ? number<C>(Scalar::of(int64_t(keep))) : number<C>(beta);
  const auto step = [&](int from_end) { return self.rank < from_end || self.size[size_t(self.rank - from_end)] == 1 ? 0 : self.stride[size_t(self.rank - from_end)]; };
  for (int64_t i = 0; i < out.size[0]; ++i) {
    const C left = mul(scale, kernels::load_one<C>(vec1.dtype, vec1.data, i * vec1.stride[0]));
    for_each_tile(out.size[1], [&](int64_t j, int64_t n) {
      C row[kernels::kTile], before[kernels::kTile];
      kernels::load(vec2.dtype, at(vec2, j * vec2.stride[0]), vec2.stride[0], n, row);
      for (int64_t k = 0; k < n; ++k) row[k] = mul(left, row[k]);
      if (keep) {
        kernels::load(self.dtype, at(self, i * step(2) + j * step(1)), step(1), n, before);
        for (int64_t k = 0; k < n; ++k) row[k] = add(mul(b, before[k]), row[k]);
      }
      kernels::store(out.dtype, at(out, i * out.stride[0] + j * out.stride[1]), out.stride[1], n, row);
    });
  }
}

Status run(OpContext&, const Tensor& self, const Tensor& vec1, const Tensor& vec2, Scalar beta, Scalar alpha, Tensor& out) {
  with_compute(out.dtype, [&](auto c) { outer<decltype(c)>(self, vec1, vec2, beta, alpha, out); });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::addr(Tensor self, Tensor vec1, Tensor vec2, *, Scalar beta=1, Scalar alpha=1) -> Tensor", infer, run>("aten::addr.out"),
};

}  // namespace

extern constinit const OpFamily op_addr{kDefs};

}  // namespace glint::ops
