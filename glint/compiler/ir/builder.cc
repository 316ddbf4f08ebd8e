#include "glint/compiler/ir/builder.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <unordered_map>

#include "glint/compiler/ir/call.h"
#include "glint/compiler/ir/text.h"
#include "glint/kernels/convert.h"

namespace glint::ir {

// --- lookup ------------------------------------------------------------------

struct OpLookup::Index {
  std::unordered_map<std::string_view, const OpDef*> defs;
  std::unordered_map<std::string_view, const Schema*> schemas;
};

OpLookup::OpLookup(OpTable ops, std::span<const Schema* const> composites) {
  auto index = std::make_shared<Index>();
  for (const OpFamily* family : ops)
    for (const OpDef& def : family->defs) {
      index->defs.emplace(def.name(), &def);
      index->schemas.emplace(def.name(), def.schema);
    }
  for (const Schema* s : composites) index->schemas.emplace(s->name, s);
  index_ = std::move(index);
}

std::string functional_name(std::string_view name) {
  const std::string_view base = base_name(name);
  if (!base.ends_with('_') || base.ends_with("__")) return "";
  // Two of PyTorch's have functional forms of other names.
  if (name == "aten::normal_") return "aten::normal_functional";
  if (name == "aten::bernoulli_.float") return "aten::bernoulli.p";
  std::string s(name);
  s.erase(size_t(base.data() + base.size() - 1 - name.data()), 1);
  return s;
}

const Schema* OpLookup::schema(std::string_view name) const {
  auto it = index_->schemas.find(name);
  if (it == index_->schemas.end()) {
    const std::string functional = functional_name(name);
    if (functional.empty() || (it = index_->schemas.find(functional)) == index_->schemas.end()) return nullptr;
  }
  return it->second;
}

const OpDef* OpLookup::def(std::string_view name) const {
  const auto it = index_->defs.find(name);
  return it == index_->defs.end() ? nullptr : it->second;
}

// --- arguments ---------------------------------------------------------------

namespace {

bool parse_default_word(const SchemaArg& arg, std::string_view word, Arg& out) {
  if (word == "None") return out = Arg(), true;
  if (word == "True") return out = true, true;
  if (word == "False") return out = false, true;
  if (word == "contiguous_format") return out = 0, true;
  if (word == "preserve_format" || word == "Mean") return out = 1, true;
  if (word == "long") return out = DType::kI64, true;
  if (arg.type == ArgType::kDType) {
    const auto d = dtype_from_name(word);
    return d ? (out = *d, true) : false;
  }
  const std::string text(word);
  char* end = nullptr;
  const double v = std::strtod(text.c_str(), &end);  // reads inf and nan too
  if (end == text.c_str() || *end != 0) return false;
  const bool integral = text.find_first_of(".einf") == text.npos;
  if (arg.type == ArgType::kFloat || !integral) return out = v, true;
  return out = int64_t(std::strtoll(text.c_str(), nullptr, 10)), true;
}

/// A single value for a list argument stands for all entries; ints serve as floats and dtypes.
void normalize(const SchemaArg& arg, Arg& a) {
  if (a.is_none()) return;
  if (arg.list) {
    const bool single_number = a.is_number() || (a.is_value() && !a.value()->type.is_tensor());
    if (arg.type != ArgType::kTensor && single_number) a = Arg::List(size_t(std::max<int>(arg.list_size, 1)), a);
    if (arg.type == ArgType::kTensor && a.is_value()) a = Arg::List{a};
    if (!a.is_list()) return;
    if (arg.type == ArgType::kFloat)
      for (Arg& item : a.list())
        if (item.is_int()) item = double(item.as_int());
    return;
  }
  if (arg.type == ArgType::kFloat && a.is_int()) a = double(a.as_int());
  if (arg.type == ArgType::kDType && a.is_int() && is_valid_dtype(a.as_int())) a = DType(a.as_int());
}

}  // namespace

bool parse_default(const SchemaArg& arg, Arg& out) {
  const std::string_view t = arg.default_text;
  if (t.empty()) return false;
  if (t[0] == '\'' || t[0] == '"') return out = std::string(t.substr(1, t.size() - 2)), true;
  if (t[0] != '[') {
    if (!parse_default_word(arg, t, out)) return false;
    normalize(arg, out);
    return true;
  }
  Arg::List list;
  for (std::string_view rest = t.substr(1, t.size() - 2); !rest.empty();) {
    const size_t comma = rest.find(',');
    std::string_view word = rest.substr(0, comma);
    while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
    while (!word.empty() && word.back() == ' ') word.remove_suffix(1);
    if (!parse_default_word(arg, word, list.emplace_back())) return false;
    rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
  }
  out = std::move(list);
  return true;
}

bool is_default(const SchemaArg& arg, const Arg& value) {
  Arg a;
  return parse_default(arg, a) && a == value;
}

void complete_args(const Schema& schema, std::vector<Arg>& args) {
  const std::string name(schema.name);
  if (args.size() > schema.arg_count) throw Error(Code::kInvalidProgram, name + ": too many arguments");
  for (size_t i = 0; i < args.size(); ++i) normalize(schema.arg_store[i], args[i]);
  while (args.size() < schema.arg_count) {
    const SchemaArg& arg = schema.arg_store[args.size()];
    Arg a;
    if (!parse_default(arg, a)) throw Error(Code::kInvalidProgram, name + ": argument " + std::string(arg.name) + " is missing");
    args.push_back(std::move(a));
  }
}

// --- inference ---------------------------------------------------------------

namespace {

void collect(const Arg& a, std::vector<const Value*>& values) {
  if (a.is_value()) values.push_back(a.value());
  if (a.is_list())
    for (const Arg& item : a.list()) collect(item, values);
}

/// One inference: the results of a call at every sample, and the types that explain them.
struct Inference {
  Inference(Graph& g, const OpDef& d, std::span<const Arg> a, size_t n, const OriginPtr& o) : graph(g), def(d), args(a), list_results(n), origin(o) {}

