#include "glint/compiler/emit.h"

#include <algorithm>
#include <memory>
#include <unordered_map>
#include <unordered_set>

#include "glint/compiler/in_place.h"
#include "glint/compiler/ir/call.h"
#include "glint/compiler/ir/match.h"
#include "glint/compiler/portable_ops.h"
#include "glint/runtime/plan.h"

namespace glint::compiler {
namespace {

using ir::Arg;
using ir::Error;
using ir::Graph;
using ir::Node;
using ir::Symbols;
using ir::Type;
using ir::Value;

/// dtype, layout, device and pin_memory together are PyTorch's TensorOptions: out variants take them from the result.
bool has_tensor_options(const Schema& s) {
  return s.arg_index("dtype") >= 0 && s.arg_index("layout") >= 0 && s.arg_index("device") >= 0 && s.arg_index("pin_memory") >= 0;
}
bool is_tensor_option(const SchemaArg& a) { return a.name == "dtype" || a.name == "layout" || a.name == "device" || a.name == "pin_memory"; }

int64_t bytes_at_bound(const Type& type, const Symbols& symbols, const Node* node) {
  int64_t bytes = int64_t(dtype_size(type.dtype));
  for (const ir::Dim& d : type.dims) {
    const int64_t most = symbols.range(d).max;
    if (most == ir::Symbol::kUnbounded) {
      const std::string message = "the size " + symbols.print(d) + " has no upper bound, so no memory can be planned for it";
      const std::string hint = "give the dimension a maximum when exporting, or compile with --bound";
      if (node != nullptr) throw Error(Code::kInvalidArgument, *node, message, hint);
      throw Error(Code::kInvalidArgument, message, {}, {}, hint);
    }
    if (!checked_mul(bytes, std::max<int64_t>(most, 0), &bytes)) throw Error(Code::kInvalidArgument, "a tensor of " + ir::describe(type, symbols) + " is too large at its bounds");
  }
  return bytes;
}

/// What the graph of a method and the regions in it write to together.
struct Output {
  const Target& target;
  ProgramSpec& program;
  std::unordered_map<std::string, int32_t>& constants;
  MethodReport& report;
  MethodSpec method;
  std::unordered_map<std::string, int32_t> shared;  // constants of the value table
  std::unordered_set<int32_t> counted;
};

/// Emits one graph: a method, or a region of one, whose instructions lie among those of the method.
class GraphEmitter {
  /// Where a value lies in another one's memory: from `start` on along `dim`.
  struct Window {
    const Value* host;
    int dim;
    int64_t start;
  };

 public:
  GraphEmitter(const Graph& graph, Output& out) : graph_(graph), symbols_(graph.symbols), out_(out), nodes_(graph.nodes()) {}

  /// The whole method.
  void run() {
    method_.name = report_.name = graph_.name;
    method_.encoded_inputs = graph_.in_spec;
    method_.encoded_outputs = graph_.out_spec;
    overwrites_ = update_states(graph_, target_);
    plan_method();
    for (const Value* v : graph_.inputs) {
      method_.inputs.push_back(value(v));
      method_.input_names.push_back(v->name);
    }
    for (const Node* n : nodes_) call(*n);
    write_back();
    for (size_t i = 0; i < graph_.outputs.size(); ++i) {
      method_.outputs.push_back(argument(graph_.outputs[i], SchemaArg{}));
      method_.output_names.push_back(i < graph_.output_names.size() ? graph_.output_names[i] : "output" + std::to_string(i));
    }
  }

 private:
  // ---- memory ----

  void plan_method() {
    // States outlive every call; for other runtimes they are planned behind the activations.
    uint64_t total = report_.arena_bytes = plan_memory();
    for (const ir::State& s : graph_.states) {
      const uint64_t bytes = uint64_t(bytes_at_bound(s.value->type, symbols_, nullptr));
      state_offset_[s.value] = total = align_up(total, kPlanAlignment);
      total += bytes;
      report_.state_bytes += bytes;
    }
    move_to(0);
    method_.memory_sizes = {0};
    if (total > 0 || !offset_.empty() || !graph_.states.empty()) method_.memory_sizes.push_back(int64_t(total));
  }

  /// The value whose memory `v` lies in: what it views, or the concatenation that it is written into.
  const Value* root_of(const Value* v) const {
    for (v = viewed(v);;) {
      const auto window = windows_.find(v);
      if (window == windows_.end()) return v;
      v = window->second.host;
    }
  }

