// Thousands of damaged archives: each gives an error or a graph whose constants can be read, never a crash, a hang or a
// huge allocation. Meant for the asan preset, quick enough for all. GLINT_FUZZ_ROUNDS sets how many per kind of damage.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <random>

#include "glint/base/platform.h"
#include "glint/compiler/import/pt2.h"
#include "glint/compiler/import/test_archive.h"
#include "glint/compiler/ir/ir.h"

namespace glint::compiler {
namespace {

using test::Archive;
using Random = std::mt19937_64;

constexpr const char* kSeeds[] = {
    "archives/torch-2.5/net.pt2", "archives/torch-2.5/state.pt2", "archives/torch-2.14/state.pt2", "archives/torch-2.14/net.pt2",
    "import/weights.pt2", "import/control_flow.pt2", "import/inputs.pt2", "import/data_dependent.pt2",
    "archives/torch-2.5/attention_dynamic.pt2", "import/functional_mutation.pt2", "import/symbols.pt2", "import/arguments.pt2",
};

/// Of the operators in the seeds, so that arguments are checked; the rest stay unknown. A few suffice, and need no operators built.
const ir::OpLookup& lookup() {
  static const char* const kTexts[] = {
      "aten::add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor",
      "aten::add.Scalar(Tensor self, Scalar other, Scalar alpha=1) -> Tensor",
      "aten::mul.Tensor(Tensor self, Tensor other) -> Tensor",
      "aten::mul.Scalar(Tensor self, Scalar other) -> Tensor",
      "aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor",
      "aten::conv2d(Tensor input, Tensor weight, Tensor? bias=None, SymInt[2] stride=1, SymInt[2] padding=0, "
      "SymInt[2] dilation=1, SymInt groups=1) -> Tensor",
      "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
      "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
      "aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
      "aten::cat(Tensor[] tensors, int dim=0) -> Tensor",
      "aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]",
      "aten::index.Tensor(Tensor self, Tensor?[] indices) -> Tensor",
      "aten::to.dtype(Tensor(a) self, ScalarType dtype, bool non_blocking=False, bool copy=False, "
      "MemoryFormat? memory_format=None) -> Tensor(a)",
      "aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
      "aten::clamp(Tensor self, Scalar? min=None, Scalar? max=None) -> Tensor",
      "aten::full(SymInt[] size, Scalar fill_value, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, "
      "bool? pin_memory=None) -> Tensor",
      "aten::upsample_nearest2d.vec(Tensor input, SymInt[]? output_size, float[]? scale_factors) -> Tensor",
      "aten::native_layer_norm(Tensor input, SymInt[] normalized_shape, Tensor? weight, Tensor? bias, float eps) -> (Tensor, "
      "Tensor, Tensor)",
      "aten::item(Tensor self) -> Scalar",
      "aten::sym_size.int(Tensor self, int dim) -> SymInt",
  };
  static const std::vector<ParsedSchema> parsed = [] {
    std::vector<ParsedSchema> all;
    for (const char* text : kTexts) all.push_back(parse_schema(text));
    return all;
  }();
  static const std::vector<Schema> schemas = [] {
    std::vector<Schema> all;
    for (const ParsedSchema& s : parsed) all.push_back(s.view());
    return all;
  }();
  static const std::vector<const Schema*> pointers = [] {
    std::vector<const Schema*> p;
    for (const Schema& s : schemas) p.push_back(&s);
    return p;
  }();
  static const ir::OpLookup ops(OpTable{}, pointers);
  return ops;
}

size_t pick(Random& random, size_t count) { return count == 0 ? 0 : size_t(random() % count); }

struct Tally {
  int passed = 0, refused = 0;
  double slowest = 0;
};

void try_import(const std::string& bytes, Tally& tally) {
  const auto start = std::chrono::steady_clock::now();
  try {
    const auto module = import_pt2_bytes(test::bytes_of(bytes), lookup());
    for (const auto& graph : module->methods) {
      const auto read = [](const ir::ConstantPtr& c) {
        if (c == nullptr) return;
        ASSERT_LE(c->size(), size_t(64) << 20);
        std::vector<std::byte> out(c->size());
        if (const Status s = c->read(out); !s.ok()) throw ir::Error(s.code(), s.why());
      };
      for (const ir::Value* v : graph->constants()) read(v->constant);
      for (const ir::State& s : graph->states) read(s.initial);
      ir::print(*graph, true);
    }
    ++tally.passed;
  } catch (const ir::Error& e) {
    EXPECT_FALSE(e.diagnostic.message.empty());
    EXPECT_NE(e.diagnostic.code, Code::kInternal) << e.diagnostic.text();
    ++tally.refused;
  }
  tally.slowest = std::max(tally.slowest, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
}

int rounds() {
  const char* text = environment("GLINT_FUZZ_ROUNDS");
  return text != nullptr ? std::atoi(text) : 1200;
}

template <class Mutate>
void fuzz(const char* kind, Mutate&& mutate) {
  Random random(0x9e3779b9);
  std::vector<std::string> seeds;
  for (const char* name : kSeeds) seeds.push_back(test::read_file(GLINT_SOURCE_DIR "/tests/data/" + std::string(name)));
  Tally tally;
  for (int i = 0; i < rounds(); ++i) try_import(mutate(seeds[size_t(i) % seeds.size()], random), tally);
  std::printf("%s: %d imported, %d refused, slowest %.3f s\n", kind, tally.passed, tally.refused, tally.slowest);
  EXPECT_LT(tally.slowest, 5.0);
}

const std::string& scalar(Random& random) {
  static const std::string kScalars[] = {
      "0", "1", "-1", "2", "9223372036854775807", "-9223372036854775808", "9223372036854775806", "2147483648", "4294967296",
      "4611686018427387904", "18446744073709551615", "1e308", "0.5", "\"\"", "\"x\"", "null", "true", "[]", "{}", "[[]]",
      "{\"as_int\": 1}", "{\"as_none\": true}", "\"Infinity\"", "\"NaN\"", "12", "29",
  };
  return kScalars[pick(random, std::size(kScalars))];
}

/// Where the scalars of a JSON text are: begin, end, whether it is a key.
struct Token { size_t begin, end; bool key; };
std::vector<Token> tokens(const std::string& text) {
  std::vector<Token> found;
  for (size_t i = 0; i < text.size();) {
    if (text[i] == '"') {
      size_t end = i + 1;
      while (end < text.size() && text[end] != '"') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      found.push_back({i, end, end < text.size() && text[end] == ':'});
      i = end;
    } else if (std::string_view("-0123456789tfn").find(text[i]) != std::string_view::npos) {
      size_t end = i;
      while (end < text.size() && std::string_view(",]} \n").find(text[end]) == std::string_view::npos) ++end;
      found.push_back({i, end, false});
      i = end;
    } else {
      ++i;
    }
  }
  return found;
}

/// One scalar replaced, one member dropped (by renaming its key), or one value exchanged for another of the text.
std::string mutate_json(std::string text, Random& random) {
  const std::vector<Token> all = tokens(text);
  if (all.empty()) return text;
  const Token t = all[pick(random, all.size())], other = all[pick(random, all.size())];
  if (t.key) return text.insert(t.begin + 1, "x");
  return text.replace(t.begin, t.end - t.begin, random() % 3 == 0 ? text.substr(other.begin, other.end - other.begin) : scalar(random));
}

/// Bytes changed, removed, repeated, or nested deeply.
std::string mutate_bytes(std::string text, Random& random) {
  if (text.empty()) return text;
  const size_t at = pick(random, text.size()), length = std::min<size_t>(pick(random, 40) + 1, text.size() - at);
  switch (random() % 6) {
    case 0: text[at] = char(random()); break;
    case 1: text[at] = char(text[at] ^ 1 << random() % 8); break;
    case 2: text.erase(at, length); break;
    case 3: text.insert(at, text.substr(pick(random, text.size()), length)); break;
    case 4: text.insert(at, size_t(pick(random, 300)), "([{\"-(9"[random() % 7]); break;
    default: text.resize(at); break;
  }
  return text;
}

std::string* entry(Archive& a, std::string_view suffix) {
  for (Archive::Entry& e : a.entries)
    if (e.name.ends_with(suffix)) return &e.data;
  return nullptr;
}

TEST(Pt2Fuzz, Files) {
  fuzz("files", mutate_bytes);
}

TEST(Pt2Fuzz, Scalars) {
  fuzz("scalars of the JSON", [](const std::string& file, Random& random) {
    Archive a = Archive::parse(file);
    std::string* config = entry(a, "_weights_config.json");
    std::string* program = entry(a, "model.json");
    if (program == nullptr) program = entry(a, "serialized_exported_program.json");
    std::string& text = config != nullptr && random() % 3 == 0 ? *config : *program;
    for (uint64_t n = random() % 2 + 1; n > 0; --n) text = mutate_json(text, random);
    return a.build();
  });
}

TEST(Pt2Fuzz, Text) {
  fuzz("text of the JSON", [](const std::string& file, Random& random) {
    Archive a = Archive::parse(file);
    std::string* program = entry(a, "model.json");
    if (program == nullptr) program = entry(a, "serialized_exported_program.json");
    // Size expressions are a language of their own: half of the damage goes there.
    std::vector<size_t> expressions;
    for (size_t at = program->find("expr_str\": \""); at != program->npos; at = program->find("expr_str\": \"", at + 1))
      expressions.push_back(at + 12);
    if (!expressions.empty() && random() % 4 != 0) {
      const size_t at = expressions[pick(random, expressions.size())], end = program->find('"', at);
      std::string text = mutate_bytes(program->substr(at, end - at), random);
      std::replace(text.begin(), text.end(), '"', '\'');
      std::replace(text.begin(), text.end(), '\\', '/');
      program->replace(at, end - at, text);
    } else {
      *program = mutate_bytes(*program, random);
    }
    return a.build();
  });
}

TEST(Pt2Fuzz, Pickles) {
  fuzz("pickles", [](const std::string&, Random& random) {
    static const std::string file = test::read_file(GLINT_SOURCE_DIR "/tests/data/archives/torch-2.5/net.pt2");
    Archive a = Archive::parse(file);
    std::string& outer = a[random() % 4 == 0 ? "serialized_constants.pt" : "serialized_state_dict.pt"];
    if (random() % 8 == 0) {
      outer = mutate_bytes(outer, random);
      return a.build();
    }
    Archive inner = Archive::parse(outer);
    std::string& pickle = inner["data.pkl"];
    for (uint64_t n = random() % 3 + 1; n > 0; --n) pickle = mutate_bytes(pickle, random);
    outer = inner.build();
    return a.build();
  });
}

TEST(Pt2Fuzz, Directories) {
  fuzz("zip directories", [](const std::string& file, Random& random) {
    Archive a = Archive::parse(file);
    Archive::Entry& e = a.entries[pick(random, a.entries.size())];
    static const int64_t kSizes[] = {0, 1, 0x7fffffff, 0xfffffff0, 0xffffffff, 0x10000};
    switch (random() % 9) {
      case 0: e.stated_size = kSizes[pick(random, 6)]; break;
      case 1: e.stated_packed = kSizes[pick(random, 6)]; break;
      case 2: e.stated_size = e.stated_packed = kSizes[pick(random, 6)]; break;
      case 3: e.method = uint16_t(random() % 2 ? 8 : random() % 100); break;
      case 4: e.flags = uint16_t(1u << random() % 16); break;
      case 5: e.name = std::string(random() % 2 ? "../" : "/") + e.name; break;
      case 6: e.name = a.entries[pick(random, a.entries.size())].name; break;
      case 7: e.data = e.data.substr(0, pick(random, e.data.size())); break;
      default: {  // something in the records at the end
        std::string bytes = a.build();
        const size_t directory = std::min<size_t>(bytes.size(), 60 * a.entries.size() + 22);
        bytes[bytes.size() - 1 - pick(random, directory)] = char(random());
        return bytes;
      }
    }
    return a.build();
  });
}

TEST(Pt2Fuzz, Truncations) {
  Tally tally;
  for (const char* name : kSeeds) {
    const std::string file = test::read_file(GLINT_SOURCE_DIR "/tests/data/" + std::string(name));
    for (size_t part = 0; part < 64; ++part) try_import(file.substr(0, file.size() * part / 64), tally);
  }
  EXPECT_EQ(tally.passed, 0);
}

}  // namespace
}  // namespace glint::compiler
