#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

// PyTorch skips tensors of sizes [0], whatever the rank of the others.
bool skipped(const Tensor& t) { return t.rank == 1 && t.size[0] == 0; }

Status infer(TensorList tensors, int64_t dim, TensorMeta& out) {
  if (tensors.size() == 0) return invalid_argument("cat: no tensors");
  ResultType type;
  const Tensor* first = nullptr;
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i]->rank == 0) return invalid_argument("cat: a tensor without dimensions cannot be joined");
    type.add_tensor(tensors[i]->dtype, true);
    if (first == nullptr && !skipped(*tensors[i])) first = tensors[i];
  }
  const DType dtype = type.get();
  if (first == nullptr) return set_result(out, dtype, tensors[0]->sizes());  // whatever dim is
  const int d = wrap_dim(dim, first->rank);
  if (d < 0) return invalid_argument("cat: dim is out of range");
  TensorMeta sizes = *first;
  int64_t total = 0;
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = *tensors[i];
    if (!converts(t.dtype, dtype)) return unsupported("cat: complex32 is not converted");
    if (skipped(t)) continue;
    sizes.size[size_t(d)] = t.size[size_t(d)];
    if (!t.same_sizes(sizes)) return invalid_argument("cat: sizes differ besides the joined dimension");
    if (!checked_add(total, t.size[size_t(d)], &total)) return invalid_argument("cat: the result would be too large");
  }
  sizes.size[size_t(d)] = total;
  return set_result(out, dtype, sizes.sizes());
}

Status run(OpContext&, TensorList tensors, int64_t dim, Tensor& out) {
  if (out.numel() == 0) return {};
  const int d = wrap_dim(dim, out.rank);
  int64_t start = 0;
  for (uint32_t i = 0; i < tensors.size(); ++i) {
    const Tensor& t = *tensors[i];
    if (skipped(t)) continue;
    Tensor part = out;
    narrow(part, d, start, t.size[size_t(d)]);
    convert_elements(t, part);
    start += t.size[size_t(d)];
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::cat(Tensor[] tensors, int dim=0) -> Tensor", infer, run>("aten::cat.out"),
};

}  // namespace

extern constinit const OpFamily op_cat{kDefs};

}  // namespace glint::ops
