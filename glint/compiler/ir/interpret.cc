#include "glint/compiler/ir/interpret.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <unordered_map>

#include "glint/compiler/ir/call.h"
#include "glint/compiler/ir/text.h"
#include "glint/core/shape.h"
#include "glint/kernels/convert.h"

namespace glint::ir {

namespace {
std::shared_ptr<std::byte[]> allocate(size_t bytes) {
  const size_t padded = size_t(align_up(std::max<uint64_t>(bytes, 1), 64));
  void* p = std::aligned_alloc(64, padded);
  if (p == nullptr) throw Error(Code::kOutOfMemory, "no memory for a tensor of " + std::to_string(bytes) + " bytes");
  std::memset(p, 0, padded);
  return {static_cast<std::byte*>(p), [](std::byte* q) { std::free(q); }};
}
}  // namespace

Item Item::tensor(DType dtype, const std::vector<int64_t>& sizes, std::span<const std::byte> bytes) {
  Item item;
  if (!item.meta.set(dtype, sizes)) throw Error(Code::kInvalidArgument, "a tensor cannot have these sizes");
  if (!bytes.empty() && bytes.size() != item.meta.size_bytes()) throw Error(Code::kInvalidArgument, "the bytes do not fit the tensor's sizes");
  item.memory = allocate(item.meta.size_bytes());
  if (!bytes.empty()) std::memcpy(item.memory.get(), bytes.data(), bytes.size());
  return item;
}

Item Item::tensor(DType dtype, const std::vector<int64_t>& sizes, const std::vector<double>& elements) {
  Item item = tensor(dtype, sizes);
  if (item.meta.numel() != int64_t(elements.size())) throw Error(Code::kInvalidArgument, "the elements do not fit the tensor's sizes");
  kernels::store(dtype, item.memory.get(), 1, item.meta.numel(), elements.data());
  return item;
}

std::vector<double> Item::values() const {
  if (none) return {};
  if (kind == Type::Kind::kInt) return {double(i)};
  if (kind == Type::Kind::kFloat) return {f};
  if (kind == Type::Kind::kBool) return {double(b)};
  std::vector<double> v(size_t(meta.numel()));
  for (size_t k = 0; k < v.size(); ++k) v[k] = kernels::load_one<double>(meta.dtype, memory.get(), element_offset(meta, int64_t(k)));
  return v;
}

Item load_constant(const Value& constant) {
  std::vector<int64_t> sizes;
  for (const Dim& d : constant.type.dims) sizes.push_back(d.value());
  Item item = Item::tensor(constant.type.dtype, sizes);
  if (const Status s = constant.constant->read({item.memory.get(), item.meta.size_bytes()}); !s.ok())
    throw Error(s.code(), "the constant %" + constant.name + " cannot be read: " + s.why());
  if (constant.type.dim_order.empty()) return item;
  // The bytes are row-major elements whatever the order in memory is to be.
  Item ordered = item;
  ordered.meta.set_dim_order(constant.type.dim_order);
  ordered.memory = allocate(item.meta.size_bytes());
  const size_t width = dtype_size(item.meta.dtype);
  for (int64_t i = 0, n = item.meta.numel(); i < n; ++i)
    std::memcpy(ordered.memory.get() + size_t(element_offset(ordered.meta, i)) * width, item.memory.get() + size_t(i) * width, width);
  return ordered;
}

namespace {

OpValue bind(const Item& item, Tensor& store) {
  switch (item.kind) {
    case Type::Kind::kInt: return OpValue::of(item.i);
    case Type::Kind::kFloat: return OpValue::of(item.f);
    case Type::Kind::kBool: return OpValue::of(item.b);
    case Type::Kind::kTensor: break;
  }
  static_cast<TensorMeta&>(store) = item.meta;
  store.data = item.memory.get();
  return OpValue::of(&store);
}

Item number(const OpValue& v) {
  if (v.kind == OpValue::Kind::kFloat) return Item::of(v.f);
  if (v.kind == OpValue::Kind::kBool) return Item::of(v.b);
  return Item::of(v.i);
}

std::span<std::byte> aligned(std::shared_ptr<std::byte[]>& memory, size_t bytes) {
  memory = allocate(bytes);
  return {memory.get(), bytes};
}

void check(const Node& node, const Status& status) {
  if (!status.ok()) throw Error(status.code(), node, status.why());
}

}  // namespace

std::vector<Item> run_node(const Node& node, const std::function<const Item&(const Value&)>& operand, std::span<std::byte> into, Generator* generator) {
  if (node.def == nullptr) throw Error(Code::kUnsupported, node, "this build has no definition of the operator");
  const bool list = node.schema->return_count > 0 && node.schema->return_store[0].list;
  Call call(*node.schema, node.args(), list ? node.results().size() : 1, [&](const Value& v, Tensor& store) { return bind(operand(v), store); });
  check(node, node.def->infer(call.in, call.out));
  std::vector<Item> tensors;
  size_t next = 0;
  for (Tensor& t : call.results) {
    Item item;
    item.meta = t;
    // Results follow the dim order that the graph gives them.
    if (call.results.size() == node.results().size() && t.rank > 0 && node.result(next)->type.dim_order.size() == size_t(t.rank))
      item.meta.set_dim_order(node.result(next)->type.dim_order);
    const bool given = next == 0 && !into.empty() && into.size() == item.meta.size_bytes() && reinterpret_cast<uintptr_t>(into.data()) % alignof(std::max_align_t) == 0;
    item.memory = given ? std::shared_ptr<std::byte[]>(into.data(), [](std::byte*) {}) : allocate(item.meta.size_bytes());
    static_cast<TensorMeta&>(t) = item.meta;
    t.data = item.memory.get();
    tensors.push_back(std::move(item));
    ++next;
  }
  static const Cpu cpu{};  // the scalar one: the same results everywhere
  Plan plan;
  if (node.def->plan != nullptr) check(node, node.def->plan({cpu}, call.in, call.out, plan));
  std::shared_ptr<std::byte[]> scratch, worker_scratch;
  OpContext context(plan, aligned(scratch, plan.scratch_bytes), aligned(worker_scratch, size_t(align_up(plan.worker_scratch_bytes, 64))), nullptr, cpu, generator);
  check(node, node.def->run(context, call.in, call.out));
  std::vector<Item> items;
  size_t tensor = 0;
  for (size_t r = 0; r < node.schema->return_count; ++r) {
    if (node.schema->return_store[r].type != ArgType::kTensor) {
      items.push_back(number(call.out[r]));
      continue;
    }
    for (size_t k = 0; k < (node.schema->return_store[r].list ? node.results().size() : 1); ++k, ++tensor) {
      tensors[tensor].meta = call.results[tensor];  // a value-dependent shape may have shrunk
      items.push_back(std::move(tensors[tensor]));
    }
  }
  return items;
}

namespace {

class Interpreter {
 public:
  Interpreter(const Graph& graph, StateStore* states, const Observer& observer, Generator& generator)
      : g_(graph), states_(states), observer_(observer), generator_(generator) {}

