#include <cctype>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>

#include "glint/compiler/ir/ir.h"
#include "glint/compiler/ir/text.h"
#include "glint/kernels/convert.h"

namespace glint::ir {
namespace {

/// A constant of which the text holds only the hash.
class NamedConstant final : public ConstantData {
 public:
  NamedConstant(std::string hash, size_t size) : size_(size) { set_hash(std::move(hash)); }
  size_t size() const override { return size_; }
  Status read(std::span<std::byte>) const override { return unsupported("the text of a graph does not hold the bytes of this constant"); }

 private:
  size_t size_;
};

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  [[noreturn]] void fail(const std::string& why) const {
    size_t line = 1, column = 1;
    for (size_t i = 0; i < at_ && i < text_.size(); ++i) {
      if (text_[i] == '\n') ++line, column = 1;
      else ++column;
    }
    throw Error(Code::kInvalidProgram, "line " + std::to_string(line) + ", column " + std::to_string(column) + ": " + why);
  }

  void skip() {
    while (at_ < text_.size()) {
      if (std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
      else if (text_.substr(at_, 2) == "//" || text_[at_] == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      else break;
    }
  }
  bool done() { return skip(), at_ == text_.size(); }
  bool peek(std::string_view t) { return skip(), text_.substr(at_, t.size()) == t; }
  bool take(std::string_view t) {
    if (!peek(t)) return false;
    at_ += t.size();
    return true;
  }
  void expect(std::string_view t) {
    if (!take(t)) fail("'" + std::string(t) + "' expected");
  }
  /// A word of letters, digits, '_' and `also`; empty when there is none.
  std::string_view peek_word(std::string_view also = "") {
    skip();
    size_t n = at_;
    while (n < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[n])) || text_[n] == '_' || also.find(text_[n]) != also.npos)) ++n;
    return text_.substr(at_, n - at_);
  }
  std::string word(std::string_view also = "") {
    const std::string_view w = peek_word(also);
    if (w.empty()) fail("a name expected");
    at_ += w.size();
    return std::string(w);
  }
  bool take_word(std::string_view w) {
    if (peek_word() != w) return false;
    at_ += w.size();
    return true;
  }
  /// Everything up to one of `stops` outside of parentheses.
  std::string_view until(std::string_view stops) {
    skip();
    const size_t start = at_;
    for (int depth = 0; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (depth == 0 && stops.find(text_[at_]) != stops.npos) return text_.substr(start, at_ - start);
      if (text_[at_] == '(') ++depth;
      if (text_[at_] == ')') --depth;
    }
    fail("one of '" + std::string(stops) + "' expected");
  }
  /// The two digits of "\x1f", of which the 'x' is next; stays on the last one.
  char byte() {
    int v = 0;
    for (int i = 0; i < 2; ++i) {
      ++at_;
      const char c = at_ < text_.size() ? text_[at_] : ' ';
      const int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
      if (digit < 0) fail("two hexadecimal digits expected");
      v = v * 16 + digit;
    }
    return char(v);
  }
  std::string quoted() {
    expect("\"");
    std::string s;
    for (;; ++at_) {
      if (at_ >= text_.size()) fail("the text ends within quotes");
      if (text_[at_] == '"') return ++at_, s;
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        ++at_;
        if (text_[at_] == 'x') s += byte();
        else s += text_[at_] == 'n' ? '\n' : text_[at_];
      } else {
        s += text_[at_];
      }
    }
  }
  /// A number's characters, sign included: "-1.5e-3", "-inf".
  std::string number_text() {
    skip();
    size_t n = at_;
    while (n < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[n])) || text_[n] == '.' || text_[n] == '-' || text_[n] == '+')) ++n;
    if (n == at_) fail("a number expected");
    std::string s(text_.substr(at_, n - at_));
    at_ = n;
    return s;
  }
  /// Jumps over a parenthesised text; quotes hide parentheses.
  void skip_parentheses() {
    expect("(");
    for (int depth = 1; depth > 0; ++at_) {
      if (at_ >= text_.size()) fail("')' expected");
      if (text_[at_] == '"') {
        quoted();
        --at_;
        continue;
      }
      if (text_[at_] == '(') ++depth;
      if (text_[at_] == ')') --depth;
    }
  }
  size_t position() const { return at_; }
  void rewind(size_t to) { at_ = to; }

 private:
  std::string_view text_;
  size_t at_ = 0;
};

int64_t to_integer(const Reader& r, const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const long long v = std::strtoll(text.c_str(), &end, 10);
  if (end == text.c_str() || *end != 0 || errno != 0) r.fail("'" + text + "' is not an integer");
  return v;
}

double to_floating(const Reader& r, const std::string& text) {
  char* end = nullptr;
  const double v = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || *end != 0) r.fail("'" + text + "' is not a number");
  return v;
}

