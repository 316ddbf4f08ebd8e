#include "glint/compiler/import/pickle.h"

#include <gtest/gtest.h>

#include "glint/compiler/ir/graph.h"

namespace glint::compiler {
namespace {

using namespace std::string_literals;

std::string text(const std::string& s) { return "X"s + char(s.size()) + "\0\0\0"s + s; }
std::string storage(const std::string& type, const std::string& key, int elements) {
  return "(" + text("storage") + "ctorch\n" + type + "\n" + text(key) + text("cpu") + "K"s + char(elements) + "tQ";
}
const std::string kNoHooks = "ccollections\nOrderedDict\n)R";

/// _rebuild_tensor_v2 of a [2,3] view from element 1 on.
std::string tensor(const std::string& type = "FloatStorage", const std::string& extra = "") {
  return "ctorch._utils\n_rebuild_tensor_v2\n(" + storage(type, "0", 9) + "K\1" + "K\2K\3\x86" + "K\3K\1\x86" + "\x89" + kNoHooks + extra +
      "tR";
}

PickledTensors read(const std::string& body) { return read_pickled_tensors("\x80\2" + body + "."); }

std::pair<Code, std::string> error_of(const std::string& pickle) {
  try {
    read_pickled_tensors(pickle);
  } catch (const ir::Error& e) {
    return {e.diagnostic.code, e.diagnostic.message};
  }
  return {Code::kOk, ""};
}

TEST(Pickle, ReadsDictionariesOfTensors) {
  const PickledTensors t = read("}(" + text("a") + tensor() + text("b") + "ctorch._utils\n_rebuild_parameter\n(" +
      tensor("BFloat16Storage") + "\x88" + kNoHooks + "tRu");
  ASSERT_EQ(t.named.size(), 2u);
  EXPECT_EQ(t.named[0].first, "a");
  const PickledTensor& a = t.named[0].second;
  EXPECT_EQ(a.storage, "0");
  EXPECT_EQ(a.dtype, DType::kF32);
  EXPECT_EQ(a.storage_elements, 9);
  EXPECT_EQ(a.offset, 1);
  EXPECT_EQ(a.sizes, (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(a.strides, (std::vector<int64_t>{3, 1}));
  EXPECT_EQ(t.named[1].second.dtype, DType::kBF16);
}

TEST(Pickle, ReadsSharedValuesAndSingleTensors) {
  EXPECT_EQ(read(tensor()).single.size(), 1u);
  EXPECT_EQ(read("}" + text("a") + tensor() + "q\7s" + text("b") + "h\7s").named.size(), 2u);
  // An OrderedDict with attributes, as Module.state_dict() makes it.
  EXPECT_EQ(read(kNoHooks + "(" + text("a") + tensor() + "u}" + text("_metadata") + kNoHooks + "sb").named.size(), 1u);
  EXPECT_TRUE(read("}").named.empty());
}

TEST(Pickle, RefusesEverythingElse) {
  const std::vector<std::string> bodies = {
       "cos\nsystem\n("s + text("echo") + "tR", "cbuiltins\neval\n"s, "}" + text("a") + text("b") + "s", "}" + text("a") + "K\1s", "]"s,
           "K\1"s, "N"s,
        tensor("QInt8Storage"), tensor("FloatStorage", "}"), "ctorch._utils\n_rebuild_tensor_v3\n"s, "I1\n"s, "i"s, "o"s, "\x81"s,
            "\x8a\x09\1\1\1\1\1\1\1\1\1"s,
        "P1\n"s, "\x8e"s, "B"s, "(" + text("module") + "tQ", "ccollections\nOrderedDict\n(K\1tR"};
  for (const std::string& body : bodies)
    EXPECT_EQ(error_of("\x80\2" + body + ".").first, Code::kUnsupported) << body;
}

TEST(Pickle, RefusesWhatIsMalformed) {
  const std::string good = "\x80\2}(" + text("a") + tensor() + "u.";
  ASSERT_EQ(error_of(good).first, Code::kOk);
  for (size_t n = 0; n < good.size(); ++n) EXPECT_NE(error_of(good.substr(0, n)).first, Code::kOk) << n;
  for (const std::string& body : {"."s, "t."s, "R."s, "s."s, "u."s, "(."s, "h\1."s, "q\1."s, "NN."s, "}N."s, "Q."s, "}K\1K\2s."s, "}(Ku."s,
                                  "X\xff\xff\xff\xffz."s, "ctorch"s, "(R."s, "((tR."s, "b."s, "}(K\1u."s, "))R."s, "\x85."s, "a."s, "e."s})
    EXPECT_NE(error_of("\x80\2" + body).first, Code::kOk) << body;
}

TEST(Pickle, NestingCostsNothing) {
  std::string deep = "\x80\2";
  deep.append(100000, '(').append("N").append(100000, 't').append(".");
  EXPECT_EQ(error_of(deep).first, Code::kUnsupported);
  EXPECT_NE(error_of("\x80\2}q\1(h\1h\1u.").first, Code::kOk);  // a dictionary inside itself
}

}  // namespace
}  // namespace glint::compiler
