#include "glint/ops/movement.h"
#include "glint/ops/strided.h"

namespace glint::ops {
namespace {

// The sizes of `self` seen as `size`, which may hold one -1.
Status infer(const Tensor& self, Ints size, TensorMeta& out) {
  if (size.size() > kMaxRank) return invalid_argument("view: too many sizes");
  int64_t known = 1, sizes[kMaxRank], at = -1;
  const int64_t count = self.numel();
  for (size_t i = 0; i < size.size(); ++i) {
    sizes[i] = size[i];
    if (size[i] == -1) {
      if (at >= 0) return invalid_argument("view: only one size may be -1");
      at = int64_t(i);
    } else if (size[i] < 0) {
      return invalid_argument("view: a size is negative");
    } else if (!checked_mul(known, size[i], &known)) {
      return invalid_argument("view: the sizes do not fit the number of elements");
    }
  }
  if (at >= 0) {
    if (known == 0) return invalid_argument("view: -1 is ambiguous beside a size of 0");
    sizes[at] = count / known;
  }
  if ((at >= 0 ? known * (count / known) : known) != count) return invalid_argument("view: the sizes do not fit the number of elements");
  return set_result(out, self.dtype, {sizes, size.size()});
}

Status run(OpContext&, const Tensor& self, Ints, Tensor& out) {
  copy_reshaped(self, out);
  return {};
}

Status infer_alias(const Tensor& self, Ints size, Ints stride, TensorMeta& out) {
  if (size.size() != stride.size()) return invalid_argument("view: size and stride differ in length");
  return infer(self, size, out);
}
Status run_alias(OpContext& context, const Tensor& self, Ints size, Ints, Tensor& out) { return run(context, self, size, out); }

// The same bytes as elements of another width: the last dimension grows or shrinks.
Status infer_dtype(const Tensor& self, DType dtype, TensorMeta& out) {
  if (!is_valid_dtype(int64_t(dtype))) return invalid_argument("view: unknown dtype");
  const int64_t from = int64_t(dtype_size(self.dtype)), to = int64_t(dtype_size(dtype));
  TensorMeta sizes = self;
  if (from != to) {
    if (self.rank == 0) return invalid_argument("view: a tensor without dimensions keeps its element size");
    if (self.rank == kMaxRank) return unsupported("view: too many dimensions to change the element size");
    int64_t& last = sizes.size[size_t(self.rank - 1)];
    if (from > to ? !checked_mul(last, from / to, &last) : last % (to / from) != 0)
      return invalid_argument("view: the last size does not divide into elements of dtype");
    if (from < to) last /= to / from;
  }
  return set_result(out, dtype, sizes.sizes());
}

// `t` with each element split into `parts` of the width of `narrow`, as a new last dimension.
Tensor split_elements(const Tensor& t, int64_t parts, DType narrow) {
  Tensor r = t;
  r.dtype = narrow;
  for (int d = 0; d < r.rank; ++d) r.stride[size_t(d)] *= parts;
  insert_dim(r, r.rank, parts, 1);
  return r;
}

// `t` with the last dimension split into groups of `parts` elements.
Tensor group_elements(const Tensor& t, int64_t parts) {
  Tensor r = t;
  const size_t last = size_t(r.rank - 1);
  insert_dim(r, r.rank, parts, r.stride[last]);
  r.size[last] /= parts;
  r.stride[last] *= parts;
  return r;
}

Status run_dtype(OpContext&, const Tensor& self, DType dtype, Tensor& out) {
  const int64_t from = int64_t(dtype_size(self.dtype)), to = int64_t(dtype_size(dtype));
  if (from == to) {
    copy_elements(self, out);
  } else if (from > to) {
    Tensor parts = group_elements(out, from / to);
    copy_elements(split_elements(self, from / to, dtype), parts);
  } else {
    Tensor parts = split_elements(out, to / from, self.dtype);
    copy_elements(group_elements(self, to / from), parts);
  }
  return {};
}

// Our own view: strides and offset count x's elements from its first one.
Status strided(Tensor& view, Ints sizes, Ints strides, int64_t offset) { return strided_view(view, sizes, strides, offset); }

constexpr OpDef kDefs[] = {
    define_op<"aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)", infer, run>(),
    define_op<"aten::view_copy(Tensor self, SymInt[] size) -> Tensor", infer, run>("aten::view_copy.out"),
    define_op<"aten::_unsafe_view(Tensor self, SymInt[] size) -> Tensor", infer, run>("aten::_unsafe_view.out"),
    define_op<"aten::_reshape_copy(Tensor self, SymInt[] size) -> Tensor", infer, run>(),
    define_op<"aten::_reshape_alias(Tensor(a) self, SymInt[] size, SymInt[] stride) -> Tensor(a)", infer_alias, run_alias>(),
    define_op<"aten::view.dtype(Tensor(a) self, ScalarType dtype) -> Tensor(a)", infer_dtype, run_dtype>(),
    define_op<"aten::view_copy.dtype(Tensor self, ScalarType dtype) -> Tensor", infer_dtype, run_dtype>("aten::view_copy.dtype_out"),
    define_op<"glint::view(Tensor x, SymInt[] sizes, SymInt[] strides, SymInt offset) -> Tensor", View<strided>::infer, View<strided>::run>(),
};

}  // namespace

extern constinit const OpFamily op_view{kDefs};

}  // namespace glint::ops
