// Operations in place become operations that yield new values; a write through a view is carried back to the
// tensor that owns the memory (slice_scatter and its like), and other views of that memory are taken anew before
// their next use. States and inputs that were written to end as their last value.

#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

#include "glint/compiler/ir/match.h"
#include "glint/compiler/pass.h"

namespace glint::compiler {
namespace {

using ir::Arg;
using ir::Builder;
using ir::Dim;
using ir::Graph;
using ir::Node;
using ir::OpLookup;
using ir::Type;
using ir::Value;

/// How a view is undone: what the memory's owner becomes when the view is written to.
enum class View {
  kNone,
  kSame,       // the operand itself: the owner is the new value
  kReshape,    // same elements in the same order: reshape back
  kMaybe,      // reshape, contiguous, to: a view where the elements already lie that way
  kSwap,       // its own inverse
  kPermute, kSlice, kSelect, kNarrow, kDiagonal, kStrided, kSplit, kUnbind, kExpand, kMoveDim, kBits,
  kOther,      // a view that cannot be written through
};

View view_kind(const Node& n) {
  static const std::unordered_map<std::string_view, View> kinds = {
      {"alias", View::kSame}, {"detach", View::kSame}, {"lift_fresh", View::kSame}, {"positive", View::kSame}, {"resolve_conj", View::kSame}, {"resolve_neg", View::kSame},
      {"view", View::kReshape}, {"_unsafe_view", View::kReshape}, {"squeeze", View::kReshape}, {"unsqueeze", View::kReshape}, {"unflatten", View::kReshape},
      {"view_as", View::kReshape}, {"_reshape_alias", View::kReshape}, {"atleast_1d", View::kReshape}, {"atleast_2d", View::kReshape}, {"atleast_3d", View::kReshape},
      {"reshape", View::kMaybe}, {"reshape_as", View::kMaybe}, {"flatten", View::kMaybe}, {"ravel", View::kMaybe}, {"contiguous", View::kMaybe}, {"to", View::kMaybe},
      {"transpose", View::kSwap}, {"t", View::kSwap}, {"swapaxes", View::kSwap}, {"swapdims", View::kSwap}, {"mT", View::kSwap}, {"numpy_T", View::kSwap},
      {"permute", View::kPermute}, {"slice", View::kSlice}, {"select", View::kSelect}, {"narrow", View::kNarrow}, {"diagonal", View::kDiagonal},
      {"linalg_diagonal", View::kOther}, {"as_strided", View::kStrided}, {"split", View::kSplit}, {"split_with_sizes", View::kSplit}, {"chunk", View::kSplit},
      {"tensor_split", View::kSplit}, {"hsplit", View::kOther}, {"vsplit", View::kOther}, {"dsplit", View::kOther}, {"unbind", View::kUnbind},
      {"expand", View::kExpand}, {"expand_as", View::kExpand}, {"broadcast_to", View::kExpand}, {"movedim", View::kMoveDim}, {"moveaxis", View::kMoveDim},
      {"unfold", View::kOther}, {"real", View::kOther}, {"imag", View::kOther}, {"conj", View::kOther}, {"view_as_real", View::kBits}, {"view_as_complex", View::kBits},
      {"mH", View::kOther}, {"adjoint", View::kOther}, {"matrix_H", View::kOther},
  };
  if (n.results().empty() || n.args().empty() || n.input(0) == nullptr || !n.input(0)->type.is_tensor() || !ir::functional_name(n.op).empty()) return View::kNone;
  const auto it = kinds.find(ir::base_name(n.op));
  if (it == kinds.end()) return View::kNone;
  if (n.is("aten::view.dtype")) return View::kBits;
  if (ir::base_name(n.op) == "to" && !ir::same_type(n.input(0)->type, n.result()->type)) return View::kNone;
  return it->second;
}

// Whether reshape, contiguous and their like are views depends on where elements lie. Sizes and strides are
// followed as numbers, with every symbol at its maximum: no size is 1 by accident there.
using Numbers = std::vector<int64_t>;
struct Lying { Numbers sizes, strides; };

Numbers row_major(const Numbers& sizes) {
  Numbers strides(sizes.size(), 1);
  for (size_t d = sizes.size(); d-- > 1;) strides[d - 1] = strides[d] * std::max<int64_t>(sizes[d], 1);
  return strides;
}

bool is_row_major(const Lying& x) {
  const Numbers want = row_major(x.sizes);
  for (size_t d = 0; d < want.size(); ++d)
    if (x.sizes[d] != 1 && x.strides[d] != want[d]) return false;
  return true;
}

/// The strides of `x` seen under other sizes without moving an element; nothing when that cannot be.
std::optional<Numbers> reshaped(const Lying& x, const Numbers& sizes) {
  // Runs of dimensions that are walked evenly, innermost first, each to be cut into some of the new sizes.
  Numbers strides(sizes.size(), 1);
  size_t next = sizes.size();
  for (size_t d = x.sizes.size(); d > 0;) {
    int64_t count = x.sizes[d - 1], cut = 1;
    const int64_t step = x.strides[d - 1];
    for (--d; d > 0 && (x.sizes[d - 1] == 1 || x.strides[d - 1] == step * count); --d) count *= x.sizes[d - 1];
    while (next > 0 && (cut < count || sizes[next - 1] == 1)) {
      strides[next - 1] = step * cut;
      cut *= sizes[--next];
    }
    if (cut != count) return std::nullopt;
  }
  for (; next > 0; --next)
    if (sizes[next - 1] != 1) return std::nullopt;
  return strides;
}

/// Where the elements of a view lie, given its operand; nothing when the call copies.
std::optional<Numbers> strides_of(const Node& n, View kind, const Lying& x, const Numbers& sizes) {
  const int rank = int(x.sizes.size());
  Numbers s = x.strides;
  const auto axis = [&](size_t i) { return size_t(std::max(0, wrap_dim(n.args().size() > i && n.arg(i).is_int() ? n.arg(i).as_int() : 0, rank))); };
  const std::string_view name = ir::base_name(n.op);
  switch (kind) {
    case View::kSame: return s;
    case View::kReshape:
    case View::kMaybe: {
      const bool whole = name == "contiguous" || name == "ravel";
      if (whole && !is_row_major(x)) return std::nullopt;
      if (name == "to") return s;
      std::optional<Numbers> r = reshaped(x, sizes);
      if (!r && kind == View::kReshape) r = row_major(sizes);
      return r;
    }
    case View::kSwap:
      if (rank < 2) return s;
      if (name == "numpy_T") std::reverse(s.begin(), s.end());
      else if (name == "mT" || name == "t") std::swap(s[size_t(rank) - 1], s[size_t(rank) - 2]);
      else std::swap(s[axis(1)], s[axis(2)]);
      return s;
    case View::kPermute: {
      const Numbers dims = n.arg(1).ints();
      for (size_t i = 0; i < dims.size(); ++i) s[i] = x.strides[size_t(wrap_dim(dims[i], rank))];
      return s;
    }
    case View::kSlice:
      if (rank > 0 && n.arg(4).is_int()) s[axis(1)] *= n.arg(4).as_int();
      return s;
    case View::kNarrow:
    case View::kSplit: return s;
    case View::kSelect:
    case View::kUnbind:
      if (rank > 0) s.erase(s.begin() + std::ptrdiff_t(axis(1)));
      return s;
    case View::kDiagonal: {
      const size_t a = axis(2), b = axis(3);
      s.push_back(s[a] + s[b]);
      s.erase(s.begin() + std::ptrdiff_t(std::max(a, b)));
      s.erase(s.begin() + std::ptrdiff_t(std::min(a, b)));
      return s;
    }
    case View::kStrided:
      for (const Arg& a : n.arg(2).list())
        if (!a.is_int()) return row_major(sizes);
      return n.arg(2).ints();
    case View::kExpand:
      s.insert(s.begin(), sizes.size() - std::min(sizes.size(), s.size()), 0);
      for (size_t d = 0; d < s.size(); ++d) {
        const size_t lead = s.size() - x.sizes.size();
        if (d < lead || x.sizes[d - lead] != sizes[d]) s[d] = 0;
      }
      return s;
    case View::kMoveDim:
    case View::kBits:
    case View::kNone:
    case View::kOther: break;
  }
  return row_major(sizes);
}

bool changes_shape_in_place(std::string_view op) {
  for (const char* name : {"squeeze_", "unsqueeze_", "t_", "transpose_", "swapaxes_", "swapdims_", "detach_", "as_strided_", "resize_", "resize_as_"})
    if (ir::base_name(op) == name) return true;
  return false;
}

class Functionalizer {
 public:
  Functionalizer(Graph& graph, const OpLookup& ops) : graph_(graph), ops_(ops) {}