  bool graph_is_output(const Value* v) const { return std::any_of(graph_.outputs.begin(), graph_.outputs.end(), [&](const Arg& a) { return a.is_value() && root_of(a.value()) == v; }); }

  /// The parts of a concatenation are computed in their places in it, where the operators that yield them can: those need no copy.
  void place_concatenations() {
    for (Node* n : nodes_) {
      if (!n->is("aten::cat") || !n->result()->type.is_static() || overwrites_.count(n->result())) continue;
      const Type& whole = n->result()->type;
      const int dim = wrap_dim(n->arg(1).as_int(), int(whole.rank()));
      int64_t start = 0;
      bool placed = false, fits = dim >= 0 && bytes_at_bound(whole, symbols_, n) > 0;
      std::vector<std::pair<const Value*, Window>> windows;
      for (const Arg& a : n->arg(0).list()) {
        const Value* part = a.value();
        if (part->type.rank() != whole.rank() || part->type.dtype != whole.dtype || !part->type.is_static()) fits = false;
        if (!fits) break;
        const Window w{n->result(), dim, start};
        start += part->type.dims[size_t(dim)].value();
        const bool own = can_be_placed(part, *n);
        placed |= own;
        windows.emplace_back(part, w);
      }
      if (!fits || !placed) continue;
      for (auto& [part, w] : windows) {
        if (can_be_placed(part, *n)) windows_[part] = w;
        else copied_into_[n].emplace_back(part, w);
      }
      copied_into_.try_emplace(n);
    }
  }
  /// Whether only `cat` uses `v`, and its operator can leave gaps between the rows of its result.
  bool can_be_placed(const Value* v, const Node& cat) const {
    const Node* writer = v->producer;
    if (writer == nullptr || v->users().size() != 1 || v->users()[0] != &cat || graph_.is_output(v) || overwrites_.count(v) || windows_.count(v)) return false;
    if (copied_into_.count(writer)) return true;  // a concatenation itself, written in place
    return writer->def != nullptr && writer->def->flags.strided_results;
  }

  /// Gives every value of this graph and of its regions a place from the graph's own beginning on: as many bytes.
  uint64_t plan_memory() {
    if (target_.kind == Target::Kind::kCpu) place_concatenations();
    std::unordered_map<const Value*, int> first, last;  // of each root: the positions between which it is touched
    const auto touch = [&](const Value* v, int at) {
      const Value* root = root_of(v);
      int& f = first.try_emplace(root, at).first->second;
      int& l = last.try_emplace(root, at).first->second;
      f = std::min(f, at);
      l = std::max(l, at);
    };
    const int end = int(nodes_.size());
    for (int i = 0; i < end; ++i) {
      for (const Value* v : nodes_[size_t(i)]->inputs()) touch(v, i);
      for (const Value* v : nodes_[size_t(i)]->results()) touch(v, i);
    }
    for (const Arg& a : graph_.outputs)
      if (a.is_value()) touch(a.value(), end);
    for (const ir::State& s : graph_.states)
      if (s.final != nullptr) touch(s.final, end);
    for (const auto& m : graph_.mutations) touch(m.final, end);

    std::vector<PlanBuffer> buffers;
    for (int i = 0; i < end; ++i) {
      const Node& n = *nodes_[size_t(i)];
      if (is_view(n)) continue;
      if (!n.regions.empty()) {
        regions_.emplace_back(&n, buffers.size());
        buffers.push_back({.bytes = plan_regions(n), .first = i, .last = i});
      }
      for (const Value* v : n.results()) {
        if (!v->type.is_tensor() || overwrites_.count(v) || windows_.count(v) || placed_.count(v)) continue;
        if (const Value* over = reusable_operand(n, i, last)) {
          const int slot = buffer_of_[over];
          buffer_of_[v] = slot;
          buffers[size_t(slot)].last = std::max(buffers[size_t(slot)].last, last[v]);
          continue;
        }
        buffer_of_[v] = int(buffers.size());
        buffers.push_back({.bytes = uint64_t(bytes_at_bound(v->type, symbols_, &n)), .first = first[v], .last = last[v]});
      }
    }
    for (const Value* v : slices_) {
      buffer_of_[v] = int(buffers.size());
      buffers.push_back({.bytes = uint64_t(bytes_at_bound(v->type, symbols_, nullptr)), .first = 0, .last = end});
    }
    const uint64_t bytes = plan_buffers(buffers);
    for (const auto& [v, slot] : buffer_of_) offset_[v] = buffers[size_t(slot)].offset;
    for (auto& [n, at] : regions_) at = size_t(buffers[at].offset);
    return bytes;
  }

