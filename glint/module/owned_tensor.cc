#include "glint/module/owned_tensor.h"

#include <algorithm>
#include <cstring>
#include <new>

#include "glint/core/shape.h"

namespace glint {
namespace {

/// Memory aligned for any kernel, zeroed.
std::shared_ptr<void> aligned_memory(size_t bytes) {
  void* p = ::operator new(bytes + 64, std::align_val_t(64));
  std::memset(p, 0, bytes + 64);
  return {p, [](void* q) { ::operator delete(q, std::align_val_t(64)); }};
}

void copy_elements(const Tensor& from, Tensor& to) {
  const size_t width = dtype_size(from.dtype);
  if (from.numel() == 0) return;
  bool same = from.is_dense();
  for (int d = 0; d < from.rank; ++d) same = same && (from.size[size_t(d)] <= 1 || from.stride[size_t(d)] == to.stride[size_t(d)]);
  if (same) {
    std::memcpy(to.data, from.data, from.size_bytes());
    return;
  }
  const auto loop = make_loop(to, from);
  for_each_row(loop, [&](const auto& offset, const auto& step, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      std::memcpy(static_cast<char*>(to.data) + size_t(offset[0] + i * step[0]) * width,
                  static_cast<const char*>(from.data) + size_t(offset[1] + i * step[1]) * width, width);
  });
}

}  // namespace

OwnedTensor::OwnedTensor(DType dtype, std::vector<int64_t> sizes) {
  if (!tensor_.set(dtype, sizes)) return;
  owner_ = aligned_memory(tensor_.size_bytes());
  tensor_.data = owner_.get();
  valid_ = true;
}

void OwnedTensor::adopt(std::shared_ptr<void> owner, void* data, size_t count, DType dtype, const std::vector<int64_t>& sizes) {
  if (!tensor_.set(dtype, sizes) || uint64_t(tensor_.numel()) != count) return;
  owner_ = std::move(owner);
  tensor_.data = data;
  valid_ = true;
}

OwnedTensor OwnedTensor::borrow(void* data, DType dtype, std::vector<int64_t> sizes) {
  OwnedTensor t;
  t.valid_ = t.tensor_.set(dtype, sizes);
  t.tensor_.data = data;
  return t;
}

OwnedTensor OwnedTensor::borrow(const Tensor& tensor) {
  OwnedTensor t;
  t.tensor_ = tensor;
  t.valid_ = true;
  return t;
}

OwnedTensor OwnedTensor::copy(const Tensor& tensor) {
  OwnedTensor t(tensor.dtype, {tensor.sizes().begin(), tensor.sizes().end()});
  if (tensor.is_dense()) t.tensor_.stride = tensor.stride;
  copy_elements(tensor, t.tensor_);
  return t;
}

OwnedTensor OwnedTensor::row_major() const {
  OwnedTensor t(tensor_.dtype, sizes());
  copy_elements(tensor_, t.tensor_);
  return t;
}

OwnedTensor OwnedTensor::in_order_of(const TensorMeta& like) const {
  if (like.rank != tensor_.rank) return *this;
  uint8_t order[kMaxRank];
  for (int d = 0; d < like.rank; ++d) order[d] = uint8_t(d);
  std::stable_sort(order, order + like.rank, [&](uint8_t a, uint8_t b) { return like.stride[a] > like.stride[b]; });
  OwnedTensor t;
  t.tensor_ = tensor_;
  t.tensor_.set_dim_order({order, like.rank});
  bool same = true;
  for (size_t d = 0; d < like.rank; ++d) same = same && (tensor_.size[d] <= 1 || tensor_.stride[d] == t.tensor_.stride[d]);
  if (same) return *this;
  t.owner_ = aligned_memory(tensor_.size_bytes());
  t.tensor_.data = t.owner_.get();
  t.valid_ = true;
  copy_elements(tensor_, t.tensor_);
  return t;
}

std::string describe(const TensorMeta& meta) {
  std::string s = dtype_name(meta.dtype);
  s += "[";
  for (int d = 0; d < meta.rank; ++d) s += (d ? ", " : "") + std::to_string(meta.size[size_t(d)]);
  return s + "]";
}

std::string OwnedTensor::describe() const { return valid_ ? glint::describe(tensor_) : "a tensor whose sizes do not fit its elements"; }

}  // namespace glint
