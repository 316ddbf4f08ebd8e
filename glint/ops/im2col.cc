#include "glint/ops/indexed.h"

namespace glint::ops {
namespace {

// Windows slid over an image, one pair (rows, columns) each.
struct Windows {
  int64_t image[2], kernel[2], dilation[2], padding[2], stride[2], count[2];
};

Status read_windows(const int64_t* image, Ints kernel, Ints dilation, Ints padding, Ints stride, Windows& w) {
  if (kernel.size() != 2 || dilation.size() != 2 || padding.size() != 2 || stride.size() != 2)
    return invalid_argument("im2col: kernel_size, dilation, padding and stride need two numbers each");
  for (size_t i = 0; i < 2; ++i) {
    if (kernel[i] < 1 || dilation[i] < 1 || stride[i] < 1 || padding[i] < 0) return invalid_argument("im2col: kernel_size, dilation, padding or stride is out of range");
    int64_t padded = 0, extent = 0;
    if (!checked_add(padding[i], padding[i], &padded) || !checked_add(padded, image[i], &padded) || !checked_mul(dilation[i], kernel[i] - 1, &extent) || extent >= padded)
      return invalid_argument("im2col: the kernel is larger than the padded image");
    w.image[i] = image[i], w.kernel[i] = kernel[i], w.dilation[i] = dilation[i], w.padding[i] = padding[i], w.stride[i] = stride[i];
    w.count[i] = (padded - extent - 1) / stride[i] + 1;
  }
  return {};
}

// Where window `o` reads with kernel position `k`; outside [0, image) in the padding.
int64_t place(const Windows& w, size_t i, int64_t o, int64_t k) { return o * w.stride[i] - w.padding[i] + k * w.dilation[i]; }

// `t` with a batch of one in front when it has none.
Tensor batched(const Tensor& t, int rank) {
  Tensor r = t;
  if (r.rank < rank) insert_dim(r, 0, 1, 0);
  return r;
}

// An image [n, c, h, w] and its columns [n, c * kh * kw, windows]: f(row of the columns matrix at (n, column row, window
// row), image row or -1, kernel column) for all of them.
template <class F>
void for_each_window_row(const Windows& w, const Tensor& image, const Tensor& columns, F&& f) {
  for (int64_t n = 0; n < image.size[0]; ++n)
    for (int64_t c = 0; c < image.size[1]; ++c)
      for (int64_t ky = 0; ky < w.kernel[0]; ++ky)
        for (int64_t kx = 0; kx < w.kernel[1]; ++kx)
          for (int64_t oy = 0; oy < w.count[0]; ++oy) {
            const int64_t y = place(w, 0, oy, ky);
            const int64_t at = n * columns.stride[0] + ((c * w.kernel[0] + ky) * w.kernel[1] + kx) * columns.stride[1] + oy * w.count[1] * columns.stride[2];
            f(at, n * image.stride[0] + c * image.stride[1] + y * image.stride[2], y >= 0 && y < w.image[0], kx);
          }
}

Status infer(const Tensor& self, Ints kernel, Ints dilation, Ints padding, Ints stride, TensorMeta& out) {
  if (self.rank != 3 && self.rank != 4) return invalid_argument("im2col: the operand must have 3 or 4 dimensions");
  const Tensor image = batched(self, 4);
  for (size_t d = 1; d < 4; ++d)
    if (image.size[d] == 0) return invalid_argument("im2col: only the batch may be empty");
  Windows w;
  GLINT_TRY(read_windows(&image.size[2], kernel, dilation, padding, stride, w));
  int64_t rows = 0, columns = 0;
  if (!checked_mul(w.kernel[0], w.kernel[1], &rows) || !checked_mul(rows, image.size[1], &rows) || !checked_mul(w.count[0], w.count[1], &columns))
    return invalid_argument("im2col: the result would be too large");
  const int64_t sizes[] = {image.size[0], rows, columns};
  return set_result(out, self.dtype, self.rank == 4 ? Ints(sizes) : Ints(sizes).last(2));
}

Status run(OpContext&, const Tensor& self, Ints kernel, Ints dilation, Ints padding, Ints stride, Tensor& out) {
  const Tensor image = batched(self, 4);
  Tensor columns = batched(out, 3);
  Windows w;
  GLINT_TRY(read_windows(&image.size[2], kernel, dilation, padding, stride, w));
  with_width(dtype_size(out.dtype), [&](auto unit) {
    using T = decltype(unit);
    for_each_window_row(w, image, columns, [&](int64_t at, int64_t row, bool inside, int64_t kx) {
      T* to = columns.as<T>() + at;
      for (int64_t ox = 0; ox < w.count[1]; ++ox) {
        const int64_t x = place(w, 1, ox, kx);
        to[ox * columns.stride[2]] = inside && x >= 0 && x < w.image[1] ? image.as<T>()[row + x * image.stride[3]] : T{};
      }
    });
  });
  return {};
}

Status infer_back(const Tensor& self, Ints output_size, Ints kernel, Ints dilation, Ints padding, Ints stride, TensorMeta& out) {
  if (self.rank != 2 && self.rank != 3) return invalid_argument("col2im: the operand must have 2 or 3 dimensions");
  if (output_size.size() != 2 || output_size[0] < 1 || output_size[1] < 1) return invalid_argument("col2im: output_size needs two positive numbers");
  GLINT_TRY(check_reduction(self.dtype, {}));
  Windows w;
  GLINT_TRY(read_windows(output_size.data(), kernel, dilation, padding, stride, w));
  const Tensor columns = batched(self, 3);
  int64_t taps = 0, count = 0;
  if (!checked_mul(w.kernel[0], w.kernel[1], &taps) || !checked_mul(w.count[0], w.count[1], &count) || columns.size[1] == 0 || columns.size[1] % taps != 0)
    return invalid_argument("col2im: the rows do not divide into kernels");
  if (columns.size[2] != count) return invalid_argument("col2im: the number of columns is not that of the windows");
  const int64_t sizes[] = {columns.size[0], columns.size[1] / taps, output_size[0], output_size[1]};
  return set_result(out, self.dtype, self.rank == 3 ? Ints(sizes) : Ints(sizes).last(3));
}

Status plan_back(const PlanContext&, const Tensor&, Ints, Ints, Ints, Ints, Ints, const Tensor& out, Plan& plan) {
  plan.scratch_bytes = accumulator_bytes(out);
  return {};
}

template <class C>
void add_columns(const Windows& w, const Tensor& columns, std::byte* scratch, Tensor& out) {
  Accumulator<C> acc(out, scratch);
  std::fill_n(acc.data, out.numel(), C{});
  const Tensor image = batched(acc.view(), 4);
  C tile[kernels::kTile];
  int64_t target[kernels::kTile];
  for_each_window_row(w, image, columns, [&](int64_t at, int64_t row, bool inside, int64_t kx) {
    for (int64_t start = 0; inside && start < w.count[1]; start += kernels::kTile) {
      const int64_t n = std::min(w.count[1] - start, kernels::kTile);
      kernels::load<C>(columns.dtype, address(columns, at + start * columns.stride[2]), columns.stride[2], n, tile);
      int64_t kept = 0;
      for (int64_t k = 0; k < n; ++k) {
        const int64_t x = place(w, 1, start + k, kx);
        if (x < 0 || x >= w.image[1]) continue;
        tile[kept] = tile[k];
        target[kept++] = row + x;
      }
      kernels::accumulate<C>(kernels::Reduction::kSum, target, tile, kept, acc.data);
    }
  });
  acc.store();
}

Status run_back(OpContext& context, const Tensor& self, Ints output_size, Ints kernel, Ints dilation, Ints padding, Ints stride, Tensor& out) {
  Windows w;
  GLINT_TRY(read_windows(output_size.data(), kernel, dilation, padding, stride, w));
  with_accumulator(out.dtype, [&](auto c) { add_columns<decltype(c)>(w, batched(self, 3), context.scratch(), out); });
  return {};
}

constexpr OpDef kDefs[] = {
    define_op<"aten::im2col(Tensor self, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor", infer, run>("aten::im2col.out"),
    define_op<"aten::col2im(Tensor self, SymInt[2] output_size, int[2] kernel_size, int[2] dilation, int[2] padding, int[2] stride) -> Tensor",
              infer_back, run_back, plan_back>("aten::col2im.out"),
};

}  // namespace

extern constinit const OpFamily op_im2col{kDefs};

}  // namespace glint::ops
