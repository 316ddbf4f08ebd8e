// Views become glint::view(x, sizes, strides, offset) of the value whose memory they share: the runtime resolves
// these at load, so permute, slice, select, expand, split and reshape of dense values cost nothing. Where a
// reshape does not fit the strides, a copy to row-major comes first. Chains of views collapse into one.
//
// So do chains of writes through views of a state, as `cache[layer][:, pos] = x` gives them: what was scattered from view to
// view becomes one as_strided_scatter into the state. When an operator computed the part over a view of that very place, the
// scatter has the same sizes, strides and offset as the view: the emitter sees that nothing is left to do.

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "glint/compiler/ir/match.h"
#include "glint/compiler/pass.h"

namespace glint::compiler {
namespace {

using ir::Arg;
using ir::Builder;
using ir::Dim;
using ir::Graph;
using ir::Node;
using ir::Value;
using Dims = std::vector<Dim>;

/// Where a value lies: in the memory of `base`, at strides counted in base's elements.
struct Place {
  Value* base;
  Dims sizes, strides;
  Dim offset = 0;
};

Dims row_major(const Dims& sizes) {
  Dims strides(sizes.size(), Dim(1));
  for (size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * (sizes[i] == Dim(0) ? Dim(1) : sizes[i]);
  return strides;
}

Dims dense(const ir::Type& type) {
  if (type.dim_order.empty()) return row_major(type.dims);
  Dims strides(type.rank(), Dim(1));
  Dim step = 1;
  for (size_t i = type.rank(); i-- > 0;) {
    strides[type.dim_order[i]] = step;
    step = step * type.dims[type.dim_order[i]];
  }
  return strides;
}

class Lowering {
 public:
  Lowering(Graph& graph, const ir::OpLookup& ops) : graph_(graph), ops_(ops) {}

  void run() {
    for (Node* n : graph_.nodes()) {
      visited_.insert(n);
      if (n->results().empty() || join_updates(*n)) continue;
      const std::vector<Place> places = place(*n);
      if (places.empty()) continue;
      for (size_t i = 0; i < places.size(); ++i) replace(*n, n->result(i), places[i]);
      graph_.erase(n);
    }
  }

 private:
  Place place_of(Value* v) const {
    if (const auto found = places_.find(v); found != places_.end()) return found->second;
    return {v, v->type.dims, dense(v->type), 0};
  }

  static bool is_whole(const Place& p) { return p.sizes == p.base->type.dims && p.strides == dense(p.base->type) && p.offset == Dim(0); }

  void replace(Node& n, Value* result, const Place& p) {
    if (result->users().empty() && !graph_.is_output(result)) return;
    if (is_whole(p)) {
      graph_.replace_uses(result, p.base);
      return;
    }
    Builder b(graph_, ops_, &n);
    Value* view = b.composite("glint::view", {p.base, b.sizes(p.sizes), b.sizes(p.strides), b.size(p.offset)}, ir::Type::tensor(result->type.dtype, p.sizes));
    places_[view] = p;
    graph_.replace_uses(result, view);
  }

  static int wrap(const Arg& dim, size_t rank) { return wrap_dim(dim.as_int(), int(rank)); }

  /// The place of every result of a view-like node; nothing when `n` is not one or cannot be expressed. A reshape that does not
  /// fit the strides is one of a copy.
  std::vector<Place> place(Node& n) {
    Value* x = n.args().empty() ? nullptr : n.input(0);
    if (x == nullptr || !x->type.is_tensor() || n.result()->type.dtype != x->type.dtype) return {};
    std::vector<Place> places = seen_from(n, place_of(x));
    if (!places.empty() || !is_reshape(n)) return places;
    Value* copy = Builder(graph_, ops_, &n).op("aten::clone", {x, 0});
    const Dims& sizes = n.result()->type.dims;
    return {{copy, sizes, row_major(sizes), 0}};
  }
  static bool is_reshape(const Node& n) { return n.is("aten::view") || n.is("aten::_unsafe_view") || n.is("aten::view_copy"); }

  /// The same if the operand lies at `p`.
  std::vector<Place> seen_from(const Node& n, Place p) const {
    if (is_reshape(n)) return one(reshaped(p, n.result()->type.dims));
    if (n.is("aten::alias") || n.is("aten::detach") || n.is("aten::alias_copy") || n.is("aten::detach_copy")) return {p};
    if (n.is("aten::permute") || n.is("aten::permute_copy")) return {permute(p, n.arg(1).ints())};
    if (n.is("aten::transpose.int") || n.is("aten::transpose_copy.int")) {
      const int a = wrap(n.arg(1), p.sizes.size()), b = wrap(n.arg(2), p.sizes.size());
      if (p.sizes.empty()) return {p};
      std::swap(p.sizes[size_t(a)], p.sizes[size_t(b)]);
      std::swap(p.strides[size_t(a)], p.strides[size_t(b)]);
      return {p};
    }
    if (n.is("aten::unsqueeze") || n.is("aten::unsqueeze_copy") || is_squeeze(n)) return one(resized(p, n.result()->type.dims));
    if (n.is("aten::expand") || n.is("aten::expand_copy")) return {expand(p, n.result()->type.dims)};
    if (n.is("aten::slice.Tensor") || n.is("aten::slice_copy.Tensor")) return one(slice(p, n.args().subspan(1), n.result()->type.dims));
    if (n.is("aten::select.int") || n.is("aten::select_copy.int")) return one(select(p, n.args().subspan(1)));
    if (n.is("aten::split_with_sizes") || n.is("aten::split.Tensor") || n.is("aten::split_with_sizes_copy") || n.is("aten::split_copy.Tensor"))
      return split(n, p, n.arg(2).is_int() ? n.arg(2) : Arg(0), false);
    if (n.is("aten::unbind.int") || n.is("aten::unbind_copy.int")) return split(n, p, n.arg(1), true);
    return {};
  }

  static std::vector<Place> one(const std::optional<Place>& p) { return p ? std::vector<Place>{*p} : std::vector<Place>(); }

  static bool is_squeeze(const Node& n) {
    return n.is("aten::squeeze") || n.is("aten::squeeze.dim") || n.is("aten::squeeze.dims") || n.is("aten::squeeze_copy") ||
           n.is("aten::squeeze_copy.dim") || n.is("aten::squeeze_copy.dims");
  }

  static Place permute(const Place& p, const std::vector<int64_t>& dims) {
    Place out = p;
    for (size_t i = 0; i < dims.size(); ++i) {
      const size_t from = size_t(wrap_dim(dims[i], int(dims.size())));
      out.sizes[i] = p.sizes[from];
      out.strides[i] = p.strides[from];
    }
    return out;
  }

  /// Dimensions of size 1 come and go: the others keep their strides.
  static std::optional<Place> resized(const Place& p, const Dims& sizes) {
    Place out = p;
    out.sizes = sizes;
    out.strides.assign(sizes.size(), Dim(1));
    size_t from = 0;
    for (size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] == Dim(1)) continue;
      while (from < p.sizes.size() && p.sizes[from] == Dim(1)) ++from;
      if (from == p.sizes.size() || !(p.sizes[from] == sizes[i])) return std::nullopt;
      out.strides[i] = p.strides[from++];
    }
    return out;
  }