class GraphParser {
 public:
  GraphParser(Reader& r, const OpLookup& ops, Graph& g, int depth) : r_(r), ops_(ops), g_(g), depth_(depth) {}

  void parse() {
    if (depth_ > 16) r_.fail("regions nest too deeply");
    if (!r_.take_word("graph")) r_.fail("'graph' expected");
    if (!r_.peek("(")) g_.name = r_.word(".");
    header();
    r_.expect("{");
    while (!r_.take_word("return")) node();
    if (!r_.peek("}"))
      do g_.outputs.push_back(arg(nullptr));
      while (r_.take(","));
    r_.expect("}");
    for (const auto& [index, name] : finals_) g_.states[index].final = value(name);
    for (const auto& [index, name] : mutations_) g_.mutations.push_back({index, value(name)});
  }

 private:
  // Symbols are declared after the inputs that mention them.
  void header() {
    const size_t inputs = r_.position();
    r_.skip_parentheses();
    if (r_.take_word("symbols")) symbols();
    const size_t after = r_.position();
    r_.rewind(inputs);
    items([&] {
      auto [name, type] = declaration();
      g_.add_input(name, std::move(type));
    });
    r_.rewind(after);
    for (;;) {
      if (r_.take_word("states")) items([&] { state(); });
      else if (r_.take_word("constants")) items([&] { constant(); });
      else if (r_.take_word("mutations")) items([&] { mutation(); });
      else if (r_.take_word("outputs")) items([&] { g_.output_names.push_back(r_.quoted()); });
      else if (r_.take_word("specs")) specs();
      else return;
    }
  }

  template <class F>
  void items(F&& f) {
    r_.expect("(");
    if (r_.take(")")) return;
    do f();
    while (r_.take(","));
    r_.expect(")");
  }

  void symbols() {
    items([&] {
      Symbol s;
      s.name = r_.word();
      if (g_.symbols.find(s.name) >= 0) r_.fail("the symbol " + s.name + " is declared twice");
      r_.expect(":");
      s.min = to_integer(r_, range_end());
      r_.expect("..");
      if (const std::string max = range_end(); !max.empty()) s.max = to_integer(r_, max);
      if (r_.take_word("step")) s.multiple = to_integer(r_, r_.word());
      if (s.min > s.max || s.multiple < 1) r_.fail("the range of " + s.name + " is empty");
      s.data_dependent = r_.take_word("data");
      g_.symbols.add(std::move(s));
    });
  }

  std::string range_end() {
    std::string s = r_.take("-") ? "-" : "";
    const std::string_view digits = r_.peek_word();
    if (digits.empty() || !std::isdigit(static_cast<unsigned char>(digits[0]))) return s;
    return s + r_.word();
  }

  void specs() {
    r_.expect("(");
    g_.in_spec = r_.quoted();
    r_.expect(",");
    g_.out_spec = r_.quoted();
    r_.expect(")");
  }

  std::string value_name() {
    r_.expect("%");
    return r_.word(".");
  }
  std::string new_name() {
    std::string name = value_name();
    if (g_.find_value(name) != nullptr) r_.fail("%" + name + " is defined twice");
    return name;
  }
  Value* value(const std::string& name) const {
    Value* v = g_.find_value(name);
    if (v == nullptr) r_.fail("%" + name + " is not defined here");
    return v;
  }
  std::pair<std::string, Type> declaration() {
    std::string name = new_name();
    r_.expect(":");
    return {std::move(name), type()};
  }

  Dim dim(std::string_view text) const {
    const Result<Dim> d = g_.symbols.parse(text);
    if (!d.ok()) r_.fail(std::string(d.status().why()) + " in '" + std::string(text) + "'");
    return *d;
  }

  Type type() {
    const std::string name = r_.word();
    if (!r_.peek("[")) {
      if (name == "float") return Type::of(Type::Kind::kFloat);
      if (name == "bool") return Type::of(Type::Kind::kBool);
      if (name != "int") r_.fail("'" + name + "' is not a type");
      if (!r_.take("(")) return Type::of(Type::Kind::kInt);
      Type t = Type::integer(dim(r_.until(")")));
      r_.expect(")");
      return t;
    }
    const auto dtype = dtype_from_name(name);
    if (!dtype) r_.fail("'" + name + "' is not a dtype");
    Type t = Type::tensor(*dtype, {});
    r_.expect("[");
    if (!r_.take("]")) {
      do t.dims.push_back(dim(r_.until(",]")));
      while (r_.take(","));
      r_.expect("]");
    }
    if (t.rank() > kMaxRank) r_.fail("a tensor has at most 16 dimensions");
    if (!t.dims.empty() && r_.peek("{") && std::isdigit(after_brace())) order(t);
    return t;
  }
  // A dim order follows the dimensions directly; the brace of a body does not hold a digit first.
  int after_brace() {
    const size_t here = r_.position();
    r_.expect("{");
    const std::string_view w = r_.peek_word();
    const int c = w.empty() ? 0 : static_cast<unsigned char>(w[0]);
    r_.rewind(here);
    return c;
  }
  void order(Type& t) {
    uint32_t seen = 0;
    r_.expect("{");
    do {
      const int64_t d = to_integer(r_, r_.word());
      if (d < 0 || size_t(d) >= t.rank() || (seen >> d & 1)) r_.fail("the dim order is not a permutation");
      seen |= 1u << d;
      t.dim_order.push_back(uint8_t(d));
    } while (r_.take(","));
    if (t.dim_order.size() != t.rank()) r_.fail("the dim order is not a permutation");
    r_.expect("}");
  }

