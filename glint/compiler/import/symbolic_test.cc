#include "glint/compiler/import/symbolic.h"

#include <gtest/gtest.h>

#include "glint/compiler/ir/graph.h"

namespace glint::compiler {
namespace {

std::string read(const std::string& text) {
  ir::Symbols symbols;
  SymbolReader reader(symbols);
  try {
    const ir::Dim d = reader.read(text);
    return symbols.print(d);
  } catch (const ir::Error& e) {
    return "error: " + e.diagnostic.message;
  }
}

/// The value of `text` with a = 7, b = 3.
int64_t value(const std::string& text) {
  ir::Symbols symbols;
  SymbolReader reader(symbols);
  reader.symbol("a");
  reader.symbol("b");
  return symbols.evaluate(reader.read(text), {7, 3});
}

TEST(Symbolic, ReadsSrepr) {
  EXPECT_EQ(read("Symbol('s27', positive=True, integer=True)"), "s27");
  EXPECT_EQ(read("Integer(5)"), "5");
  EXPECT_EQ(read("Mul(Integer(6), Symbol('s27', positive=True, integer=True))"), "6*s27");
  EXPECT_EQ(read("Add(Symbol('s0'), Integer(-1))"), "s0-1");
  const std::string a = "Symbol('a', integer=True)", b = "Symbol('b', integer=True)";
  EXPECT_EQ(value("Add(FloorDiv(Add(" + a + ", Integer(-1)), Integer(2)), Integer(1))"), 4);
  EXPECT_EQ(value("Mod(" + a + ", Integer(4))"), 3);
  EXPECT_EQ(value("PythonMod(" + a + ", " + b + ")"), 1);
  EXPECT_EQ(value("Max(Integer(1), " + a + ", " + b + ")"), 7);
  EXPECT_EQ(value("Min(" + a + ", " + b + ")"), 3);
  EXPECT_EQ(value("Pow(" + a + ", Integer(2))"), 49);
  EXPECT_EQ(value("CeilToInt(IntTrueDiv(" + a + ", Integer(2)))"), 4);
  EXPECT_EQ(value("TruncToInt(IntTrueDiv(" + a + ", Integer(2)))"), 3);
  EXPECT_EQ(value("floor(Add(Mul(Rational(1, 2), " + a + "), Rational(1, 2)))"), 4);
  EXPECT_EQ(value("ceiling(Mul(Rational(1, 4), " + a + "))"), 2);
  EXPECT_EQ(value("FloorDiv(Mul(" + a + ", " + b + "), Add(" + b + ", Integer(1)))"), 5);
  EXPECT_EQ(value("ModularIndexing(" + a + ", Integer(2), Integer(2))"), 1);
  EXPECT_EQ(value("CleanDiv(Mul(Integer(4), " + a + "), Integer(4))"), 7);
}

TEST(Symbolic, ReadsPlainArithmetic) {
  EXPECT_EQ(read("s0"), "s0");
  EXPECT_EQ(read("6*s0"), "6*s0");
  EXPECT_EQ(read("12"), "12");
  EXPECT_EQ(value("6*a + 1"), 43);
  EXPECT_EQ(value("a//2 - -b"), 6);
  EXPECT_EQ(value("((a + 3)//4)*2 % 3"), 1);
  EXPECT_EQ(value("a**2 - b**2"), 40);
  EXPECT_EQ(value("floor(a/2 + 1/2)"), 4);
  EXPECT_EQ(value("Max(1, a - b)"), 4);
  EXPECT_EQ(value("-a + 10"), 3);
}

TEST(Symbolic, DataDependentSymbolsAreKnownByName) {
  ir::Symbols symbols;
  SymbolReader reader(symbols);
  EXPECT_TRUE(symbols[reader.symbol("u0")].data_dependent);
  EXPECT_FALSE(symbols[reader.symbol("s0")].data_dependent);
  EXPECT_FALSE(symbols[reader.symbol("units")].data_dependent);
}

TEST(Symbolic, WhatSizesCannotHoldBecomesASymbol) {
  ir::Symbols symbols;
  SymbolReader reader(symbols);
  const std::string root = "FloorToInt(OpaqueUnaryFn_sqrt(ToFloat(Symbol('s0'))))";
  const ir::Dim d = reader.read(root);
  EXPECT_EQ(symbols.print(d), "e0");
  EXPECT_EQ(reader.read(root), d);
  EXPECT_EQ(symbols.print(reader.read("Float('0.5', precision=53)")), "e1");
  EXPECT_TRUE(symbols[symbols.find("e0")].data_dependent);
}

TEST(Symbolic, RefusesNonsense) {
  std::string deep, many = "s0";
  for (int i = 0; i < 10000; ++i) deep += "Add(";
  for (int i = 0; i < 2000; ++i) many += "+s" + std::to_string(i);
  std::string squared = "s0 + 1";
  for (int i = 0; i < 20; ++i) squared = "Pow(" + squared + ", 2)";
  const std::string nested(100000, '('), long_name(1000, 'a');
  for (const std::string& text :
       {std::string(""), std::string("("), std::string("s0 +"), std::string("Add(s0"),
           std::string("Symbol('s0'"), std::string("Symbol('')"),
        std::string("Symbol(s0)"), std::string("s0 s1"), std::string("99999999999999999999"), std::string("s0//0"), std::string("s0 % 0"),
        std::string("1/0"), std::string("Mul(9223372036854775807, 2)"), std::string("9223372036854775807*s0"), std::string("Float('x"),
        std::string("Pow(0, -1)"), std::string("\xff\xfe"), deep, many, squared, nested, long_name})
    EXPECT_TRUE(read(text).starts_with("error: ")) << text.substr(0, 60) << " gave " << read(text);
}

}  // namespace
}  // namespace glint::compiler