  static Place expand(const Place& p, const Dims& sizes) {
    Place out = p;
    out.sizes = sizes;
    out.strides.assign(sizes.size(), Dim(0));
    const size_t shift = sizes.size() - p.sizes.size();
    for (size_t i = 0; i < p.sizes.size(); ++i)
      if (p.sizes[i] == sizes[i + shift]) out.strides[i + shift] = p.strides[i];
    return out;
  }

  /// The first element of a slice or index along a dimension, counted from the front; nothing when it depends on the size.
  static std::optional<Dim> start_of(const Arg& a, const Dim& size) {
    if (a.is_none()) return Dim(0);
    if (a.is_int()) {
      if (!size.is_static()) return a.as_int() >= 0 ? std::optional<Dim>(Dim(a.as_int())) : std::optional<Dim>(size + Dim(a.as_int()));
      int64_t v = a.as_int() < 0 ? a.as_int() + size.value() : a.as_int();
      return Dim(std::min(std::max<int64_t>(v, 0), size.value()));
    }
    if (a.is_value() && a.value()->type.has_number) return a.value()->type.number;
    return std::nullopt;
  }

  /// `args`: dim, start, end, step.
  std::optional<Place> slice(Place p, std::span<const Arg> args, const Dims& sizes) const {
    const int d = wrap(args[0], p.sizes.size());
    const auto start = start_of(args[1], p.sizes[size_t(d)]);
    if (!start || !args[3].is_int() || !in_range(*start, p.sizes[size_t(d)], false)) return std::nullopt;
    p.offset = p.offset + *start * p.strides[size_t(d)];
    p.strides[size_t(d)] = p.strides[size_t(d)] * Dim(args[3].as_int());
    p.sizes = sizes;
    return p;
  }

