#include "glint/ops/loss.h"

namespace glint::ops {
namespace {

// A row of targets ends at -1. For each target t and each class j that is none:
// max(0, 1 - (x[t] - x[j])), summed, over the number of classes.
Status infer(const Tensor& self, const Tensor& target, int64_t reduction, TensorMeta& out, TensorMeta& is_target) {
  GLINT_TRY(check_reduction(reduction));
  if (!is_floating(self.dtype)) return unsupported("multilabel_margin_loss: only for floating dtypes");
  if (self.rank > 2 || (self.rank > 0 && self.size[size_t(self.rank - 1)] == 0)) return invalid_argument("multilabel_margin_loss: the input must be a non-empty vector or matrix");
  if (target.dtype != DType::kI64 || !target.same_sizes(self)) return invalid_argument("multilabel_margin_loss: the target must be int64 and of the input's sizes");
  GLINT_TRY(set_result(is_target, self.dtype, self.sizes()));
  const bool keep = Reduction(reduction) == Reduction::kNone && self.rank == 2;
  return set_result(out, self.dtype, keep ? self.sizes().first(1) : Ints());
}

Status run(OpContext&, const Tensor& self, const Tensor& target, int64_t reduction, Tensor& out, Tensor& is_target) {
  const int last = self.rank > 0 ? self.rank - 1 : 0;
  const int64_t rows = self.rank == 2 ? self.size[0] : 1, classes = dim_size(self, last);
  clear(is_target);
  double sum = 0;
  for (int64_t i = 0; i < rows; ++i) {
    const auto offset = [&](const Tensor& t, int64_t j) { return (self.rank == 2 ? i * t.stride[0] : 0) + j * dim_step(t, last); };
    const auto x = [&](int64_t j) { return kernels::load_one<double>(self.dtype, self.data, offset(self, j)); };
    const auto label = [&](int64_t j) { return target.as<int64_t>()[offset(target, j)]; };
    int64_t labels = 0;
    for (; labels < classes && label(labels) != -1; ++labels) {
      if (label(labels) < 0 || label(labels) >= classes) return invalid_argument("multilabel_margin_loss: a target is out of range");
      kernels::store_one(is_target.dtype, is_target.data, offset(is_target, label(labels)), 1.0);
    }
    double loss = 0;
    for (int64_t k = 0; k < labels; ++k)
      for (int64_t j = 0; j < classes; ++j) {
        if (kernels::load_one<double>(is_target.dtype, is_target.data, offset(is_target, j)) != 0) continue;
        const double z = 1 - x(label(k)) + x(j);
        if (z > 0) loss += z;
      }
    loss /= double(classes);
    sum += loss;
    if (out.rank > 0) kernels::store_one(out.dtype, out.data, i * out.stride[0], loss);
  }
  if (out.rank == 0) kernels::store_one(out.dtype, out.data, 0, Reduction(reduction) == Reduction::kMean ? sum / double(rows) : sum);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::multilabel_margin_loss_forward(Tensor self, Tensor target, int reduction) -> (Tensor output, Tensor is_target)", infer, run>(
        "aten::multilabel_margin_loss_forward.output"),
};

}  // namespace

extern constinit const OpFamily op_multilabel_margin_loss_forward{kDefs};

}  // namespace glint::ops
