#include "glint/ops/advanced_index.h"

namespace glint::ops {
namespace {

// Writes the coordinates of nonzero elements as rows of out, at most `limit`; returns how many.
int64_t write_coordinates(const Tensor& self, int64_t limit, Tensor& out) {
  int64_t row = 0;
  for_each_nonzero(self, [&](int64_t i) {
    if (row >= limit) return;
    int64_t* to = out.as<int64_t>() + row++ * out.stride[0];
    for (int d = self.rank; d-- > 0;) {
      to[d * out.stride[1]] = i % self.size[size_t(d)];
      i /= self.size[size_t(d)];
    }
  });
  return row;
}

Status infer(const Tensor& self, TensorMeta& out) {
  const int64_t sizes[] = {self.data == nullptr ? self.numel() : count_nonzero(self), self.rank};
  return set_result(out, DType::kI64, sizes);
}

Status run(OpContext&, const Tensor& self, Tensor& out) {
  const int64_t limit = out.size[0], count = count_nonzero(self);
  if (count > limit) return invalid_argument("nonzero: more elements than the result has room for");
  if (count < limit) {
    const int64_t sizes[] = {count, self.rank};
    GLINT_TRY(set_result(out, DType::kI64, sizes));
  }
  write_coordinates(self, count, out);
  return {};
}

Status infer_static(const Tensor& self, int64_t size, int64_t, TensorMeta& out) {
  if (size < 0) return invalid_argument("nonzero_static: size is negative");
  const int64_t sizes[] = {size, self.rank};
  return set_result(out, DType::kI64, sizes);
}

Status run_static(OpContext&, const Tensor& self, int64_t size, int64_t fill_value, Tensor& out) {
  const int64_t count = write_coordinates(self, size, out);
  Tensor rest = out;
  narrow(rest, 0, count, size - count);
  fill_elements(rest, &fill_value);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::nonzero(Tensor self) -> Tensor", infer, run>("aten::nonzero.out", {.value_shape = true}),
    define_op<"aten::nonzero_static(Tensor self, *, SymInt size, int fill_value=-1) -> Tensor", infer_static, run_static>("aten::nonzero_static.out"),
};

}  // namespace

extern constinit const OpFamily op_nonzero{kDefs};

}  // namespace glint::ops
