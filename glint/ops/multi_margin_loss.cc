#include "glint/ops/loss.h"

namespace glint::ops {
namespace {

// For each row: the mean over classes j != t of max(0, margin - x[t] + x[j])^p, times the weight of t.
Status infer(const Tensor& self, const Tensor& target, Scalar p, Scalar, const Tensor* weight, int64_t reduction, TensorMeta& out) {
  GLINT_TRY(check_reduction(reduction));
  if (!is_floating(self.dtype)) return unsupported("multi_margin_loss: only for floating dtypes");
  if (p.to_double() != 1 && p.to_double() != 2) return invalid_argument("multi_margin_loss: p must be 1 or 2");
  if (self.rank > 2 || (self.rank > 0 && self.size[size_t(self.rank - 1)] == 0)) return invalid_argument("multi_margin_loss: the input must be a non-empty vector or matrix");
  const int64_t rows = self.rank == 2 ? self.size[0] : 1;
  if (target.dtype != DType::kI64 || target.rank > 1 || target.numel() != rows) return invalid_argument("multi_margin_loss: one int64 target for each row");
  const int64_t classes = self.rank > 0 ? self.size[size_t(self.rank - 1)] : 1;
  if (weight != nullptr && (weight->numel() != classes || weight->rank != 1 || weight->dtype != self.dtype)) return invalid_argument("multi_margin_loss: the weight must have one element for each class");
  const bool keep = Reduction(reduction) == Reduction::kNone && target.rank > 0;
  return set_result(out, self.dtype, keep ? target.sizes() : Ints());
}

Status run(OpContext&, const Tensor& self, const Tensor& target, Scalar p, Scalar margin, const Tensor* weight, int64_t reduction, Tensor& out) {
  const int last = self.rank > 0 ? self.rank - 1 : 0;
  const int64_t rows = self.rank == 2 ? self.size[0] : 1, classes = dim_size(self, last), step = dim_step(self, last);
  const bool square = p.to_double() == 2;
  double sum = 0;
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t base = self.rank == 2 ? i * self.stride[0] : 0, t = target.as<int64_t>()[target.rank > 0 ? i * target.stride[0] : 0];
    if (t < 0 || t >= classes) return invalid_argument("multi_margin_loss: a target is out of range");
    const auto x = [&](int64_t j) { return kernels::load_one<double>(self.dtype, self.data, base + j * step); };
    const double importance = weight != nullptr ? kernels::load_one<double>(weight->dtype, weight->data, t * weight->stride[0]) : 1;
    double loss = 0;
    for (int64_t j = 0; j < classes; ++j) {
      const double z = margin.to_double() - x(t) + x(j);
      if (j != t && z > 0) loss += (square ? z * z : z) * importance;
    }
    loss /= double(classes);
    sum += loss;
    if (out.rank > 0) kernels::store_one(out.dtype, out.data, i * out.stride[0], loss);
  }
  if (out.rank == 0) kernels::store_one(out.dtype, out.data, 0, Reduction(reduction) == Reduction::kMean ? sum / double(rows) : sum);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::multi_margin_loss(Tensor self, Tensor target, Scalar p=1, Scalar margin=1, Tensor? weight=None, int reduction=1) -> Tensor", infer, run>(
        "aten::multi_margin_loss.out"),
};

}  // namespace

extern constinit const OpFamily op_multi_margin_loss{kDefs};

}  // namespace glint::ops
