#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "glint/core/tensor.h"

namespace glint {

/// The dtype of a C++ element type.
template <class T> constexpr DType dtype_of();
template <> constexpr DType dtype_of<float>() { return DType::kF32; }
template <> constexpr DType dtype_of<double>() { return DType::kF64; }
template <> constexpr DType dtype_of<uint8_t>() { return DType::kU8; }
template <> constexpr DType dtype_of<int8_t>() { return DType::kI8; }
template <> constexpr DType dtype_of<int16_t>() { return DType::kI16; }
template <> constexpr DType dtype_of<int32_t>() { return DType::kI32; }
template <> constexpr DType dtype_of<int64_t>() { return DType::kI64; }
template <> constexpr DType dtype_of<uint16_t>() { return DType::kU16; }
template <> constexpr DType dtype_of<uint32_t>() { return DType::kU32; }
template <> constexpr DType dtype_of<uint64_t>() { return DType::kU64; }
template <> constexpr DType dtype_of<bool>() { return DType::kBool; }
template <> constexpr DType dtype_of<f16>() { return DType::kF16; }
template <> constexpr DType dtype_of<bf16>() { return DType::kBF16; }

/// A tensor for application code: owns its elements, shares them between copies, or borrows them. One whose sizes are not
/// valid, or do not fit the elements given, is not valid(): whoever takes it refuses it.
class OwnedTensor {
 public:
  OwnedTensor() = default;
  /// Row-major, zero-filled.
  OwnedTensor(DType dtype, std::vector<int64_t> sizes);
  /// Row-major elements, taken over.
  template <class T>
  OwnedTensor(std::vector<T> elements, std::vector<int64_t> sizes) {
    auto owner = std::make_shared<std::vector<T>>(std::move(elements));
    adopt(owner, owner->data(), owner->size(), dtype_of<T>(), sizes);
  }
  template <class T>
  OwnedTensor(std::initializer_list<T> elements, std::vector<int64_t> sizes) : OwnedTensor(std::vector<T>(elements), std::move(sizes)) {}
  /// Elements that stay the caller's, row-major, at least as many as the sizes say.
  static OwnedTensor borrow(void* data, DType dtype, std::vector<int64_t> sizes);
  /// The same for any strides.
  static OwnedTensor borrow(const Tensor& tensor);
  /// A copy with its own memory and the same order of dimensions (row-major if there are gaps).
  static OwnedTensor copy(const Tensor& tensor);

  bool valid() const { return valid_; }
  const Tensor& tensor() const { return tensor_; }
  Tensor& tensor() { return tensor_; }
  DType dtype() const { return tensor_.dtype; }
  std::vector<int64_t> sizes() const { return {tensor_.sizes().begin(), tensor_.sizes().end()}; }
  int64_t numel() const { return tensor_.numel(); }
  template <class T> T* data() { return tensor_.as<T>(); }
  template <class T> const T* data() const { return tensor_.as<T>(); }
  /// The elements in row-major order; empty when T is not the tensor's type.
  template <class T>
  std::vector<T> to_vector() const {
    if (!valid_ || tensor_.dtype != dtype_of<T>()) return {};
    const OwnedTensor rows = tensor_.is_contiguous() ? *this : row_major();
    return {rows.data<T>(), rows.data<T>() + rows.numel()};
  }
  OwnedTensor row_major() const;
  /// The same elements, dense, with the dimensions in the order that `like`'s strides have: itself if they are.
  OwnedTensor in_order_of(const TensorMeta& like) const;
  /// "float32[1, 3, 224, 224]"
  std::string describe() const;

 private:
  void adopt(std::shared_ptr<void> owner, void* data, size_t count, DType dtype, const std::vector<int64_t>& sizes);

  Tensor tensor_;
  std::shared_ptr<void> owner_;
  bool valid_ = false;
};

/// "float32[1, 3, 224, 224]"
std::string describe(const TensorMeta& meta);

}  // namespace glint
