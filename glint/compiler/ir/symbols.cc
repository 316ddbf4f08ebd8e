#include "glint/compiler/ir/symbols.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "glint/base/checked.h"

namespace glint::ir {
namespace {

using Kind = Expr::Kind;

int64_t sat_add(int64_t a, int64_t b) {
  int64_t r;
  return checked_add(a, b, &r) ? r : a > 0 ? INT64_MAX : INT64_MIN;
}
int64_t sat_mul(int64_t a, int64_t b) {
  int64_t r;
  return checked_mul(a, b, &r) ? r : (a > 0) == (b > 0) ? INT64_MAX : INT64_MIN;
}
// Python's division; a division by zero, which no real size makes, gives 0.
int64_t floor_quotient(int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (b == -1) return sat_mul(a, -1);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}
int64_t floor_remainder(int64_t a, int64_t b) {
  if (b == 0 || b == -1) return 0;
  const int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}

ExprPtr make(Kind kind, int64_t value, std::vector<ExprPtr> operands = {}) {
  auto e = std::make_shared<Expr>();
  e->kind = kind;
  e->value = value;
  e->operands = std::move(operands);
  return e;
}

int compare(const ExprPtr& a, const ExprPtr& b) {
  if (a == b) return 0;
  if (a->kind != b->kind) return a->kind < b->kind ? -1 : 1;
  if (a->value != b->value) return a->value < b->value ? -1 : 1;
  if (a->operands.size() != b->operands.size()) return a->operands.size() < b->operands.size() ? -1 : 1;
  for (size_t i = 0; i < a->operands.size(); ++i)
    if (const int c = compare(a->operands[i], b->operands[i]); c != 0) return c;
  return 0;
}

// An expression in its normal form is a polynomial: a sum of products of atoms (symbols, quotients, remainders,
// minima, maxima), each product with a factor. The empty product is the constant.
using Monomial = std::vector<ExprPtr>;
struct MonomialLess {
  bool operator()(const Monomial& a, const Monomial& b) const {
    // Higher degree first; the constant comes last.
    if (a.size() != b.size()) return a.size() > b.size();
    for (size_t i = 0; i < a.size(); ++i)
      if (const int c = compare(a[i], b[i]); c != 0) return c < 0;
    return false;
  }
};
using Polynomial = std::map<Monomial, int64_t, MonomialLess>;
constexpr size_t kMaxTerms = 64;  // products that would have more stay factors

void add_term(Polynomial& p, const Monomial& m, int64_t factor) {
  int64_t& f = p[m];
  f = sat_add(f, factor);
  if (f == 0) p.erase(m);
}

void add_product(Polynomial& p, const ExprPtr& e) {
  if (e->kind == Kind::kConst) return add_term(p, {}, e->value);
  if (e->kind != Kind::kMul) return add_term(p, {e}, 1);
  Monomial m(e->operands.begin(), e->operands.end());
  int64_t factor = 1;
  if (m[0]->kind == Kind::kConst) {
    factor = m[0]->value;
    m.erase(m.begin());
  }
  add_term(p, m, factor);
}

Polynomial polynomial(const Dim& d) {
  Polynomial p;
  if (d.is_static()) {
    if (d.value() != 0) p[{}] = d.value();
  } else if (d.expr()->kind == Kind::kAdd) {
    for (const ExprPtr& e : d.expr()->operands) add_product(p, e);
  } else {
    add_product(p, d.expr());
  }
  return p;
}

ExprPtr product(const Monomial& m, int64_t factor) {
  if (m.empty()) return make(Kind::kConst, factor);
  if (factor == 1 && m.size() == 1) return m[0];
  std::vector<ExprPtr> operands;
  if (factor != 1) operands.push_back(make(Kind::kConst, factor));
  operands.insert(operands.end(), m.begin(), m.end());
  return make(Kind::kMul, 0, std::move(operands));
}

Dim from_polynomial(const Polynomial& p) {
  if (p.empty()) return 0;
  std::vector<ExprPtr> terms;
  for (const auto& [m, factor] : p) terms.push_back(product(m, factor));
  return Dim(terms.size() == 1 ? terms[0] : make(Kind::kAdd, 0, std::move(terms)));
}

Dim make_extremum(Kind kind, const Dim& a, const Dim& b) {
  if (a == b) return a;
  const auto pick = [&](int64_t x, int64_t y) { return kind == Kind::kMin ? std::min(x, y) : std::max(x, y); };
  if (a.is_static() && b.is_static()) return pick(a.value(), b.value());
  std::vector<ExprPtr> operands;
  bool has_number = false;
  int64_t number = 0;
  for (const Dim* d : {&a, &b}) {
    const ExprPtr e = d->as_expr();
    const std::vector<ExprPtr> parts = e->kind == kind ? e->operands : std::vector<ExprPtr>{e};
    for (const ExprPtr& part : parts) {
      if (part->kind != Kind::kConst) {
        operands.push_back(part);
      } else {
        number = has_number ? pick(number, part->value) : part->value;
        has_number = true;
      }
    }
  }
  if (has_number) operands.push_back(make(Kind::kConst, number));
  std::sort(operands.begin(), operands.end(), [](const ExprPtr& x, const ExprPtr& y) { return compare(x, y) < 0; });
  operands.erase(std::unique(operands.begin(), operands.end(), [](const ExprPtr& x, const ExprPtr& y) { return compare(x, y) == 0; }), operands.end());
  return Dim(operands.size() == 1 ? operands[0] : make(kind, 0, std::move(operands)));
}

}  // namespace

Dim::Dim(ExprPtr expr) {
  if (expr->kind == Kind::kConst) value_ = expr->value;
  else expr_ = std::move(expr);
}

ExprPtr Dim::as_expr() const { return expr_ != nullptr ? expr_ : make(Kind::kConst, value_); }

bool operator==(const Dim& a, const Dim& b) {
  if (a.is_static() || b.is_static()) return a.is_static() && b.is_static() && a.value_ == b.value_;
  return compare(a.expr_, b.expr_) == 0;
}

Dim operator+(const Dim& a, const Dim& b) {
  if (a.is_static() && b.is_static()) return sat_add(a.value(), b.value());
  Polynomial p = polynomial(a);
  for (const auto& [m, factor] : polynomial(b)) add_term(p, m, factor);
  return from_polynomial(p);
}

Dim operator-(const Dim& a, const Dim& b) { return a + b * Dim(-1); }

Dim operator*(const Dim& a, const Dim& b) {
  if (a.is_static() && b.is_static()) return sat_mul(a.value(), b.value());
  Polynomial pa = polynomial(a), pb = polynomial(b), p;
  if (pa.size() * pb.size() > kMaxTerms) {
    pa = {{{a.as_expr()}, 1}};
    pb = {{{b.as_expr()}, 1}};
  }
  for (const auto& [ma, fa] : pa)
    for (const auto& [mb, fb] : pb) {
      Monomial m = ma;
      m.insert(m.end(), mb.begin(), mb.end());
      std::sort(m.begin(), m.end(), [](const ExprPtr& x, const ExprPtr& y) { return compare(x, y) < 0; });
      add_term(p, m, sat_mul(fa, fb));
    }
  return from_polynomial(p);
}

namespace {
// Splits `a` into the terms that `divisor` (> 1) divides, divided, and the rest.
void split_by(const Dim& a, int64_t divisor, Polynomial& quotient, Polynomial& rest) {
  for (const auto& [m, factor] : polynomial(a)) {
    const int64_t q = floor_quotient(factor, divisor), r = factor - q * divisor;
    if (r == 0 || m.empty()) {
      if (q != 0) quotient[m] = q;
      if (r != 0) rest[m] = r;
    } else {
      rest[m] = factor;
    }
  }
}
}  // namespace

Dim floor_div(const Dim& a, const Dim& b) {
  if (a.is_static() && b.is_static()) return floor_quotient(a.value(), b.value());
  if (b.is_static() && b.value() == 1) return a;
  if (b.is_static() && b.value() > 1) {
    Polynomial quotient, rest;
    split_by(a, b.value(), quotient, rest);
    const Dim whole = from_polynomial(quotient), left = from_polynomial(rest);
    if (left.is_static()) return whole + Dim(floor_quotient(left.value(), b.value()));
    // (x // m) // n == x // (m * n)
    if (left.expr()->kind == Kind::kFloorDiv && left.expr()->operands[1]->kind == Kind::kConst && left.expr()->operands[1]->value > 0)
      return whole + floor_div(Dim(left.expr()->operands[0]), Dim(sat_mul(left.expr()->operands[1]->value, b.value())));
    return whole + Dim(make(Kind::kFloorDiv, 0, {left.as_expr(), b.as_expr()}));
  }
  return Dim(make(Kind::kFloorDiv, 0, {a.as_expr(), b.as_expr()}));
}

Dim mod(const Dim& a, const Dim& b) {
  if (a.is_static() && b.is_static()) return floor_remainder(a.value(), b.value());
  if (b.is_static() && b.value() == 1) return 0;
  Dim left = a;
  if (b.is_static() && b.value() > 1) {
    Polynomial quotient, rest;
    split_by(a, b.value(), quotient, rest);
    left = from_polynomial(rest);
    if (left.is_static()) return floor_remainder(left.value(), b.value());
  }
  return Dim(make(Kind::kMod, 0, {left.as_expr(), b.as_expr()}));
}

Dim min(const Dim& a, const Dim& b) { return make_extremum(Kind::kMin, a, b); }
Dim max(const Dim& a, const Dim& b) { return make_extremum(Kind::kMax, a, b); }

int Symbols::add(Symbol symbol) {
  samples_.clear();
  symbols_.push_back(std::move(symbol));
  return size() - 1;
}

int Symbols::find(std::string_view name) const {
  for (int i = 0; i < size(); ++i)
    if (symbols_[size_t(i)].name == name) return i;
  return -1;
}

Dim Symbols::dim(int index) const { return Dim(make(Kind::kSymbol, index)); }

namespace {

// The values that one symbol takes in the samples: the ends and three in between.
std::vector<int64_t> trial_values(const Symbol& s) {
  constexpr int64_t kWidest = 1 << 15;  // four such sizes still multiply within int64
  const int64_t step = std::max<int64_t>(s.multiple, 1);
  const int64_t low = sat_mul(floor_quotient(sat_add(std::max<int64_t>(s.min, 0), step - 1), step), step);
  const int64_t widest = sat_add(low, std::max(kWidest, step));
  int64_t high = s.max > widest ? widest : s.max;
  high = std::max(low, sat_mul(floor_quotient(high, step), step));
  std::vector<int64_t> values;
  const int64_t steps = (high - low) / step;
  for (int64_t at : {int64_t(0), steps, steps * 37 / 100, steps * 71 / 100, std::min<int64_t>(steps, 1), std::min<int64_t>(steps, 2)})
    if (const int64_t v = low + at * step; std::find(values.begin(), values.end(), v) == values.end()) values.push_back(v);
  return values;
}

}  // namespace

const std::vector<std::vector<int64_t>>& Symbols::samples() const {
  if (!samples_.empty()) return samples_;
  std::vector<std::vector<int64_t>> trials;
  std::vector<int64_t> low, high;
  for (const Symbol& s : symbols_) {
    trials.push_back(trial_values(s));
    low.push_back(trials.back()[0]);
    high.push_back(trials.back().size() > 1 ? trials.back()[1] : trials.back()[0]);
  }
  const auto keep = [&](const std::vector<int64_t>& a) {
    if (std::find(samples_.begin(), samples_.end(), a) == samples_.end()) samples_.push_back(a);
  };
  keep(high);
  keep(low);
  const bool few = symbols_.size() <= 12;
  for (size_t s = 0; s < symbols_.size(); ++s) {
    for (size_t t = 0; t < (few ? trials[s].size() : size_t(1)); ++t) {
      std::vector<int64_t> a = t == 0 ? high : low;
      a[s] = trials[s][t];
      keep(a);
    }
  }
  uint64_t random = 88172645463325252u;  // mixed assignments, the same in every run
  for (int i = 0; i < 8 && !symbols_.empty(); ++i) {
    std::vector<int64_t> a;
    for (const auto& t : trials) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      a.push_back(t[size_t(random >> 33) % t.size()]);
    }
    keep(a);
  }
  return samples_;
}