  /// The regions of a node, of which one runs at a time: they share their memory.
  uint64_t plan_regions(const Node& n) {
    const std::string_view kind = ir::base_name(n.op);
    uint64_t most = 0;
    for (const auto& region : n.regions) {
      GraphEmitter& body = *bodies_[&n].emplace_back(std::make_unique<GraphEmitter>(*region, out_));
      if (kind == "cond") body.place_results(n);
      if (kind == "map_impl") body.slices_ = {region->inputs.begin(), region->inputs.begin() + ptrdiff_t(n.arg(0).list().size())};
      if (kind == "scan") {
        const auto first = region->inputs.begin() + ptrdiff_t(n.arg(0).list().size());
        body.slices_ = {first, first + ptrdiff_t(n.arg(1).list().size())};
      }
      most = std::max(most, body.plan_memory());
    }
    return most;
  }

  /// A branch computes what it yields where the method has it.
  void place_results(const Node& cond) {
    for (size_t r = 0; r < graph_.outputs.size() && r < cond.results().size(); ++r) {
      const Arg& a = graph_.outputs[r];
      if (a.is_value() && a.value()->type.is_tensor() && same_layout(a.value()->type, cond.result(r)->type)) placed_.try_emplace(a.value(), cond.result(r));
    }
  }

  /// Where in the method's memory the graph's begins.
  void move_to(uint64_t base) {
    base_ = base;
    for (const auto& [n, offset] : regions_)
      for (const auto& body : bodies_[n]) body->move_to(base + offset);
  }

  /// An operand that dies at node `n`, whose buffer its result can take over.
  const Value* reusable_operand(const Node& n, int at, const std::unordered_map<const Value*, int>& last) {
    const bool updates = n.def != nullptr && n.def->flags.updates_self;
    if (updates && target_.kind == Target::Kind::kPortable) return nullptr;
    for (const Value* in : overwritable(n)) {
      if (buffer_of_.count(in) == 0 || last.at(in) != at) continue;
      // The buffer may be shared already by an earlier value; nothing else may still read it, through a view or otherwise.
      bool alone = true;
      int uses = 0;
      for (const Value* other : n.inputs()) {
        uses += other == in;
        if (other != in && root_of(other)->role == Value::Role::kResult && buffer_of_.count(root_of(other)) && buffer_of_[root_of(other)] == buffer_of_[in]) alone = false;
      }
      if (alone && !(updates && uses > 1)) return in;
    }
    return nullptr;
  }

  // ---- values ----

  int32_t add(ValueSpec v) {
    method_.values.push_back(std::move(v));
    return int32_t(method_.values.size() - 1);
  }

  int32_t value(const Value* v) {
    if (const auto found = index_.find(v); found != index_.end()) return found->second;
    int32_t at;
    if (const auto over = overwrites_.find(v); over != overwrites_.end()) {
      at = value(over->second);
    } else if (const auto window = windows_.find(v); window != windows_.end()) {
      at = this->window(v->type, window->second);
    } else if (v->type.is_tensor()) {
      at = add(ValueSpec::of_tensor(tensor(v)));
    } else {
      at = add(number(v->type));
    }
    index_[v] = at;
    return at;
  }
  static ValueSpec number(const Type& type) {
    const bool known = type.kind == Type::Kind::kInt && type.has_number && type.number.is_static();
    return type.kind == Type::Kind::kFloat ? ValueSpec::of_double(0) : type.kind == Type::Kind::kBool ? ValueSpec::of_bool(false) : ValueSpec::of_int(known ? type.number.value() : 0);
  }

  /// A value that is part of another, and the instruction that makes it so.
  int32_t window(const Type& type, const Window& w) {
    TensorSpec t;
    t.dtype = type.dtype;
    std::vector<int64_t> sizes;
    for (const ir::Dim& d : type.dims) sizes.push_back(d.value());
    t.sizes = sizes;
    const int32_t host = value(w.host), at = add(ValueSpec::of_tensor(std::move(t)));
    const std::vector<int64_t> strides = strides_of(w.host);
    method_.instructions.push_back(InstructionSpec::kernel("glint::view", "", {host, ints_value(sizes), ints_value(strides), integer(w.start * strides[size_t(w.dim)]), at}));
    return at;
  }
  /// Of a value of known sizes that nothing views: those of what it is a window of.
  std::vector<int64_t> strides_of(const Value* v) const {
    if (const auto window = windows_.find(v); window != windows_.end()) return strides_of(window->second.host);
    TensorMeta meta;
    if (!ir::meta_at(v->type, symbols_, symbols_.samples()[0], meta)) throw Error(Code::kInternal, "the sizes of %" + v->name + " are not known");
    return {meta.strides().begin(), meta.strides().end()};
  }
  int32_t ints_value(const std::vector<int64_t>& v) {
    std::vector<int64_t> items;
    for (int64_t i : v) items.push_back(integer(i));
    return add(ValueSpec::of_int_list(std::move(items)));
  }

