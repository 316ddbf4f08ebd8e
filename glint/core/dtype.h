#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace glint {

/// Element types. The numbers are those of PyTorch's ScalarType, which `.pte` files store.
enum class DType : uint8_t {
  kU8 = 0, kI8 = 1, kI16 = 2, kI32 = 3, kI64 = 4, kF16 = 5, kF32 = 6, kF64 = 7,
  kC32 = 8, kC64 = 9, kC128 = 10,  // complex of two f16, f32, f64
  kBool = 11, kBF16 = 15, kU16 = 27, kU32 = 28, kU64 = 29,
};

/// IEEE binary16 and bfloat16 as storage; arithmetic happens in float.
struct f16 { uint16_t bits; };
struct bf16 { uint16_t bits; };
template <class T> struct Complex { T re, im; };
using c64 = Complex<float>;
using c128 = Complex<double>;

/// Conversions round to nearest even; NaN stays NaN, overflow becomes infinity.
constexpr float to_float(bf16 v) { return std::bit_cast<float>(uint32_t(v.bits) << 16); }
constexpr bf16 to_bf16(float v) {
  const uint32_t u = std::bit_cast<uint32_t>(v);
  if ((u & 0x7fffffffu) > 0x7f800000u) return {0x7fc0};
  return {uint16_t((u + 0x7fffu + ((u >> 16) & 1u)) >> 16)};
}
constexpr float to_float(f16 v) {
  const uint32_t sign = uint32_t(v.bits & 0x8000u) << 16, magnitude = v.bits & 0x7fffu;
  if (magnitude >= 0x7c00u) return std::bit_cast<float>(sign | 0x7f800000u | (magnitude & 0x3ffu) << 13);
  // Scaling by 2^112 puts normals and subnormals alike where float has them.
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude << 13) * 0x1p112f));
}
constexpr f16 to_f16(float v) {
  const uint32_t u = std::bit_cast<uint32_t>(v);
  const uint16_t sign = uint16_t(u >> 16 & 0x8000u);
  const uint32_t magnitude = u & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return {uint16_t(sign | 0x7e00u)};
  if (magnitude >= 0x477ff000u) return {uint16_t(sign | 0x7c00u)};  // 65520 and above
  if (magnitude < 0x38800000u) {  // subnormal: adding 0.5 aligns the mantissa and rounds it
    const float shifted = std::bit_cast<float>(magnitude) + 0.5f;
    return {uint16_t(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u))};
  }
  return {uint16_t(sign | ((magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13))};
}

/// Bytes of one element; 0 for a number that names no dtype.
constexpr size_t dtype_size(DType d) {
  switch (d) {
    case DType::kU8: case DType::kI8: case DType::kBool: return 1;
    case DType::kI16: case DType::kU16: case DType::kF16: case DType::kBF16: return 2;
    case DType::kI32: case DType::kU32: case DType::kF32: case DType::kC32: return 4;
    case DType::kI64: case DType::kU64: case DType::kF64: case DType::kC64: return 8;
    case DType::kC128: return 16;
  }
  return 0;
}
constexpr bool is_valid_dtype(int64_t number) { return number >= 0 && number <= 29 && dtype_size(DType(number)) != 0; }

constexpr bool is_floating(DType d) { return d == DType::kF32 || d == DType::kF64 || d == DType::kF16 || d == DType::kBF16; }
constexpr bool is_complex(DType d) { return d == DType::kC32 || d == DType::kC64 || d == DType::kC128; }
/// Integers, without bool.
constexpr bool is_integer(DType d) { return !is_floating(d) && !is_complex(d) && d != DType::kBool; }
constexpr bool is_unsigned(DType d) { return d == DType::kU8 || d == DType::kU16 || d == DType::kU32 || d == DType::kU64; }

/// PyTorch's name: "float32", "int64", "bool", ... "?" for a number that names none.
const char* dtype_name(DType d);
/// The short name of the IR's text: "f32", "i64", "bool", ...
const char* dtype_short_name(DType d);
/// Either name; nullopt when it is none.
std::optional<DType> dtype_from_name(std::string_view name);

/// torch.promote_types: the smallest dtype that both convert to.
DType promote_types(DType a, DType b);

/// torch.result_type over operands fed one by one: tensors with dimensions
/// outrank zero-dimensional tensors, which outrank Python scalars, within a
/// category (bool < integer < float < complex).
class ResultType {
 public:
  void add_tensor(DType d, bool has_dims) { add(has_dims ? dims_ : zero_dim_, d); }
  /// A Scalar argument: bool, int64 and float64 stand for Python's types.
  void add_scalar(DType d);
  /// The promoted type; kF32 when nothing was added.
  DType get() const;

 private:
  struct Slot { bool set = false; DType dtype = DType::kBool; };
  static void add(Slot& slot, DType d);
  Slot dims_, zero_dim_, scalar_;
};

}  // namespace glint