  Graph& graph;
  const OpDef& def;
  std::span<const Arg> args;
  size_t list_results;
  const OriginPtr& origin;

  std::vector<std::vector<int64_t>> at;      // the assignments tried
  std::vector<std::vector<Tensor>> metas;    // results at each; empty where infer refused
  std::vector<std::vector<OpValue>> numbers;
  std::vector<Dim> candidates;
  bool dynamic = false;

  [[noreturn]] void refuse(Code code, const std::string& why, const std::vector<int64_t>& assignment) const {
    std::string sizes;
    if (dynamic)
      for (size_t i = 0; i < assignment.size(); ++i) sizes += (i ? ", " : " (at ") + graph.symbols[int(i)].name + "=" + std::to_string(assignment[i]);
    throw Error(code, std::string(def.name()) + ": " + why + (sizes.empty() ? "" : sizes + ")"), origin, describe_operands(def.schema, args, graph.symbols));
  }

  void look_at_args() {
    std::vector<const Value*> values;
    for (const Arg& a : args) collect(a, values);
    const auto candidate = [&](const Dim& d) {
      if (d.is_static()) return;
      dynamic = true;
      if (std::find(candidates.begin(), candidates.end(), d) == candidates.end()) candidates.push_back(d);
    };
    for (const Value* v : values) {
      for (const Dim& d : v->type.dims) candidate(d);
      if (v->type.kind == Type::Kind::kInt && v->type.has_number) candidate(v->type.number);
    }
  }

  /// Sizes that may be zero, or that only the running program knows, reach assignments that the program excludes.
  bool may_be_excluded(const std::vector<int64_t>& assignment) const {
    for (size_t i = 0; i < assignment.size(); ++i)
      if (assignment[i] == 0 || graph.symbols[int(i)].data_dependent) return true;
    return false;
  }

  void run() {
    look_at_args();
    at = graph.symbols.samples();
    if (!dynamic) at.resize(1);
    bool any = false;
    Status last;
    std::vector<int64_t> refused_at;
    for (const auto& assignment : at) {
      metas.emplace_back();
      numbers.emplace_back();
      Status status;
      try {
        Call call(*def.schema, args, list_results, resolve_types(graph.symbols, assignment));
        status = def.infer(call.in, call.out);
        if (status.ok()) {
          any = true;
          metas.back().assign(call.results.begin(), call.results.end());
          numbers.back() = call.out;
        }
      } catch (const Error& e) {
        if (!may_be_excluded(assignment)) refuse(e.diagnostic.code, e.diagnostic.message, assignment);
        last = invalid_program("an operand has impossible sizes");
        refused_at = assignment;
      }
      if (!status.ok()) {
        if (!may_be_excluded(assignment)) refuse(status.code(), status.why(), assignment);
        last = status;
        refused_at = assignment;
      }
    }
    if (!any) refuse(last.code(), last.why(), refused_at);
  }