  void run() {
    bool any = false;
    for (Node* n : graph_.nodes()) {
      any |= !ir::functional_name(n->op).empty();
      for (const auto& region : n->regions) Functionalizer(*region, ops_).run();
      any |= yield_writes(n);
    }
    if (any) {
      for (Node* n : graph_.nodes()) visit(n);
      finish();
    }
    for (ir::State& s : graph_.states)
      if (s.final == nullptr) s.final = s.value, graph_.touch();
  }

 private:
  /// Memory that values share: its owner's newest value and how often it was written.
  struct Memory {
    Value* newest = nullptr;
    int version = 0;
  };
  /// A view's call, to be made again after a write.
  struct Call {
    std::string op;
    const Schema* schema = nullptr;
    const OpDef* def = nullptr;
    ir::OriginPtr origin;
    std::vector<Arg> args;
    std::vector<Type> types;
  };
  struct Place {
    std::shared_ptr<Memory> memory;
    Value* parent = nullptr;  // the value this is a view of; null: the owner
    std::shared_ptr<const Call> call;
    View kind = View::kNone;
    size_t result = 0;        // which result of the call
    Lying lying;
    Value* newest = nullptr;
    int version = 0;          // at which `newest` holds
  };

  /// Regions that write to operands yield what these become, and the operands are written to after them. False: none does.
  bool yield_writes(Node* n) {
    std::vector<size_t> written;
    for (const auto& region : n->regions)
      for (const auto& m : region->mutations) written.push_back(m.input);
    if (written.empty()) return false;
    std::sort(written.begin(), written.end());
    written.erase(std::unique(written.begin(), written.end()), written.end());
    const bool is_loop = n->is("higher_order::while_loop");
    const size_t carried = is_loop ? n->results().size() : 0;
    if ((!is_loop && !n->is("higher_order::cond")) || written[0] < carried || (is_loop && !n->regions[0]->mutations.empty()))
      throw ir::Error(Code::kUnsupported, *n, "a loop writes to what it walks, carries or tests");

    std::vector<Arg> args(n->args().begin(), n->args().end()), targets;
    std::vector<Type> types;
    for (const Value* v : n->results()) types.push_back(v->type);
    for (size_t k : written) {
      targets.push_back(args[1].list().at(k - carried));
      types.push_back(targets.back().value()->type);
    }
    for (const auto& region : n->regions) {
      if (!is_loop || region == n->regions[1]) yield_final(*region, written);
      if (is_loop) move_inputs(*region, written, carried);
    }
    if (is_loop) carry_operands(args, written, carried);
    Node* whole = graph_.add_node(n, n->op, std::move(args), std::move(types), n->origin);
    whole->unknown_arg_names = n->unknown_arg_names;
    whole->regions = std::move(n->regions);
    for (size_t w = 0; w < targets.size(); ++w) {
      Node* write = graph_.add_node(n, "aten::copy_", {targets[w], whole->result(n->results().size() + w), false}, {targets[w].value()->type}, n->origin);
      write->schema = ops_.schema(write->op);
    }
    for (size_t r = 0; r < n->results().size(); ++r) graph_.replace_uses(n->result(r), whole->result(r));
    graph_.erase(n);
    return true;
  }
  static void yield_final(Graph& region, const std::vector<size_t>& written) {
    for (size_t k : written) {
      const auto m = std::find_if(region.mutations.begin(), region.mutations.end(), [&](const auto& mutation) { return mutation.input == k; });
      region.outputs.emplace_back(m == region.mutations.end() ? region.inputs.at(k) : m->final);
    }
    region.mutations.clear();
    region.touch();
  }
  /// What a loop writes in every step it carries from step to step, after what it carries already.
  static void move_inputs(Graph& region, const std::vector<size_t>& written, size_t carried) {
    for (size_t w = 0; w < written.size(); ++w) {
      const auto first = region.inputs.begin();
      std::rotate(first + ptrdiff_t(carried + w), first + ptrdiff_t(written[w]), first + ptrdiff_t(written[w] + 1));
    }
    for (size_t i = 0; i < region.inputs.size(); ++i) region.inputs[i]->index = int(i);
    region.touch();
  }
  static void carry_operands(std::vector<Arg>& args, const std::vector<size_t>& written, size_t carried) {
    Arg::List initial = args[0].list(), fixed = args[1].list();
    for (size_t k : written) initial.push_back(fixed[k - carried]);
    for (size_t w = written.size(); w-- > 0;) fixed.erase(fixed.begin() + ptrdiff_t(written[w] - carried));
    args[0] = Arg(std::move(initial));
    args[1] = Arg(std::move(fixed));
  }

