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
  /// Gives at least `bytes` more bytes, apart from those given before, or nothing. For hosts, that need not guess a size.
  using Grow = std::span<std::byte> (*)(void* context, size_t bytes);

  Arena() = default;
  explicit Arena(std::span<std::byte> buffer) : base_(buffer.data()), size_(buffer.size()) {}
  explicit Arena(Grow grow, void* context) : grow_(grow), context_(context) {}

  /// `bytes` aligned to `alignment` (a power of two), or nullptr when the buffer is full.
  void* allocate(size_t bytes, size_t alignment = alignof(std::max_align_t)) {
    void* p = bump(bytes, alignment);
    if (p != nullptr || grow_ == nullptr || bytes > SIZE_MAX - alignment) return p;
    const std::span<std::byte> more = grow_(context_, bytes + alignment);
    if (more.size() < bytes + alignment) return nullptr;
    before_ += used_;
    base_ = more.data();
    size_ = more.size();
    used_ = 0;
    return bump(bytes, alignment);
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

  size_t used() const { return before_ + used_; }
  size_t high_water() const { return high_water_; }
  /// Of the buffer; of the newest one when the arena grows.
  size_t capacity() const { return size_; }
  /// Forgets everything allocated after `used` was `mark`; the high-water mark stays. What lies in an
  /// earlier buffer of an arena that grew stays too.
  void rewind(size_t mark) { used_ = mark > before_ ? mark - before_ : 0; }

 private:
  void* bump(size_t bytes, size_t alignment) {
    const uintptr_t at = reinterpret_cast<uintptr_t>(base_) + used_;
    const size_t padding = size_t(-at & (alignment - 1));
    if (base_ == nullptr || padding > size_ - used_ || bytes > size_ - used_ - padding) return nullptr;
    void* p = base_ + used_ + padding;
    used_ += padding + bytes;
    if (used() > high_water_) high_water_ = used();
    return p;
  }

  std::byte* base_ = nullptr;
  size_t size_ = 0;
  size_t used_ = 0;
  size_t before_ = 0;  // used in earlier buffers
  size_t high_water_ = 0;
  Grow grow_ = nullptr;
  void* context_ = nullptr;
};

}  // namespace glint