  Interpretation run(std::span<const Item> inputs) {
    if (inputs.size() != g_.inputs.size())
      throw Error(Code::kInvalidArgument, std::to_string(g_.inputs.size()) + " inputs expected, not " + std::to_string(inputs.size()));
    for (size_t i = 0; i < inputs.size(); ++i) set_input(*g_.inputs[i], inputs[i]);
    for (const State& s : g_.states) env_[s.value] = initial(s);
    const std::vector<Node*> nodes = g_.nodes();
    std::unordered_map<const Value*, size_t> left;  // uses still to come
    for (const Node* n : nodes)
      for (const Value* v : n->inputs()) ++left[v];
    for (const Node* n : nodes) {
      std::vector<Item> results = n->regions.empty() ? run_node(*n, [&](const Value& v) -> const Item& { return get(v); }, {}, &generator_) : region(*n);
      if (results.size() != n->results().size()) throw Error(Code::kInternal, *n, "the number of results is wrong");
      if (observer_) observer_(*n, results);
      for (size_t i = 0; i < results.size(); ++i) {
        check_type(*n, *n->result(i), results[i]);
        if (!g_.is_unused(n->result(i))) env_[n->result(i)] = std::move(results[i]);
      }
      for (const Value* v : n->inputs())
        if (--left[v] == 0 && v->role != Value::Role::kInput && v->role != Value::Role::kState && !g_.is_output(v)) env_.erase(v);
    }
    return finish(inputs);
  }