namespace {
int64_t evaluate_expr(const Expr& e, const std::vector<int64_t>& a) {
  switch (e.kind) {
    case Kind::kConst: return e.value;
    case Kind::kSymbol: return size_t(e.value) < a.size() ? a[size_t(e.value)] : 0;
    default: break;
  }
  int64_t r = evaluate_expr(*e.operands[0], a);
  for (size_t i = 1; i < e.operands.size(); ++i) {
    const int64_t b = evaluate_expr(*e.operands[i], a);
    switch (e.kind) {
      case Kind::kAdd: r = sat_add(r, b); break;
      case Kind::kMul: r = sat_mul(r, b); break;
      case Kind::kFloorDiv: r = floor_quotient(r, b); break;
      case Kind::kMod: r = floor_remainder(r, b); break;
      case Kind::kMin: r = std::min(r, b); break;
      case Kind::kMax: r = std::max(r, b); break;
      default: break;
    }
  }
  return r;
}

Range extremes(std::initializer_list<int64_t> v) { return {std::min(v), std::max(v)}; }
}  // namespace

int64_t Symbols::evaluate(const Dim& d, const std::vector<int64_t>& assignment) const {
  return d.is_static() ? d.value() : evaluate_expr(*d.expr(), assignment);
}

Range Symbols::range(const Dim& d) const {
  if (d.is_static()) return {d.value(), d.value()};
  const Expr& e = *d.expr();
  if (e.kind == Kind::kSymbol) {
    const Symbol& s = symbols_[size_t(e.value)];
    return {s.min, s.max};
  }
  Range r = range(Dim(e.operands[0]));
  for (size_t i = 1; i < e.operands.size(); ++i) {
    const Range b = range(Dim(e.operands[i]));
    switch (e.kind) {
      case Kind::kAdd: r = {sat_add(r.min, b.min), sat_add(r.max, b.max)}; break;
      case Kind::kMul: r = extremes({sat_mul(r.min, b.min), sat_mul(r.min, b.max), sat_mul(r.max, b.min), sat_mul(r.max, b.max)}); break;
      case Kind::kMin: r = {std::min(r.min, b.min), std::min(r.max, b.max)}; break;
      case Kind::kMax: r = {std::max(r.min, b.min), std::max(r.max, b.max)}; break;
      case Kind::kFloorDiv: {
        const int64_t lo = std::max<int64_t>(b.min, 1), hi = std::max<int64_t>(b.max, 1);
        r = extremes({floor_quotient(r.min, lo), floor_quotient(r.min, hi), floor_quotient(r.max, lo), floor_quotient(r.max, hi)});
        break;
      }
      case Kind::kMod: r = {0, r.min >= 0 ? std::min(r.max, std::max<int64_t>(b.max, 1) - 1) : std::max<int64_t>(b.max, 1) - 1}; break;
      default: break;
    }
  }
  return r;
}

