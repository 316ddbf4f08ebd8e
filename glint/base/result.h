#pragma once

#include <optional>
#include <utility>

#include "glint/base/check.h"
#include "glint/base/status.h"

namespace glint {

/// A value, or the Status that explains its absence.
template <class T>
class [[nodiscard]] Result {
 public:
  constexpr Result(T value) : value_(std::move(value)) {}
  constexpr Result(Status error) : status_(error) { GLINT_CHECK(!error.ok()); }

  constexpr bool ok() const { return value_.has_value(); }
  constexpr Status status() const { return status_; }

  constexpr T& operator*() & { return *value_; }
  constexpr const T& operator*() const& { return *value_; }
  constexpr T&& operator*() && { return *std::move(value_); }
  constexpr T* operator->() { return &*value_; }
  constexpr const T* operator->() const { return &*value_; }

 private:
  std::optional<T> value_;
  Status status_;
};

template <class T>
constexpr Status status_of(const Result<T>& r) {
  return r.status();
}

}  // namespace glint