  TensorSpec tensor(const Value* v) {
    TensorSpec t;
    t.dtype = v->type.dtype;
    if (v->type.rank() > kMaxRank) throw Error(Code::kUnsupported, "%" + v->name + " has " + std::to_string(v->type.rank()) + " dimensions; a program holds at most 16");
    bytes_at_bound(v->type, symbols_, v->producer);
    for (const ir::Dim& d : v->type.dims) {
      const ir::Range r = symbols_.range(d);
      if (r.max > INT32_MAX) throw Error(Code::kUnsupported, "%" + v->name + ": a dimension of " + std::to_string(r.max) + " exceeds the format's 32 bits");
      t.sizes.push_back(r.max);
      if (!d.is_static() || grows(v)) t.dynamism = Dynamism::kBound;
      t.ranges.push_back({r.min, r.max, multiple_of(d)});
    }
    if (v->role != Value::Role::kInput && !graph_is_output(v)) t.ranges.clear();
    t.dim_order = v->type.dim_order;
    switch (v->role) {
      case Value::Role::kConstant:
        t.storage = Storage::kConstant;
        t.data = constant(v->constant);
        t.name = v->name;
        break;
      case Value::Role::kState: {
        t.storage = Storage::kState;
        const ir::State& s = graph_.states[size_t(v->index)];
        t.name = s.name;
        t.offset = state_offset_[v];
        if (s.initial != nullptr) t.data = constant(s.initial);
        break;
      }
      case Value::Role::kResult:
        if (v->producer != nullptr && is_view(*v->producer)) break;
        t.storage = Storage::kPlanned;
        t.offset = base_ + offset_.at(v);
        break;
      case Value::Role::kInput:
        if (buffer_of_.count(v) == 0) break;  // given by the caller
        t.storage = Storage::kPlanned;
        t.offset = base_ + offset_.at(v);
        break;
      default: break;
    }
    return t;
  }

  /// What a loop fills entry by entry: stock kernels resize it as they do so.
  bool grows(const Value* v) const {
    if (target_.kind != Target::Kind::kPortable || v->producer == nullptr || v->producer->regions.empty()) return false;
    const std::string_view kind = ir::base_name(v->producer->op);
    return kind == "map_impl" || (kind == "scan" && size_t(v->index) >= v->producer->arg(0).list().size());
  }

  int64_t multiple_of(const ir::Dim& d) const {
    if (d.is_static() || d.expr()->kind != ir::Expr::Kind::kSymbol) return 1;
    return symbols_[int(d.expr()->value)].multiple;
  }

  int32_t constant(const ir::ConstantPtr& data) {
    const auto [found, is_new] = out_.constants.try_emplace(data->hash() + ":" + std::to_string(data->size()), int32_t(program_.constants.size()));
    if (is_new) {
      DataSpec spec;
      spec.size = data->size();
      spec.write = [data](const DataSink& sink) {
        std::vector<std::byte> bytes(data->size());
        GLINT_TRY(data->read(bytes));
        return sink(bytes);
      };
      for (size_t half = 0; half < 2; ++half) spec.hash[half] = std::stoull(data->hash().substr(half * 16, 16), nullptr, 16);
      program_.constants.push_back(std::move(spec));
    }
    if (out_.counted.insert(found->second).second) report_.constant_bytes += data->size();
    return found->second;
  }

