#include "glint/compiler/methods.h"

#include <gtest/gtest.h>

#include "glint/compiler/compiler.h"

namespace glint::compiler {
namespace {

std::string archive(const std::string& name) { return GLINT_SOURCE_DIR "/tests/data/" + name + ".pt2"; }

std::string error_of(const Sources& sources, const ImportOptions& options = {}) {
  try {
    import_methods(sources, op_lookup(), options);
  } catch (const ir::Error& e) {
    return e.diagnostic.message;
  }
  return "";
}

TEST(Methods, ShareStatesAlsoWithThoseThatOnlyReadThem) {
  const auto module = import_methods({{"decode", archive("states/decode")}, {"length", archive("states/length")}}, op_lookup(), {});
  ASSERT_EQ(module->methods.size(), 2u);
  EXPECT_EQ(module->methods[0]->name, "decode");
  ASSERT_EQ(module->methods[0]->states.size(), 2u);
  ASSERT_EQ(module->methods[1]->states.size(), 1u) << "keys, which it only reads";
  EXPECT_EQ(module->methods[1]->states[0].name, "keys");
}

TEST(Methods, OneArchiveIsForward) {
  EXPECT_EQ(import_methods(archive("states/length"), op_lookup(), {})->methods[0]->name, "forward");
  EXPECT_TRUE(import_methods(archive("states/length"), op_lookup(), {})->methods[0]->states.empty());
}

TEST(Methods, RefusesWhatDoesNotFit) {
  EXPECT_EQ(error_of({{"", archive("states/length")}, {"", archive("states/decode")}}), "two methods are called forward");
  EXPECT_EQ(error_of({{"a", archive("states/summed")}, {"b", archive("states/of_another_dtype")}}),
            "the methods a and b share the state 'cache', which is f32[3,8,4] in the one and bf16[3,8,4] in the other");
  EXPECT_EQ(error_of({{"a", archive("states/two_states")}, {"b", archive("states/missing")}}).rfind(archive("states/missing") + ": ", 0), 0u);
}

TEST(Methods, BoundsAreForAllOrForOne) {
  const Sources two = {{"prefill", archive("states/prefill")}, {"decode", archive("states/decode")}};
  EXPECT_NE(error_of(two, {{{"n", 4}}}).find("states/"), std::string::npos) << "not every method has it";
  EXPECT_EQ(error_of(two, {{{"train.n", 4}}}), "the bound of 'train.n' is for a method that is not compiled: train");
  const auto module = import_methods(two, op_lookup(), {{{"prefill." + import_methods(two, op_lookup(), {})->methods[0]->symbols[0].name, 4}}});
  EXPECT_EQ(module->methods[0]->symbols[0].max, 4);
}

}  // namespace
}  // namespace glint::compiler