// --- fit ---------------------------------------------------------------------

namespace {

using Column = std::vector<int64_t>;
struct Basis { Dim dim; Column values; };

// Compares where the value is known.
bool agrees(const Column& have, const Column& want) {
  for (size_t i = 0; i < want.size(); ++i)
    if (want[i] != Symbols::kNoValue && want[i] != have[i]) return false;
  return true;
}

class Fitter {
 public:
  Fitter(const Symbols& symbols, const std::vector<std::vector<int64_t>>& at, const Column& want) : symbols_(symbols), at_(at), want_(want) {
    for (size_t i = 0; i < want.size(); ++i) {
      if (want[i] == Symbols::kNoValue) continue;
      if (low_ == SIZE_MAX || want[i] < want[low_]) low_ = i;
      if (high_ == SIZE_MAX || want[i] > want[high_]) high_ = i;
    }
  }

  bool run(const std::vector<Dim>& candidates) {
    for (const Dim& c : candidates) add(c);
    for (int s = 0; s < symbols_.size(); ++s) add(symbols_.dim(s));
    for (const Basis& b : basis_)
      if (agrees(b.values, want_)) return found(b.dim);
    for (const Basis& b : basis_)
      if (affine(b)) return true;
    const size_t n = std::min<size_t>(basis_.size(), 12);
    for (size_t i = 0; i < n; ++i)
      for (size_t j = 0; j < n; ++j)
        if (pair(basis_[i], basis_[j], i <= j)) return true;
    for (const Basis& b : basis_)
      if (strided(b)) return true;
    return products(n);
  }
  const Dim& result() const { return result_; }

