#include "glint/runtime/method_builder.h"

#include "glint/runtime/bind.h"

namespace glint {
namespace {

constexpr Status kNoMemory = out_of_memory("no memory to build the method");
// Numbers repeat: the last ones are looked through for the same one.
constexpr size_t kNumbersSearched = 64;

}  // namespace

MethodBuilder::Id MethodBuilder::fail(Status s) {
  if (status_.ok()) status_ = s;
  return kFailed;
}

template <class T>
T* MethodBuilder::copy(std::span<const T> items) {
  T* p = arena_.make<T>(items.size() == 0 ? 1 : items.size());
  if (p == nullptr) {
    fail(kNoMemory);
    return nullptr;
  }
  for (size_t i = 0; i < items.size(); ++i) p[i] = items[i];
  return p;
}

// ---- values ----------------------------------------------------------------------------------------------------------

MethodBuilder::Id MethodBuilder::add(const Entry& e) {
  if (!status_.ok()) return kFailed;
  if (entries_.size() >= INT32_MAX || !entries_.push(arena_, e)) return fail(kNoMemory);
  return Id(entries_.size() - 1);
}

MethodBuilder::Id MethodBuilder::none() { return add({}); }
MethodBuilder::Id MethodBuilder::real(double v) { return add({.kind = ValueView::Kind::kDouble, .d = v}); }
MethodBuilder::Id MethodBuilder::flag(bool v) { return add({.kind = ValueView::Kind::kBool, .i = v}); }

MethodBuilder::Id MethodBuilder::number(int64_t v) {
  for (size_t i = entries_.size(), left = kNumbersSearched; i-- > 0 && left-- > 0;)
    if (entries_[i].kind == ValueView::Kind::kInt && entries_[i].i == v) return status_.ok() ? Id(i) : kFailed;
  return add({.kind = ValueView::Kind::kInt, .i = v});
}

MethodBuilder::Id MethodBuilder::text(std::string_view v) {
  const char* p = copy(std::span<const char>(v.data(), v.size()));
  return p == nullptr ? kFailed : add({.kind = ValueView::Kind::kString, .count = uint32_t(v.size()), .items = p});
}

MethodBuilder::Id MethodBuilder::ints(std::span<const int64_t> v) {
  int64_t *values = copy(v), *ids = copy(v);
  if (values == nullptr || ids == nullptr) return kFailed;
  for (size_t i = 0; i < v.size(); ++i) ids[i] = number(v[i]);
  return add({.kind = ValueView::Kind::kIntList, .count = uint32_t(v.size()), .items = ids, .unboxed = values});
}

MethodBuilder::Id MethodBuilder::tensors(std::span<const Id> v) {
  Tensor** list = arena_.make<Tensor*>(v.size() + 1);
  const Id* ids = copy(v);
  if (list == nullptr || ids == nullptr) return fail(kNoMemory);
  for (size_t i = 0; i < v.size(); ++i) {
    if (!is_tensor(v[i])) return fail(internal_error("a list of tensors holds something else"));
    list[i] = &tensors_[entries_[size_t(v[i])].index]->tensor;
  }
  return add({.kind = ValueView::Kind::kTensorList, .count = uint32_t(v.size()), .items = ids, .unboxed = list});
}

MethodBuilder::Id MethodBuilder::add_tensor(const Tensor& t, TensorView::Storage storage) {
  if (!status_.ok()) return kFailed;
  TensorMeta checked;
  if (!checked.set(t.dtype, t.sizes())) return fail(invalid_program("a tensor's size in bytes overflows"));
  TensorEntry* e = arena_.make<TensorEntry>();
  if (e == nullptr || !tensors_.push(arena_, e)) return fail(kNoMemory);
  e->tensor = t;
  e->storage = storage;
  for (uint8_t d = 0; d < t.rank; ++d) {
    if (t.size[d] > INT32_MAX) return fail(invalid_program("a tensor's size exceeds 32 bits"));
    e->sizes[d] = int32_t(t.size[d]);
    e->order[d] = d;
  }
  return add({.kind = ValueView::Kind::kTensor, .index = uint32_t(tensors_.size() - 1)});
}

MethodBuilder::Id MethodBuilder::temporary(const TensorMeta& meta) {
  Tensor t;
  if (!t.set(meta.dtype, meta.sizes())) return fail(invalid_program("a tensor's size in bytes overflows"));
  return add_tensor(t, TensorView::Storage::kNone);
}

MethodBuilder::Id MethodBuilder::input(const TensorMeta& meta) {
  const Id v = temporary(meta);
  if (v != kFailed && !inputs_.push(arena_, v)) return fail(kNoMemory);
  return v;
}

MethodBuilder::Id MethodBuilder::constant(const Tensor& t) {
  if (t.is_contiguous()) return add_tensor(t, TensorView::Storage::kConstant);
  // The elements as a line, seen with the strides.
  Tensor line;
  int64_t last = 0;
  for (int d = 0; d < t.rank; ++d) last += t.size[size_t(d)] == 0 ? 0 : (t.size[size_t(d)] - 1) * t.stride[size_t(d)];
  const int64_t sizes[] = {last + 1};
  (void)line.set(t.dtype, sizes);
  line.data = t.data;
  const Id v = view(add_tensor(line, TensorView::Storage::kConstant), t.sizes(), t.strides());
  if (v != kFailed) tensors_[entries_[size_t(v)].index]->tensor.data = t.data;
  return v;
}

void MethodBuilder::output(Id v) {
  if (status_.ok() && !outputs_.push(arena_, v)) fail(kNoMemory);
}

const Tensor& MethodBuilder::tensor(Id v) const {
  static constexpr Tensor kNothing;
  return is_tensor(v) ? tensors_[entries_[size_t(v)].index]->tensor : kNothing;
}

// ---- instructions ----------------------------------------------------------------------------------------------------

int32_t MethodBuilder::find(std::string_view op) {
  if (!status_.ok()) return -1;
  const size_t dot = op.find('.');
  const std::string_view name = op.substr(0, dot), overload = dot == op.npos ? std::string_view() : op.substr(dot + 1);
  for (size_t i = 0; i < operators_.size(); ++i)
    if (operators_[i].name == name && operators_[i].overload == overload) return int32_t(i);
  const OpDef* def = op == "glint::view" ? nullptr : find_op(ops_, op);
  if (def == nullptr && op != "glint::view") return fail(not_found("an operator that the delegate is made of is not in this build"));
  if (!operators_.push(arena_, {name, overload, def})) return fail(kNoMemory);
  return int32_t(operators_.size() - 1);
}

/// The operands as the definition takes them; false when they do not fit, which is an error of the builder's user.
bool MethodBuilder::unbox(const OpDef& def, std::initializer_list<Id> args, std::span<Value> in) {
  const bool fits = args.size() == def.schema->arg_count && def.schema->return_count == 1 && def.schema->return_store[0].type == ArgType::kTensor && !def.schema->return_store[0].list;
  if (!fits) return fail(internal_error("a call does not fit its operator's schema")), false;
  for (size_t k = 0; k < args.size(); ++k) {
    const Id id = args.begin()[k];
    if (id == kFailed) return fail(internal_error("a call of a value that was not made")), false;
    const Entry& e = entries_[size_t(id)];
    using K = ValueView::Kind;
    Value v;
    switch (e.kind) {
      case K::kTensor: v = Value::of(&tensors_[e.index]->tensor); break;
      case K::kInt: v = Value::of(e.i); break;
      case K::kBool: v = Value::of(e.i != 0); break;
      case K::kDouble: v = Value::of(e.d); break;
      case K::kString: v = Value::of(std::string_view(static_cast<const char*>(e.items), e.count)); break;
      case K::kIntList: v = Value::of(std::span(static_cast<const int64_t*>(e.unboxed), e.count)); break;
      case K::kTensorList: v = Value::of(std::span(static_cast<Tensor* const*>(e.unboxed), e.count)); break;
      default: break;
    }
    const Status s = convert(v, def.schema->arg_store[k], in[k]);
    if (!s.ok()) return fail(s), false;
  }
  return true;
}

TensorMeta MethodBuilder::infer(std::string_view op, std::initializer_list<Id> args) {
  const int32_t index = find(op);
  Value in[Schema::kMaxArgs];
  if (index < 0 || !unbox(*operators_[size_t(index)].def, args, in)) return {};
  Tensor result;
  Value out[1] = {Value::of(&result)};
  const Status s = operators_[size_t(index)].def->infer({in, args.size()}, std::span<Value>(out));
  if (!s.ok()) return fail(s), TensorMeta();
  return result;
}

void MethodBuilder::append(int32_t op, std::initializer_list<Id> args, Id result) {
  if (!status_.ok() || op < 0 || result == kFailed) return;
  Id* list = arena_.make<Id>(args.size() + 1);
  if (list == nullptr) {
    fail(kNoMemory);
    return;
  }
  for (size_t k = 0; k < args.size(); ++k) list[k] = args.begin()[k];
  list[args.size()] = result;
  if (!calls_.push(arena_, {op, {list, args.size() + 1}})) fail(kNoMemory);
}

MethodBuilder::Id MethodBuilder::call(std::string_view op, std::initializer_list<Id> args) {
  const TensorMeta meta = infer(op, args);
  const Id result = temporary(meta);
  append(find(op), args, result);
  return status_.ok() ? result : kFailed;
}

void MethodBuilder::call_into(std::string_view op, std::initializer_list<Id> args, Id result) {
  const TensorMeta meta = infer(op, args);
  if (!status_.ok()) return;
  if (!is_tensor(result) || !tensor(result).same_sizes(meta) || tensor(result).dtype != meta.dtype) {
    fail(internal_error("a result has other sizes than its operator yields"));
    return;
  }
  append(find(op), args, result);
}

MethodBuilder::Id MethodBuilder::view(Id x, std::span<const int64_t> sizes, std::span<const int64_t> strides, int64_t offset) {
  if (!status_.ok() || !is_tensor(x)) return fail(internal_error("a view of something that is no tensor"));
  Tensor t;
  if (!t.set(tensor(x).dtype, sizes) || strides.size() != sizes.size()) return fail(invalid_program("a view's size in bytes overflows"));
  for (size_t d = 0; d < sizes.size(); ++d) t.stride[d] = strides[d];
  if (tensor(x).data != nullptr) t.data = static_cast<std::byte*>(tensor(x).data) + offset * int64_t(dtype_size(t.dtype));
  const Id size_list = ints(sizes), stride_list = ints(strides), from = number(offset);
  const Id result = add_tensor(t, TensorView::Storage::kNone);
  append(find("glint::view"), {x, size_list, stride_list, from}, result);
  return status_.ok() ? result : kFailed;
}

MethodBuilder::Id MethodBuilder::permuted(Id x, std::span<const int64_t> dims) {
  const Tensor& t = tensor(x);
  int64_t sizes[kMaxRank], strides[kMaxRank];
  uint32_t seen = 0;
  for (size_t d = 0; d < dims.size() && d < kMaxRank; ++d) {
    if (dims[d] < 0 || dims[d] >= t.rank) break;
    seen |= 1u << dims[d];
    sizes[d] = t.size[size_t(dims[d])];
    strides[d] = t.stride[size_t(dims[d])];
  }
  if (dims.size() != t.rank || seen != (1u << t.rank) - 1) return fail(invalid_program("the new order of dimensions is no permutation"));
  return view(x, {sizes, dims.size()}, {strides, dims.size()});
}

Tensor MethodBuilder::fold(std::string_view op, std::initializer_list<Id> args, Arena& keep) {
  Tensor result;
  static_cast<TensorMeta&>(result) = infer(op, args);
  if (!status_.ok()) return {};
  const OpDef& def = *operators_[size_t(find(op))].def;
  Value in[Schema::kMaxArgs], out[1] = {Value::of(&result)};
  if (!unbox(def, args, in)) return {};
  for (size_t k = 0; k < args.size(); ++k)
    if (in[k].kind == Value::Kind::kTensor && in[k].tensor->data == nullptr && in[k].tensor->numel() != 0) return fail(internal_error("an operand to fold is no constant")), Tensor();
  const Plan plan;
  if (!def.flags.pure || def.plan != nullptr) return fail(internal_error("only pure operators that need no plan can be folded")), Tensor();
  result.data = keep.allocate(result.size_bytes() == 0 ? 1 : result.size_bytes(), 64);
  if (result.data == nullptr) return fail(kNoMemory), Tensor();
  OpContext context(plan, {}, {}, nullptr, cpu_);
  if (const Status s = def.run(context, {in, args.size()}, std::span<Value>(out)); !s.ok()) return fail(s), Tensor();
  return result;
}

// ---- MethodView ------------------------------------------------------------------------------------------------------

ValueView MethodBuilder::value(uint32_t i) const {
  const Entry& e = entries_[i];
  using K = ValueView::Kind;
  ValueView v;
  v.kind = e.kind;
  v.i = e.i;
  v.d = e.d;
  if (e.kind == K::kString) v.text = {static_cast<const char*>(e.items), e.count};
  if (e.kind == K::kIntList) v.ints = {static_cast<const int64_t*>(e.items), e.count};
  if (e.kind == K::kTensorList) v.tensors = {static_cast<const Id*>(e.items), e.count};
  if (e.kind == K::kTensor) {
    const TensorEntry& t = *tensors_[e.index];
    v.tensor.dtype = t.tensor.dtype;
    v.tensor.rank = t.tensor.rank;
    v.tensor.storage = t.storage;
    v.tensor.sizes = {t.sizes, t.tensor.rank};
    v.tensor.dim_order = {t.order, t.tensor.rank};
    v.tensor.size_bytes = t.tensor.size_bytes();
    if (t.storage == TensorView::Storage::kConstant) v.tensor.data = {static_cast<const std::byte*>(t.tensor.data), v.tensor.size_bytes};
  }
  return v;
}

}  // namespace glint