  Place& place(Value* v) {
    const auto [it, is_new] = places_.try_emplace(v);
    if (is_new) {
      it->second.memory = std::make_shared<Memory>();
      it->second.memory->newest = it->second.newest = v;
      it->second.lying.sizes = sizes(v->type);
      it->second.lying.strides = row_major(it->second.lying.sizes);
      if (!v->type.dim_order.empty()) in_order(it->second.lying, v->type.dim_order);
    }
    return it->second;
  }
  Numbers sizes(const Type& type) const {
    Numbers n;
    for (const Dim& d : type.dims) n.push_back(graph_.symbols.evaluate(d, graph_.symbols.samples()[0]));
    return n;
  }
  static void in_order(Lying& x, const std::vector<uint8_t>& order) {
    int64_t step = 1;
    for (size_t i = order.size(); i-- > 0; step *= std::max<int64_t>(x.sizes[order[i]], 1)) x.strides[order[i]] = step;
  }
  /// Results of operations in place stand for their operand; operands that changed shape, for the changed view.
  Value* owner(Value* v) const {
    for (auto it = stands_for_.find(v); it != stands_for_.end(); it = stands_for_.find(v)) v = it->second;
    return v;
  }

  /// The value that `v` has now, made before `at` when it must be taken anew.
  Value* now(Value* v, Node* at) {
    v = owner(v);
    Place& p = place(v);
    if (p.version == p.memory->version) return p.newest;
    Value* fresh = p.parent == nullptr ? p.memory->newest : view_again(p, now(p.parent, at), at);
    Place& q = place(v);
    q.newest = fresh;
    q.version = q.memory->version;
    return fresh;
  }
  Value* view_again(const Place& p, Value* of, Node* at) {
    std::vector<Arg> args = p.call->args;
    args[0] = of;
    Node* n = graph_.add_node(at, p.call->op, std::move(args), p.call->types, p.call->origin);
    n->schema = p.call->schema;
    n->def = p.call->def;
    return n->result(p.result);
  }

