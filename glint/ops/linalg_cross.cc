#include "glint/ops/compute.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, const Tensor& other, int64_t dim, TensorMeta& out) {
  if (self.rank != other.rank) return invalid_argument("linalg_cross: the operands must have the same number of dimensions");
  out.dtype = promote_types(self.dtype, other.dtype);
  if (self.dtype != other.dtype) return invalid_argument("linalg_cross: the operands differ in dtype");
  if (out.dtype == DType::kBool || out.dtype == DType::kC32) return unsupported("linalg_cross: not for this dtype");
  const int d = self.rank > 0 ? wrap_dim(dim, self.rank) : -1;
  if (d < 0) return invalid_argument("linalg_cross: dim is out of range");
  if (self.size[size_t(d)] != 3 || other.size[size_t(d)] != 3) return invalid_argument("linalg_cross: the size of dim must be 3");
  return broadcast(self, other, out);
}

template <class C>
C minor(C a, C b, C c, C d) {
  if constexpr (kIsComplex<C>) return add(mul(a, b), mul(mul(c, d), C{-1, 0}));
  else if constexpr (std::is_integral_v<C>) return add(mul(a, b), mul(mul(c, d), C(-1)));
  else return a * b - c * d;
}

Status run(OpContext&, const Tensor& self, const Tensor& other, int64_t dim, Tensor& out) {
  const int d = wrap_dim(dim, self.rank);
  const size_t i = size_t(d);
  with_compute(out.dtype, [&](auto c) {
    using C = decltype(c);
    for_each_line(d, [&](const auto& o) {
      C a[3], b[3];
      kernels::load(self.dtype, at(self, o[1]), self.stride[i], 3, a);
      kernels::load(other.dtype, at(other, o[2]), other.stride[i], 3, b);
      const C result[] = {minor(a[1], b[2], a[2], b[1]), minor(a[2], b[0], a[0], b[2]), minor(a[0], b[1], a[1], b[0])};
      kernels::store(out.dtype, at(out, o[0]), out.stride[i], 3, result);
    }, out, self, other);
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor", infer, run>("aten::linalg_cross.out"),
};

}  // namespace

extern constinit const OpFamily op_linalg_cross{kDefs};

}  // namespace glint::ops