  void state() {
    auto [name, type] = declaration();
    r_.expect("=");
    const std::string qualified = r_.quoted();
    ConstantPtr initial;
    if (!r_.peek("->") && !r_.peek(",") && !r_.peek(")")) initial = literal(type);
    g_.add_state(name, std::move(type), std::move(initial));
    g_.states.back().name = qualified;
    if (r_.take("->")) finals_.emplace_back(g_.states.size() - 1, value_name());
  }

  void constant() {
    auto [name, type] = declaration();
    r_.expect("=");
    ConstantPtr data = literal(type);
    g_.add_constant(name, std::move(type), std::move(data));
  }

  void mutation() {
    const int64_t input = to_integer(r_, r_.word());
    if (input < 0 || size_t(input) >= g_.inputs.size()) r_.fail("there is no input " + std::to_string(input));
    r_.expect("->");
    mutations_.emplace_back(size_t(input), value_name());
  }

  ConstantPtr literal(const Type& type) {
    TensorMeta meta;
    std::vector<int64_t> sizes;
    for (const Dim& d : type.dims) {
      if (!d.is_static()) r_.fail("the sizes of a constant are numbers");
      sizes.push_back(d.value());
    }
    if (!type.is_tensor() || !meta.set(type.dtype, sizes) || meta.size_bytes() > (size_t(1) << 40)) r_.fail("a constant cannot have this type");
    if (r_.take_word("dense")) {
      r_.expect("<");
      const std::string hash = r_.word();
      r_.expect(">");
      return std::make_shared<NamedConstant>(hash, meta.size_bytes());
    }
    std::vector<std::string> texts;
    if (r_.take("[")) {
      if (!r_.peek("]"))
        do texts.push_back(r_.number_text());
        while (r_.take(","));
      r_.expect("]");
    } else {
      texts.push_back(r_.number_text());
    }
    return elements(meta, texts);
  }

  ConstantPtr elements(const TensorMeta& meta, const std::vector<std::string>& texts) {
    DType dtype = meta.dtype;
    int64_t count = meta.numel();
    if (is_complex(dtype)) {
      dtype = dtype == DType::kC32 ? DType::kF16 : dtype == DType::kC64 ? DType::kF32 : DType::kF64;
      count *= 2;
    }
    if (int64_t(texts.size()) != count && texts.size() != 1) r_.fail(std::to_string(count) + " elements expected, not " + std::to_string(texts.size()));
    const size_t width = dtype_size(dtype);
    std::vector<std::byte> bytes(size_t(count) * width);
    for (int64_t i = 0; i < count; ++i) element(dtype, texts[texts.size() == 1 ? 0 : size_t(i)], bytes.data() + size_t(i) * width);
    return make_constant(std::move(bytes));
  }

  void element(DType dtype, const std::string& text, std::byte* p) {
    if (is_floating(dtype)) return kernels::store_one(dtype, p, 0, to_floating(r_, text));
    if (text == "true" || text == "false") return kernels::store_one(dtype, p, 0, int64_t(text == "true"));
    if (dtype != DType::kU64) return kernels::store_one(dtype, p, 0, to_integer(r_, text));
    kernels::store_one(dtype, p, 0, int64_t(std::strtoull(text.c_str(), nullptr, 10)));
  }

  Arg arg(const SchemaArg* schema) {
    if (r_.peek("%")) return value(value_name());
    if (r_.peek("\"")) return r_.quoted();
    if (r_.take("[")) {
      if (++nesting_ > 8) r_.fail("lists nest too deeply");
      Arg::List list;
      if (!r_.peek("]"))
        do list.push_back(arg(schema));
        while (r_.take(","));
      r_.expect("]");
      --nesting_;
      return list;
    }
    const std::string_view w = r_.peek_word();
    if (w.empty() || std::isdigit(static_cast<unsigned char>(w[0])) || w == "inf" || w == "nan") return number();
    const std::string name = r_.word();
    if (name == "None") return Arg();
    if (name == "true" || name == "True") return true;
    if (name == "false" || name == "False") return false;
    if (schema != nullptr && schema->type == ArgType::kMemoryFormat) {
      const char* const names[] = {"contiguous", "preserve", "channels_last", "channels_last_3d"};
      for (int i = 0; i < 4; ++i)
        if (name == names[i]) return i;
    }
    if (const auto d = dtype_from_name(name)) return *d;
    r_.fail("'" + name + "' is not an argument");
  }