  /// `args`: dim, index.
  std::optional<Place> select(Place p, std::span<const Arg> args) const {
    const int d = wrap(args[0], p.sizes.size());
    const auto index = start_of(args[1], p.sizes[size_t(d)]);
    if (!index || !in_range(*index, p.sizes[size_t(d)], true)) return std::nullopt;
    p.offset = p.offset + *index * p.strides[size_t(d)];
    p.sizes.erase(p.sizes.begin() + d);
    p.strides.erase(p.strides.begin() + d);
    return p;
  }

  /// Whether 0 <= index <= size (< with `strictly`) at every sample; a view past the end would have to be clamped while running.
  bool in_range(const Dim& index, const Dim& size, bool strictly) const {
    if (index.is_static() && size.is_static()) return index.value() >= 0 && index.value() + strictly <= size.value();
    for (const auto& sample : graph_.symbols.samples()) {
      const int64_t i = graph_.symbols.evaluate(index, sample), n = graph_.symbols.evaluate(size, sample);
      if (i < 0 || i + strictly > n) return false;
    }
    return true;
  }

  static std::vector<Place> split(const Node& n, const Place& p, const Arg& dim, bool drops_dim) {
    const size_t d = size_t(wrap(dim, p.sizes.size()));
    std::vector<Place> places;
    Place next = p;
    for (const Value* r : n.results()) {
      Place one = next;
      one.sizes = r->type.dims;
      if (drops_dim) one.strides.erase(one.strides.begin() + long(d));
      places.push_back(one);
      next.offset = next.offset + (drops_dim ? Dim(1) : r->type.dims[d]) * p.strides[d];
    }
    return places;
  }

  /// Under other sizes, if some strides give the same elements in row-major order.
  static std::optional<Place> reshaped(const Place& p, const Dims& sizes) {
    const auto strides = strides_for(p, sizes);
    return strides ? std::optional(Place{p.base, sizes, *strides, p.offset}) : std::nullopt;
  }
  static std::optional<Dims> strides_for(const Place& p, const Dims& sizes) {
    if (p.strides == row_major(p.sizes)) return row_major(sizes);
    Dims from, steps;  // without dimensions of size 1
    for (size_t i = 0; i < p.sizes.size(); ++i)
      if (!(p.sizes[i] == Dim(1))) from.push_back(p.sizes[i]), steps.push_back(p.strides[i]);
    Dims out(sizes.size(), Dim(1));
    size_t i = 0, o = 0;
    while (i < from.size() || o < sizes.size()) {
      if (o < sizes.size() && sizes[o] == Dim(1)) { ++o; continue; }
      if (i >= from.size() || o >= sizes.size()) return std::nullopt;
      // The smallest groups of equal product on both sides.
      const size_t i0 = i, o0 = o;
      Dim have = from[i++], want = sizes[o++];
      while (!(have == want)) {
        if (!have.is_static() || !want.is_static()) return std::nullopt;
        if (have.value() < want.value()) {
          if (i >= from.size()) return std::nullopt;
          have = have * from[i++];
        } else {
          if (o >= sizes.size()) return std::nullopt;
          want = want * sizes[o++];
        }
        if (!have.is_static() || !want.is_static()) return std::nullopt;
      }
      if (have == Dim(0)) return std::nullopt;
      for (size_t k = i0; k + 1 < i; ++k)
        if (!(steps[k] == steps[k + 1] * from[k + 1])) return std::nullopt;
      Dim step = steps[i - 1];
      for (size_t k = o; k-- > o0;) {
        out[k] = step;
        step = step * sizes[k];
      }
    }
    return out;
  }

  // ---- writes to states ----

  /// A value that is `self`, in the memory of a state, with `source` in `part` of it.
  struct Update {
    Value* self;
    Place part;
    Value* source;
    const Node* view = nullptr;  // of the part, which the source was computed over
  };

  /// Makes one scatter into the state of `n`, if it ends a chain of them.
  bool join_updates(Node& n) {
    if (n.results().size() != 1 || !n.result()->type.is_tensor()) return false;
    keep_apart(n);
    std::optional<Update> u = update(n);
    if (!u) return false;
    const auto inner = updates_.find(u->source);
    const bool joins = inner != updates_.end() && same_place(place_of(inner->second.self), u->part);
    Update whole = *u;
    if (joins) whole.part = inner->second.part, whole.view = inner->second.view, whole.source = inner->second.source;
    if (const auto last = updates_.find(u->self); last != updates_.end() && last->second.source == whole.source && same_strides(last->second.part, whole.part)) {
      graph_.replace_uses(n.result(), u->self);  // the same once more, as `part += x` in Python writes it
      graph_.erase(&n);
      return true;
    }
    if (joins && is_whole(place_of(u->self)) && place_of(u->self).base->type.dim_order.empty()) {
      join(n, *u, whole);
      return true;
    }
    if (is_whole(place_of(u->self))) of_state_.insert(n.result());
    updates_.insert_or_assign(n.result(), whole);
    return false;
  }