  Arg now(const Arg& a, Node* at) {
    if (a.is_value()) return a.value()->type.is_tensor() ? now(a.value(), at) : a.value();
    if (!a.is_list()) return a;
    Arg::List list;
    for (const Arg& item : a.list()) list.push_back(now(item, at));
    return list;
  }

  void visit(Node* n) {
    if (ir::functional_name(n->op).empty()) {
      if (const View kind = view_kind(*n); kind != View::kNone) note_view(*n, kind);
      bind(n);
      refuse_writes(*n);
      return;
    }
    if (n->args().empty() || n->input(0) == nullptr) throw ir::Error(Code::kUnsupported, *n, "an operation in place without a tensor to write to");
    if (changes_shape_in_place(n->op)) change_shape(n);
    else write_in_place(n);
    gone_.push_back(n);
  }

  void bind(Node* n) {
    for (size_t i = 0; i < n->args().size(); ++i)
      if (Arg a = now(n->arg(i), n); !(a == n->arg(i))) n->set_arg(i, std::move(a));
  }

  void refuse_writes(const Node& n) const {
    if (n.schema == nullptr) return;
    for (const SchemaArg& a : n.schema->args())
      if (a.written) throw ir::Error(Code::kUnsupported, n, "it writes to its argument " + std::string(a.name), "export the model in evaluation mode");
  }

  void note_view(const Node& n, View kind) {
    Value* parent = owner(n.input(0));
    const Place p = place(parent);
    if (!strides_of(n, kind, p.lying, sizes(n.result()->type))) return;  // a copy
    auto call = std::make_shared<Call>(Call{n.op, n.schema, n.def, n.origin, {n.args().begin(), n.args().end()}, {}});
    for (const Value* v : n.results()) call->types.push_back(v->type);
    for (size_t i = 0; i < n.results().size(); ++i) {
      const Numbers s = sizes(n.result(i)->type);
      places_[n.result(i)] = {p.memory, parent, call, kind, i, {s, *strides_of(n, kind, p.lying, s)}, n.result(i), p.memory->version};
    }
  }

  // --- operations in place ---

