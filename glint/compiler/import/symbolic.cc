#include "glint/compiler/import/symbolic.h"

#include <charconv>
#include <optional>
#include <vector>

#include "glint/base/checked.h"
#include "glint/compiler/ir/graph.h"

namespace glint::compiler {
namespace {

using ir::Dim;
constexpr int kMaxDepth = 64;
constexpr size_t kMaxText = 1 << 14;
constexpr int64_t kMaxCoefficient = int64_t(1) << 31;  // of symbols: keeps later arithmetic far from overflow
constexpr size_t kMaxTerms = 512;

[[noreturn]] void fail(std::string_view text, const std::string& why) {
  throw ir::Error(Code::kInvalidProgram, "the size expression '" + std::string(text.substr(0, 200)) + "' " + why);
}

/// A value while reading: a fraction, since sympy writes halves as factors inside floor(). Nothing: an expression that sizes cannot hold.
struct Fraction {
  Dim num = 0, den = 1;
};
using Term = std::optional<Fraction>;

class Reader {
 public:
  Reader(std::string_view text, SymbolReader& symbols) : text_(text), rest_(text), symbols_(symbols) {}

  std::optional<Dim> run() {
    const Term term = sum();
    if (!peek().empty()) fail(text_, "has something after its end");
    if (!term) return std::nullopt;
    return floor(*term);
  }

 private:
  struct Nesting {
    explicit Nesting(Reader& r) : reader(r) { if (++reader.depth_ > kMaxDepth) fail(reader.text_, "is nested too deeply"); }
    ~Nesting() { --reader.depth_; }
    Reader& reader;
  };

