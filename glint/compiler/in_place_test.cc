#include "glint/compiler/in_place.h"

#include <map>

#include <gtest/gtest.h>

#include "glint/compiler/compiler.h"
#include "glint/compiler/ir/ir.h"

namespace glint::compiler {
namespace {

/// "result: the value whose memory it takes" for a graph with the state %s.
std::map<std::string, std::string> placed(const std::string& text, Target::Kind kind = Target::Kind::kCpu) {
  const auto graph = ir::parse(text, op_lookup());
  Target target;
  target.kind = kind;
  std::map<std::string, std::string> names;
  for (const auto& [result, over] : update_states(*graph, target)) names[result->name] = over->name;
  return names;
}
using Placed = std::map<std::string, std::string>;

TEST(InPlace, EachStepWritesOverTheOneBefore) {
  const std::string chain = R"(graph(%x: f32[2,4], %i: i64[2]) states(%s: f32[8,4] = "s" -> %c) {
    %a = aten::index_put(%s, [%i], %x)
    %b = aten::mul.Scalar(%a, 2)
    %c = aten::slice_scatter(%b, %x, 0, 2, 4)
    return %x
  })";
  EXPECT_EQ(placed(chain), (Placed{{"a", "s"}, {"b", "a"}, {"c", "b"}}));
  EXPECT_EQ(placed(chain, Target::Kind::kPortable), (Placed{{"c", "s"}})) << "stock slice_scatter has no form in place: it copies into the state";
  EXPECT_EQ(placed(R"(graph(%x: f32[2,4], %i: i64[2]) states(%s: f32[8,4] = "s" -> %a) {
    %a = aten::index_put(%s, [%i], %x)
    return %x
  })", Target::Kind::kPortable), (Placed{{"a", "s"}}));
}

TEST(InPlace, APartLiesInItsPlace) {
  const auto scatter = [](const std::string& offset) {
    return placed(R"(graph(%x: f32[2,4], %i: i64[2]) states(%s: f32[3,8,4] = "s" -> %c) {
      %v = glint::view(%s, sizes=[8,4], strides=[4,1], offset=32) : f32[8,4]
      %a = aten::index_put(%v, [%i], %x)
      %c = aten::as_strided_scatter(%s, %a, [8,4], [4,1], )" + offset + R"()
      return %x
    })");
  };
  EXPECT_EQ(scatter("32"), (Placed{{"a", "v"}, {"c", "s"}}));
  EXPECT_EQ(scatter("64"), (Placed{{"c", "s"}})) << "another part: computed elsewhere, then scattered";
}

TEST(InPlace, WhoReadsLaterKeepsTheOldValue) {
  const auto body = [](const std::string& lines, const std::string& outputs = "%x") {
    return placed("graph(%x: f32[2,4], %i: i64[2], %m: bool[8,4]) states(%s: f32[8,4] = \"s\" -> %a, %t: f32[8,4] = \"t\" -> %t) {" + lines + " return " + outputs + " }");
  };
  EXPECT_EQ(body("%y = aten::sum(%s) %a = aten::index_put(%s, [%i], %x)", "%y"), (Placed{{"a", "s"}}));
  EXPECT_EQ(body("%a = aten::index_put(%s, [%i], %x) %y = aten::sum(%s)", "%y"), Placed());
  EXPECT_EQ(body("%v = glint::view(%s, sizes=[4], strides=[1], offset=0) : f32[4] %a = aten::index_put(%s, [%i], %x) %y = aten::sum(%v)", "%y"), Placed());
  EXPECT_EQ(body("%v = glint::view(%s, sizes=[2,4], strides=[4,1], offset=0) : f32[2,4] %a = aten::index_put(%s, [%i], %v)"), Placed()) << "the values are part of it";
  EXPECT_EQ(body("%a = aten::masked_scatter(%s, %m, %s)"), Placed()) << "it is read again";
  EXPECT_EQ(body("%a = aten::index_put(%s, [%i], %x)", "%a"), Placed()) << "the caller gets it";
  EXPECT_EQ(body("%b = aten::index_put(%s, [%i], %x) %y = aten::sum(%b) %a = aten::slice_scatter(%b, %x, 0, 0, 2) %z = aten::sum(%b)", "%y, %z"), (Placed{{"a", "s"}}))
      << "the first step is elsewhere, the last one writes into the state";
}

TEST(InPlace, AStateGetsWhatDoesNotReadIt) {
  EXPECT_EQ(placed("graph(%x: f32[2]) states(%s: f32[2] = \"s\" -> %a) { %a = aten::exp(%x) return %x }"), (Placed{{"a", "s"}}));
  EXPECT_EQ(placed("graph(%x: f32[2]) states(%s: f32[2] = \"s\" -> %a, %t: f32[2] = \"t\" -> %a) { %a = aten::exp(%x) return %x }"), Placed()) << "two states end as one value";
  EXPECT_EQ(placed("graph(%x: f32[2,2]) states(%s: f32[2,2] = \"s\" -> %a) { %a = aten::mm(%s, %x) return %x }"), Placed()) << "it reads all of the state for each element";
}

}  // namespace
}  // namespace glint::compiler
