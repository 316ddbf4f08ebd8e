#include "glint/ops/indexed.h"

namespace glint::ops {
namespace {

Status infer(const Tensor& weight, const Tensor& indices, int64_t, bool, bool, TensorMeta& out) {
  if (weight.rank != 2) return invalid_argument("embedding: weight must have two dimensions");
  if (!is_index(indices.dtype)) return invalid_argument("embedding: indices must be int64 or int32");
  if (indices.rank == kMaxRank) return unsupported("embedding: too many dimensions");
  TensorMeta sizes = indices;
  insert_dim(sizes, sizes.rank, weight.size[1], 1);
  return set_result(out, weight.dtype, sizes.sizes());
}

// `t` without its last dimension: where each row starts.
TensorMeta row_starts(const TensorMeta& t) {
  TensorMeta m = t;
  --m.rank;
  return m;
}

Status run(OpContext&, const Tensor& weight, const Tensor& indices, int64_t, bool, bool, Tensor& out) {
  const int64_t count = weight.size[0], columns = weight.size[1], out_step = out.stride[size_t(out.rank - 1)];
  const int width = int(dtype_size(weight.dtype));
  bool good = true;
  for_each_row(make_loop(row_starts(out), indices), [&](const auto& at, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n && good; ++i) {
      const int64_t row = kernels::load_one<int64_t>(indices.dtype, indices.data, at[1] + i * step[1]);
      good = row >= 0 && row < count;
      if (good && columns > 0)
        kernels::copy_row(width, address(weight, row * weight.stride[0]), weight.stride[1], address(out, at[0] + i * step[0]), out_step, columns);
    }
  });
  return good ? Status() : invalid_argument(kIndexError);
}

Status infer_backward(const Tensor& grad, const Tensor& indices, int64_t num_weights, int64_t, bool, TensorMeta& out) {
  if (!is_index(indices.dtype)) return invalid_argument("embedding: indices must be int64 or int32");
  if (grad.dtype == DType::kC32) return unsupported("embedding: not for complex32");
  if (grad.rank != indices.rank + 1) return invalid_argument("embedding: the gradient must have the sizes of indices and a row");
  TensorMeta lead = grad;
  --lead.rank;
  if (!lead.same_sizes(indices)) return invalid_argument("embedding: the gradient must have the sizes of indices and a row");
  if (num_weights < 0) return invalid_argument("embedding: num_weights is negative");
  const int64_t sizes[] = {num_weights, grad.size[size_t(grad.rank - 1)]};
  return set_result(out, grad.dtype, sizes);
}

Status plan_backward(const PlanContext&, const Tensor&, const Tensor&, int64_t num_weights, int64_t, bool scale, const Tensor& out, Plan& plan) {
  plan.scratch_bytes = align_up(accumulator_bytes(out), 16) + (scale ? size_t(num_weights) * 8 : 0);
  return {};
}

template <class C>
C sum(C a, C b) {
  if constexpr (std::is_integral_v<C>) return C(uint64_t(a) + uint64_t(b));  // integers wrap
  else if constexpr (std::is_floating_point_v<C>) return a + b;
  else return {a.re + b.re, a.im + b.im};
}

template <class C>
Status add_rows(const Tensor& grad, const Tensor& indices, int64_t padding, const int64_t* counts, std::byte* scratch, Tensor& out) {
  Accumulator<C> acc(out, scratch);
  const int64_t columns = out.size[1], step_in = grad.stride[size_t(grad.rank - 1)];
  std::fill_n(acc.data, out.numel(), C());
  bool good = true;
  for_each_row(make_loop(row_major(indices), indices, row_starts(grad)), [&](const auto& at, const auto& step, int64_t n) {
    C tile[kernels::kTile];
    for (int64_t i = 0; i < n && good; ++i) {
      const int64_t row = kernels::load_one<int64_t>(indices.dtype, indices.data, at[1] + i * step[1]);
      if (row == padding) continue;
      good = row >= 0 && row < out.size[0];
      for (int64_t c = 0; good && c < columns; c += kernels::kTile) {
        const int64_t m = std::min(columns - c, kernels::kTile);
        kernels::load<C>(grad.dtype, address(grad, at[2] + i * step[2] + c * step_in), step_in, m, tile);
        C* to = acc.data + row * columns + c;
        if (counts != nullptr) {
          for (int64_t k = 0; k < m; ++k)
            if constexpr (std::is_integral_v<C>) tile[k] *= counts[row] == 1;  // PyTorch multiplies with 1 / count in the dtype
            else if constexpr (std::is_floating_point_v<C>) tile[k] /= C(counts[row]);
            else tile[k] = {tile[k].re / decltype(C::re)(counts[row]), tile[k].im / decltype(C::re)(counts[row])};
        }
        for (int64_t k = 0; k < m; ++k) to[k] = sum(to[k], tile[k]);
      }
    }
  });
  if (!good) return invalid_argument(kIndexError);
  acc.store();
  return {};
}

Status run_backward(OpContext& context, const Tensor& grad, const Tensor& indices, int64_t num_weights, int64_t padding, bool scale, Tensor& out) {
  int64_t* counts = nullptr;
  if (scale && grad.dtype != DType::kBool) {  // as a bool any scale is 1
    counts = reinterpret_cast<int64_t*>(context.scratch() + align_up(accumulator_bytes(out), 16));
    std::fill_n(counts, num_weights, int64_t(0));
    for_each_row(make_loop(row_major(indices), indices), [&](const auto& at, const auto& step, int64_t n) {
      for (int64_t i = 0; i < n; ++i) {
        const int64_t row = kernels::load_one<int64_t>(indices.dtype, indices.data, at[1] + i * step[1]);
        if (row >= 0 && row < num_weights) ++counts[row];
      }
    });
  }
  Status status;
  with_accumulator(grad.dtype, [&](auto c) { status = add_rows<decltype(c)>(grad, indices, padding, counts, context.scratch(), out); });
  return status;
}

constexpr OpDef kDefs[] = {
    define_op<"aten::embedding(Tensor weight, Tensor indices, SymInt padding_idx=-1, bool scale_grad_by_freq=False, bool sparse=False) -> Tensor",
              infer, run>("aten::embedding.out"),
    define_op<"aten::embedding_dense_backward(Tensor grad_output, Tensor indices, SymInt num_weights, SymInt padding_idx, bool scale_grad_by_freq) "
              "-> Tensor", infer_backward, run_backward, plan_backward>("aten::embedding_dense_backward.out"),
};

}  // namespace

extern constinit const OpFamily op_embedding{kDefs};

}  // namespace glint::ops
