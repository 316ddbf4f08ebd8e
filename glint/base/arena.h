#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>

namespace glint {

/// Bump allocation over a buffer that the caller owns and keeps alive. Nothing
/// is freed one by one. Not thread-safe.
class Arena {
 public:
  Arena() = default;
  explicit Arena(std::span<std::byte> buffer) : base_(buffer.data()), size_(buffer.size()) {}

  /// `bytes` aligned to `alignment` (a power of two), or nullptr when the buffer is full.
  void* allocate(size_t bytes, size_t alignment = alignof(std::max_align_t)) {
    const uintptr_t at = reinterpret_cast<uintptr_t>(base_) + used_;
    const size_t padding = size_t(-at & (alignment - 1));
    if (base_ == nullptr || padding > size_ - used_ || bytes > size_ - used_ - padding) return nullptr;
    void* p = base_ + used_ + padding;
    used_ += padding + bytes;
    if (used_ > high_water_) high_water_ = used_;
    return p;
  }

  /// `count` default-initialised objects; T must be trivially destructible. nullptr when full.
  template <class T>
  T* make(size_t count = 1) {
    static_assert(std::is_trivially_destructible_v<T>);
    if (count > SIZE_MAX / sizeof(T)) return nullptr;
    void* p = allocate(count * sizeof(T), alignof(T));
    if (p == nullptr) return nullptr;
    T* items = static_cast<T*>(p);
    for (size_t i = 0; i < count; ++i) ::new (static_cast<void*>(items + i)) T();
    return items;
  }

  size_t used() const { return used_; }
  size_t high_water() const { return high_water_; }
  size_t capacity() const { return size_; }
  /// Forgets everything allocated after `used` was `mark`; the high-water mark stays.
  void rewind(size_t mark) { used_ = mark; }


 private:
  std::byte* base_ = nullptr;
  size_t size_ = 0;
  size_t used_ = 0;
  size_t high_water_ = 0;
};

}  // namespace glint