 private:
  void add(const Dim& d) {
    if (d.is_static()) return;
    for (const Basis& b : basis_)
      if (b.dim == d) return;
    if (max_symbol(*d.expr()) >= int64_t(at_.empty() ? 0 : at_[0].size())) return;
    basis_.push_back(basis(d));
  }
  static int64_t max_symbol(const Expr& e) {
    int64_t m = e.kind == Kind::kSymbol ? e.value : -1;
    for (const ExprPtr& o : e.operands) m = std::max(m, max_symbol(*o));
    return m;
  }
  Basis basis(const Dim& d) const {
    Basis b{d, {}};
    for (const auto& a : at_) b.values.push_back(symbols_.evaluate(d, a));
    return b;
  }
  bool found(Dim d) {
    result_ = std::move(d);
    return true;
  }
  bool try_dim(const Dim& d) { return agrees(basis(d).values, want_) && found(d); }

  // want == b * k + c, or want == b // k exactly
  bool affine(const Basis& b) {
    const int64_t dw = want_[high_] - want_[low_], db = b.values[high_] - b.values[low_];
    if (db == 0 || dw == 0) return false;
    if (dw % db == 0) {
      const int64_t k = dw / db;
      const int64_t c = sat_add(want_[low_], -sat_mul(b.values[low_], k));
      Column have = b.values;
      for (int64_t& v : have) v = sat_add(sat_mul(v, k), c);
      if (agrees(have, want_)) return found(b.dim * Dim(k) + Dim(c));
    }
    if (db % dw == 0 && db / dw > 1) {
      Column have = b.values;
      for (int64_t& v : have) v = floor_quotient(v, db / dw);
      if (agrees(have, want_)) return found(floor_div(b.dim, Dim(db / dw)));
    }
    return false;
  }

