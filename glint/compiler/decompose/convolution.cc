// Convolutions of one to three dimensions, all as aten::convolution.

#include "glint/compiler/decompose/expansion.h"

namespace glint::compiler {
namespace {

using X = Expansion;

struct Call {
  Value* input;
  Value* weight;
  Axes stride, padding, dilation, output_padding;
  bool transposed = false;
};

/// The input may lack its batch dimension.
Value* convolve(X& x, Call c, size_t spatial) {
  const bool unbatched = x.rank(c.input) == spatial + 1;
  x.require(unbatched || x.rank(c.input) == spatial + 2, "the input has the wrong number of dimensions");
  Value* input = unbatched ? x.unsqueeze(c.input, 0) : c.input;
  if (c.output_padding.empty()) c.output_padding.assign(spatial, 0);
  Value* y = x.op("aten::convolution", {input, c.weight, x.arg("bias"), c.stride, c.padding, c.dilation, c.transposed, c.output_padding, x.arg("groups")});
  return unbatched ? x.squeeze(y, 0) : y;
}

template <size_t kSpatial>
Value* conv(X& x) {
  return convolve(x, {x.tensor("input"), x.tensor("weight"), x.ints("stride", kSpatial), x.ints("padding", kSpatial), x.ints("dilation", kSpatial), {}, false}, kSpatial);
}

template <size_t kSpatial>
Value* conv_transpose(X& x) {
  return convolve(x, {x.tensor("input"), x.tensor("weight"), x.ints("stride", kSpatial), x.ints("padding", kSpatial), x.ints("dilation", kSpatial),
                      x.ints("output_padding", kSpatial), true}, kSpatial);
}

/// padding="same" or "valid".
template <size_t kSpatial>
Value* conv_named_padding(X& x) {
  Call c{x.tensor("input"), x.tensor("weight"), x.ints("stride", kSpatial), Axes(kSpatial, 0), x.ints("dilation", kSpatial), {}, false};
  const std::string mode = x.text("padding");
  if (mode == "valid") return convolve(x, c, kSpatial);
  x.require(mode == "same", "padding is neither \"same\" nor \"valid\"");
  Axes extra(2 * kSpatial, 0);  // before and after, last dimension first
  bool uneven = false;
  for (size_t i = 0; i < kSpatial; ++i) {
    x.require(c.stride[i] == 1, "padding=\"same\" needs a stride of 1");
    const int64_t total = c.dilation[i] * (x.known(x.dim(c.weight, int64_t(i) + 2), "the size of the kernel") - 1);
    c.padding[i] = total / 2;
    if (total % 2 == 0) continue;
    extra[2 * (kSpatial - 1 - i) + 1] = 1;
    uneven = true;
  }
  if (uneven) c.input = x.op("aten::constant_pad_nd", {c.input, extra, x.zero(x.dtype_of(c.input))});
  return convolve(x, c, kSpatial);
}

#define GLINT_CONV(n, ints)                                                                                                                    \
  {"aten::conv" n "d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[" n "] stride=1, SymInt[" n "] padding=0, SymInt[" n "] dilation=1, " \
   "SymInt groups=1) -> Tensor", conv<ints>},                                                                                                  \
  {"aten::conv" n "d.padding(Tensor input, Tensor weight, Tensor? bias=None, SymInt[" n "] stride=1, str padding=\"valid\", "                   \
   "SymInt[" n "] dilation=1, SymInt groups=1) -> Tensor", conv_named_padding<ints>}
#define GLINT_CONV_TRANSPOSE(name, n, ints)                                                                                       \
  {"aten::" name "(Tensor input, Tensor weight, Tensor? bias=None, SymInt[" n "] stride=1, SymInt[" n "] padding=0, "              \
   "SymInt[" n "] output_padding=0, SymInt groups=1, SymInt[" n "] dilation=1) -> Tensor", conv_transpose<ints>}

constexpr Row kRows[] = {
    GLINT_CONV("1", 1), GLINT_CONV("2", 2), GLINT_CONV("3", 3),
    GLINT_CONV_TRANSPOSE("conv_transpose1d", "1", 1),
    GLINT_CONV_TRANSPOSE("conv_transpose2d.input", "2", 2),
    GLINT_CONV_TRANSPOSE("conv_transpose3d.input", "3", 3),
};
#undef GLINT_CONV
#undef GLINT_CONV_TRANSPOSE

}  // namespace

Rows convolution_rows() { return kRows; }

}  // namespace glint::compiler
