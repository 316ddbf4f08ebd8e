#pragma once

// Symbolic sizes. A dimension is a number or an expression over named symbols,
// each with a range. Expressions are immutable and shared.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "glint/base/result.h"

namespace glint::ir {

struct Expr;
using ExprPtr = std::shared_ptr<const Expr>;

/// One node of an expression. kFloorDiv and kMod round toward minus infinity, as Python does.
struct Expr {
  enum class Kind : uint8_t { kConst, kSymbol, kAdd, kMul, kFloorDiv, kMod, kMin, kMax } kind;
  int64_t value = 0;                // kConst: the number; kSymbol: the symbol's index in Symbols
  std::vector<ExprPtr> operands;    // kAdd, kMul, kMin, kMax: two or more; kFloorDiv, kMod: two
};

/// A size: a known number or an expression.
class Dim {
 public:
  Dim(int64_t value = 0) : value_(value) {}
  /// A constant expression becomes a number.
  explicit Dim(ExprPtr expr);

  bool is_static() const { return expr_ == nullptr; }
  /// The number; only if is_static().
  int64_t value() const { return value_; }
  const ExprPtr& expr() const { return expr_; }
  ExprPtr as_expr() const;

  /// Structural equality of simplified forms.
  friend bool operator==(const Dim& a, const Dim& b);

 private:
  int64_t value_ = 0;
  ExprPtr expr_;
};

/// Arithmetic on sizes, folded where both are numbers and lightly simplified (x+0, x*1, like terms, flattening).
Dim operator+(const Dim& a, const Dim& b);
Dim operator-(const Dim& a, const Dim& b);
Dim operator*(const Dim& a, const Dim& b);
Dim floor_div(const Dim& a, const Dim& b);
Dim mod(const Dim& a, const Dim& b);
Dim min(const Dim& a, const Dim& b);
Dim max(const Dim& a, const Dim& b);

struct Symbol {
  std::string name;       // "s0", "batch"
  int64_t min = 0;
  int64_t max = kUnbounded;
  int64_t multiple = 1;   // the size is a multiple of this
  bool data_dependent = false;  // "u0": known only while running
  static constexpr int64_t kUnbounded = INT64_MAX;
};

struct Range { int64_t min, max; };

/// The symbols of one graph and the sample assignments at which numeric facts are checked.
class Symbols {
 public:
  /// Index of a new symbol; the name must be new.
  int add(Symbol symbol);
  /// Index of the symbol called `name`, or -1.
  int find(std::string_view name) const;
  const Symbol& operator[](int index) const { return symbols_[size_t(index)]; }
  /// For changing a range; forgets the samples.
  Symbol& edit(int index) { samples_.clear(); return symbols_[size_t(index)]; }
  int size() const { return int(symbols_.size()); }
  Dim dim(int index) const;

  /// Assignments of every symbol: all at their minimum, all at their maximum, each alone at either end and a
  /// few in between (multiples respected, unbounded ones capped). One empty assignment when there are no symbols.
  const std::vector<std::vector<int64_t>>& samples() const;
  /// The value of `d` under an assignment.
  int64_t evaluate(const Dim& d, const std::vector<int64_t>& assignment) const;
  /// Bounds by interval arithmetic; saturates at Symbol::kUnbounded.
  Range range(const Dim& d) const;

  /// The dimension that takes `values[i]` at samples()[i]: a number if they are all equal; else the first of
  /// `candidates`, or a symbol, or a small combination of them (sum, difference, product, quotient with a constant or another
  /// candidate) that agrees everywhere; else a new symbol named "d<n>" ranging from 0 to the largest value.
  /// A value may be kNoValue where it is not known.
  Dim fit(const std::vector<int64_t>& values, const std::vector<Dim>& candidates);
  /// The same at given assignments, which may lack the symbols that were added last.
  Dim fit(const std::vector<std::vector<int64_t>>& at, const std::vector<int64_t>& values, const std::vector<Dim>& candidates);
  static constexpr int64_t kNoValue = INT64_MIN;

  std::string print(const Dim& d) const;
  /// Reads what print writes: numbers, names, + - * // % and min(,) max(,) with parentheses.
  Result<Dim> parse(std::string_view text) const;

 private:
  std::vector<Symbol> symbols_;
  mutable std::vector<std::vector<int64_t>> samples_;
};

}  // namespace glint::ir