  /// An argument as the value that holds it; `schema` says what it is.
  int32_t argument(const Arg& a, const SchemaArg& schema) {
    if (a.is_value()) return value(a.value());
    if (a.is_list()) return list(a.list(), schema);
    if (a.is_none()) return shared("none", ValueSpec::none());
    if (a.is_bool() && schema.type != ArgType::kInt) return shared(a.as_bool() ? "true" : "false", ValueSpec::of_bool(a.as_bool()));
    if (a.is_string()) return shared("'" + a.as_string(), ValueSpec::of_string(a.as_string()));
    if (a.is_dtype()) return integer(int64_t(a.as_dtype()));
    if (a.is_float() || schema.type == ArgType::kFloat) {
      const double d = a.to_double();
      return shared("d" + std::to_string(std::bit_cast<uint64_t>(d)), ValueSpec::of_double(d));
    }
    return integer(a.is_bool() ? int64_t(a.as_bool()) : a.as_int());
  }
  int32_t integer(int64_t v) { return shared("i" + std::to_string(v), ValueSpec::of_int(v)); }
  int32_t shared(const std::string& key, ValueSpec v) {
    const auto [found, is_new] = out_.shared.try_emplace(key, 0);
    if (is_new) found->second = add(std::move(v));
    return found->second;
  }
  int32_t list(const Arg::List& entries, const SchemaArg& schema) {
    std::vector<int64_t> items;
    if (schema.type == ArgType::kFloat) {
      std::vector<double> d;
      for (const Arg& e : entries) d.push_back(e.to_double());
      return add(ValueSpec::of_double_list(std::move(d)));
    }
    if (schema.type == ArgType::kBool) {
      for (const Arg& e : entries) items.push_back(e.as_bool());
      return add(ValueSpec::of_bool_list(std::move(items)));
    }
    if (schema.type == ArgType::kTensor) {
      for (const Arg& e : entries) items.push_back(e.is_none() ? -1 : value(e.value()));
      return add(schema.optional_elements ? ValueSpec::of_optional_tensor_list(std::move(items)) : ValueSpec::of_tensor_list(std::move(items)));
    }
    for (const Arg& e : entries) items.push_back(e.is_value() ? value(e.value()) : integer(e.is_bool() ? int64_t(e.as_bool()) : e.as_int()));
    return add(ValueSpec::of_int_list(std::move(items)));
  }

  // ---- instructions ----

  static std::string origin_text(const Node& n) {
    if (n.origin == nullptr) return "";
    std::string s = n.origin->name;
    if (!n.origin->module_path.empty()) s += (s.empty() ? "" : " ") + n.origin->module_path;
    if (!n.origin->source.empty()) s += (s.empty() ? "" : " ") + ("(" + n.origin->source + ")");
    return s;
  }

  void call(const Node& n) {
    if (!n.regions.empty()) return control(n);
    if (const auto parts = copied_into_.find(&n); parts != copied_into_.end()) {
      for (const auto& [part, w] : parts->second) copy(window(part->type, w), value(part));
      return;
    }
    if (const Value* view = part_in_place(n); view != nullptr && is_over(n.result(), n.input(0)) && is_over(n.input(1), view)) return;
    if (n.def == nullptr) throw Error(Code::kUnsupported, n, "no operator of this build computes it");
    const Schema& schema = *n.schema;
    std::string name = n.def->stock_name;
    const std::string in_place = n.def->flags.updates_self && is_over(n.result(), n.input(0)) ? stock_in_place_name(n) : "";
    if (!in_place.empty()) name = in_place;
    const bool stock = !name.empty();
    if (!stock) name = std::string(schema.name);
    if (target_.kind == Target::Kind::kPortable && !is_portable_op(name))
      throw Error(Code::kUnsupported, n, "stock ExecuTorch's portable kernels do not have it", "compile with --target=cpu");
    ++report_.operators[name];
    const size_t dot = name.rfind('.');
    const bool has_overload = dot != name.npos && dot > name.find("::");
    InstructionSpec call;
    call.op = has_overload ? name.substr(0, dot) : name;
    call.overload = has_overload ? name.substr(dot + 1) : "";
    call.origin = origin_text(n);
    const bool drop_options = stock && has_tensor_options(schema);
    for (size_t i = 0; i < n.args().size(); ++i)
      if (!(drop_options && is_tensor_option(schema.arg_store[i]))) call.args.push_back(argument(n.arg(i), schema.arg_store[i]));
    // Results, one value each (a list for Tensor[]); a stock kernel's wrapper stores what it returns once more.
    std::vector<int32_t> results;
    bool tensors = false;
    if (schema.return_count == 1 && schema.return_store[0].list) {
      std::vector<int64_t> items;
      for (const Value* v : n.results()) items.push_back(value(v));
      results.push_back(add(ValueSpec::of_tensor_list(std::move(items))));
      tensors = true;
    } else {
      for (const Value* v : n.results()) {
        results.push_back(value(v));
        tensors |= v->type.is_tensor();
      }
    }
    if (in_place.empty()) call.args.insert(call.args.end(), results.begin(), results.end());
    if (stock && tensors) {
      if (results.size() == 1) call.args.push_back(results[0]);
      else call.args.push_back(add(ValueSpec::of_tensor_list({results.begin(), results.end()})));
    }
    method_.instructions.push_back(std::move(call));
  }

