#include "glint/ops/gemm.h"

// One product a group, as the experts of a mixture need. `offs` holds where each group ends: in the rows of self, the
// columns of mat2 or the inner dimension, whichever has no dimension for groups. Without offs both have one.

namespace glint::ops {
namespace {

constexpr bool by_rows(const Tensor& self, const Tensor& mat2) { return self.rank == 2 && mat2.rank == 3; }
constexpr bool by_columns(const Tensor& self, const Tensor& mat2) { return self.rank == 3 && mat2.rank == 2; }

Status infer(const Tensor& self, const Tensor& mat2, const Tensor* offs, const Tensor* bias, std::optional<DType> out_dtype, TensorMeta& out) {
  if ((self.rank != 2 && self.rank != 3) || (mat2.rank != 2 && mat2.rank != 3)) return invalid_argument("_grouped_mm: the operands must have 2 or 3 dimensions");
  const int64_t rows = self.size[size_t(self.rank - 2)], inner = self.size[size_t(self.rank - 1)], columns = mat2.size[size_t(mat2.rank - 1)];
  if (mat2.size[size_t(mat2.rank - 2)] != inner) return invalid_argument("_grouped_mm: the inner sizes differ");
  if (bias != nullptr) return unsupported("_grouped_mm: bias is not supported, nor is it in PyTorch");
  if (out_dtype && *out_dtype != self.dtype) return invalid_argument("_grouped_mm: out_dtype must be the operands'");
  if (!is_floating(self.dtype)) return unsupported("_grouped_mm: only for floats");
  GLINT_TRY(check_product(self, mat2));
  if (self.rank == 3 && mat2.rank == 3) {
    if (offs != nullptr) return invalid_argument("_grouped_mm: offs are not for operands of 3 dimensions");
    if (self.size[0] != mat2.size[0]) return invalid_argument("_grouped_mm: the numbers of groups differ");
    return set_result(out, self.dtype, std::array{self.size[0], rows, columns});
  }
  if (offs == nullptr) return invalid_argument("_grouped_mm: offs are missing");
  if (offs->rank != 1 || (offs->dtype != DType::kI32 && offs->dtype != DType::kI64)) return invalid_argument("_grouped_mm: offs must be one-dimensional integers");
  if (by_rows(self, mat2) || by_columns(self, mat2)) {
    if (offs->size[0] != (self.rank == 3 ? self : mat2).size[0]) return invalid_argument("_grouped_mm: offs must have an element for each group");
    return set_result(out, self.dtype, std::array{rows, columns});
  }
  return set_result(out, self.dtype, std::array{offs->size[0], rows, columns});
}

/// `count` entries of a dimension from `from` on.
void narrow(Tensor& t, int dim, int64_t from, int64_t count) {
  t.data = at(t, from * t.stride[size_t(dim)]);
  t.size[size_t(dim)] = count;
}

/// The group of a 3-dimensional operand, else all of it.
Tensor group_of(const Tensor& t, int64_t group) {
  Tensor one = t;
  if (t.rank == 2) return one;
  narrow(one, 0, group, 1);
  one.rank = 2;
  for (size_t d = 0; d < 2; ++d) one.size[d] = t.size[d + 1], one.stride[d] = t.stride[d + 1];
  return one;
}

void multiply_group(const Tensor& a, const Tensor& b, Tensor out) {
  with_floating(out.dtype, [&](auto c) { product<decltype(c)>(out.size[0], out.size[1], a.size[1], matrix(a), matrix(b), {}, 0, out); });
}

Status run(OpContext&, const Tensor& self, const Tensor& mat2, const Tensor* offs, const Tensor*, std::optional<DType>, Tensor& out) {
  if (offs == nullptr) {
    for (int64_t g = 0; g < self.size[0]; ++g) multiply_group(group_of(self, g), group_of(mat2, g), group_of(out, g));
    return {};
  }
  const bool rows = by_rows(self, mat2), columns = by_columns(self, mat2);
  const int64_t all = rows ? self.size[0] : columns ? mat2.size[1] : self.size[1];
  const auto end_of = [&](int64_t g) { return kernels::load_one<int64_t>(offs->dtype, offs->data, g * offs->stride[0]); };
  int64_t from = 0;
  for (int64_t g = 0; g < offs->size[0]; ++g) {
    const int64_t end = end_of(g);
    if (end < from || end > all) return invalid_argument("_grouped_mm: offs must not fall, nor exceed the dimension that they divide");
    Tensor a = group_of(self, g), b = group_of(mat2, g), y = group_of(out, g);
    if (!columns) narrow(a, rows ? 0 : 1, from, end - from);
    if (!rows) narrow(b, columns ? 1 : 0, from, end - from);
    if (rows || columns) narrow(y, rows ? 0 : 1, from, end - from);
    multiply_group(a, b, y);
    from = end;
  }
  if (rows || columns) {  // PyTorch leaves the rest undefined
    Tensor rest = out;
    narrow(rest, rows ? 0 : 1, from, all - from);
    for (int64_t i = 0; i < rest.size[0]; ++i)
      for (int64_t j = 0; j < rest.size[1]; ++j) kernels::store_one(rest.dtype, rest.data, i * rest.stride[0] + j * rest.stride[1], 0.0f);
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_grouped_mm(Tensor self, Tensor mat2, Tensor? offs=None, Tensor? bias=None, ScalarType? out_dtype=None) -> Tensor", infer, run>(""),
};

}  // namespace

extern constinit const OpFamily op_grouped_mm{kDefs};

}  // namespace glint::ops
