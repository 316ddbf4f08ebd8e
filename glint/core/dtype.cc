#include "glint/core/dtype.h"

namespace glint {
namespace {

struct Names { DType dtype; const char* name; const char* short_name; };
constexpr Names kNames[] = {
    {DType::kU8, "uint8", "u8"},          {DType::kI8, "int8", "i8"},          {DType::kI16, "int16", "i16"},
    {DType::kI32, "int32", "i32"},        {DType::kI64, "int64", "i64"},       {DType::kF16, "float16", "f16"},
    {DType::kF32, "float32", "f32"},      {DType::kF64, "float64", "f64"},     {DType::kC32, "complex32", "c32"},
    {DType::kC64, "complex64", "c64"},    {DType::kC128, "complex128", "c128"}, {DType::kBool, "bool", "bool"},
    {DType::kBF16, "bfloat16", "bf16"},   {DType::kU16, "uint16", "u16"},      {DType::kU32, "uint32", "u32"},
    {DType::kU64, "uint64", "u64"},
};

int category(DType d) { return is_complex(d) ? 3 : is_floating(d) ? 2 : d == DType::kBool ? 0 : 1; }

}  // namespace

const char* dtype_name(DType d) {
  for (const Names& n : kNames)
    if (n.dtype == d) return n.name;
  return "?";
}

const char* dtype_short_name(DType d) {
  for (const Names& n : kNames)
    if (n.dtype == d) return n.short_name;
  return "?";
}

std::optional<DType> dtype_from_name(std::string_view name) {
  for (const Names& n : kNames)
    if (name == n.name || name == n.short_name) return n.dtype;
  return std::nullopt;
}

DType promote_types(DType a, DType b) {
  if (a == b) return a;
  const int ca = category(a), cb = category(b);
  if (ca != cb) {
    const DType high = ca > cb ? a : b, low = ca > cb ? b : a;
    if (!is_complex(high) || !is_floating(low)) return high;
    // complex with a float: wide enough for both
    if (low == DType::kF64) return DType::kC128;
    if (low == DType::kF32 && high == DType::kC32) return DType::kC64;
    if (low == DType::kBF16 && high == DType::kC32) return DType::kC64;
    return high;
  }
  if (ca == 2) {  // floats: different halves meet in f32
    if (a == DType::kF64 || b == DType::kF64) return DType::kF64;
    return DType::kF32;
  }
  if (ca == 3) return dtype_size(a) > dtype_size(b) ? a : b;
  // integers
  const size_t sa = dtype_size(a), sb = dtype_size(b);
  if (is_unsigned(a) == is_unsigned(b)) return sa > sb ? a : b;
  const DType u = is_unsigned(a) ? a : b, s = is_unsigned(a) ? b : a;
  if (u != DType::kU8) return dtype_size(s) > dtype_size(u) ? s : DType::kI64;  // PyTorch refuses these; any answer that holds most
  return s == DType::kI8 ? DType::kI16 : s;
}

void ResultType::add(Slot& slot, DType d) {
  slot.dtype = slot.set ? promote_types(slot.dtype, d) : d;
  slot.set = true;
}

void ResultType::add_scalar(DType d) {
  // Python numbers take the default dtypes: float -> float32 (torch.get_default_dtype()).
  if (d == DType::kF64) d = DType::kF32;
  if (d == DType::kC128) d = DType::kC64;
  add(scalar_, d);
}

DType ResultType::get() const {
  DType result = DType::kF32;
  bool set = false;
  for (const Slot* slot : {&dims_, &zero_dim_, &scalar_}) {
    if (!slot->set) continue;
    if (!set) {
      result = slot->dtype;
    } else if (category(slot->dtype) > category(result)) {
      // A lower-priority operand of a higher category decides the category; a
      // complex one keeps the precision of the float it meets.
      result = is_complex(slot->dtype) && is_floating(result)
                   ? (result == DType::kF64 ? DType::kC128 : result == DType::kF16 ? DType::kC32 : DType::kC64)
                   : slot->dtype;
    }
    set = true;
  }
  return result;
}

}  // namespace glint
