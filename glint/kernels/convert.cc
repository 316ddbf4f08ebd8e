#include "glint/kernels/convert.h"

#include <cstring>
#include <type_traits>

namespace glint::kernels {
namespace {

template <class T> inline constexpr bool kIsComplex = std::is_same_v<T, c64> || std::is_same_v<T, c128>;

// What x86 gives for a float outside the integer's range, on every machine.
template <class T, class F>
T truncate(F v) {
  if constexpr (sizeof(T) < 4) {
    return T(truncate<int32_t>(v));
  } else if constexpr (std::is_same_v<T, uint32_t>) {
    return T(truncate<int64_t>(v));
  } else if constexpr (std::is_same_v<T, uint64_t>) {
    if (v >= F(0x1p63) && v < F(0x1p64)) return uint64_t(v);
    return T(truncate<int64_t>(v));
  } else {
    constexpr F low = sizeof(T) == 4 ? F(-0x1p31) : F(-0x1p63);
    constexpr T none = T(uint64_t(1) << (sizeof(T) * 8 - 1));
    return v >= low && v < -low ? T(v) : none;
  }
}

template <class To, class From>
To convert(From v) {
  if constexpr (std::is_same_v<From, To>) return v;
  else if constexpr (std::is_same_v<From, f16> || std::is_same_v<From, bf16>) return convert<To>(to_float(v));
  else if constexpr (kIsComplex<From> && kIsComplex<To>) return {decltype(To::re)(v.re), decltype(To::re)(v.im)};
  else if constexpr (kIsComplex<From> && std::is_same_v<To, bool>) return v.re != 0 || v.im != 0;
  else if constexpr (kIsComplex<From>) return convert<To>(v.re);
  else if constexpr (kIsComplex<To>) return {convert<decltype(To::re)>(v), 0};
  else if constexpr (std::is_same_v<To, f16>) return to_f16(float(v));
  else if constexpr (std::is_same_v<To, bf16>) return to_bf16(float(v));
  else if constexpr (std::is_same_v<To, bool>) return v != From(0);
  else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) return truncate<To>(v);
  else return To(v);
}

template <class T, class C>
void load_as(const void* p, int64_t step, int64_t n, C* out) {
  if (n <= 0) return;  // an empty row may be null
  const T* from = static_cast<const T*>(p);
  if constexpr (std::is_same_v<T, C>) {
    if (step == 1) {
      std::memcpy(out, from, size_t(n) * sizeof(T));
      return;
    }
  }
  if (step == 0) {
    const C v = convert<C>(*from);
    for (int64_t i = 0; i < n; ++i) out[i] = v;
  } else if (step == 1) {
    for (int64_t i = 0; i < n; ++i) out[i] = convert<C>(from[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = convert<C>(from[i * step]);
  }
}

template <class T, class C>
void store_as(void* p, int64_t step, int64_t n, const C* in) {
  T* to = static_cast<T*>(p);
  if (step == 1) {
    for (int64_t i = 0; i < n; ++i) to[i] = convert<T>(in[i]);
  } else {
    for (int64_t i = 0; i < n; ++i) to[i * step] = convert<T>(in[i]);
  }
}

template <class F>
void with_type(DType d, F&& f) {
  switch (d) {
    case DType::kU8: return f(uint8_t());
    case DType::kI8: return f(int8_t());
    case DType::kI16: return f(int16_t());
    case DType::kI32: return f(int32_t());
    case DType::kI64: return f(int64_t());
    case DType::kF16: return f(f16());
    case DType::kF32: return f(float());
    case DType::kF64: return f(double());
    case DType::kBool: return f(bool());
    case DType::kBF16: return f(bf16());
    case DType::kU16: return f(uint16_t());
    case DType::kU32: return f(uint32_t());
    case DType::kU64: return f(uint64_t());
    case DType::kC64: return f(c64());
    case DType::kC128: return f(c128());
    case DType::kC32: return;  // moved by width, never computed with
  }
}

}  // namespace

template <class C>
void load(DType dtype, const void* p, int64_t step, int64_t n, C* out) {
  with_type(dtype, [&](auto t) { load_as<decltype(t)>(p, step, n, out); });
}
template <class C>
void store(DType dtype, void* p, int64_t step, int64_t n, const C* in) {
  with_type(dtype, [&](auto t) { store_as<decltype(t)>(p, step, n, in); });
}

#define GLINT_CONVERT(C)                                          \
  template void load<C>(DType, const void*, int64_t, int64_t, C*); \
  template void store<C>(DType, void*, int64_t, int64_t, const C*)
GLINT_CONVERT(float);
GLINT_CONVERT(double);
GLINT_CONVERT(int64_t);
GLINT_CONVERT(bool);
GLINT_CONVERT(c64);
GLINT_CONVERT(c128);
#undef GLINT_CONVERT

namespace {
template <class T>
void copy_row_as(const void* from, int64_t from_step, void* to, int64_t to_step, int64_t n) {
  const T* a = static_cast<const T*>(from);
  T* b = static_cast<T*>(to);
  if (from_step == 1 && to_step == 1) {
    std::memcpy(b, a, size_t(n) * sizeof(T));
  } else {
    for (int64_t i = 0; i < n; ++i) b[i * to_step] = a[i * from_step];
  }
}
struct Sixteen { uint64_t a, b; };
}  // namespace

void copy_row(int width, const void* from, int64_t from_step, void* to, int64_t to_step, int64_t n) {
  switch (width) {
    case 1: return copy_row_as<uint8_t>(from, from_step, to, to_step, n);
    case 2: return copy_row_as<uint16_t>(from, from_step, to, to_step, n);
    case 4: return copy_row_as<uint32_t>(from, from_step, to, to_step, n);
    case 8: return copy_row_as<uint64_t>(from, from_step, to, to_step, n);
    case 16: return copy_row_as<Sixteen>(from, from_step, to, to_step, n);
  }
}

}  // namespace glint::kernels