  /// What is written to a part of a state from another part is copied first: the parts may overlap.
  void keep_apart(Node& n) {
    if (n.def == nullptr || !n.def->flags.updates_self || !in_state(n.input(0))) return;
    for (size_t i = 1; i < n.args().size(); ++i) {
      Value* v = n.input(i);
      if (v == nullptr || !v->type.is_tensor() || place_of(v).base != place_of(n.input(0)).base) continue;
      n.set_arg(i, Builder(graph_, ops_, &n).op("aten::clone", {v, 0}));
    }
  }

  void join(Node& n, const Update& outer, const Update& whole) {
    Builder b(graph_, ops_, &n);
    std::vector<Arg> args = {whole.part.base, whole.source, b.sizes(whole.part.sizes), b.sizes(whole.part.strides), b.size(whole.part.offset)};
    if (whole.view != nullptr) std::copy(whole.view->args().begin() + 1, whole.view->args().end(), args.begin() + 2);
    Value* joined = b.op("aten::as_strided_scatter", std::move(args));
    joined->type.dims = n.result()->type.dims;
    of_state_.insert(joined);
    updates_.insert_or_assign(joined, whole);
    // Whoever looks at a view that was written to finds it in the state.
    const auto looks_later = [&](const Node* user) { return user == &n || visited_.count(user) == 0; };
    if (outer.source != whole.source && outer.source->users().size() > 1 && std::all_of(outer.source->users().begin(), outer.source->users().end(), looks_later)) {
      Place p = outer.part;
      p.base = joined;
      replace(n, outer.source, p);
    }
    graph_.replace_uses(n.result(), joined);
    graph_.erase(&n);
  }

  std::optional<Update> update(const Node& n) const {
    if (const Value* x = n.args().empty() ? nullptr : n.input(0); x != nullptr && updates_.count(x) != 0 && goes_on(n.result())) {
      // A view of an updated view that is the state again: the update is one of the state.
      const Update& u = updates_.at(x);
      const std::vector<Place> places = seen_from(n, place_of(u.self));
      if (places.size() == 1 && is_whole(places[0])) return Update{places[0].base, place_of(u.self), n.input(0)};
    }
    const bool slices = n.is("aten::slice_scatter"), selects = n.is("aten::select_scatter");
    if (slices || selects) {
      Value *self = n.input(0), *source = n.input(1);
      if (!in_state(self) || source->type.dtype != self->type.dtype) return std::nullopt;
      const auto part = slices ? slice(place_of(self), n.args().subspan(2), source->type.dims) : select(place_of(self), n.args().subspan(2));
      return part ? std::optional(Update{self, *part, source}) : std::nullopt;
    }
    if (n.def == nullptr) return std::nullopt;
    for (Value* self : n.inputs()) {
      if (!n.def->flags.may_alias && !n.def->flags.updates_self) break;
      if (self->type.is_tensor() && in_state(self) && ir::same_type(self->type, n.result()->type))
        return Update{self, place_of(self), n.result(), places_.count(self) != 0 ? self->producer : nullptr};
      if (n.def->flags.updates_self) break;
    }
    return std::nullopt;
  }

  bool in_state(Value* v) const {
    const Value* base = place_of(v).base;
    return base->role == Value::Role::kState || of_state_.count(base) != 0;
  }
  /// Whether a value is what a state ends as, or is updated again.
  bool goes_on(const Value* v) const {
    for (const ir::State& s : graph_.states)
      if (s.final == v) return true;
    for (const Node* user : v->users())
      if (user->def != nullptr && user->def->flags.updates_self && user->input(0) == v) return true;
    return false;
  }
  static bool same_strides(const Place& a, const Place& b) { return a.sizes == b.sizes && a.strides == b.strides && a.offset == b.offset; }
  static bool same_place(const Place& a, const Place& b) { return a.base == b.base && same_strides(a, b); }

  Graph& graph_;
  const ir::OpLookup& ops_;
  std::unordered_map<const Value*, Place> places_;
  std::unordered_map<const Value*, Update> updates_;
  std::unordered_set<const Value*> of_state_;  // what states become, each over the one before
  std::unordered_set<const Node*> visited_;
};

void run(Graph& graph, PassContext& context) { Lowering(graph, context.ops).run(); }

}  // namespace

extern constinit const PassDef pass_lower_views{
    .name = "lower-views",
    .summary = "views become strided windows on the memory they share",
    .needs = ir::Stage::kLowered,
    .gives = ir::Stage::kLowered,
    .run = run,
};

}  // namespace glint::compiler