  Arg number() {
    const std::string text = r_.number_text();
    if (text.find_first_of(".einf") == text.npos) return to_integer(r_, text);
    return to_floating(r_, text);
  }

  struct Args {
    std::vector<Arg> values;
    std::vector<std::string> names;  // of unknown operators
  };

  Args args(const Schema* schema) {
    Args result;
    std::vector<std::optional<Arg>> given(schema != nullptr ? schema->arg_count : 0);
    size_t next = 0;
    items([&] {
      const std::string_view w = r_.peek_word();
      std::string name;
      if (!w.empty()) {
        const size_t here = r_.position();
        name = r_.word();
        if (!r_.take("=")) r_.rewind(here), name.clear();
      }
      if (schema == nullptr) {
        result.values.push_back(arg(nullptr));
        result.names.push_back(name);
        return;
      }
      const int index = name.empty() ? int(next++) : schema->arg_index(name);
      if (index < 0 || size_t(index) >= given.size()) r_.fail(std::string(schema->name) + " has no argument " + (name.empty() ? std::to_string(index) : name));
      if (given[size_t(index)]) r_.fail("argument " + std::string(schema->arg_store[size_t(index)].name) + " is given twice");
      given[size_t(index)] = arg(&schema->arg_store[size_t(index)]);
    });
    for (size_t i = 0; i < given.size(); ++i) {
      Arg a;
      if (given[i]) a = std::move(*given[i]);
      else if (!parse_default(schema->arg_store[i], a)) r_.fail("argument " + std::string(schema->arg_store[i].name) + " is missing");
      result.values.push_back(std::move(a));
    }
    if (schema != nullptr) complete_args(*schema, result.values);
    return result;
  }

  void node() {
    std::vector<std::string> names;
    if (r_.peek("%")) {
      do {
        names.push_back(new_name());
        for (size_t i = 0; i + 1 < names.size(); ++i)
          if (names[i] == names.back()) r_.fail("%" + names.back() + " is defined twice");
      } while (r_.take(","));
      r_.expect("=");
    }
    const size_t start = r_.position();
    const std::string op = r_.word(":.");
    const Schema* schema = ops_.schema(op);
    const OpDef* def = ops_.def(op);
    Args a = args(schema);
    std::vector<Type> types = result_types(def, a.values, names.size(), start);
    Node* n = g_.add_node(nullptr, op, std::move(a.values), {}, {});
    n->schema = schema;
    n->def = def;
    n->unknown_arg_names = std::move(a.names);
    g_.set_results(n, names, std::move(types));
    if (r_.take("{")) {
      while (!r_.take("}")) {
        n->regions.push_back(std::make_unique<Graph>());
        GraphParser(r_, ops_, *n->regions.back(), depth_ + 1).parse();
      }
    }
  }

  std::vector<Type> result_types(const OpDef* def, const std::vector<Arg>& args, size_t count, size_t start) {
    std::vector<Type> types;
    if (r_.take(":")) {
      do types.push_back(type());
      while (r_.take(","));
    } else if (def != nullptr) {
      try {
        const bool list = def->schema->return_count == 1 && def->schema->return_store[0].list;
        types = infer_types(g_, *def, args, list ? count : 1, {});
      } catch (const Error& e) {
        r_.rewind(start);
        r_.fail(e.diagnostic.text());
      }
    }
    if (types.size() != count) r_.fail(std::to_string(count) + " results, but " + std::to_string(types.size()) + " types");
    return types;
  }

  Reader& r_;
  const OpLookup& ops_;
  Graph& g_;
  int depth_, nesting_ = 0;
  std::vector<std::pair<size_t, std::string>> finals_, mutations_;
};

}  // namespace

std::vector<std::unique_ptr<Graph>> parse_all(std::string_view text, const OpLookup& ops) {
  Reader reader(text);
  std::vector<std::unique_ptr<Graph>> graphs;
  while (!reader.done()) {
    graphs.push_back(std::make_unique<Graph>());
    GraphParser(reader, ops, *graphs.back(), 0).parse();
  }
  return graphs;
}

std::unique_ptr<Graph> parse(std::string_view text, const OpLookup& ops) {
  std::vector<std::unique_ptr<Graph>> graphs = parse_all(text, ops);
  if (graphs.size() != 1) throw Error(Code::kInvalidProgram, "one graph expected, not " + std::to_string(graphs.size()));
  return std::move(graphs[0]);
}

}  // namespace glint::ir
