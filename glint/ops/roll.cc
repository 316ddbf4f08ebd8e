#include "glint/ops/mapped.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& self, Ints shifts, Ints dims, TensorMeta& out) {
  if (dims.empty() ? shifts.size() != 1 : shifts.size() != dims.size()) return invalid_argument("roll: shifts and dims differ in length");
  for (const int64_t dim : dims)
    if (self.numel() > 0 && (self.rank == 0 || wrap_dim(dim, self.rank) < 0)) return invalid_argument("roll: dims is out of range");
  return set_result(out, self.dtype, self.sizes());
}

// at - shift on a ring of `size`; shift is in [0, size).
int64_t behind(int64_t at, int64_t shift, int64_t size) { return at >= shift ? at - shift : at - shift + size; }

int64_t on_ring(int64_t shift, int64_t size) {
  const int64_t r = shift % size;
  return r < 0 ? r + size : r;
}

Status run(OpContext&, const Tensor& self, Ints shifts, Ints dims, Tensor& out) {
  if (out.numel() == 0) return {};
  if (dims.empty()) {  // over the row-major sequence of all elements
    const int64_t n = out.numel(), shift = on_ring(shifts[0], n);
    const int width = int(dtype_size(out.dtype));
    const bool simple = self.is_contiguous() && out.is_contiguous();
    if (simple) {
      kernels::copy_row(width, self.data, 1, address(out, shift), 1, n - shift);
      kernels::copy_row(width, address(self, n - shift), 1, out.data, 1, shift);
    } else {
      for (int64_t i = 0; i < n; ++i)
        kernels::copy_row(width, address(self, element_offset(self, behind(i, shift, n))), 1, address(out, element_offset(out, i)), 1, 1);
    }
    return {};
  }
  std::array<int64_t, kMaxRank> total{};
  for (size_t i = 0; i < dims.size(); ++i) {
    const size_t d = size_t(wrap_dim(dims[i], self.rank));
    const int64_t size = self.size[d];
    total[d] = behind(total[d], size - on_ring(shifts[i], size), size) % size;
  }
  copy_mapped(self, out, [&](int d, int64_t at) { return behind(at, total[size_t(d)], self.size[size_t(d)]); });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::roll(Tensor self, SymInt[1] shifts, int[1] dims=[]) -> Tensor", infer, run>("aten::roll.out"),
};

}  // namespace

extern constinit const OpFamily op_roll{kDefs};

}  // namespace glint::ops