  void change_shape(Node* n) {
    Value* v = owner(n->input(0));
    if (v->role != Value::Role::kResult) throw ir::Error(Code::kUnsupported, *n, "an input or state changes its shape");
    const std::string name = ir::functional_name(n->op);
    std::vector<Arg> args(n->args().begin(), n->args().end());
    args[0] = now(v, n);
    const Schema* schema = ops_.schema(name);
    if (schema == nullptr) throw ir::Error(Code::kUnsupported, *n, "this build has no " + name);
    Node* view = graph_.add_node(n, name, std::move(args), {n->result()->type}, n->origin);
    view->schema = schema;
    view->def = ops_.def(name);
    const View kind = view_kind(*view);
    auto call = std::make_shared<Call>(Call{name, schema, view->def, n->origin, {view->args().begin(), view->args().end()}, {n->result()->type}});
    // From now on v stands for the view. What it was, the view's parent, needs a key of its own.
    Value* before = hidden_.emplace_back(std::make_unique<Value>()).get();
    before->type = v->type;
    const Place p = places_[before] = place(v);
    for (auto& [value, child] : places_)
      if (child.parent == v) child.parent = before;
    const Numbers s = sizes(view->result()->type);
    const Lying lying{s, strides_of(*view, kind, p.lying, s).value_or(row_major(s))};
    places_[view->result()] = {p.memory, before, call, kind == View::kNone ? View::kOther : kind, 0, lying, view->result(), p.memory->version};
    stands_for_[v] = view->result();
    stands_for_[n->result()] = view->result();
  }

  void write_in_place(Node* n) {
    Value* target = owner(n->input(0));
    Builder b(graph_, ops_, n);
    Value* self = now(target, n);
    std::vector<Arg> args(n->args().begin(), n->args().end());
    for (Arg& a : args) a = now(a, n);
    Value* fresh = new_value(b, *n, self, std::move(args));
    write(*n, target, fit(b, *n, fresh, self->type), n);
    if (!n->results().empty()) stands_for_[n->result()] = target;
  }

  /// What the written tensor becomes, before conversion to its dtype.
  Value* new_value(Builder& b, const Node& n, Value* self, std::vector<Arg> args) {
    const std::string_view name = ir::base_name(n.op);
    if (name == "copy_" && args.size() > 1 && args[1].is_value()) return args[1].value();
    if (name == "zero_") return b.op("aten::fill.Scalar", {self, 0});
    if (name == "set_") throw ir::Error(Code::kUnsupported, n, "it cannot be expressed without writing in place");
    const std::string functional = ir::functional_name(n.op);
    const Schema* schema = ops_.schema(functional);
    if (schema == nullptr) throw ir::Error(Code::kUnsupported, n, "this build has no " + functional);
    if (ops_.def(functional) != nullptr) return b.op(functional, std::move(args));
    return b.composite(functional, std::move(args), self->type);
  }

  /// `v` with the dtype and sizes of what is written to.
  Value* fit(Builder& b, const Node& n, Value* v, const Type& type) {
    if (v->type.dtype != type.dtype) v = b.op("aten::_to_copy", {v, type.dtype});
    if (ir::same_type(v->type, type)) return v;
    const bool in_place_result = ir::base_name(n.op) != "copy_";
    if (v->type.rank() == type.rank() && in_place_result) return v;  // the same sizes in another form; verified later
    if (v->type.rank() > type.rank()) {  // leading sizes of 1
      v = b.op("aten::view", {v, b.sizes({v->type.dims.end() - std::ptrdiff_t(type.rank()), v->type.dims.end()})});
      if (ir::same_type(v->type, type)) return v;
    }
    return b.op("aten::expand", {v, b.sizes(type.dims)});
  }

  void write(const Node& n, Value* target, Value* fresh, Node* at) {
    Place p = place(target);
    if (p.parent != nullptr) {
      write(n, p.parent, undo(n, p, now(p.parent, at), target->type, fresh, at), at);
    } else {
      p.memory->newest = fresh;
      ++p.memory->version;
    }
    Place& q = place(target);
    q.newest = fresh;
    q.version = q.memory->version;
  }

  // --- the inverse of views ---

