// Binary search in sorted sequences: searchsorted, bucketize.

#include "glint/ops/elementwise.h"

namespace glint::ops {
namespace {

using Side = std::optional<std::string_view>;

/// Where the walk along the last dimension of the sequence starts, for every element of the result.
TensorMeta starts(const Tensor& sequence) {
  TensorMeta m = sequence;
  if (m.rank == 1) m.rank = 0;
  else m.size[m.rank - 1u] = 1;
  return m;
}

Status check(const Tensor& sequence, const TensorMeta& values, bool right, Side side, const Tensor* sorter) {
  if (sequence.rank == 0) return invalid_argument("searchsorted: the sequence must have a dimension");
  if (side && *side != "left" && *side != "right") return invalid_argument("searchsorted: side must be left or right");
  if (side && right && *side == "left") return invalid_argument("searchsorted: side and right contradict each other");
  if (sequence.rank > 1) {
    if (values.rank != sequence.rank) return invalid_argument("searchsorted: the sequence has one dimension or as many as the values");
    for (size_t d = 0; d + 1 < sequence.rank; ++d)
      if (values.size[d] != sequence.size[d]) return invalid_argument("searchsorted: the sizes before the last dimension differ");
  }
  if (sorter != nullptr && (sorter->dtype != DType::kI64 || !sorter->same_sizes(sequence)))
    return invalid_argument("searchsorted: the sorter must be int64 and as large as the sequence");
  return check_kind(kReals, sequence.dtype);
}

// The first place whose element is not less (right: greater) than `value`. Written so that NaN goes to the end.
template <class T>
Status find(const Tensor& sequence, int64_t start, const Tensor* sorter, int64_t sorter_start, T value, bool right, int64_t& place) {
  const size_t last = sequence.rank - 1u;
  const int64_t n = sequence.size[last];
  int64_t low = 0, high = n;
  while (low < high) {
    const int64_t middle = low + (high - low) / 2;
    int64_t at = middle;
    if (sorter != nullptr) at = sorter->as<int64_t>()[sorter_start + middle * sorter->stride[last]];
    if (at < 0 || at >= n) return invalid_argument("searchsorted: the sorter points outside the sequence");
    const T x = kernels::load_one<T>(sequence.dtype, sequence.data, start + at * sequence.stride[last]);
    if (right ? x > value : x >= value) high = middle;
    else low = middle + 1;
  }
  return place = low, Status();
}

template <class T>
Status search_as(const Tensor& sequence, const Tensor& values, bool right, const Tensor* sorter, Tensor& out) {
  Status status;
  const auto loop = make_loop(out, values, starts(sequence), starts(sorter != nullptr ? *sorter : sequence));
  for_each_row(loop, [&](const auto& offset, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n && status.ok(); ++i) {
      const T value = kernels::load_one<T>(values.dtype, values.data, offset[1] + i * step[1]);
      int64_t place = 0;
      status = find(sequence, offset[2] + i * step[2], sorter, offset[3] + i * step[3], value, right, place);
      kernels::store_one<int64_t>(out.dtype, out.data, offset[0] + i * step[0], place);
    }
  });
  return status;
}
Status search(const Tensor& sequence, const Tensor& values, bool right, Side side, const Tensor* sorter, Tensor& out) {
  right = right || (side && *side == "right");
  const bool whole = kind_of(sequence.dtype) != kF32 && kind_of(sequence.dtype) != kF64 && kind_of(values.dtype) != kF32 && kind_of(values.dtype) != kF64;
  return whole ? search_as<int64_t>(sequence, values, right, sorter, out) : search_as<double>(sequence, values, right, sorter, out);
}

/// A number takes the dtype that it and the sequence promote to: -1 among bytes is 255.
class Sought {
 public:
  Sought(Scalar s, const Tensor& sequence) : number_(s) {
    tensor_.dtype = result_type(sequence, s);
    tensor_.data = element_;
    if (kind_of(tensor_.dtype) == kInts) kernels::store_one<int64_t>(tensor_.dtype, element_, 0, s.to_int());
    else tensor_ = number_.tensor();
  }
  Sought(const Sought&) = delete;
  Sought& operator=(const Sought&) = delete;
  const Tensor& tensor() const { return tensor_; }

 private:
  Number number_;
  alignas(8) std::byte element_[8] = {};
  Tensor tensor_;
};

DType place_dtype(bool narrow) { return narrow ? DType::kI32 : DType::kI64; }

Status infer(const Tensor& sequence, const Tensor& self, bool narrow, bool right, Side side, const Tensor* sorter, TensorMeta& out) {
  GLINT_TRY(check(sequence, self, right, side, sorter));
  GLINT_TRY(check_kind(kReals, self.dtype));
  return set_like(self, place_dtype(narrow), out);
}
Status run(OpContext&, const Tensor& sequence, const Tensor& self, bool, bool right, Side side, const Tensor* sorter, Tensor& out) {
  return search(sequence, self, right, side, sorter, out);
}
Status infer_scalar(const Tensor& sequence, Scalar self, bool narrow, bool right, Side side, const Tensor* sorter, TensorMeta& out) {
  if (sequence.rank > 1) return invalid_argument("searchsorted: a number needs a sequence of one dimension");
  return infer(sequence, Number(self).tensor(), narrow, right, side, sorter, out);
}
Status run_scalar(OpContext&, const Tensor& sequence, Scalar self, bool, bool right, Side side, const Tensor* sorter, Tensor& out) {
  return search(sequence, Sought(self, sequence).tensor(), right, side, sorter, out);
}

Status infer_bucketize(const Tensor& self, const Tensor& boundaries, bool narrow, bool right, TensorMeta& out) {
  if (boundaries.rank != 1) return invalid_argument("bucketize: the boundaries must have one dimension");
  return infer(boundaries, self, narrow, right, {}, nullptr, out);
}
Status run_bucketize(OpContext&, const Tensor& self, const Tensor& boundaries, bool, bool right, Tensor& out) {
  return search(boundaries, self, right, {}, nullptr, out);
}
Status infer_bucketize_scalar(Scalar self, const Tensor& boundaries, bool narrow, bool right, TensorMeta& out) {
  return infer_bucketize(Number(self).tensor(), boundaries, narrow, right, out);
}
Status run_bucketize_scalar(OpContext&, Scalar self, const Tensor& boundaries, bool, bool right, Tensor& out) {
  return search(boundaries, Sought(self, boundaries).tensor(), right, {}, nullptr, out);
}

constexpr OpDef kDefs[] = {
    define_op<"aten::searchsorted.Tensor(Tensor sorted_sequence, Tensor self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) "
              "-> Tensor", infer, run>("aten::searchsorted.Tensor_out"),
    define_op<"aten::searchsorted.Scalar(Tensor sorted_sequence, Scalar self, *, bool out_int32=False, bool right=False, str? side=None, Tensor? sorter=None) "
              "-> Tensor", infer_scalar, run_scalar>("aten::searchsorted.Scalar_out"),
    define_op<"aten::bucketize.Tensor(Tensor self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor", infer_bucketize, run_bucketize>(
        "aten::bucketize.Tensor_out"),
    define_op<"aten::bucketize.Scalar(Scalar self, Tensor boundaries, *, bool out_int32=False, bool right=False) -> Tensor", infer_bucketize_scalar,
              run_bucketize_scalar>("aten::bucketize.Scalar_out"),
};

}  // namespace

extern constinit const OpFamily op_searchsorted{kDefs};

}  // namespace glint::ops
