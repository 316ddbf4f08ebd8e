#pragma once

// Moving elements between strided tensors, by width and never by dtype: what
// views, scatters and index operators share.

#include <cstdint>
#include <span>

#include "glint/core/op_def.h"
#include "glint/core/shape.h"
#include "glint/kernels/convert.h"

namespace glint::ops {

struct Sixteen { uint64_t a, b; };

/// f(T()) with T an unsigned type of `width` bytes: 1, 2, 4, 8 or 16.
template <class F>
void with_width(size_t width, F&& f) {
  switch (width) {
    case 1: return f(uint8_t());
    case 2: return f(uint16_t());
    case 4: return f(uint32_t());
    case 8: return f(uint64_t());
    case 16: return f(Sixteen());
  }
}

/// The address of the element at `offset` (elements from t.data).
inline char* address(Tensor& t, int64_t offset) { return t.as<char>() + offset * int64_t(dtype_size(t.dtype)); }
inline const char* address(const Tensor& t, int64_t offset) { return t.as<char>() + offset * int64_t(dtype_size(t.dtype)); }

/// Moves the first element of a view. Without elements or data there is nothing to move.
inline void advance(Tensor& t, int64_t elements) {
  if (t.data != nullptr && t.numel() > 0) t.data = address(t, elements);
}

/// Row-major strides for the same sizes: put first into make_loop, it makes the walk row-major.
inline TensorMeta row_major(const TensorMeta& t) {
  TensorMeta m = t;
  m.set_contiguous();
  return m;
}

/// `t`, or [1] when it has no dimensions: operators with a `dim` treat the two alike.
inline Tensor at_least_1d(const Tensor& t) {
  Tensor r = t;
  if (r.rank == 0) {
    r.rank = 1;
    r.size[0] = r.stride[0] = 1;
  }
  return r;
}

/// Dimension `dim` limited to `length` elements from `start`.
inline void narrow(Tensor& t, int dim, int64_t start, int64_t length) {
  t.size[size_t(dim)] = length;
  advance(t, start * t.stride[size_t(dim)]);
}

/// Inserts a dimension at `at`; t.rank < kMaxRank.
inline void insert_dim(TensorMeta& t, int at, int64_t size, int64_t stride) {
  for (int d = t.rank; d > at; --d) {
    t.size[size_t(d)] = t.size[size_t(d - 1)];
    t.stride[size_t(d)] = t.stride[size_t(d - 1)];
  }
  t.size[size_t(at)] = size;
  t.stride[size_t(at)] = stride;
  ++t.rank;
}

inline void erase_dim(TensorMeta& t, int at) {
  for (int d = at; d + 1 < t.rank; ++d) {
    t.size[size_t(d)] = t.size[size_t(d + 1)];
    t.stride[size_t(d)] = t.stride[size_t(d + 1)];
  }
  --t.rank;
}

/// out = from, broadcast to out's sizes; both of one element width.
inline void copy_elements(const Tensor& from, Tensor& out) {
  const int width = int(dtype_size(out.dtype));
  for_each_row(make_loop(out, from), [&](const auto& at, const auto& step, int64_t n) {
    kernels::copy_row(width, address(from, at[1]), step[1], address(out, at[0]), step[0], n);
  });
}

/// out = self: how an operator that changes a copy of its first operand begins. Nothing to do where out is that operand.
inline void begin_with(const Tensor& self, Tensor& out) {
  if (self.data != out.data) copy_elements(self, out);
}
/// Flags of such operators whose results may have any strides.
inline constexpr OpFlags kUpdate{.updates_self = true, .strided_results = true};

template <class C>
void convert_elements_by(const Tensor& from, Tensor& out) {
  C tile[kernels::kTile];
  for_each_row(make_loop(out, from), [&](const auto& at, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n; i += kernels::kTile) {
      const int64_t m = n - i < kernels::kTile ? n - i : kernels::kTile;
      kernels::load<C>(from.dtype, address(from, at[1] + i * step[1]), step[1], m, tile);
      kernels::store<C>(out.dtype, address(out, at[0] + i * step[0]), step[0], m, tile);
    }
  });
}

/// out = from converted to out's dtype, broadcast to out's sizes.
inline void convert_elements(const Tensor& from, Tensor& out) {
  if (from.dtype == out.dtype) return copy_elements(from, out);
  if (is_complex(from.dtype)) return convert_elements_by<c128>(from, out);
  if (is_floating(from.dtype)) return convert_elements_by<double>(from, out);
  convert_elements_by<int64_t>(from, out);
}

