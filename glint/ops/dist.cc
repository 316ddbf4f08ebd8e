#include "glint/ops/loss.h"

namespace glint::ops {
namespace {

// The p-norm of self - other over all elements; the operands broadcast. PyTorch rounds each difference to the dtype.
Status infer(const Tensor& self, const Tensor& other, Scalar, TensorMeta& out) {
  const bool both = is_complex(self.dtype) || is_complex(other.dtype);
  if (!both || self.dtype == DType::kC32 || other.dtype == DType::kC32) return infer_loss(self, other, int64_t(Reduction::kSum), out);
  TensorMeta sizes;
  GLINT_TRY(broadcast(self, other, sizes));
  ResultType type;
  type.add_tensor(self.dtype, self.rank > 0);
  type.add_tensor(other.dtype, other.rank > 0);
  return set_result(out, type.get() == DType::kC128 ? DType::kF64 : DType::kF32, {});
}

template <class C, class F>
double sum_differences(const Tensor& self, const Tensor& other, const TensorMeta& sizes, DType dtype, F&& f) {
  double sum = 0;
  if (is_complex(self.dtype) || is_complex(other.dtype)) {
    for_each_row(make_loop(sizes, self, other), [&](const auto& o, const auto& step, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        const c128 x = kernels::load_one<c128>(self.dtype, self.data, o[1] + i * step[1]), y = kernels::load_one<c128>(other.dtype, other.data, o[2] + i * step[2]);
        sum += f(std::hypot(double(C(x.re - y.re)), double(C(x.im - y.im))));
      }
    });
    return sum;
  }
  for_each_row(make_loop(sizes, self, other), [&](const auto& o, const auto& step, int64_t n) {
    sum += line_zip_sum<C>({self.dtype, at(self, o[1]), step[1], n}, {other.dtype, at(other, o[2]), step[2], n},
                           [&](C x, C y) { return f(std::abs(double(as_element(dtype, x - y)))); });
  });
  return sum;
}

Status run(OpContext&, const Tensor& self, const Tensor& other, Scalar power, Tensor& out) {
  TensorMeta sizes;
  GLINT_TRY(broadcast(self, other, sizes));
  const double p = power.to_double();
  const double result = with_floating(out.dtype, [&](auto c) {
    using C = decltype(c);
    const auto sum = [&](auto&& f) { return sum_differences<C>(self, other, sizes, out.dtype, f); };
    if (p == 0) return sum([](double d) { return d != 0 ? 1.0 : 0.0; });
    if (p == 1) return sum([](double d) { return d; });
    if (p == 2) return std::sqrt(sum([](double d) { return d * d; }));
    if (!std::isinf(p)) return std::pow(sum([p](double d) { return std::pow(d, p); }), 1 / p);
    double extreme = p > 0 ? 0 : double(INFINITY);
    sum([&](double d) {
      if (d != d || (p > 0 ? d > extreme : d < extreme)) extreme = d;
      return 0.0;
    });
    return extreme;
  });
  kernels::store_one(out.dtype, out.data, 0, result);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor", infer, run>("aten::dist.out"),
};

}  // namespace

extern constinit const OpFamily op_dist{kDefs};

}  // namespace glint::ops