  bool pair(const Basis& a, const Basis& b, bool ordered) {
    if (ordered) {
      Basis sum{{}, a.values}, times{{}, a.values};
      for (size_t i = 0; i < a.values.size(); ++i) {
        sum.values[i] = sat_add(a.values[i], b.values[i]);
        times.values[i] = sat_mul(a.values[i], b.values[i]);
      }
      if (quick(sum.values) && affine(with(sum, a.dim + b.dim))) return true;
      if (quick(times.values) && affine(with(times, a.dim * b.dim))) return true;
      if (try_dim(min(a.dim, b.dim)) || try_dim(max(a.dim, b.dim))) return true;
      return false;
    }
    return affine(basis(a.dim - b.dim)) || affine(basis(b.dim - a.dim)) || try_dim(floor_div(a.dim, b.dim)) || try_dim(floor_div(b.dim, a.dim));
  }
  // Whether the ends could be those of k * column + c.
  bool quick(const Column& c) const { return c[high_] != c[low_]; }
  static Basis with(const Basis& b, Dim d) { return {std::move(d), b.values}; }

  // want == (b + c) // k + e: strided windows.
  bool strided(const Basis& b) {
    const int64_t dw = want_[high_] - want_[low_], db = b.values[high_] - b.values[low_];
    if (dw <= 0 || db <= 0) return false;
    for (int64_t k = std::max<int64_t>(2, db / (dw + 1)); k <= std::min<int64_t>(db / std::max<int64_t>(dw - 1, 1) + 1, 64); ++k)
      for (int64_t c = 0; c < k; ++c) {
        const int64_t e = want_[low_] - floor_quotient(b.values[low_] + c, k);
        Column have = b.values;
        for (int64_t& v : have) v = floor_quotient(v + c, k) + e;
        if (agrees(have, want_)) return found(floor_div(b.dim + Dim(c + e * k), Dim(k)));
      }
    return false;
  }