  std::string_view peek() {
    while (!rest_.empty() && rest_[0] == ' ') rest_.remove_prefix(1);
    return rest_;
  }
  bool take(std::string_view token) {
    if (!peek().starts_with(token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }
  void need(std::string_view token) {
    if (!take(token)) fail(text_, "lacks a '" + std::string(token) + "'");
  }

  // Arithmetic that stays in range, whatever the file says.
  Dim checked(const Dim& a, const Dim& b, bool product) {
    int64_t v = 0;
    if (a.is_static() && b.is_static()) {
      if (!(product ? checked_mul(a.value(), b.value(), &v) : checked_add(a.value(), b.value(), &v))) fail(text_, "overflows");
      return v;
    }
    if (++operations_ > kMaxTerms) fail(text_, "is too long");
    for (const Dim* d : {&a, &b})
      if (d->is_static() && (d->value() > kMaxCoefficient || d->value() < -kMaxCoefficient)) fail(text_, "has too large a coefficient");
    if (product && !a.is_static() && !b.is_static() && ++degree_ > 12) fail(text_, "multiplies too many symbols");
    return product ? a * b : a + b;
  }
  Dim add(const Dim& a, const Dim& b) { return checked(a, b, false); }
  Dim mul(const Dim& a, const Dim& b) { return checked(a, b, true); }
  Dim divide(const Dim& a, const Dim& b) {
    if (b.is_static() && b.value() == 0) fail(text_, "divides by zero");
    if (a.is_static() && b.is_static() && b.value() == -1) return mul(a, -1);
    return ir::floor_div(a, b);
  }
  Dim floor(const Fraction& f) { return f.den == Dim(1) ? f.num : divide(f.num, f.den); }
  Dim ceil(const Fraction& f) { return f.den == Dim(1) ? f.num : mul(divide(mul(f.num, -1), f.den), -1); }
  static bool whole(const Term& t) { return t && t->den == Dim(1); }

  Term plus(const Term& a, const Term& b) {
    if (!a || !b) return std::nullopt;
    if (a->den == b->den) return Fraction{add(a->num, b->num), a->den};
    return Fraction{add(mul(a->num, b->den), mul(b->num, a->den)), mul(a->den, b->den)};
  }
  Term times(const Term& a, const Term& b) {
    if (!a || !b) return std::nullopt;
    return Fraction{mul(a->num, b->num), mul(a->den, b->den)};
  }
  Term over(const Term& a, const Term& b) {
    if (!a || !b) return std::nullopt;
    if (b->num.is_static() && b->num.value() == 0) fail(text_, "divides by zero");
    return Fraction{mul(a->num, b->den), mul(a->den, b->num)};
  }
  Term power(const Term& base, const Term& exponent) {
    if (!base || !whole(exponent) || !exponent->num.is_static()) return std::nullopt;
    const int64_t n = exponent->num.value();
    if (n < -8 || n > 64) return std::nullopt;
    Term result = Fraction{1, 1};
    for (int64_t i = 0; i < (n < 0 ? -n : n); ++i) result = times(result, base);
    return n < 0 ? over(Fraction{1, 1}, result) : result;
  }

  // Plain arithmetic, loosest first.
  Term sum() {
    const Nesting nesting(*this);
    Term value = product();
    for (;;) {
      if (take("+")) value = plus(value, product());
      else if (take("-")) value = plus(value, times(Fraction{-1, 1}, product()));
      else return value;
    }
  }
  Term product() {
    Term value = factor();
    for (;;) {
      if (take("//")) value = floor_of(over(value, factor()));
      else if (!peek().starts_with("**") && take("*")) value = times(value, factor());
      else if (take("/")) value = over(value, factor());
      else if (take("%")) value = modulo(value, factor());
      else return value;
    }
  }
  Term factor() {
    const Nesting nesting(*this);
    if (take("-")) return times(Fraction{-1, 1}, factor());
    if (take("+")) return factor();
    const Term base = atom();
    return take("**") ? power(base, factor()) : base;
  }
  Term atom() {
    if (take("(")) {
      const Term inner = sum();
      need(")");
      return inner;
    }
    const std::string_view w = word();
    if (w.empty()) fail(text_, "is malformed");
    if (w[0] >= '0' && w[0] <= '9') return number(w);
    if (take("(")) return call(w);
    return Fraction{symbol(w), 1};
  }
  std::string_view word() {
    peek();
    size_t n = 0;
    const auto is_letter = [](char c) {
      return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    };
    while (n < rest_.size() && is_letter(rest_[n])) ++n;
    const std::string_view w = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return w;
  }
  Term number(std::string_view w) {
    int64_t v = 0;
    const auto [end, error] = std::from_chars(w.data(), w.data() + w.size(), v);
    if (error == std::errc::result_out_of_range) fail(text_, "has a number of more than 64 bits");
    if (end != w.data() + w.size()) return std::nullopt;  // a float
    return Fraction{v, 1};
  }
  Dim symbol(std::string_view name) {
    if (name.size() > 64) fail(text_, "has too long a name");
    return symbols_.dim_of(name);
  }

  Term floor_of(const Term& t) {
    if (!t) return std::nullopt;
    return Fraction{floor(*t), 1};
  }
  Term modulo(const Term& a, const Term& b) {
    if (!whole(a) || !whole(b)) return std::nullopt;
    if (b->num.is_static() && b->num.value() == 0) fail(text_, "divides by zero");
    if (b->num == Dim(-1) || b->num == Dim(1)) return Fraction{0, 1};
    return Fraction{ir::mod(a->num, b->num), 1};
  }

  /// f(...) after its parenthesis.
  Term call(std::string_view f) {
    const Nesting nesting(*this);
    if (f == "Symbol") return symbol_call();
    if (f == "Float" || f == "Str") return skip_call();
    std::vector<Term> args;
    if (!take(")")) {
      do {
        if (peek().starts_with("'")) return skip_call();
        args.push_back(sum());
        if (take("=")) return skip_call();
      } while (take(","));
      need(")");
    }
    if (args.size() > kMaxTerms) fail(text_, "is too long");
    return apply(f, args);
  }
  /// Symbol('s0', positive=True, integer=True)
  Term symbol_call() {
    need("'");
    const size_t end = rest_.find('\'');
    if (end == rest_.npos || end == 0) fail(text_, "has a symbol without a name");
    const std::string_view name = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    while (take(",")) {
      word();
      need("=");
      word();
    }
    need(")");
    return Fraction{symbol(name), 1};
  }
  /// Something that sizes cannot hold: passes over it, up to the parenthesis that closes it.
  Term skip_call() {
    for (int depth = 1; depth > 0;) {
      if (rest_.empty()) fail(text_, "lacks a ')'");
      depth += rest_[0] == '(' ? 1 : rest_[0] == ')' ? -1 : 0;
      rest_.remove_prefix(1);
    }
    return std::nullopt;
  }
  Term apply(std::string_view f, const std::vector<Term>& a) {
    const auto fold = [&](auto&& step) {
      Term value = a.empty() ? Term() : a[0];
      for (size_t i = 1; i < a.size(); ++i) value = step(value, a[i]);
      return value;
    };
    const auto extreme = [&](Dim (*pick)(const Dim&, const Dim&)) {
      return fold([&](const Term& x, const Term& y) -> Term {
        if (!whole(x) || !whole(y)) return std::nullopt;
        return Fraction{pick(x->num, y->num), 1};
      });
    };
    const auto is = [&](std::initializer_list<std::string_view> names, size_t count) {
      for (std::string_view name : names)
        if (name == f && a.size() == count) return true;
      return false;
    };
    if (is({"Integer", "Identity"}, 1)) return a[0];
    if (f == "Add") return fold([&](const Term& x, const Term& y) { return plus(x, y); });
    if (f == "Mul") return fold([&](const Term& x, const Term& y) { return times(x, y); });
    if (f == "Max") return extreme(ir::max);
    if (f == "Min") return extreme(ir::min);
    if (is({"Rational", "IntTrueDiv"}, 2)) return over(a[0], a[1]);
    if (is({"FloorDiv", "CleanDiv"}, 2)) return floor_of(over(a[0], a[1]));
    if (is({"Mod", "PythonMod"}, 2)) return modulo(a[0], a[1]);
    if (is({"ModularIndexing"}, 3)) return modulo(floor_of(over(a[0], a[1])), a[2]);
    if (is({"Pow", "PowByNatural"}, 2)) return power(a[0], a[1]);
    // Sizes are not negative, so that truncation is rounding down.
    if (is({"floor", "FloorToInt", "TruncToInt"}, 1)) return floor_of(a[0]);
    if (is({"ceiling", "CeilToInt"}, 1)) return a[0] ? Term(Fraction{ceil(*a[0]), 1}) : std::nullopt;
    return std::nullopt;
  }

  std::string_view text_, rest_;
  SymbolReader& symbols_;
  int depth_ = 0;
  size_t operations_ = 0, degree_ = 0;
};

}  // namespace

int SymbolReader::symbol(std::string_view name) {
  const int known = symbols_.find(name);
  if (known >= 0) return known;
  ir::Symbol symbol;
  symbol.name = name;
  symbol.data_dependent = name.size() > 1 && name[0] == 'u' && name[1] >= '0' && name[1] <= '9';
  return symbols_.add(std::move(symbol));
}

ir::Dim SymbolReader::dim_of(std::string_view name) { return symbols_.dim(symbol(name)); }

ir::Dim SymbolReader::read(std::string_view text) {
  if (text.size() > kMaxText) fail(text, "is too long");
  const auto known = known_.find(std::string(text));
  if (known != known_.end()) return known->second;
  std::optional<Dim> dim = Reader(text, *this).run();
  if (!dim) {
    int n = 0;
    while (symbols_.find("e" + std::to_string(n)) >= 0) ++n;
    const int index = symbol("e" + std::to_string(n));
    symbols_.edit(index).data_dependent = true;
    dim = symbols_.dim(index);
  }
  return known_.emplace(std::string(text), *dim).first->second;
}

}  // namespace glint::compiler
