#include "glint/compiler/ir/symbols.h"

#include <gtest/gtest.h>

namespace glint::ir {
namespace {

class SymbolsTest : public ::testing::Test {
 protected:
  SymbolsTest() : a(symbols.dim(symbols.add({"a", 1, 32}))), b(symbols.dim(symbols.add({"b", 0, 64, 8}))) {}
  std::string canonical(const char* text) {
    const Result<Dim> d = symbols.parse(text);
    return d.ok() ? symbols.print(*d) : std::string("!") + d.status().why();
  }
  Symbols symbols;
  Dim a, b;
};

TEST_F(SymbolsTest, ArithmeticHasOneForm) {
  EXPECT_EQ(canonical("a + 0"), "a");
  EXPECT_EQ(canonical("1 + a + 2"), "a+3");
  EXPECT_EQ(canonical("a - a"), "0");
  EXPECT_EQ(canonical("a*2 + a"), "3*a");
  EXPECT_EQ(canonical("b*a - a*b + 1"), "1");
  EXPECT_EQ(canonical("(a+1)*(a-1)"), "a*a-1");
  EXPECT_EQ(canonical("-a"), "-a");
  EXPECT_EQ(canonical("-2*a + 7"), "-2*a+7");
  EXPECT_EQ(canonical("(4*a + 6)//4"), "a+1");
  EXPECT_EQ(canonical("(a + 3)//2"), "(a+1)//2+1");
  EXPECT_EQ(canonical("(a//2)//3"), "a//6");
  EXPECT_EQ(canonical("(6*a + 4)%3"), "1");
  EXPECT_EQ(canonical("min(a, 4, a, 3)"), canonical("min(3, a)"));
  EXPECT_EQ(canonical("max(a, max(b, 2))"), canonical("max(2, b, a)"));
  EXPECT_EQ(canonical("7//-2"), "!size: a number or a symbol expected");
  EXPECT_EQ(canonical("c"), "!size: unknown symbol");
  EXPECT_EQ(canonical("a +"), "!size: a number or a symbol expected");
  EXPECT_EQ(canonical("99999999999999999999"), "!size: a bad number");
  EXPECT_EQ(canonical(std::string(200, '(').c_str()), "!size: the expression nests too deeply");
}

TEST_F(SymbolsTest, PrintedFormReadsBackEqual) {
  for (const Dim& d : {a, a + b, a * b * Dim(3) - Dim(5), floor_div(a * b + Dim(1), Dim(7)), mod(a + b, b), min(a, b - Dim(1)) * Dim(2), max(Dim(0) - a, floor_div(a, b)), Dim(-4)}) {
    const Result<Dim> back = symbols.parse(symbols.print(d));
    ASSERT_TRUE(back.ok()) << symbols.print(d);
    EXPECT_TRUE(*back == d) << symbols.print(d) << " read back as " << symbols.print(*back);
  }
}

TEST_F(SymbolsTest, RoundsTowardMinusInfinity) {
  const std::vector<int64_t> at = {5, 0};
  EXPECT_EQ(symbols.evaluate(floor_div(Dim(0) - a, Dim(2)), at), -3);
  EXPECT_EQ(symbols.evaluate(mod(Dim(0) - a, Dim(3)), at), 1);
  EXPECT_EQ(symbols.evaluate(floor_div(a, b), at), 0) << "a division by zero must not trap";
}

TEST_F(SymbolsTest, SamplesKeepRangesAndMultiples) {
  ASSERT_GE(symbols.samples().size(), 8u);
  EXPECT_EQ(symbols.samples()[0], (std::vector<int64_t>{32, 64}));
  EXPECT_EQ(symbols.samples()[1], (std::vector<int64_t>{1, 0}));
  for (const auto& s : symbols.samples()) {
    EXPECT_TRUE(s[0] >= 1 && s[0] <= 32);
    EXPECT_TRUE(s[1] >= 0 && s[1] <= 64 && s[1] % 8 == 0);
  }
  EXPECT_EQ(Symbols().samples().size(), 1u);
}

TEST_F(SymbolsTest, RangeIsIntervalArithmetic) {
  const auto range = [&](const char* text) {
    const Range r = symbols.range(*symbols.parse(text));
    return std::pair(r.min, r.max);
  };
  EXPECT_EQ(range("a"), std::pair(int64_t(1), int64_t(32)));
  EXPECT_EQ(range("2*a + b"), std::pair(int64_t(2), int64_t(128)));
  EXPECT_EQ(range("a - b"), std::pair(int64_t(-63), int64_t(32)));
  EXPECT_EQ(range("(a+1)//2"), std::pair(int64_t(1), int64_t(16)));
  EXPECT_EQ(range("min(a, 4)"), std::pair(int64_t(1), int64_t(4)));
  EXPECT_EQ(range("b % 5"), std::pair(int64_t(0), int64_t(4)));
  Symbols open;
  const Dim u = open.dim(open.add({"u", 0, Symbol::kUnbounded}));
  EXPECT_EQ(open.range(u * u * Dim(4)).max, Symbol::kUnbounded);
}

TEST_F(SymbolsTest, FitFindsTheExpression) {
  for (const char* text : {"3", "a", "b", "2*a+1", "a+b", "a*b", "a-b", "b-a", "3*a*b", "b//8", "(a+1)//2", "(a+2)//3", "min(a,b)", "max(a,b)", "a*a", "2*a+2*b"}) {
    const Dim want = *symbols.parse(text);
    std::vector<int64_t> values;
    for (const auto& at : symbols.samples()) values.push_back(symbols.evaluate(want, at));
    const Dim got = symbols.fit(values, {});
    EXPECT_EQ(symbols.print(got), symbols.print(want));
  }
  EXPECT_EQ(symbols.size(), 2);
}

TEST_F(SymbolsTest, FitPrefersCandidatesAndFallsBackToANewSymbol) {
  const Dim odd = floor_div(a * a, Dim(7)) + mod(b, Dim(16));
  std::vector<int64_t> values;
  int64_t largest = 0;
  for (const auto& at : symbols.samples()) values.push_back(symbols.evaluate(odd, at)), largest = std::max(largest, values.back());
  EXPECT_EQ(symbols.print(symbols.fit(values, {odd})), symbols.print(odd));
  EXPECT_EQ(symbols.print(symbols.fit(values, {})), "d0");
  EXPECT_EQ(symbols[2].max, largest);
  EXPECT_TRUE(symbols[2].data_dependent);
}

TEST_F(SymbolsTest, FitIgnoresUnknownValues) {
  std::vector<int64_t> values;
  for (const auto& at : symbols.samples()) values.push_back(at[1] == 0 ? Symbols::kNoValue : at[0] * 4);
  EXPECT_EQ(symbols.print(symbols.fit(values, {})), "4*a");
}

}  // namespace
}  // namespace glint::ir