  bool is_over(const Value* result, const Value* operand) const {
    const auto found = overwrites_.find(result);
    return found != overwrites_.end() && found->second == operand;
  }

  void copy(int32_t to, int32_t from) {
    ++report_.operators["aten::copy_"];
    method_.instructions.push_back(InstructionSpec::kernel("aten::copy_", "", {to, from, shared("false", ValueSpec::of_bool(false)), to}));
  }

  void write_back() {
    for (const ir::State& s : graph_.states)
      if (s.final != nullptr && s.final != s.value && overwrites_.count(s.final) == 0) copy(value(s.value), value(s.final));
    for (const auto& m : graph_.mutations)
      if (m.final != graph_.inputs[m.input]) copy(value(graph_.inputs[m.input]), value(m.final));
  }

  // ---- control flow: regions become instructions with jumps around them ----

  void control(const Node& n) {
    ++report_.operators[n.op];
    const std::string_view kind = ir::base_name(n.op);
    if (kind == "cond") return cond(n);
    if (kind == "while_loop") return while_loop(n);
    if (kind == "map_impl") return walk(n, {}, n.arg(0).list(), n.arg(1).list());
    if (kind == "scan") return walk(n, n.arg(0).list(), n.arg(1).list(), n.arg(2).list());
    throw Error(Code::kUnsupported, n, "this build does not know how its graphs are run");
  }

  void cond(const Node& n) {
    const std::vector<int32_t> operands = operands_of(n.arg(1).list());
    const size_t no = jump(operand(n.arg(0)));
    branch(n, 0, operands);
    const size_t leave = jump(never());
    land(no);
    branch(n, 1, operands);
    land(leave);
  }
  void branch(const Node& n, size_t which, const std::vector<int32_t>& operands) {
    GraphEmitter& body = *bodies_.at(&n)[which];
    for (const auto& [v, result] : body.placed_) body.index_[v] = value(result);
    body.nodes(operands);
    for (size_t r = 0; r < n.results().size(); ++r) {
      const Arg& a = body.yielded(n, r);
      if (a.is_value() && a.value()->type.is_tensor() && body.placed_.count(a.value()) && body.placed_.at(a.value()) == n.result(r)) continue;
      body.store(a, n.result(r)->type, value(n.result(r)));
    }
  }

  void while_loop(const Node& n) {
    const auto& bodies = bodies_.at(&n);
    const Arg::List& initial = n.arg(0).list();
    std::vector<int32_t> operands = carried(n, initial);
    for (int32_t extra : operands_of(n.arg(1).list())) operands.push_back(extra);
    const size_t again = here();
    bodies[0]->nodes(operands);
    const size_t leave = jump(bodies[0]->operand(bodies[0]->yielded(n, 0)));
    bodies[1]->nodes(operands);
    bodies[1]->carry(n, initial.size());
    jump(never(), again);
    land(leave);
  }

  /// A loop over the first dimension of `xs`. What the region yields after the carried values is stacked.
  void walk(const Node& n, const Arg::List& initial, const Arg::List& xs, const Arg::List& extra) {
    GraphEmitter& body = *bodies_.at(&n)[0];
    const std::vector<int32_t> whole = operands_of(xs);
    std::vector<int32_t> operands = carried(n, initial), slices;
    for (size_t k = 0; k < xs.size(); ++k) slices.push_back(body.value(body.graph_.inputs.at(initial.size() + k)));
    operands.insert(operands.end(), slices.begin(), slices.end());
    for (int32_t e : operands_of(extra)) operands.push_back(e);

    const ir::Dim& length = xs.at(0).value()->type.dims.at(0);
    const int32_t index = add(ValueSpec::of_int(0)), more = add(ValueSpec::of_bool(false));
    int32_t steps = 0;
    if (length.is_static()) {
      steps = integer(length.value());
    } else {
      steps = add(ValueSpec::of_int(0));
      kernel("aten::sym_size.int", {whole[0], integer(0), steps});
    }
    for (size_t r = initial.size(); r < n.results().size(); ++r) size_without_steps(*n.result(r), length, steps);
    move(integer(0), index);
    const size_t again = here();
    kernel("executorch_prim::lt.Scalar", {index, steps, more});
    const size_t leave = jump(more);
    for (size_t k = 0; k < xs.size(); ++k) kernel("aten::select_copy.int_out", {whole[k], integer(0), index, slices[k], slices[k]});
    body.nodes(operands);
    for (size_t r = initial.size(); r < n.results().size(); ++r)
      kernel("executorch_prim::et_copy_index.tensor", {value(n.result(r)), body.operand(body.yielded(n, r)), index});
    body.carry(n, initial.size());
    kernel("executorch_prim::add.Scalar", {index, integer(1), index});
    jump(never(), again);
    land(leave);
  }

