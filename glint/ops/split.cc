#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

// Part i of a split into equal parts; the last may be shorter.
Status infer(const Tensor& self, int64_t split_size, int64_t dim, MetaList out) {
  if (self.rank == 0) return invalid_argument("split: a tensor without dimensions cannot be split");
  const int d = wrap_dim(dim, self.rank);
  if (d < 0) return invalid_argument("split: dim is out of range");
  const int64_t size = self.size[size_t(d)];
  if (split_size < 0 || (split_size == 0 && size != 0)) return invalid_argument("split: split_size must be positive");
  const int64_t parts = split_size == 0 || size == 0 ? 1 : ceil_div(size, split_size);
  if (parts != out.size()) return invalid_argument("split: wrong number of results");
  TensorMeta part = self;
  for (int64_t i = 0; i < parts; ++i) {
    part.size[size_t(d)] = split_size == 0 ? 0 : std::min(split_size, size - i * split_size);
    GLINT_TRY(set_result(out[size_t(i)], self.dtype, part.sizes()));
  }
  return {};
}

// Results follow one another along the dimension, whatever their sizes.
void copy_parts(const Tensor& self, int dim, TensorList out) {
  int64_t start = 0;
  for (uint32_t i = 0; i < out.size(); ++i) {
    Tensor part = self;
    narrow(part, dim, start, out[i]->size[size_t(dim)]);
    copy_elements(part, *out.at(i));
    start += out[i]->size[size_t(dim)];
  }
}

Status run(OpContext&, const Tensor& self, int64_t, int64_t dim, TensorList out) {
  copy_parts(self, wrap_dim(dim, self.rank), out);
  return {};
}

Status infer_sizes(const Tensor& self, Ints sizes, int64_t dim, MetaList out) {
  if (self.rank == 0) return invalid_argument("split: a tensor without dimensions cannot be split");
  const int d = wrap_dim(dim, self.rank);
  if (d < 0) return invalid_argument("split: dim is out of range");
  if (sizes.size() != out.size()) return invalid_argument("split: wrong number of results");
  int64_t rest = self.size[size_t(d)];
  TensorMeta part = self;
  for (size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < 0 || sizes[i] > rest) return invalid_argument("split: the sizes do not add up to the dimension");
    rest -= sizes[i];
    part.size[size_t(d)] = sizes[i];
    GLINT_TRY(set_result(out[i], self.dtype, part.sizes()));
  }
  return rest == 0 ? Status() : invalid_argument("split: the sizes do not add up to the dimension");
}

Status run_sizes(OpContext&, const Tensor& self, Ints, int64_t dim, TensorList out) {
  copy_parts(self, wrap_dim(dim, self.rank), out);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]", infer, run>(),
    define_op<"aten::split_copy.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", infer, run>("aten::split_copy.Tensor_out"),
    define_op<"aten::unsafe_split.Tensor(Tensor self, SymInt split_size, int dim=0) -> Tensor[]", infer, run>("aten::unsafe_split.Tensor_out"),
    define_op<"aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]", infer_sizes, run_sizes>(),
    define_op<"aten::split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]", infer_sizes, run_sizes>(
        "aten::split_with_sizes_copy.out"),
    define_op<"aten::unsafe_split_with_sizes(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]", infer_sizes, run_sizes>(
        "aten::unsafe_split_with_sizes.out"),
};

}  // namespace

extern constinit const OpFamily op_split{kDefs};

}  // namespace glint::ops