 private:
  void set_input(const Value& v, const Item& item) {
    if (item.kind != v.type.kind) throw Error(Code::kInvalidArgument, "input %" + v.name + " is of another kind");
    if (v.type.is_tensor() && (item.meta.dtype != v.type.dtype || item.meta.rank != v.type.rank()))
      throw Error(Code::kInvalidArgument, "input %" + v.name + " has another dtype or rank than " + describe(v.type, g_.symbols));
    for (size_t d = 0; d < v.type.rank(); ++d)
      if (v.type.dims[d].is_static() && v.type.dims[d].value() != item.meta.size[d])
        throw Error(Code::kInvalidArgument, "input %" + v.name + " has other sizes than " + describe(v.type, g_.symbols));
    env_[&v] = item;
  }

  void check_type(const Node& node, const Value& v, const Item& item) const {
    bool fits = item.kind == v.type.kind;
    if (fits && v.type.is_tensor()) {
      fits = item.meta.dtype == v.type.dtype && item.meta.rank == v.type.rank();
      for (size_t d = 0; fits && d < v.type.rank(); ++d) fits = !v.type.dims[d].is_static() || v.type.dims[d].value() == item.meta.size[d];
    }
    if (!fits) throw Error(Code::kInternal, node, "%" + v.name + " came out as another type than " + describe(v.type, g_.symbols));
  }

  Item initial(const State& s) {
    if (const auto it = states_->find(s.name); it != states_->end()) return it->second;
    std::vector<int64_t> sizes;
    for (const Dim& d : s.value->type.dims) sizes.push_back(d.is_static() ? d.value() : g_.symbols.range(d).max);
    Item item = Item::tensor(s.value->type.dtype, sizes);
    if (s.initial != nullptr)
      if (const Status st = s.initial->read({item.memory.get(), item.meta.size_bytes()}); !st.ok())
        throw Error(st.code(), "the initial value of state " + s.name + " cannot be read: " + st.why());
    return item;
  }

  const Item& get(const Value& v) {
    const auto it = env_.find(&v);
    if (it != env_.end()) return it->second;
    if (v.role != Value::Role::kConstant) throw Error(Code::kInternal, "%" + v.name + " has no value yet");
    return env_[&v] = load_constant(v);
  }

  Item item_of(const Arg& a) {
    if (a.is_value()) return get(*a.value());
    if (a.is_int()) return Item::of(a.as_int());
    if (a.is_float()) return Item::of(a.as_float());
    if (a.is_bool()) return Item::of(a.as_bool());
    Item none;
    none.none = true;
    return none;
  }
  std::vector<Item> items_of(const Arg& a) {
    std::vector<Item> items;
    if (!a.is_list()) return {item_of(a)};
    for (const Arg& item : a.list()) items.push_back(item_of(item));
    return items;
  }

  Interpretation finish(std::span<const Item> inputs) {
    Interpretation result;
    for (const Arg& a : g_.outputs)
      for (Item& item : items_of(a)) result.outputs.push_back(std::move(item));
    result.inputs.assign(inputs.begin(), inputs.end());
    for (const InputMutation& m : g_.mutations) result.inputs[m.input] = get(*m.final);
    std::vector<std::pair<std::string, Item>> finals;
    for (const State& s : g_.states) finals.emplace_back(s.name, get(s.final != nullptr ? *s.final : *s.value));
    for (auto& [name, item] : finals) (*states_)[name] = std::move(item);
    return result;
  }

  // --- regions: inputs are the operands, in order ---

  std::vector<Item> call_region(const Node& node, size_t index, std::vector<Item> inputs) {
    if (index >= node.regions.size()) throw Error(Code::kInternal, node, "a region is missing");
    StateStore none;
    return Interpreter(*node.regions[index], &none, observer_, generator_).run(inputs).outputs;
  }

  static bool truth(const Item& item) { return item.values().at(0) != 0; }

  std::vector<Item> region(const Node& node) {
    const std::string_view name = base_name(node.op);
    if (name == "cond") return call_region(node, truth(item_of(node.arg(0))) ? 0 : 1, items_of(node.args().back()));
    if (name == "while_loop") return while_loop(node);
    if (name == "map" || name == "map_impl") return map(node);
    if (name == "scan") return scan(node);
    throw Error(Code::kUnsupported, node, "the meaning of these regions is not known");
  }

