#include "glint/ops/distance.h"

namespace glint::ops {
namespace {

// x1 [..., p, m] and x2 [..., r, m] give [..., p, r]; the leading sizes broadcast.
TensorMeta leading(const TensorMeta& t) {
  TensorMeta m = t;
  m.rank = uint8_t(t.rank - 2);
  return m;
}

Status infer(const Tensor& x1, const Tensor& x2, double p, std::optional<int64_t> mode, TensorMeta& out) {
  if (!is_floating(x1.dtype) || x1.dtype != x2.dtype) return invalid_argument("cdist: the operands must have one floating dtype");
  if (x1.rank < 2 || x2.rank < 2) return invalid_argument("cdist: the operands must have at least 2 dimensions");
  if (x1.size[size_t(x1.rank - 1)] != x2.size[size_t(x2.rank - 1)]) return invalid_argument("cdist: the last sizes differ");
  if (!(p >= 0)) return invalid_argument("cdist: p must not be negative");
  if (mode && (*mode < 0 || *mode > 2)) return invalid_argument("cdist: compute_mode must be 0, 1 or 2");
  TensorMeta batch;
  GLINT_TRY(broadcast(leading(x1), leading(x2), batch));
  std::array<int64_t, kMaxRank> sizes = batch.size;
  sizes[batch.rank] = x1.size[size_t(x1.rank - 2)];
  sizes[batch.rank + 1u] = x2.size[size_t(x2.rank - 2)];
  return set_result(out, x1.dtype, {sizes.data(), batch.rank + 2u});
}

Status run(OpContext&, const Tensor& x1, const Tensor& x2, double p, std::optional<int64_t>, Tensor& out) {
  if (out.numel() == 0) return {};
  const int64_t rows = out.size[size_t(out.rank - 2)], cols = out.size[size_t(out.rank - 1)];
  const int64_t row1 = x1.stride[size_t(x1.rank - 2)], row2 = x2.stride[size_t(x2.rank - 2)];
  const int last1 = x1.rank - 1, last2 = x2.rank - 1;
  const auto loop = make_loop(leading(out), leading(x1), leading(x2));
  with_floating(x1.dtype, [&](auto c) {
    for_each_row(loop, [&](const auto& o, const auto& step, int64_t n) {
      for (int64_t b = 0; b < n; ++b)
        for (int64_t i = 0; i < rows; ++i)
          for (int64_t j = 0; j < cols; ++j) {
            const double d = distance<decltype(c)>(line(x1, last1, o[1] + b * step[1] + i * row1), line(x2, last2, o[2] + b * step[2] + j * row2), p);
            kernels::store_one(out.dtype, out.data, o[0] + b * step[0] + i * out.stride[size_t(out.rank - 2)] + j * out.stride[size_t(out.rank - 1)], d);
          }
    });
  });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::_cdist_forward(Tensor x1, Tensor x2, float p, int? compute_mode) -> Tensor", infer, run>("aten::_cdist_forward.out"),
};

}  // namespace

extern constinit const OpFamily op_cdist_forward{kDefs};

}  // namespace glint::ops