  /// A loop that may take no step leaves its stacked results as they are: they get their sizes first.
  void size_without_steps(const Value& v, const ir::Dim& length, int32_t steps) {
    if (length.is_static() ? length.value() > 0 : symbols_.range(length).min > 0) return;
    std::vector<int64_t> sizes = {steps};
    for (size_t d = 1; d < v.type.rank(); ++d) {
      if (!v.type.dims[d].is_static()) return;  // at the bounds, which are right for nothing
      sizes.push_back(integer(v.type.dims[d].value()));
    }
    const int32_t out = value(&v);
    kernel("aten::full.out", {add(ValueSpec::of_int_list(std::move(sizes))), integer(0), out, out});
  }

  /// The carried values, which lie in the node's results, with what they hold at first.
  std::vector<int32_t> carried(const Node& n, const Arg::List& initial) {
    std::vector<int32_t> values;
    for (size_t k = 0; k < initial.size(); ++k) {
      values.push_back(value(n.result(k)));
      store(initial[k], n.result(k)->type, values.back());
    }
    return values;
  }
  /// What this region yields for the next step. Numbers that it only passes on are kept aside, for they may change places.
  void carry(const Node& n, size_t count) {
    std::vector<int32_t> from(count, -1);
    for (size_t k = 0; k < count; ++k) {
      const Arg& a = yielded(n, k);
      if (!a.is_value() || a.value()->type.is_tensor() || a.value()->role != Value::Role::kInput) continue;
      from[k] = add(number(a.value()->type));
      move(value(a.value()), from[k]);
    }
    for (size_t k = 0; k < count; ++k) {
      const int32_t to = index_.at(graph_.inputs.at(k));
      if (from[k] >= 0) move(from[k], to);
      else store(yielded(n, k), graph_.inputs[k]->type, to);
    }
  }

  /// The nodes of a region, its inputs being these values.
  void nodes(const std::vector<int32_t>& inputs) {
    if (inputs.size() != graph_.inputs.size()) throw Error(Code::kInvalidProgram, "a region takes another number of operands");
    for (size_t i = 0; i < inputs.size(); ++i) index_[graph_.inputs[i]] = inputs[i];
    for (const Node* n : nodes_) call(*n);
  }
  const Arg& yielded(const Node& n, size_t i) const {
    if (i >= graph_.outputs.size()) throw Error(Code::kInvalidProgram, n, "a region yields too few values");
    return graph_.outputs[i];
  }
  std::vector<int32_t> operands_of(const Arg::List& args) {
    std::vector<int32_t> values;
    for (const Arg& a : args) values.push_back(operand(a));
    return values;
  }
  int32_t operand(const Arg& a) { return argument(a, SchemaArg{}); }

  /// Copies a value of this graph to one of the method.
  void store(const Arg& a, const Type& type, int32_t to) {
    if (a.is_none()) return;
    const int32_t from = operand(a);
    if (type.is_tensor()) kernel("aten::clone.out", {from, shared("none", ValueSpec::none()), to, to});
    else move(from, to);
  }
  void move(int32_t from, int32_t to) { method_.instructions.push_back(InstructionSpec::move(from, to)); }
  void kernel(std::string_view name, std::vector<int32_t> args) {
    ++report_.operators[std::string(name)];
    const size_t dot = name.rfind('.');
    method_.instructions.push_back(InstructionSpec::kernel(std::string(name.substr(0, dot)), std::string(name.substr(dot + 1)), std::move(args)));
  }
  size_t here() const { return method_.instructions.size(); }
  /// Jumps when the condition is false; where to is told by `land` if not here.
  size_t jump(int32_t condition, size_t target = 0) {
    method_.instructions.push_back(InstructionSpec::jump_false(condition, int32_t(target)));
    return here() - 1;
  }
  void land(size_t jump) { method_.instructions[jump].target = int32_t(here()); }
  int32_t never() { return shared("false", ValueSpec::of_bool(false)); }

