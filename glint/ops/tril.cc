#include <algorithm>

#include "glint/ops/indexed.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, int64_t, TensorMeta& out) {
  if (self.rank < 2) return invalid_argument("tril: the operand must have two dimensions or more");
  return set_result(out, self.dtype, self.sizes());
}

// Keeps columns [0, i + diagonal] of row i of each matrix (lower) or [i + diagonal, end) (upper).
Status keep(const Tensor& self, int64_t diagonal, bool lower, Tensor& out) {
  const int last = self.rank - 1;
  const int64_t rows = self.size[size_t(last - 1)], columns = self.size[size_t(last)];
  diagonal = std::clamp(diagonal, -rows - 1, columns);
  fill_zero(out);
  if (out.numel() == 0) return {};
  for (int64_t i = 0; i < rows; ++i) {
    const int64_t split = std::clamp<int64_t>(i + diagonal + (lower ? 1 : 0), 0, columns);
    const int64_t start = lower ? 0 : split, length = lower ? split : columns - split;
    Tensor from = self, to = out;
    for (Tensor* t : {&from, &to}) {
      narrow(*t, last - 1, i, 1);
      narrow(*t, last, start, length);
    }
    copy_elements(from, to);
  }
  return {};
}

Status run_lower(OpContext&, const Tensor& self, int64_t diagonal, Tensor& out) { return keep(self, diagonal, true, out); }
Status run_upper(OpContext&, const Tensor& self, int64_t diagonal, Tensor& out) { return keep(self, diagonal, false, out); }

// How many of a row x column matrix's elements lie on or below the diagonal `offset` above the main one.
int64_t lower_count(int64_t rows, int64_t columns, int64_t offset) {
  const int64_t empty = std::clamp<int64_t>(-offset, 0, rows);                // rows above the triangle
  const int64_t full = std::clamp<int64_t>(columns - offset - 1, empty, rows);  // the first row with all columns
  const int64_t n = full - empty, first = empty + offset + 1;                  // n rows of first, first + 1, ...
  return n * first + n * (n - 1) / 2 + (rows - full) * columns;
}

template <bool kLower>
Status infer_indices(int64_t row, int64_t col, int64_t offset, std::optional<DType> dtype, Ignored, Ignored, std::optional<bool>, TensorMeta& out) {
  constexpr int64_t limit = INT32_MAX;  // products below stay in int64
  const DType d = dtype.value_or(DType::kI64);
  if (!is_index(d)) return unsupported("tril_indices: dtype must be int64 or int32");
  if (row < 0 || col < 0 || row > limit || col > limit) return invalid_argument("tril_indices: row or col is out of range");
  offset = std::clamp(offset, -row - 1, col + 1);
  const int64_t sizes[] = {2, kLower ? lower_count(row, col, offset) : row * col - lower_count(row, col, offset - 1)};
  return set_result(out, d, sizes);
}

template <bool kLower>
Status run_indices(OpContext&, int64_t row, int64_t col, int64_t offset, std::optional<DType>, Ignored, Ignored, std::optional<bool>, Tensor& out) {
  offset = std::clamp(offset, -row - 1, col + 1);
  int64_t n = 0;
  const int64_t count = out.size[1];
  for (int64_t i = kLower ? std::clamp<int64_t>(-offset, 0, row) : 0; n < count; ++i) {  // rows without elements are passed over
    const int64_t split = std::clamp<int64_t>(i + offset + (kLower ? 1 : 0), 0, col);
    for (int64_t j = kLower ? 0 : split, end = kLower ? split : col; j < end; ++j, ++n) {
      kernels::store_one<int64_t>(out.dtype, out.data, n * out.stride[1], i);
      kernels::store_one<int64_t>(out.dtype, out.data, out.stride[0] + n * out.stride[1], j);
    }
  }
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::tril(Tensor self, SymInt diagonal=0) -> Tensor", infer, run_lower>("aten::tril.out"),
    define_op<"aten::triu(Tensor self, SymInt diagonal=0) -> Tensor", infer, run_upper>("aten::triu.out"),
    define_op<"aten::tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, "
              "bool? pin_memory=None) -> Tensor", infer_indices<true>, run_indices<true>>("aten::tril_indices.out"),
    define_op<"aten::triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, "
              "bool? pin_memory=None) -> Tensor", infer_indices<false>, run_indices<false>>("aten::triu_indices.out"),
};

}  // namespace

extern constinit const OpFamily op_tril{kDefs};

}  // namespace glint::ops
