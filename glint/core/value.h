#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "glint/core/tensor.h"

namespace glint {

/// A Python number as an operator receives it.
struct Scalar {
  enum class Kind : uint8_t { kInt, kFloat, kBool } kind = Kind::kInt;
  union { int64_t i = 0; double f; bool b; };

  static constexpr Scalar of(int64_t v) { Scalar s; s.kind = Kind::kInt; s.i = v; return s; }
  static constexpr Scalar of(double v) { Scalar s; s.kind = Kind::kFloat; s.f = v; return s; }
  static constexpr Scalar of(bool v) { Scalar s; s.kind = Kind::kBool; s.i = 0; s.b = v; return s; }

  constexpr bool is_float() const { return kind == Kind::kFloat; }
  constexpr bool is_bool() const { return kind == Kind::kBool; }
  constexpr double to_double() const { return kind == Kind::kFloat ? f : kind == Kind::kInt ? double(i) : double(b); }
  /// Truncates a float; one outside int64 gives INT64_MIN, NaN 0.
  constexpr int64_t to_int() const {
    if (kind == Kind::kInt) return i;
    if (kind == Kind::kBool) return b;
    if (f != f) return 0;
    return f >= -0x1p63 && f < 0x1p63 ? int64_t(f) : INT64_MIN;
  }
  constexpr bool to_bool() const { return kind == Kind::kFloat ? f != 0 : kind == Kind::kInt ? i != 0 : b; }
  /// The dtype for ResultType::add_scalar.
  constexpr DType dtype() const { return kind == Kind::kFloat ? DType::kF64 : kind == Kind::kInt ? DType::kI64 : DType::kBool; }
};

/// Tensor[] or Tensor?[] (entries may be null only in the latter). As an output
/// of `infer`, `resize` sets how many results there are.
class TensorList {
 public:
  TensorList() = default;
  TensorList(Tensor* const* items, uint32_t count) : items_(items), count_(count) {}
  uint32_t size() const { return count_; }
  /// Null entries only in Tensor?[].
  const Tensor* operator[](size_t i) const { return items_[i]; }
  Tensor* at(size_t i) const { return items_[i]; }

 private:
  Tensor* const* items_ = nullptr;
  uint32_t count_ = 0;
};

/// One operand or result of an operator call; points at storage of others.
struct Value {
  enum class Kind : uint8_t {
    kNone, kTensor, kTensorList, kInt, kIntList, kFloat, kFloatList, kBool, kBoolList, kString,
  };
  Kind kind = Kind::kNone;
  uint32_t count = 0;  // of a list or string
  union {
    int64_t i = 0;
    double f;
    bool b;
    Tensor* tensor;
    Tensor* const* tensors;
    const int64_t* ints;
    const double* floats;
    const bool* bools;
    const char* text;
  };

  static Value none() { return {}; }
  static Value of(Tensor* t) { Value v; v.kind = Kind::kTensor; v.tensor = t; return v; }
  static Value of(std::span<Tensor* const> t) { Value v; v.kind = Kind::kTensorList; v.count = uint32_t(t.size()); v.tensors = t.data(); return v; }
  static Value of(int64_t n) { Value v; v.kind = Kind::kInt; v.i = n; return v; }
  static Value of(double x) { Value v; v.kind = Kind::kFloat; v.f = x; return v; }
  static Value of(bool x) { Value v; v.kind = Kind::kBool; v.b = x; return v; }
  static Value of(std::span<const int64_t> x) { Value v; v.kind = Kind::kIntList; v.count = uint32_t(x.size()); v.ints = x.data(); return v; }
  static Value of(std::span<const double> x) { Value v; v.kind = Kind::kFloatList; v.count = uint32_t(x.size()); v.floats = x.data(); return v; }
  static Value of(std::span<const bool> x) { Value v; v.kind = Kind::kBoolList; v.count = uint32_t(x.size()); v.bools = x.data(); return v; }
  static Value of(std::string_view x) { Value v; v.kind = Kind::kString; v.count = uint32_t(x.size()); v.text = x.data(); return v; }
  static Value of(Scalar s) { return s.is_float() ? of(s.f) : s.is_bool() ? of(s.b) : of(s.i); }
};

}  // namespace glint
