#include "glint/compiler/ir/graph.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <unordered_map>

#include "glint/compiler/ir/text.h"

namespace glint::ir {

// --- constants ---------------------------------------------------------------

namespace {

// SipHash-1-3 with 128 bits of result and a fixed key: fast enough for gigabytes, and no accidental collisions.
class Sip {
 public:
  void add(uint64_t word) {
    v_[3] ^= word;
    round();
    v_[0] ^= word;
  }
  std::string hex(uint64_t size) {
    add(size);
    v_[2] ^= 0xee;
    const uint64_t low = finish();
    v_[1] ^= 0xdd;
    const uint64_t high = finish();
    std::string s;
    for (uint64_t half : {high, low})
      for (int i = 60; i >= 0; i -= 4) s += "0123456789abcdef"[half >> i & 15];
    return s;
  }

 private:
  void round() {
    auto& [a, b, c, d] = v_;
    a += b; b = std::rotl(b, 13); b ^= a; a = std::rotl(a, 32);
    c += d; d = std::rotl(d, 16); d ^= c;
    a += d; d = std::rotl(d, 21); d ^= a;
    c += b; b = std::rotl(b, 17); b ^= c; c = std::rotl(c, 32);
  }
  uint64_t finish() {
    for (int i = 0; i < 3; ++i) round();
    return v_[0] ^ v_[1] ^ v_[2] ^ v_[3];
  }
  uint64_t v_[4] = {0x736f6d6570736575, 0x646f72616e646f83, 0x6c7967656e657261, 0x7465646279746573};
};

class OwnedConstant final : public ConstantData {
 public:
  explicit OwnedConstant(std::vector<std::byte> bytes) : bytes_(std::move(bytes)) {}
  size_t size() const override { return bytes_.size(); }
  Status read(std::span<std::byte> out) const override {
    if (out.size() != bytes_.size()) return internal_error("a constant is read into a buffer of another size");
    if (!out.empty()) std::memcpy(out.data(), bytes_.data(), out.size());
    return {};
  }

 private:
  std::vector<std::byte> bytes_;
};

}  // namespace

std::string hash_bytes(std::span<const std::byte> bytes) {
  Sip sip;
  size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + i, 8);
    sip.add(word);
  }
  uint64_t last = 0;
  if (i < bytes.size()) std::memcpy(&last, bytes.data() + i, bytes.size() - i);
  sip.add(last);
  return sip.hex(bytes.size());
}

const std::string& ConstantData::hash() const {
  if (hash_.empty()) {
    std::vector<std::byte> bytes(size());
    if (const Status s = read(bytes); !s.ok()) throw Error(s.code(), std::string("a constant cannot be read: ") + s.why());
    hash_ = hash_bytes(bytes);
  }
  return hash_;
}

ConstantPtr make_constant(std::vector<std::byte> bytes) { return std::make_shared<OwnedConstant>(std::move(bytes)); }

// --- arguments ---------------------------------------------------------------

double Arg::to_double() const {
  if (is_int()) return double(as_int());
  if (is_bool()) return as_bool() ? 1.0 : 0.0;
  return as_float();
}

std::vector<int64_t> Arg::ints() const {
  std::vector<int64_t> v;
  for (const Arg& a : list()) v.push_back(a.as_int());
  return v;
}

namespace {
template <class F>
void for_each_value(const Arg& arg, F&& f) {
  if (arg.is_value()) f(arg.value());
  if (arg.is_list())
    for (const Arg& a : arg.list()) for_each_value(a, f);
}

/// The argument with `from` replaced; whether it occurred.
bool replace_in(Arg& arg, Value* from, Value* to) {
  if (arg.is_value() && arg.value() == from) {
    arg = to;
    return true;
  }
  bool any = false;
  if (arg.is_list())
    for (Arg& a : arg.list()) any |= replace_in(a, from, to);
  return any;
}
}  // namespace

// --- nodes -------------------------------------------------------------------

const Arg& Node::arg(std::string_view name) const {
  const int i = schema != nullptr ? schema->arg_index(name) : -1;
  if (i < 0 || size_t(i) >= args_.size()) throw Error(Code::kInternal, *this, "there is no argument called " + std::string(name));
  return args_[size_t(i)];
}

void Node::set_arg(size_t i, Arg value) {
  graph_->add_uses(this, value);
  graph_->drop_uses(this, args_.at(i));
  args_[i] = std::move(value);
  ++graph_->version_;
}