  /// Which sizes of value-dependent results move with the elements: those that differ from the bound for all-zero or all-one elements.
  std::vector<std::vector<bool>> moving_sizes() const {
    size_t k = 0;  // the first assignment that worked, for which the operands fit in memory
    while (metas[k].empty() && k + 1 < at.size()) ++k;
    std::vector<std::vector<bool>> moving;
    for (const Tensor& t : metas[k]) moving.emplace_back(size_t(t.rank), false);
    for (int fill : {0, 1}) {
      std::vector<std::vector<std::byte>> memory;
      size_t total = 0;
      Resolve types = resolve_types(graph.symbols, at[k]);
      Call call(*def.schema, args, list_results, [&](const Value& v, Tensor& store) {
        const OpValue r = types(v, store);
        if (r.kind == OpValue::Kind::kTensor && (total += store.size_bytes()) < (size_t(256) << 20)) {
          memory.emplace_back(std::max<size_t>(store.size_bytes(), 1));
          store.data = memory.back().data();
          const std::vector<int64_t> ones(size_t(fill != 0 ? store.numel() : 0), 1);
          kernels::store(store.dtype, store.data, 1, int64_t(ones.size()), ones.data());
        }
        return r;
      });
      if (!def.infer(call.in, call.out).ok()) continue;
      for (size_t r = 0; r < call.results.size(); ++r)
        for (int d = 0; d < call.results[r].rank && size_t(d) < moving[r].size(); ++d)
          if (call.results[r].size[size_t(d)] != metas[k][r].size[size_t(d)]) moving[r][size_t(d)] = true;
    }
    return moving;
  }

  Type tensor_type(size_t r, const std::vector<bool>* moving) {
    const Tensor* first = nullptr;
    for (const auto& m : metas) {
      if (m.empty()) continue;
      if (first == nullptr) first = &m[r];
      if (m[r].rank != first->rank || m[r].dtype != first->dtype) refuse(Code::kInvalidProgram, "the rank or dtype of the result depends on sizes", at[0]);
    }
    Type type = Type::tensor(first->dtype, {});
    for (int d = 0; d < first->rank; ++d) {
      std::vector<int64_t> sizes;
      for (const auto& m : metas) sizes.push_back(m.empty() ? Symbols::kNoValue : m[r].size[size_t(d)]);
      const auto known = std::find(fitted_values_.begin(), fitted_values_.end(), sizes);
      Dim dim;
      if (moving == nullptr && known != fitted_values_.end()) {
        dim = fitted_[size_t(known - fitted_values_.begin())];
      } else {
        dim = graph.symbols.fit(at, sizes, candidates);
        if (moving != nullptr && (*moving)[size_t(d)]) dim = new_symbol(sizes, dim);
        fitted_values_.push_back(sizes);
        fitted_.push_back(dim);
      }
      type.dims.push_back(dim);
    }
    return type;
  }

  /// A size that the elements decide, at most `bound`. Results of one call that share a bound share the symbol.
  Dim new_symbol(const std::vector<int64_t>& sizes, const Dim& bound) {
    for (size_t i = 0; i < moving_values_.size(); ++i)
      if (moving_values_[i] == sizes) return moving_[i];
    int n = 0;
    while (graph.symbols.find("u" + std::to_string(n)) >= 0) ++n;
    const int64_t most = graph.symbols.range(bound).max;
    moving_values_.push_back(sizes);
    moving_.push_back(graph.symbols.dim(graph.symbols.add({"u" + std::to_string(n), 0, most, 1, true})));
    return moving_.back();
  }