/// Whether `convert_elements` knows the pair.
inline bool converts(DType from, DType to) { return from == to || (from != DType::kC32 && to != DType::kC32); }

/// A number as one element of `dtype` at `element`.
inline void store_scalar(DType dtype, Scalar value, void* element) {
  if (value.is_float()) kernels::store_one<double>(dtype, element, 0, value.f);
  else kernels::store_one<int64_t>(dtype, element, 0, value.to_int());
}

/// Every element of out becomes a copy of the one at `element`.
inline void fill_elements(Tensor& out, const void* element) {
  Tensor one;
  one.dtype = out.dtype;
  one.data = const_cast<void*>(element);
  copy_elements(one, out);
}

inline void fill_zero(Tensor& out) {
  const Sixteen zero{};
  fill_elements(out, &zero);
}

/// out = from in row-major order of both; equal element counts, any sizes.
inline void copy_reshaped(const Tensor& from, Tensor& out) {
  if (from.is_contiguous()) {
    Tensor view = from;
    static_cast<TensorMeta&>(view) = row_major(out);
    copy_elements(view, out);
  } else if (out.is_contiguous()) {
    Tensor view = out;
    const DType dtype = out.dtype;
    static_cast<TensorMeta&>(view) = row_major(from);
    view.dtype = dtype;
    copy_elements(from, view);
  } else {
    const int width = int(dtype_size(out.dtype));
    for (int64_t i = 0, n = out.numel(); i < n; ++i)
      kernels::copy_row(width, address(from, element_offset(from, i)), 1, address(out, element_offset(out, i)), 1, 1);
  }
}

/// An operator that copies a strided view of its first operand: F(view, args...) turns
/// `view`, which starts as self, into it.
template <auto F>
struct View;
template <class... A, Status (*F)(Tensor&, A...)>
struct View<F> {
  static Status infer(const Tensor& self, A... args, TensorMeta& out) {
    Tensor view = self;
    GLINT_TRY(F(view, args...));
    return set_result(out, view.dtype, view.sizes());
  }
  static Status run(OpContext&, const Tensor& self, A... args, Tensor& out) {
    Tensor view = self;
    GLINT_TRY(F(view, args...));
    copy_elements(view, out);
    return {};
  }
};

/// An operator that copies self and writes src over the view of it that F gives.
template <auto F>
struct ViewScatter;
template <class... A, Status (*F)(Tensor&, A...)>
struct ViewScatter<F> {
  static Status infer(const Tensor& self, const Tensor& src, A... args, TensorMeta& out) {
    Tensor view = self;
    GLINT_TRY(F(view, args...));
    if (!view.same_sizes(src)) return invalid_argument("src must have the sizes of the part it replaces");
    if (!converts(src.dtype, self.dtype)) return unsupported("complex32 is not converted");
    return set_result(out, self.dtype, self.sizes());
  }
  static Status run(OpContext&, const Tensor& self, const Tensor& src, A... args, Tensor& out) {
    begin_with(self, out);
    Tensor view = out;
    GLINT_TRY(F(view, args...));
    convert_elements(src, view);
    return {};
  }
};

/// The gradient of a view: zeros of `sizes` with grad written over the view that F gives.
template <auto F>
struct ViewBackward;
template <class... A, Status (*F)(Tensor&, A...)>
struct ViewBackward<F> {
  static Status infer(const Tensor& grad, Ints sizes, A... args, TensorMeta& out) {
    GLINT_TRY(set_result(out, grad.dtype, sizes));
    Tensor view;
    static_cast<TensorMeta&>(view) = out;
    GLINT_TRY(F(view, args...));
    return view.same_sizes(grad) ? Status() : invalid_argument("the gradient must have the sizes of the view");
  }
  static Status run(OpContext&, const Tensor& grad, Ints, A... args, Tensor& out) {
    fill_zero(out);
    Tensor view = out;
    GLINT_TRY(F(view, args...));
    copy_elements(grad, view);
    return {};
  }
};

/// An operator that yields its operand's elements unchanged.
inline Status whole(Tensor&) { return {}; }
using Same = View<whole>;

}  // namespace glint::ops
