// The exclusive or of the elements' bits, floats as float64 and others as int64.

#include <bit>

#include "glint/ops/reduce.h"

namespace glint::ops {
namespace {

template <class T>
struct Bits {
  int64_t all = 0;
  void add(T v, int64_t) { all ^= std::bit_cast<int64_t>(v); }
  int64_t result() const { return all; }
};

Status infer(const Tensor& self, Ints dim, bool keepdim, int64_t mode, TensorMeta& out) {
  if (mode != 0) return invalid_argument("hash_tensor: the only mode is 0");
  if (is_complex(self.dtype)) return invalid_argument("hash_tensor: complex numbers are not supported");
  DimMask mask = 0;
  GLINT_TRY(dim_mask_or_all(dim, self.rank, mask));
  GLINT_TRY(check_not_empty(self, mask));
  return set_folded(self, mask, keepdim, DType::kU64, out);
}
Status run(OpContext&, const Tensor& self, Ints dim, bool, int64_t, Tensor& out) {
  DimMask mask = 0;
  GLINT_TRY(dim_mask_or_all(dim, self.rank, mask));
  if (is_floating(self.dtype)) fold<double>(self, mask, Bits<double>(), out);
  else fold<int64_t>(self, mask, Bits<int64_t>(), out);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::hash_tensor(Tensor self, int[1] dim=[], *, bool keepdim=False, int mode=0) -> Tensor", infer, run>("aten::hash_tensor.out"),
};

}  // namespace

extern constinit const OpFamily op_hash_tensor{kDefs};

}  // namespace glint::ops