void Node::set_args(std::vector<Arg> args) {
  for (const Arg& a : args) graph_->add_uses(this, a);
  for (const Arg& a : args_) graph_->drop_uses(this, a);
  args_ = std::move(args);
  ++graph_->version_;
}

std::vector<Value*> Node::inputs() const {
  std::vector<Value*> v;
  for (const Arg& a : args_) for_each_value(a, [&](Value* x) { v.push_back(x); });
  return v;
}

// --- graph -------------------------------------------------------------------

struct Graph::Names {
  std::unordered_map<std::string, Value*> values;
  std::unordered_map<std::string, int> next;  // suffix to try for a hint
};

Graph::Graph() : names_(std::make_unique<Names>()) {}
Graph::~Graph() = default;

std::vector<Node*> Graph::nodes() const {
  std::vector<Node*> v;
  v.reserve(nodes_.size());
  for (const auto& n : nodes_) v.push_back(n.get());
  return v;
}

Node* Graph::previous(const Node* node) const { return node->self_ == nodes_.begin() ? nullptr : std::prev(node->self_)->get(); }

std::vector<Value*> Graph::constants() const { return constants_; }

std::string Graph::unique_name(std::string_view hint) {
  std::string name;
  for (char c : hint) name += std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' ? c : '_';
  if (name.empty()) name = "v";
  if (!names_->values.contains(name)) return name;
  int& n = names_->next[name];
  std::string numbered;
  do numbered = name + "_" + std::to_string(++n);
  while (names_->values.contains(numbered));
  return numbered;
}

Value* Graph::find_value(std::string_view name) const {
  const auto it = names_->values.find(std::string(name));
  return it == names_->values.end() ? nullptr : it->second;
}

Value* Graph::new_value(std::string_view hint, Type type, Value::Role role) {
  values_.push_back(std::make_unique<Value>());
  Value* v = values_.back().get();
  v->type = std::move(type);
  v->role = role;
  v->name = unique_name(hint);
  names_->values[v->name] = v;
  ++version_;
  return v;
}

Value* Graph::add_input(std::string name, Type type) {
  Value* v = new_value(name, std::move(type), Value::Role::kInput);
  v->index = int(inputs.size());
  inputs.push_back(v);
  return v;
}

Value* Graph::add_constant(std::string name, Type type, ConstantPtr data) {
  Value* v = new_value(name, std::move(type), Value::Role::kConstant);
  v->constant = std::move(data);
  constants_.push_back(v);
  return v;
}

Value* Graph::add_state(std::string name, Type type, ConstantPtr initial) {
  Value* v = new_value(name, std::move(type), Value::Role::kState);
  v->index = int(states.size());
  states.push_back({std::move(name), v, nullptr, std::move(initial)});
  return v;
}

std::string_view base_name(std::string_view op) {
  if (const size_t colons = op.find("::"); colons != op.npos) op.remove_prefix(colons + 2);
  return op.substr(0, op.find('.'));
}

Node* Graph::add_node(Node* before, std::string op, std::vector<Arg> args, std::vector<Type> result_types, OriginPtr origin) {
  auto owned = std::make_unique<Node>();
  Node* node = owned.get();
  node->op = std::move(op);
  node->origin = std::move(origin);
  node->graph_ = this;
  node->id = next_id_++;
  for (const Arg& a : args) add_uses(node, a);
  node->args_ = std::move(args);
  const std::string hint = node->origin != nullptr && !node->origin->name.empty() ? node->origin->name : std::string(base_name(node->op));
  const std::vector<std::string> names(result_types.size(), hint);
  set_results(node, names, std::move(result_types));
  node->self_ = nodes_.insert(before != nullptr ? before->self_ : nodes_.end(), std::move(owned));
  ++version_;
  return node;
}

void Graph::set_results(Node* node, const std::vector<std::string>& names, std::vector<Type> types) {
  for (size_t i = 0; i < types.size(); ++i) {
    Value* v = new_value(names[i], std::move(types[i]), Value::Role::kResult);
    v->producer = node;
    v->index = int(node->results_.size());
    node->results_.push_back(v);
  }
}

void Graph::add_uses(Node* user, const Arg& arg) {
  for_each_value(arg, [&](Value* v) { v->users_.push_back(user); });
}

void Graph::drop_uses(Node* user, const Arg& arg) {
  for_each_value(arg, [&](Value* v) {
    // From the back: what was added last is dropped first.
    const auto it = std::find(v->users_.rbegin(), v->users_.rend(), user);
    if (it != v->users_.rend()) v->users_.erase(std::next(it).base());
  });
}

