#include "glint/ops/indexed.h"

namespace glint::ops {
namespace {

using Size = std::optional<int64_t>;

int64_t number(const Tensor& t, int64_t i) { return kernels::load_one<int64_t>(t.dtype, t.data, i * (t.rank == 0 ? 0 : t.stride[0])); }

// How many of `count` there will be, each repeated as `repeats` says (one number, or one each).
Status total(const Tensor& repeats, int64_t count, Size output_size, int64_t* sum) {
  if (!is_index(repeats.dtype)) return invalid_argument("repeat_interleave: repeats must be int64 or int32");
  if (repeats.rank > 1) return invalid_argument("repeat_interleave: repeats must be a vector");
  const bool same = repeats.rank == 0 || repeats.size[0] == 1;
  if (!same && repeats.size[0] != count) return invalid_argument("repeat_interleave: one of repeats for each element");
  if (repeats.data == nullptr && count > 0) {
    if (!output_size.has_value()) return unsupported("repeat_interleave: without output_size the size of the result has no bound");
    *sum = *output_size;
    return {};
  }
  *sum = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t n = number(repeats, same ? 0 : i);
    if (n < 0 || !checked_add(*sum, n, sum)) return invalid_argument("repeat_interleave: repeats are negative or too many");
  }
  if (output_size.has_value() && *output_size != *sum) return invalid_argument("repeat_interleave: output_size is not the sum of repeats");
  return {};
}

// The operand with the dimension to repeat along: the given one, or all elements in a row.
Status lay_out(const Tensor& self, Size dim, TensorMeta& sizes, int* d) {
  sizes = self;
  *d = 0;
  if (!dim.has_value()) {
    sizes.rank = 1;
    sizes.size[0] = self.numel();
  } else if (*d = wrap_dim(*dim, self.rank); *d < 0 || self.rank == 0) {
    return invalid_argument("repeat_interleave: dim is out of range");
  }
  return {};
}

Status infer_tensor(const Tensor& self, const Tensor& repeats, Size dim, Size output_size, TensorMeta& out) {
  TensorMeta sizes;
  int d = 0;
  GLINT_TRY(lay_out(self, dim, sizes, &d));
  GLINT_TRY(total(repeats, sizes.size[size_t(d)], output_size, &sizes.size[size_t(d)]));
  return set_result(out, self.dtype, sizes.sizes());
}

// count(i) copies of slice i, one slice after the other.
template <class Count>
Status copy_slices(const Tensor& self, Size dim, Tensor& out, Count&& count) {
  TensorMeta sizes;
  int d = 0;
  GLINT_TRY(lay_out(self, dim, sizes, &d));
  for (int i = 0; i < out.rank; ++i)
    if (i != d && out.size[size_t(i)] == 0) return {};
  int64_t start = 0;
  for (int64_t i = 0, n = sizes.size[size_t(d)]; i < n; ++i) {
    const int64_t copies = count(i);
    if (copies < 0 || copies > out.size[size_t(d)] - start) return invalid_argument("repeat_interleave: repeats do not fit the result");
    Tensor from = self, to = out;
    narrow(to, d, start, copies);
    if (dim.has_value()) {
      narrow(from, d, i, 1);
    } else {
      from.rank = 0;
      from.data = const_cast<char*>(address(self, element_offset(self, i)));
    }
    copy_elements(from, to);
    start += copies;
  }
  return start == out.size[size_t(d)] ? Status() : invalid_argument("repeat_interleave: repeats do not fill the result");
}

Status run_tensor(OpContext&, const Tensor& self, const Tensor& repeats, Size dim, Size, Tensor& out) {
  const bool same = repeats.rank == 0 || repeats.size[0] == 1;
  return copy_slices(self, dim, out, [&](int64_t i) { return number(repeats, same ? 0 : i); });
}

Status infer_int(const Tensor& self, int64_t repeats, Size dim, Size output_size, TensorMeta& out) {
  TensorMeta sizes;
  int d = 0;
  GLINT_TRY(lay_out(self, dim, sizes, &d));
  if (repeats < 0 || !checked_mul(sizes.size[size_t(d)], repeats, &sizes.size[size_t(d)])) return invalid_argument("repeat_interleave: repeats are negative or too many");
  if (output_size.has_value() && *output_size != sizes.size[size_t(d)]) return invalid_argument("repeat_interleave: output_size is not the sum of repeats");
  return set_result(out, self.dtype, sizes.sizes());
}
Status run_int(OpContext&, const Tensor& self, int64_t repeats, Size dim, Size, Tensor& out) {
  return copy_slices(self, dim, out, [&](int64_t) { return repeats; });
}

// Index i, repeats[i] times.
Status infer(const Tensor& repeats, Size output_size, TensorMeta& out) {
  if (repeats.rank != 1) return invalid_argument("repeat_interleave: repeats must be a vector");
  int64_t sum = 0;
  GLINT_TRY(total(repeats, repeats.size[0], output_size, &sum));
  return set_result(out, repeats.dtype, {&sum, 1});
}
Status run(OpContext&, const Tensor& repeats, Size, Tensor& out) {
  int64_t next = 0;
  for (int64_t i = 0; i < repeats.size[0]; ++i) {
    const int64_t n = number(repeats, i);
    if (n < 0 || n > out.size[0] - next) return invalid_argument("repeat_interleave: repeats do not fit the result");
    for (const int64_t end = next + n; next < end; ++next) kernels::store_one<int64_t>(out.dtype, out.data, next * out.stride[0], i);
  }
  return next == out.size[0] ? Status() : invalid_argument("repeat_interleave: repeats do not fill the result");
}

constexpr OpDef kDefs[] = {
    define_op<"aten::repeat_interleave.Tensor(Tensor repeats, *, SymInt? output_size=None) -> Tensor", infer, run>("aten::repeat_interleave.Tensor_out",
                                                                                                                    {.value_shape = true}),
    define_op<"aten::repeat_interleave.self_Tensor(Tensor self, Tensor repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor", infer_tensor,
              run_tensor>("", {.value_shape = true}),
    define_op<"aten::repeat_interleave.self_int(Tensor self, SymInt repeats, int? dim=None, *, SymInt? output_size=None) -> Tensor", infer_int,
              run_int>(),
};

}  // namespace

extern constinit const OpFamily op_repeat_interleave{kDefs};

}  // namespace glint::ops
