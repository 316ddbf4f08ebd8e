#include "glint/ops/movement.h"

namespace glint::ops {
namespace {

// Padding is given from the last dimension on; negative ones crop.
Status infer(const Tensor& self, Ints pad, Scalar, TensorMeta& out) {
  if (self.dtype == DType::kC32) return unsupported("constant_pad_nd: complex32 is not converted");
  if (pad.size() % 2 != 0 || pad.size() > 2 * size_t(self.rank)) return invalid_argument("constant_pad_nd: pad needs two numbers for each padded dimension");
  TensorMeta sizes = self;
  for (size_t i = 0; i < pad.size(); i += 2) {
    int64_t& size = sizes.size[size_t(self.rank) - 1 - i / 2];
    if (!checked_add(size, pad[i], &size) || !checked_add(size, pad[i + 1], &size) || size < 0)
      return invalid_argument("constant_pad_nd: a size of the result would be negative or too large");
  }
  return set_result(out, self.dtype, sizes.sizes());
}

Status run(OpContext&, const Tensor& self, Ints pad, Scalar value, Tensor& out) {
  Tensor from = self, to = out;
  bool padded = false, kept = true;
  for (size_t i = 0; i < pad.size(); i += 2) {
    const int d = int(size_t(self.rank) - 1 - i / 2);
    const int64_t before = pad[i], after = pad[i + 1];
    padded = padded || before > 0 || after > 0;
    const int64_t start = before < 0 ? -before : 0;
    const int64_t length = self.size[size_t(d)] - start - (after < 0 ? -after : 0);
    if (length <= 0) {
      kept = false;
      break;
    }
    narrow(from, d, start, length);
    narrow(to, d, before > 0 ? before : 0, length);
  }
  if (padded || !kept) {
    alignas(16) std::byte element[16];
    store_scalar(out.dtype, value, element);
    fill_elements(out, element);
  }
  if (kept) copy_elements(from, to);
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::constant_pad_nd(Tensor self, SymInt[] pad, Scalar value=0) -> Tensor", infer, run>("aten::constant_pad_nd.out"),
};

}  // namespace

extern constinit const OpFamily op_constant_pad_nd{kDefs};

}  // namespace glint::ops