void Graph::replace_uses(Value* from, Value* to) {
  if (from == to) return;
  for (Node* user : std::vector<Node*>(from->users_)) {
    for (size_t i = 0; i < user->args_.size(); ++i) {
      Arg changed = user->args_[i];
      if (replace_in(changed, from, to)) user->set_arg(i, std::move(changed));
    }
  }
  for (Arg& a : outputs) replace_in(a, from, to);
  for (State& s : states)
    if (s.final == from) s.final = to;
  for (InputMutation& m : mutations)
    if (m.final == from) m.final = to;
  if (to->producer != nullptr && to->producer->origin == nullptr && from->producer != nullptr) to->producer->origin = from->producer->origin;
  ++version_;
}

void Graph::erase(Node* node) {
  for (const Value* v : node->results_)
    if (!is_unused(v)) throw Error(Code::kInternal, *node, "a node whose result %" + v->name + " is used cannot be erased");
  for (const Arg& a : node->args_) drop_uses(node, a);
  for (const Value* v : node->results_) names_->values.erase(v->name);
  nodes_.erase(node->self_);
  ++version_;
}

void Graph::prune_constants() {
  std::erase_if(constants_, [&](Value* v) {
    if (!is_unused(v)) return false;
    names_->values.erase(v->name);
    ++version_;
    return true;
  });
}

bool Graph::is_output(const Value* v) const {
  bool found = false;
  for (const Arg& a : outputs) for_each_value(a, [&](const Value* o) { found |= o == v; });
  for (const State& s : states) found |= s.final == v;
  for (const InputMutation& m : mutations) found |= m.final == v;
  return found;
}

void Graph::move_before(Node* node, Node* before) {
  nodes_.splice(before != nullptr ? before->self_ : nodes_.end(), nodes_, node->self_);
  ++version_;
}

// --- diagnostics -------------------------------------------------------------

std::string Diagnostic::text() const {
  std::string s = message;
  if (!operands.empty()) s += "\n  operands: " + operands;
  if (origin != nullptr) {
    if (!origin->name.empty()) s += "\n  value: " + origin->name;
    if (!origin->module_path.empty()) s += "\n  module: " + origin->module_path;
    if (!origin->source.empty()) s += "\n  source: " + origin->source;
  }
  if (!hint.empty()) s += "\n  hint: " + hint;
  return s;
}

Error::Error(Code code, std::string message, OriginPtr origin, std::string operands, std::string hint)
    : diagnostic{code, std::move(message), std::move(operands), std::move(origin), std::move(hint)} {}

Error::Error(Code code, const Node& node, std::string message, std::string hint)
    : diagnostic{code, node.op + ": " + message, describe_operands(node), node.origin, std::move(hint)} {}

namespace {
std::string describe_arg(const Arg& arg, const Symbols& symbols) {
  if (arg.is_value()) return describe(arg.value()->type, symbols);
  if (!arg.is_list()) return print_arg(arg);
  std::string s = "[";
  for (size_t i = 0; i < arg.list().size(); ++i) s += (i ? ", " : "") + describe_arg(arg.list()[i], symbols);
  return s + "]";
}
}  // namespace

std::string describe_operands(const Schema* schema, std::span<const Arg> args, const Symbols& symbols) {
  std::string s;
  for (size_t i = 0; i < args.size(); ++i) {
    const bool named = schema != nullptr && i < schema->arg_count;
    if (named && is_default(schema->arg_store[i], args[i])) continue;
    s += (s.empty() ? "" : ", ") + (named ? std::string(schema->arg_store[i].name) + " " : std::string()) + describe_arg(args[i], symbols);
  }
  return s;
}

std::string describe_operands(const Node& node) { return describe_operands(node.schema, node.args(), node.graph().symbols); }

std::string describe(const Type& type, const Symbols& symbols) {
  switch (type.kind) {
    case Type::Kind::kInt: return type.has_number ? "int(" + symbols.print(type.number) + ")" : "int";
    case Type::Kind::kFloat: return "float";
    case Type::Kind::kBool: return "bool";
    case Type::Kind::kTensor: break;
  }
  std::string s = std::string(dtype_short_name(type.dtype)) + "[";
  for (size_t i = 0; i < type.dims.size(); ++i) s += (i ? "," : "") + symbols.print(type.dims[i]);
  s += "]";
  for (size_t i = 0; i < type.dim_order.size(); ++i) s += (i ? "," : "{") + std::to_string(type.dim_order[i]);
  return type.dim_order.empty() ? s : s + "}";
}

}  // namespace glint::ir