  Type number_type(size_t i) {
    Type type;
    if (symbolic_result(def.name(), args, type)) {
      if (type.kind == Type::Kind::kInt && !type.has_number) type = unknown_int();
      return type;
    }
    const SchemaArg& r = def.schema->return_store[i];
    if (r.type == ArgType::kFloat) return Type::of(Type::Kind::kFloat);
    if (r.type == ArgType::kBool) return Type::of(Type::Kind::kBool);
    if (r.type == ArgType::kScalar) {  // item(): as its tensor
      const DType d = !args.empty() && args[0].is_value() ? args[0].value()->type.dtype : DType::kI64;
      if (is_floating(d)) return Type::of(Type::Kind::kFloat);
      if (d == DType::kBool) return Type::of(Type::Kind::kBool);
    }
    return unknown_int();
  }

  Type unknown_int() {
    int n = 0;
    while (graph.symbols.find("u" + std::to_string(n)) >= 0) ++n;
    return Type::integer(graph.symbols.dim(graph.symbols.add({"u" + std::to_string(n), -Symbol::kUnbounded, Symbol::kUnbounded, 1, true})));
  }

  std::vector<Type> types() {
    std::vector<std::vector<bool>> moving;
    if (def.flags.value_shape) moving = moving_sizes();
    std::vector<Type> types;
    size_t tensor = 0;
    for (size_t i = 0; i < def.schema->return_count; ++i) {
      const SchemaArg& r = def.schema->return_store[i];
      if (r.type != ArgType::kTensor) {
        types.push_back(number_type(i));
        continue;
      }
      for (size_t k = 0; k < (r.list ? list_results : 1); ++k, ++tensor) types.push_back(tensor_type(tensor, moving.empty() ? nullptr : &moving[tensor]));
    }
    return types;
  }

