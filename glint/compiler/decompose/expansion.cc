#include "glint/compiler/decompose/expansion.h"

#include <algorithm>
#include <numeric>

namespace glint::compiler {

// ---- the call ----

Value* Expansion::tensor(std::string_view name) const {
  Value* v = maybe(name);
  if (!v) refuse(std::string(name) + " is not a tensor");
  return v;
}

Value* Expansion::maybe(std::string_view name) const {
  const Arg& a = arg(name);
  return a.is_value() ? a.value() : nullptr;
}

Values Expansion::tensors(std::string_view name) const {
  const Arg& a = arg(name);
  if (!a.is_list()) refuse(std::string(name) + " is not a list of tensors");
  Values all;
  for (const Arg& entry : a.list()) all.push_back(entry.is_value() ? entry.value() : nullptr);
  return all;
}

int64_t Expansion::integer(std::string_view name) const {
  const Arg& a = arg(name);
  if (a.is_list() && a.list().size() == 1 && a.list()[0].is_int()) return a.list()[0].as_int();
  const Dim d = to_dim(a);
  if (!d.is_static()) refuse(std::string(name) + " has to be known while compiling", "give this argument a constant value");
  return d.value();
}

double Expansion::number(std::string_view name) const {
  const Arg& a = arg(name);
  if (!a.is_number()) refuse(std::string(name) + " has to be known while compiling", "give this argument a constant value");
  return a.to_double();
}

bool Expansion::flag(std::string_view name) const {
  const Arg& a = arg(name);
  return a.is_bool() ? a.as_bool() : a.is_int() && a.as_int() != 0;
}

std::string Expansion::text(std::string_view name) const {
  const Arg& a = arg(name);
  return a.is_string() ? a.as_string() : std::string();
}

std::optional<DType> Expansion::dtype(std::string_view name) const {
  const Arg& a = arg(name);
  if (a.is_dtype()) return a.as_dtype();
  return std::nullopt;
}

Axes Expansion::ints(std::string_view name, size_t count) const {
  const Arg& a = arg(name);
  Axes all;
  if (a.is_list()) {
    for (const Arg& entry : a.list()) all.push_back(known(to_dim(entry), "an entry of a list"));
  } else if (!a.is_none()) {
    all.push_back(integer(name));
  }
  if (all.size() == 1 && count > 1) all.resize(count, all[0]);
  return all;
}

Dims Expansion::sizes(std::string_view name) const {
  const Arg& a = arg(name);
  if (!a.is_list()) return {to_dim(a)};
  Dims all;
  for (const Arg& entry : a.list()) all.push_back(to_dim(entry));
  return all;
}

Dim Expansion::to_dim(const Arg& a) const {
  if (a.is_int()) return a.as_int();
  if (a.is_bool()) return int64_t(a.as_bool());
  if (a.is_value() && a.value()->type.kind == ir::Type::Kind::kInt && a.value()->type.has_number) return a.value()->type.number;
  refuse("a size is not a whole number that the compiler can follow");
}

Axes Expansion::axes(std::string_view name, size_t rank) const {
  Axes all = ints(name);
  return all.empty() ? iota(0, int64_t(rank)) : wrap(std::move(all), rank);
}

int64_t Expansion::wrap(int64_t axis, size_t rank) const {
  const int64_t n = std::max<int64_t>(1, int64_t(rank));
  if (axis < -n || axis >= n) refuse("a dimension is out of range");
  return axis < 0 ? axis + n : axis;
}

Axes Expansion::wrap(Axes axes, size_t rank) const {
  for (int64_t& a : axes) a = wrap(a, rank);
  return axes;
}

void Expansion::refuse(std::string why, std::string hint) const {
  throw ir::Error(Code::kUnsupported, node_, std::move(why), std::move(hint));
}

int64_t Expansion::known(const Dim& d, const char* what) const {
  if (!d.is_static()) refuse(std::string(what) + " has to be known while compiling", "export the model with this dimension static");
  return d.value();
}

// ---- elementwise ----

namespace {

std::string overload(const char* name, const char* which) { return std::string("aten::") + name + "." + which; }

}  // namespace

Value* Expansion::binary(const char* name, const Arg& a, const Arg& b) {
  if (!is_tensor(a)) return binary(name, b, a);  // add and mul commute
  return op(overload(name, is_tensor(b) ? "Tensor" : "Scalar"), {a, b});
}

Value* Expansion::sub(const Arg& a, const Arg& b) {
  if (!is_tensor(a)) return op("aten::rsub.Scalar", {b, a});
  return op(is_tensor(b) ? "aten::sub.Tensor" : "aten::sub.Scalar", {a, b});
}

Value* Expansion::div(const Arg& a, const Arg& b) {
  if (is_tensor(a)) return op(is_tensor(b) ? "aten::div.Tensor" : "aten::div.Scalar", {a, b});
  DType d = result_type({a, b});
  if (!is_floating(d) && !is_complex(d)) d = DType::kF32;
  return op("aten::div.Tensor", {scalar(d, a.to_double()), to(b.value(), d)});
}

Value* Expansion::pow(const Arg& a, const Arg& b) {
  if (!is_tensor(a)) return op("aten::pow.Scalar", {a, b});
  return op(is_tensor(b) ? "aten::pow.Tensor_Tensor" : "aten::pow.Tensor_Scalar", {a, b});
}

Value* Expansion::compare(const char* name, Value* a, const Arg& b) {
  return op(overload(name, is_tensor(b) ? "Tensor" : "Scalar"), {a, b});
}

Value* Expansion::where(Value* condition, const Arg& a, const Arg& b) {
  const auto as_tensor = [&](const Arg& v, const Arg& other) {
    if (is_tensor(v)) return v.value();
    const DType d = is_tensor(other) ? other.value()->type.dtype : result_type({a, b});
    return scalar(d, v.to_double());
  };
  return op("aten::where.self", {condition, as_tensor(a, b), as_tensor(b, a)});
}

Value* Expansion::to(Value* a, DType dtype) {
  return a->type.dtype == dtype ? a : op("aten::_to_copy", {a, dtype});
}

// ---- shape ----

Value* Expansion::view(Value* a, const Dims& sizes) {
  if (a->type.dims == sizes) return a;
  return op("aten::view", {a, b_.sizes(sizes)});
}

Value* Expansion::permute(Value* a, const Axes& order) {
  if (order == iota(0, int64_t(order.size()))) return a;
  return op("aten::permute", {a, order});
}

Value* Expansion::transpose(Value* a, int64_t d0, int64_t d1) {
  Axes order = all_axes(a);
  if (order.empty()) return a;
  std::swap(order[size_t(wrap(d0, rank(a)))], order[size_t(wrap(d1, rank(a)))]);
  return permute(a, order);
}

Value* Expansion::expand(Value* a, const Dims& sizes) {
  if (a->type.dims == sizes) return a;
  return op("aten::expand", {a, b_.sizes(sizes)});
}

Value* Expansion::slice(Value* a, int64_t axis, const Dim& start, const Dim& end, int64_t step) {
  axis = wrap(axis, rank(a));
  if (step == 1 && start == Dim(0) && end == dims(a)[size_t(axis)]) return a;
  return op("aten::slice.Tensor", {a, axis, b_.size(start), b_.size(end), step});
}

Value* Expansion::cat(const Values& parts, int64_t axis) {
  if (parts.size() == 1) return parts[0];
  return op("aten::cat", {parts, axis});
}

Value* Expansion::stack(const Values& parts, int64_t axis) {
  require(!parts.empty(), "an empty list of tensors");
  axis = wrap(axis, rank(parts[0]) + 1);
  Values rows;
  for (Value* p : parts) rows.push_back(unsqueeze(p, axis));
  return cat(rows, axis);
}

Value* Expansion::flatten(Value* a, int64_t from, int64_t to) {
  if (rank(a) == 0) return view(a, {Dim(1)});
  from = wrap(from, rank(a));
  to = wrap(to, rank(a));
  require(from <= to, "start_dim is behind end_dim");
  Dims sizes(dims(a).begin(), dims(a).begin() + from);
  sizes.push_back(product(dims(a), size_t(from), size_t(to) + 1));
  sizes.insert(sizes.end(), dims(a).begin() + to + 1, dims(a).end());
  return view(a, sizes);
}

Value* Expansion::reduce(std::string_view name, Value* a, const Axes& axes, bool keep) {
  return op(name, {a, axes, keep});
}

// ---- effects ----

namespace {

Arg replaced(const Arg& a, Value* from, Value* to) {
  if (a.is_value()) return a.value() == from ? Arg(to) : a;
  if (!a.is_list()) return a;
  Arg::List all;
  for (const Arg& entry : a.list()) all.push_back(replaced(entry, from, to));
  return all;
}

}  // namespace

void Expansion::write(Value* target, Value* next) {
  ir::Graph& g = b_.graph();
  bool later = false;
  for (ir::Node* n : g.nodes()) {
    if (later)
      for (size_t i = 0; i < n->args().size(); ++i) {
        const Arg a = replaced(n->arg(i), target, next);
        if (!(a == n->arg(i))) n->set_arg(i, a);
      }
    later = later || n == &node_;
  }
  for (Arg& out : g.outputs) out = replaced(out, target, next);
  for (ir::State& s : g.states)
    if (s.final == target || (s.value == target && !s.final)) return void(s.final = next);
  for (ir::InputMutation& m : g.mutations)
    if (m.final == target) return void(m.final = next);
  for (size_t i = 0; i < g.inputs.size(); ++i)
    if (g.inputs[i] == target) g.mutations.push_back({i, next});
}

// ---- types ----

Axes Expansion::iota(int64_t from, int64_t to) {
  Axes all(size_t(std::max<int64_t>(0, to - from)));
  std::iota(all.begin(), all.end(), from);
  return all;
}

Dim Expansion::product(const Dims& dims, size_t from, size_t to) {
  Dim p = 1;
  for (size_t i = from; i < std::min(to, dims.size()); ++i) p = p * dims[i];
  return p;
}

Dims Expansion::broadcast(const Dims& a, const Dims& b) const {
  const Dims& longer = a.size() >= b.size() ? a : b;
  const Dims& shorter = a.size() >= b.size() ? b : a;
  Dims out = longer;
  const size_t skip = longer.size() - shorter.size();
  for (size_t i = 0; i < shorter.size(); ++i) {
    const Dim& p = longer[skip + i];
    const Dim& q = shorter[i];
    if (q == p || q == Dim(1)) continue;
    if (p == Dim(1) || !p.is_static()) {
      out[skip + i] = q;  // a symbolic size that is not 1 has to equal the other one
    } else if (q.is_static()) {
      refuse("the sizes of the operands do not broadcast");
    }
  }
  return out;
}

Dims Expansion::broadcast(const Values& all) const {
  Dims out;
  for (const Value* v : all) out = broadcast(out, v->type.dims);
  return out;
}

DType Expansion::result_type(const std::vector<Arg>& operands) {
  ResultType r;
  for (const Arg& a : operands) {
    if (is_tensor(a)) r.add_tensor(a.value()->type.dtype, a.value()->type.rank() != 0);
    else if (a.is_value()) r.add_scalar(a.value()->type.kind == ir::Type::Kind::kInt ? DType::kI64 : DType::kF64);
    else if (!a.is_none()) r.add_scalar(a.is_float() ? DType::kF64 : a.is_bool() ? DType::kBool : DType::kI64);
  }
  return r.get();
}

}  // namespace glint::compiler
