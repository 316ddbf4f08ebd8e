// Order statistics along dimensions: median, nanmedian, mode.

#include "glint/ops/reduce.h"

namespace glint::ops {
namespace {

// One line of elements and their positions, in scratch: 16 bytes an element.
template <class T>
struct Line {
  T* values;
  int64_t* order;
  int64_t count;
  bool less(int64_t a, int64_t b) const { return (!is_nan(values[a]) && is_nan(values[b])) || values[a] < values[b]; }
  bool before(int64_t a, int64_t b) const { return less(a, b) || (a < b && !less(b, a)); }
  /// The position of the k-th smallest, of equal ones in their order; NaN counts as the largest.
  int64_t select(int64_t k) const {
    std::nth_element(order, order + k, order + count, [this](int64_t a, int64_t b) { return before(a, b); });
    return order[k];
  }
};

/// The lower of two middle elements; the first NaN if there is one.
struct Median {
  template <class T> int64_t operator()(const Line<T>& line) const {
    for (int64_t i = 0; i < line.count; ++i)
      if (is_nan(line.values[i])) return i;
    return line.select((line.count - 1) / 2);
  }
};
/// The median of what is not NaN.
struct NanMedian {
  template <class T> int64_t operator()(const Line<T>& line) const {
    int64_t nans = 0;
    for (int64_t i = 0; i < line.count; ++i) nans += is_nan(line.values[i]);
    return line.select(nans == line.count ? 0 : (line.count - nans - 1) / 2);
  }
};
/// The most frequent value, the smallest of several; which of its positions depends on the sort, as in PyTorch.
struct Mode {
  template <class T> int64_t operator()(const Line<T>& line) const {
    std::sort(line.order, line.order + line.count, [&](int64_t a, int64_t b) { return line.less(a, b); });
    int64_t best = line.order[0], most = 0, run = 0;
    for (int64_t i = 0; i < line.count; ++i) {
      ++run;
      if (i + 1 < line.count && line.values[line.order[i]] == line.values[line.order[i + 1]]) continue;
      if (run > most) most = run, best = line.order[i];
      run = 0;
    }
    return best;
  }
};

template <class T, class Pick>
void pick_lines(OpContext& c, const Tensor& self, DimMask mask, Pick pick, Tensor& values, Tensor* indices) {
  using namespace reduce_detail;
  const Loop<1> folded = ordered_loop(self, mask);
  const int64_t count = folded_count(self, mask);
  const Line<T> line{reinterpret_cast<T*>(c.scratch()), reinterpret_cast<int64_t*>(c.scratch()) + count, count};
  for_each_row(kept_loop(self, mask, values, indices != nullptr ? *indices : values), [&](const auto& offset, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      T* to = line.values;
      for_each_row(folded, [&](const auto& start, const auto& along, int64_t m) {
        kernels::load<T>(self.dtype, element(self, offset[0] + i * step[0] + start[0]), along[0], m, to);
        to += m;
      });
      for (int64_t k = 0; k < count; ++k) line.order[k] = k;
      const int64_t at = pick(line);
      kernels::store_one<T>(values.dtype, values.data, offset[1] + i * step[1], line.values[at]);
      if (indices != nullptr) kernels::store_one<int64_t>(indices->dtype, indices->data, offset[2] + i * step[2], at);
    }
  });
}
template <class Pick>
Status pick(OpContext& c, const Tensor& self, DimMask mask, Pick how, Tensor& values, Tensor* indices) {
  if (is_floating(self.dtype)) pick_lines<double>(c, self, mask, how, values, indices);
  else pick_lines<int64_t>(c, self, mask, how, values, indices);
  return {};
}
Status plan_for(const Tensor& self, DimMask mask, Plan& plan) {
  int64_t bytes = 0;
  if (!checked_mul(folded_count(self, mask), 16, &bytes)) return invalid_argument("the scratch memory is too large");
  plan.scratch_bytes = size_t(bytes);
  return {};
}

DimMask mask_of(const Tensor& self, int64_t dim) { return self.rank == 0 ? 0 : DimMask(1) << wrap_dim(dim, self.rank); }
Status infer_line(const Tensor& self, int64_t dim, bool keepdim, TensorMeta& values, TensorMeta& indices) {
  if (wrap_dim(dim, self.rank) < 0) return invalid_argument("the dimension is out of range");
  GLINT_TRY(check_kind(kReals, self.dtype));
  GLINT_TRY(check_not_empty(self, mask_of(self, dim)));
  GLINT_TRY(set_folded(self, mask_of(self, dim), keepdim, self.dtype, values));
  return set_like(values, DType::kI64, indices);
}

template <class Pick>
struct OfDim {
  static Status infer(const Tensor& self, int64_t dim, bool keepdim, TensorMeta& values, TensorMeta& indices) {
    return infer_line(self, dim, keepdim, values, indices);
  }
  static Status plan(const PlanContext&, const Tensor& self, int64_t dim, bool, const Tensor&, const Tensor&, Plan& p) {
    return plan_for(self, mask_of(self, dim), p);
  }
  static Status run(OpContext& c, const Tensor& self, int64_t dim, bool, Tensor& values, Tensor& indices) {
    return pick(c, self, mask_of(self, dim), Pick(), values, &indices);
  }
};
template <class Pick>
struct OfAll {
  static Status infer(const Tensor& self, TensorMeta& out) {
    GLINT_TRY(check_kind(kReals, self.dtype));
    return set_folded(self, all_dims(self.rank), false, self.dtype, out);
  }
  static Status plan(const PlanContext&, const Tensor& self, const Tensor&, Plan& p) { return plan_for(self, all_dims(self.rank), p); }
  static Status run(OpContext& c, const Tensor& self, Tensor& out) {
    if (self.numel() != 0) return pick(c, self, all_dims(self.rank), Pick(), out, nullptr);
    // What PyTorch makes of NaN: true, as an integer the smallest number of 4 and 8 bytes, 0 of fewer.
    const size_t width = dtype_size(out.dtype);
    if (is_floating(out.dtype)) kernels::store_one<double>(out.dtype, out.data, 0, std::numeric_limits<double>::quiet_NaN());
    else kernels::store_one<int64_t>(out.dtype, out.data, 0, width == 8 ? INT64_MIN : width == 4 ? INT32_MIN : out.dtype == DType::kBool);
    return {};
  }
};

template <op_detail::Text S, class Shape>
consteval OpDef planned(const char* stock_name) { return define_op<S, Shape::infer, Shape::run, Shape::plan>(stock_name); }

constexpr OpDef kDefs[] = {
    planned<"aten::median(Tensor self) -> Tensor", OfAll<Median>>("aten::median.out"),
    planned<"aten::median.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", OfDim<Median>>("aten::median.dim_values"),
    planned<"aten::nanmedian(Tensor self) -> Tensor", OfAll<NanMedian>>("aten::nanmedian.out"),
    planned<"aten::nanmedian.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)", OfDim<NanMedian>>("aten::nanmedian.dim_values"),
    planned<"aten::mode(Tensor self, int dim=-1, bool keepdim=False) -> (Tensor values, Tensor indices)", OfDim<Mode>>("aten::mode.values"),
};

}  // namespace

extern constinit const OpFamily op_median{kDefs};

}  // namespace glint::ops