 private:
  std::vector<std::vector<int64_t>> fitted_values_, moving_values_;
  std::vector<Dim> fitted_, moving_;
};

}  // namespace

std::vector<Type> infer_types(Graph& graph, const OpDef& def, std::span<const Arg> args, size_t list_results, const OriginPtr& origin) {
  Inference inference(graph, def, args, list_results, origin);
  inference.run();
  return inference.types();
}

// --- builder -----------------------------------------------------------------

Builder::Builder(Graph& graph, const OpLookup& ops, Node* at, OriginPtr origin)
    : graph_(graph), ops_(ops), at_(at), origin_(origin != nullptr || at == nullptr ? std::move(origin) : at->origin) {}

Value* Builder::op(std::string_view name, std::vector<Arg> args) {
  const std::vector<Value*> results = ops(name, std::move(args));
  if (results.size() != 1) throw Error(Code::kInternal, std::string(name) + ": one result expected");
  return results[0];
}

namespace {
/// A number where a tensor is expected selects the .Scalar overload, or becomes a constant.
std::string place_numbers(Builder& b, std::string name, std::vector<Arg>& args) {
  const Schema* schema = b.lookup().schema(name);
  if (name.ends_with(".Tensor") && args.size() > 1 && args[1].is_number() && args[0].is_value()) {
    const std::string scalar = name.substr(0, name.size() - 6) + "Scalar";
    if (b.lookup().def(scalar) != nullptr) return scalar;
  }
  for (size_t i = 0; i < args.size() && i < schema->arg_count; ++i)
    if (schema->arg_store[i].type == ArgType::kTensor && !schema->arg_store[i].list && args[i].is_number())
      args[i] = b.scalar(wrapped_dtype(args[i], args), args[i].to_double());
  return name;
}
}  // namespace

std::vector<Value*> Builder::ops(std::string_view wanted, std::vector<Arg> args, size_t list_results) {
  std::string name(wanted);
  if (ops_.schema(name) == nullptr) throw Error(Code::kUnsupported, name + ": this build has no such operator", origin_);
  name = place_numbers(*this, std::move(name), args);
  const OpDef* def = ops_.def(name);
  if (def == nullptr) throw Error(Code::kUnsupported, name + ": this build has no definition of the operator", origin_);
  complete_args(*def->schema, args);
  std::vector<Type> types = infer_types(graph_, *def, args, list_results, origin_);
  Node* node = graph_.add_node(at_, name, std::move(args), std::move(types), origin_);
  node->schema = def->schema;
  node->def = def;
  return node->results();
}

Value* Builder::composite(std::string_view name, std::vector<Arg> args, Type type) {
  const Schema* schema = ops_.schema(name);
  if (schema != nullptr) complete_args(*schema, args);
  Node* node = graph_.add_node(at_, std::string(name), std::move(args), {std::move(type)}, origin_);
  node->schema = schema;
  node->def = ops_.def(name);
  return node->result();
}

Value* Builder::constant(DType dtype, const std::vector<int64_t>& sizes, const std::vector<double>& elements) {
  TensorMeta meta;
  if (!meta.set(dtype, sizes) || meta.numel() != int64_t(elements.size())) throw Error(Code::kInternal, "a constant whose elements do not fit its sizes", origin_);
  std::vector<std::byte> bytes(meta.size_bytes());
  kernels::store(dtype, bytes.data(), 1, meta.numel(), elements.data());
  return graph_.add_constant("c", Type::tensor(dtype, {sizes.begin(), sizes.end()}), make_constant(std::move(bytes)));
}

namespace {

/// An int value before `at` that equals `d`.
Value* find_number(const Graph& graph, const Node* at, const Dim& d) {
  const auto fits = [&](const Value* v) { return v->type.kind == Type::Kind::kInt && v->type.has_number && v->type.number == d; };
  for (Value* v : graph.inputs)
    if (fits(v)) return v;
  for (Node* n : graph.nodes()) {
    if (n == at) break;
    for (Value* v : n->results())
      if (fits(v)) return v;
  }
  return nullptr;
}

/// A tensor before `at` of which dimension `dim` is `d`.
Value* find_tensor(const Graph& graph, const Node* at, const Dim& d, int64_t& dim) {
  const auto fits = [&](const Value* v) {
    for (size_t i = 0; i < v->type.dims.size(); ++i)
      if (v->type.dims[i] == d) return dim = int64_t(i), true;
    return false;
  };
  for (Value* v : graph.inputs)
    if (fits(v)) return v;
  for (const State& s : graph.states)
    if (fits(s.value)) return s.value;
  for (Node* n : graph.nodes()) {
    if (n == at) break;
    for (Value* v : n->results())
      if (fits(v)) return v;
  }
  return nullptr;
}

}  // namespace

Arg Builder::size(const Dim& d) {
  if (d.is_static()) return d.value();
  if (Value* v = find_number(graph_, at_, d)) return v;
  int64_t dim = 0;
  if (Value* t = find_tensor(graph_, at_, d, dim)) return op("aten::sym_size.int", {t, dim});
  const Expr& e = *d.expr();
  if (e.kind == Expr::Kind::kSymbol) throw Error(Code::kInvalidProgram, "no value knows the size " + graph_.symbols.print(d), origin_);
  const char* name = nullptr;
  switch (e.kind) {
    case Expr::Kind::kAdd: name = "executorch_prim::add.Scalar"; break;
    case Expr::Kind::kMul: name = "executorch_prim::mul.Scalar"; break;
    case Expr::Kind::kFloorDiv: name = "executorch_prim::floordiv.Scalar"; break;
    case Expr::Kind::kMod: name = "executorch_prim::mod.Scalar"; break;
    case Expr::Kind::kMin: name = "executorch_prim::sym_min.Scalar"; break;
    case Expr::Kind::kMax: name = "executorch_prim::sym_max.Scalar"; break;
    default: break;
  }
  Arg r = size(Dim(e.operands[0]));
  for (size_t i = 1; i < e.operands.size(); ++i) r = op(name, {r, size(Dim(e.operands[i]))});
  return r;
}

Arg Builder::sizes(const std::vector<Dim>& dims) {
  Arg::List list;
  for (const Dim& d : dims) list.push_back(size(d));
  return list;
}

Arg Builder::add(const Arg& a, const Arg& b) {
  if (a.is_int() && b.is_int()) return (Dim(a.as_int()) + Dim(b.as_int())).value();
  if (a.is_int() && a.as_int() == 0) return b;
  if (b.is_int() && b.as_int() == 0) return a;
  return op("executorch_prim::add.Scalar", {a, b});
}

Arg Builder::mul(const Arg& a, const Arg& b) {
  if (a.is_int() && b.is_int()) return (Dim(a.as_int()) * Dim(b.as_int())).value();
  if (a.is_int() && a.as_int() == 1) return b;
  if (b.is_int() && b.as_int() == 1) return a;
  return op("executorch_prim::mul.Scalar", {a, b});
}

}  // namespace glint::ir