  // Products of three or more, and the product of all over one of them.
  bool products(size_t n) {
    n = std::min<size_t>(n, 8);
    for (unsigned mask = 1; mask < (1u << n); ++mask) {
      if (__builtin_popcount(mask) < 2) continue;
      Dim all(1);
      for (size_t i = 0; i < n; ++i)
        if (mask >> i & 1) all = all * basis_[i].dim;
      const Basis b = basis(all);
      if (affine(b)) return true;
      for (size_t i = 0; i < n; ++i)
        if (!(mask >> i & 1) && try_dim(floor_div(all, basis_[i].dim))) return true;
    }
    return false;
  }

  const Symbols& symbols_;
  const std::vector<std::vector<int64_t>>& at_;
  const Column& want_;
  std::vector<Basis> basis_;
  size_t low_ = SIZE_MAX, high_ = SIZE_MAX;
  Dim result_;
};

}  // namespace

Dim Symbols::fit(const std::vector<int64_t>& values, const std::vector<Dim>& candidates) {
  const std::vector<std::vector<int64_t>> at = samples();  // a copy: a new symbol forgets them
  return fit(at, values, candidates);
}

Dim Symbols::fit(const std::vector<std::vector<int64_t>>& at, const std::vector<int64_t>& values, const std::vector<Dim>& candidates) {
  int64_t largest = kNoValue, smallest = INT64_MAX;
  for (int64_t v : values) {
    if (v == kNoValue) continue;
    largest = std::max(largest, v);
    smallest = std::min(smallest, v);
  }
  if (largest == kNoValue) return 0;
  if (largest == smallest) return largest;
  Fitter fitter(*this, at, values);
  if (fitter.run(candidates)) return fitter.result();
  int n = 0;
  while (find("d" + std::to_string(n)) >= 0) ++n;
  return dim(add({"d" + std::to_string(n), 0, largest, 1, true}));
}

// --- text --------------------------------------------------------------------

namespace {

enum Level { kSum, kProduct, kAtom };

std::string print_expr(const Symbols& symbols, const Expr& e, Level level) {
  const auto list = [&](const char* name) {
    std::string s = name;
    for (size_t i = 0; i < e.operands.size(); ++i) s += (i ? "," : "(") + print_expr(symbols, *e.operands[i], kSum);
    return s + ")";
  };
  std::string s;
  Level own = kAtom;
  switch (e.kind) {
    case Kind::kConst: s = std::to_string(e.value); if (e.value < 0) own = kSum; break;
    case Kind::kSymbol: s = symbols[int(e.value)].name; break;
    case Kind::kMin: return list("min");
    case Kind::kMax: return list("max");
    case Kind::kAdd:
      own = kSum;
      for (const ExprPtr& o : e.operands) {
        const std::string term = print_expr(symbols, *o, kSum);
        s += s.empty() || term[0] == '-' ? term : "+" + term;
      }
      break;
    case Kind::kMul:
      own = kProduct;
      for (const ExprPtr& o : e.operands) {
        if (o->kind == Kind::kConst && o->value == -1 && s.empty()) { s = "-"; own = kSum; continue; }
        if (o->kind == Kind::kConst && o->value < 0 && s.empty()) { s = std::to_string(o->value); own = kSum; continue; }
        s += (s.empty() || s == "-" ? "" : "*") + print_expr(symbols, *o, kAtom);
      }
      break;
    case Kind::kFloorDiv:
    case Kind::kMod:
      own = kProduct;
      s = print_expr(symbols, *e.operands[0], kAtom) + (e.kind == Kind::kMod ? "%" : "//") + print_expr(symbols, *e.operands[1], kAtom);
      break;
  }
  return own < level ? "(" + s + ")" : s;
}

class ExprParser {
 public:
  ExprParser(const Symbols& symbols, std::string_view text) : symbols_(symbols), rest_(text) {}