  /// The parent after `fresh` was written through the view.
  Value* undo(const Node& n, const Place& p, Value* parent, const Type& type, Value* fresh, Node* at) {
    Builder b(graph_, ops_, at, p.call->origin);
    const std::vector<Arg>& a = p.call->args;
    const auto refuse = [&]() -> ir::Error { return {Code::kUnsupported, n, "a write through a view made by " + p.call->op}; };
    switch (p.kind) {
      case View::kSame: return fresh;
      case View::kMaybe:
      case View::kReshape: return ir::same_type(fresh->type, parent->type) ? fresh : b.op("aten::view", {fresh, b.sizes(parent->type.dims)});
      case View::kSwap: return again(b, p, fresh, parent->type);
      case View::kPermute: return b.op("aten::permute", {fresh, inverse(a[1].ints(), int(parent->type.rank()))});
      case View::kSlice: return b.op("aten::slice_scatter", {parent, fresh, a[1], a[2], a[3], a[4]});
      case View::kSelect: return b.op("aten::select_scatter", {parent, fresh, a[1], a[2]});
      case View::kNarrow: return b.op("aten::slice_scatter", {parent, fresh, a[1], a[2], b.add(a[2], a[3])});
      case View::kDiagonal: return b.op("aten::diagonal_scatter", {parent, fresh, a[1], a[2], a[3]});
      case View::kStrided: return b.op("aten::as_strided_scatter", {parent, fresh, a[1], a[2], a[3]});
      case View::kSplit: return into_split(b, p, parent, type, fresh);
      case View::kUnbind: return b.op("aten::select_scatter", {parent, fresh, a[1], int64_t(p.result)});
      case View::kExpand:
        if (elements(parent->type) != elements(type)) throw refuse();
        return b.op("aten::view", {fresh, b.sizes(parent->type.dims)});
      case View::kMoveDim: return b.composite(p.call->op, {fresh, a[2], a[1]}, parent->type);
      case View::kBits:
        if (p.call->op == "aten::view_as_real") return b.op("aten::view_as_complex", {fresh});
        if (p.call->op == "aten::view_as_complex") return b.op("aten::view_as_real", {fresh});
        return b.op("aten::view.dtype", {fresh, parent->type.dtype});
      case View::kNone:
      case View::kOther: break;
    }
    throw refuse();
  }

  static Dim elements(const Type& t) {
    Dim n(1);
    for (const Dim& d : t.dims) n = n * d;
    return n;
  }

  /// The view's own call on `fresh`: transpositions undo themselves.
  Value* again(Builder& b, const Place& p, Value* fresh, const Type& type) {
    std::vector<Arg> args = p.call->args;
    args[0] = fresh;
    return p.call->def != nullptr ? b.op(p.call->op, std::move(args)) : b.composite(p.call->op, std::move(args), type);
  }

  static std::vector<int64_t> inverse(const std::vector<int64_t>& dims, int rank) {
    std::vector<int64_t> r(dims.size());
    for (size_t i = 0; i < dims.size(); ++i) r[size_t(wrap_dim(dims[i], rank))] = int64_t(i);
    return r;
  }

  Value* into_split(Builder& b, const Place& p, Value* parent, const Type& type, Value* fresh) {
    const int dim = wrap_dim(p.call->args[2].is_int() ? p.call->args[2].as_int() : 0, int(parent->type.rank()));
    Dim start(0);
    for (size_t i = 0; i < p.result; ++i) start = start + p.call->types[i].dims[size_t(dim)];
    return b.op("aten::slice_scatter", {parent, fresh, dim, b.size(start), b.size(start + type.dims[size_t(dim)])});
  }

  // --- the end ---

  void finish() {
    for (Arg& a : graph_.outputs) a = now(a, nullptr);
    for (ir::InputMutation& m : graph_.mutations) m.final = now(m.final, nullptr);
    for (ir::State& s : graph_.states) {
      const bool written = place(s.value).memory->version > 0;
      if (written || s.final != nullptr) s.final = now(written ? s.value : s.final, nullptr);
    }
    for (size_t i = 0; i < graph_.inputs.size(); ++i) {
      Value* v = graph_.inputs[i];
      const auto listed = std::find_if(graph_.mutations.begin(), graph_.mutations.end(), [&](const ir::InputMutation& m) { return m.input == i; });
      if (v->type.is_tensor() && place(v).memory->version > 0 && listed == graph_.mutations.end()) graph_.mutations.push_back({i, now(v, nullptr)});
    }
    for (size_t i = gone_.size(); i-- > 0;) graph_.erase(gone_[i]);
    graph_.touch();
  }

  Graph& graph_;
  const OpLookup& ops_;
  std::unordered_map<Value*, Place> places_;
  std::unordered_map<Value*, Value*> stands_for_;
  std::vector<std::unique_ptr<Value>> hidden_;
  std::vector<Node*> gone_;
};

void run(Graph& graph, PassContext& context) { Functionalizer(graph, context.ops).run(); }

}  // namespace

extern constinit const PassDef pass_functionalize{
    .name = "functionalize",
    .summary = "operations in place become operations that yield new values",
    .needs = ir::Stage::kImported,
    .gives = ir::Stage::kImported,
    .run = run,
};

}  // namespace glint::compiler
