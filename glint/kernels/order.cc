#include "glint/kernels/order.h"

#include <algorithm>
#include <utility>

namespace glint::kernels {
namespace {

// For sign-magnitude bits of `width`, as floats have: negatives reversed below positives.
template <class U>
uint64_t float_key(U bits, U infinity) {
  constexpr U sign = U(U(1) << (sizeof(U) * 8 - 1));
  const U magnitude = U(bits & ~sign);
  if (magnitude > infinity) return U(~U(0));  // every NaN alike
  if (magnitude == 0) return sign;
  return U(bits & sign ? ~bits : bits | sign);
}

template <class T, class Key>
void rank_as(const void* p, int64_t step, int64_t n, uint64_t flip, Ranked* out, Key&& key) {
  const T* from = static_cast<const T*>(p);
  for (int64_t i = 0; i < n; ++i) out[i] = {key(from[i * step]) ^ flip, i};
}

}  // namespace

void rank_elements(DType dtype, const void* p, int64_t step, int64_t n, bool descending, Ranked* out) {
  const uint64_t flip = descending ? ~uint64_t(0) : 0;
  const auto of_signed = [](auto v) { return uint64_t(int64_t(v)) ^ uint64_t(1) << 63; };
  const auto of_unsigned = [](auto v) { return uint64_t(v); };
  switch (dtype) {
    case DType::kBool: return rank_as<uint8_t>(p, step, n, flip, out, [](uint8_t v) { return uint64_t(v != 0); });
    case DType::kU8: return rank_as<uint8_t>(p, step, n, flip, out, of_unsigned);
    case DType::kU16: return rank_as<uint16_t>(p, step, n, flip, out, of_unsigned);
    case DType::kU32: return rank_as<uint32_t>(p, step, n, flip, out, of_unsigned);
    case DType::kU64: return rank_as<uint64_t>(p, step, n, flip, out, of_unsigned);
    case DType::kI8: return rank_as<int8_t>(p, step, n, flip, out, of_signed);
    case DType::kI16: return rank_as<int16_t>(p, step, n, flip, out, of_signed);
    case DType::kI32: return rank_as<int32_t>(p, step, n, flip, out, of_signed);
    case DType::kI64: return rank_as<int64_t>(p, step, n, flip, out, of_signed);
    case DType::kF16: return rank_as<uint16_t>(p, step, n, flip, out, [](uint16_t v) { return float_key<uint16_t>(v, 0x7c00); });
    case DType::kBF16: return rank_as<uint16_t>(p, step, n, flip, out, [](uint16_t v) { return float_key<uint16_t>(v, 0x7f80); });
    case DType::kF32: return rank_as<uint32_t>(p, step, n, flip, out, [](uint32_t v) { return float_key<uint32_t>(v, 0x7f800000u); });
    case DType::kF64: return rank_as<uint64_t>(p, step, n, flip, out, [](uint64_t v) { return float_key<uint64_t>(v, uint64_t(0x7ff) << 52); });
    case DType::kC32: case DType::kC64: case DType::kC128: return;
  }
}

bool is_nan_key(DType dtype, uint64_t key) {
  if (!is_floating(dtype)) return false;
  return key == (dtype == DType::kF64 ? ~uint64_t(0) : dtype == DType::kF32 ? 0xffffffffu : 0xffffu);
}

void sort_ranked(Ranked* items, int64_t n) { std::sort(items, items + n); }

void top_ranked(Ranked* items, int64_t k, int64_t n, bool sorted) {
  const auto by_key = [](const Ranked& a, const Ranked& b) { return a.key < b.key; };
  // A heap of k pays off only when k is a small part.
  if (k <= n / 64) return std::partial_sort(items, items + k, items + n, by_key);
  std::nth_element(items, items + k - 1, items + n, by_key);
  if (sorted) std::sort(items, items + k - 1, by_key);
}

// Hoare's selection: the median of first, middle and last splits what is left until k is alone.
void select_ranked(Ranked* items, int64_t k, int64_t n) {
  const auto order = [items](int64_t a, int64_t b) {
    if (items[a].key > items[b].key) std::swap(items[a], items[b]);
  };
  int64_t low = 0, high = n - 1;
  while (high > low + 1) {
    std::swap(items[low + (high - low) / 2], items[low + 1]);
    order(low + 1, high);
    order(low, high);
    order(low + 1, low);
    const uint64_t pivot = items[low].key;
    int64_t up = low + 1, down = high;
    for (;;) {
      while (items[++up].key < pivot) {}
      while (items[--down].key > pivot) {}
      if (down < up) break;
      std::swap(items[up], items[down]);
    }
    std::swap(items[low], items[down]);
    if (down >= k) high = down - 1;
    if (down <= k) low = up;
  }
  if (high == low + 1) order(low, high);
}

}  // namespace glint::kernels