  Result<Dim> parse() {
    Dim d;
    if (!sum(d, 0)) return invalid_argument(why_);
    skip();
    if (!rest_.empty()) return invalid_argument("size: unexpected text after the expression");
    return d;
  }

 private:
  void skip() { while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1); }
  bool take(std::string_view t) {
    skip();
    if (rest_.substr(0, t.size()) != t) return false;
    rest_.remove_prefix(t.size());
    return true;
  }
  bool fail(Literal why) {
    why_ = why;
    return false;
  }

  bool sum(Dim& d, int depth) {
    if (depth > 64) return fail("size: the expression nests too deeply");
    const bool negative = take("-");
    if (!term(d, depth)) return false;
    if (negative) d = Dim(0) - d;
    for (;;) {
      Dim b;
      if (take("+")) {
        if (!term(b, depth)) return false;
        d = d + b;
      } else if (take("-")) {
        if (!term(b, depth)) return false;
        d = d - b;
      } else {
        return true;
      }
    }
  }

  bool term(Dim& d, int depth) {
    if (!atom(d, depth)) return false;
    for (;;) {
      Dim b;
      const char op = take("*") ? '*' : take("//") ? '/' : take("%") ? '%' : 0;
      if (op == 0) return true;
      if (!atom(b, depth)) return false;
      d = op == '*' ? d * b : op == '/' ? floor_div(d, b) : mod(d, b);
    }
  }

  bool atom(Dim& d, int depth) {
    if (take("(")) return sum(d, depth + 1) && (take(")") || fail("size: ')' expected"));
    skip();
    size_t n = 0;
    while (n < rest_.size() && (std::isalnum(static_cast<unsigned char>(rest_[n])) || rest_[n] == '_')) ++n;
    if (n == 0) return fail("size: a number or a symbol expected");
    const std::string_view word = rest_.substr(0, n);
    rest_.remove_prefix(n);
    if (std::isdigit(static_cast<unsigned char>(word[0]))) return number(d, word);
    if ((word == "min" || word == "max") && take("(")) return extremum(d, word == "min", depth);
    const int index = symbols_.find(word);
    if (index < 0) return fail("size: unknown symbol");
    d = symbols_.dim(index);
    return true;
  }

  bool number(Dim& d, std::string_view word) {
    int64_t v = 0;
    for (char c : word) {
      if (!std::isdigit(static_cast<unsigned char>(c)) || !checked_mul(v, 10, &v) || !checked_add(v, c - '0', &v)) return fail("size: a bad number");
    }
    d = v;
    return true;
  }

  bool extremum(Dim& d, bool is_min, int depth) {
    if (!sum(d, depth + 1)) return false;
    while (take(",")) {
      Dim b;
      if (!sum(b, depth + 1)) return false;
      d = is_min ? min(d, b) : max(d, b);
    }
    return take(")") || fail("size: ')' expected");
  }

  const Symbols& symbols_;
  std::string_view rest_;
  Literal why_ = "size: not an expression";
};

}  // namespace

std::string Symbols::print(const Dim& d) const { return d.is_static() ? std::to_string(d.value()) : print_expr(*this, *d.expr(), kSum); }

Result<Dim> Symbols::parse(std::string_view text) const { return ExprParser(*this, text).parse(); }

}  // namespace glint::ir