  std::vector<Item> while_loop(const Node& node) {
    std::vector<Item> carried = items_of(node.arg(0));
    const std::vector<Item> extra = items_of(node.arg(1));
    const auto with_extra = [&] {
      std::vector<Item> all = carried;
      all.insert(all.end(), extra.begin(), extra.end());
      return all;
    };
    while (truth(call_region(node, 0, with_extra()).at(0))) carried = call_region(node, 1, with_extra());
    return carried;
  }

  /// The `i`-th entry along the first dimension.
  static Item slice(const Node& node, const Item& x, int64_t i) {
    if (x.kind != Type::Kind::kTensor || x.meta.rank == 0 || !x.meta.is_contiguous() || i >= x.meta.size[0]) throw Error(Code::kInvalidProgram, node, "the operands cannot be walked along their first dimension");
    Item item = Item::tensor(x.meta.dtype, {x.meta.size.begin() + 1, x.meta.size.begin() + x.meta.rank});
    std::memcpy(item.memory.get(), x.memory.get() + size_t(i) * item.meta.size_bytes(), item.meta.size_bytes());
    return item;
  }
  Item stack(const Node& node, const std::vector<Item>& parts, const Type& type) const {
    std::vector<int64_t> sizes = {int64_t(parts.size())};
    if (parts.empty()) {
      for (size_t d = 1; d < type.rank(); ++d) {
        if (!type.dims[d].is_static()) throw Error(Code::kUnsupported, node, "a walk of no steps has results of no known size");
        sizes.push_back(type.dims[d].value());
      }
      return Item::tensor(type.dtype, sizes);
    }
    sizes.insert(sizes.end(), parts[0].meta.size.begin(), parts[0].meta.size.begin() + parts[0].meta.rank);
    Item all = Item::tensor(parts[0].meta.dtype, sizes);
    const size_t bytes = parts[0].meta.size_bytes();
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i].meta.same_sizes(parts[0].meta) || !parts[i].meta.is_contiguous()) throw Error(Code::kInvalidProgram, node, "the steps give different sizes");
      std::memcpy(all.memory.get() + i * bytes, parts[i].memory.get(), bytes);
    }
    return all;
  }

  std::vector<Item> map(const Node& node) { return walk(node, {}, items_of(node.arg(0)), items_of(node.arg(1))); }
  std::vector<Item> scan(const Node& node) { return walk(node, items_of(node.arg(0)), items_of(node.arg(1)), items_of(node.args().back())); }

  std::vector<Item> walk(const Node& node, std::vector<Item> carried, const std::vector<Item>& xs, const std::vector<Item>& extra) {
    const int64_t steps = xs.empty() || xs[0].meta.rank == 0 ? 0 : xs[0].meta.size[0];
    std::vector<std::vector<Item>> columns(node.results().size() - std::min(node.results().size(), carried.size()));
    for (int64_t i = 0; i < steps; ++i) {
      std::vector<Item> inputs = carried;
      for (const Item& x : xs) inputs.push_back(slice(node, x, i));
      inputs.insert(inputs.end(), extra.begin(), extra.end());
      std::vector<Item> results = call_region(node, 0, std::move(inputs));
      if (results.size() != carried.size() + columns.size()) throw Error(Code::kInvalidProgram, node, "the region has another number of results");
      for (size_t r = 0; r < results.size(); ++r) {
        if (r < carried.size()) carried[r] = std::move(results[r]);
        else columns[r - carried.size()].push_back(std::move(results[r]));
      }
    }
    for (const auto& column : columns) carried.push_back(stack(node, column, node.result(carried.size())->type));
    return carried;
  }

  const Graph& g_;
  StateStore* states_;
  const Observer& observer_;
  Generator& generator_;
  std::unordered_map<const Value*, Item> env_;
};

}  // namespace

Interpretation interpret(const Graph& graph, std::span<const Item> inputs, StateStore& states, const Observer& observer, Generator* generator) {
  Generator fresh;
  return Interpreter(graph, &states, observer, generator != nullptr ? *generator : fresh).run(inputs);
}

}  // namespace glint::ir