  const Graph& graph_;
  const Symbols& symbols_;
  Output& out_;
  const Target& target_ = out_.target;
  ProgramSpec& program_ = out_.program;
  MethodReport& report_ = out_.report;
  MethodSpec& method_ = out_.method;
  std::vector<Node*> nodes_;
  uint64_t base_ = 0;                                        // of the graph in the method's memory
  std::vector<std::pair<const Node*, size_t>> regions_;      // nodes with regions, and where in the graph's memory those begin
  std::unordered_map<const Node*, std::vector<std::unique_ptr<GraphEmitter>>> bodies_;
  std::unordered_map<const Value*, const Value*> placed_;    // what a branch computes in the memory of a result of its cond
  std::vector<const Value*> slices_;                         // inputs that a loop fills for each step
  Overwrites overwrites_;                                    // results that are computed in a state's memory
  std::unordered_map<const Value*, Window> windows_;         // results that are written into a concatenation
  std::unordered_map<const Node*, std::vector<std::pair<const Value*, Window>>> copied_into_;  // concatenations in place: the parts that must be copied
  std::unordered_map<const Value*, int> buffer_of_;
  std::unordered_map<const Value*, uint64_t> offset_, state_offset_;
  std::unordered_map<const Value*, int32_t> index_;
};

/// What leaves the graph must be a value that a node computed, in row-major or dense order: an input, constant,
/// state or view of these is copied, and so is what a state becomes by an update. Copies are made where the value is, for
/// a state may be written over later.
void copy_what_leaves(Graph& graph, const ir::OpLookup& ops, bool region) {
  const std::vector<Node*> nodes = graph.nodes();
  const auto after = [&](const Value* v) -> Node* {
    if (viewed(v)->role != Value::Role::kResult && viewed(v)->role != Value::Role::kState) return nullptr;
    auto next = nodes.begin();
    if (v->producer != nullptr) next = std::find(nodes.begin(), nodes.end(), v->producer) + 1;
    return next == nodes.end() ? nullptr : *next;
  };
  const auto updated_state = [&](const Value* v) {
    return v->producer->def != nullptr && v->producer->def->flags.updates_self &&
           std::any_of(graph.states.begin(), graph.states.end(), [&](const ir::State& s) { return s.final == v; });
  };
  const auto copied = [&](Value* v, bool output) -> Value* {
    if (!v->type.is_tensor()) return v;
    const bool own = v->role == Value::Role::kResult && !is_view(*v->producer) && !(region && !v->type.dim_order.empty());
    if (own && !(output && updated_state(v))) return v;
    return ir::Builder(graph, ops, after(v), v->producer != nullptr ? v->producer->origin : nullptr).op("aten::clone", {v, 0});
  };
  for (Arg& a : graph.outputs)
    if (a.is_value()) a = Arg(copied(a.value(), true));
  for (ir::State& s : graph.states)
    if (s.final != nullptr && s.final != s.value) s.final = copied(s.final, false);
  for (auto& m : graph.mutations)
    if (m.final != graph.inputs[m.input]) m.final = copied(m.final, false);
}

/// Regions take their operands, and yield their results, in row-major order.
void copy_around_regions(Graph& graph, const ir::OpLookup& ops) {
  for (Node* n : graph.nodes()) {
    if (n->regions.empty()) continue;
    const auto dense = [&](const Arg& a) {
      if (!a.is_value() || !a.value()->type.is_tensor() || (a.value()->type.dim_order.empty() && viewed(a.value()) == a.value())) return a;
      return Arg(ir::Builder(graph, ops, n).op("aten::clone", {a, 0}));
    };
    for (size_t i = 0; i < n->args().size(); ++i) {
      Arg a = n->arg(i);
      if (a.is_list()) for (Arg& item : a.list()) item = dense(item);
      if (!(a == n->arg(i))) n->set_arg(i, std::move(a));
    }
    for (const auto& region : n->regions) {
      copy_what_leaves(*region, ops, true);
      copy_around_regions(*region, ops);
    }
  }
}

}  // namespace

ProgramSpec emit(const ir::Module& module, const ir::OpLookup& ops, const Target& target, std::vector<MethodReport>* reports) {
  ProgramSpec program;
  program.writer = std::string("glint ") + (target.kind == Target::Kind::kPortable ? "portable" : std::string("cpu ") + isa_name(target.cpu.isa));
  std::unordered_map<std::string, int32_t> constants;
  for (const auto& graph : module.methods) {
    copy_what_leaves(*graph, ops, false);
    copy_around_regions(*graph, ops);
    MethodReport report;
    Output out{.target = target, .program = program, .constants = constants, .report = report, .method = {}, .shared = {}, .counted = {}};
    GraphEmitter(*graph, out).run();
    program.methods.push_back(std::move(out.method));
    if (reports != nullptr) reports->push_back(std::move(report));
  }
  return program;
}

}  // namespace glint::compiler
