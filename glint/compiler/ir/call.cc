#include "glint/compiler/ir/call.h"

#include <optional>

#include "glint/compiler/ir/text.h"
#include "glint/kernels/convert.h"

namespace glint::ir {

namespace {
[[noreturn]] void refuse(const SchemaArg& arg, const Arg& value) {
  throw Error(Code::kInvalidProgram, "argument " + std::string(arg.name) + " cannot be " + print_arg(value));
}

const Value* first_tensor(const Arg& a) {
  if (a.is_value()) return a.value()->type.is_tensor() ? a.value() : nullptr;
  if (a.is_list())
    for (const Arg& item : a.list())
      if (const Value* v = first_tensor(item)) return v;
  return nullptr;
}
}  // namespace

DType wrapped_dtype(const Arg& number, std::span<const Arg> args) {
  ResultType type;
  for (const Arg& a : args)
    if (const Value* v = first_tensor(a)) type.add_tensor(v->type.dtype, v->type.rank() > 0);
  type.add_scalar(number.is_float() ? DType::kF64 : number.is_bool() ? DType::kBool : DType::kI64);
  return type.get();
}

Call::Call(const Schema& schema, std::span<const Arg> args, size_t list_results, const Resolve& resolve) : args_(args) {
  if (args.size() != schema.arg_count) throw Error(Code::kInvalidProgram, std::string(schema.name) + ": the number of arguments does not fit the schema");
  for (size_t i = 0; i < args.size(); ++i) in.push_back(bind(schema.arg_store[i], args[i], resolve));
  for (const SchemaArg& r : schema.returns()) {
    if (r.type != ArgType::kTensor) {
      out.push_back(OpValue::none());
    } else if (!r.list) {
      out.push_back(OpValue::of(&results.emplace_back()));
    } else {
      std::vector<Tensor*>& list = lists_.emplace_back();
      for (size_t i = 0; i < list_results; ++i) list.push_back(&results.emplace_back());
      out.push_back(OpValue::of(std::span<Tensor* const>(list)));
    }
  }
}

OpValue Call::wrapped(const Arg& number) {
  Tensor& t = tensors_.emplace_back();
  t.set(wrapped_dtype(number, args_), {});
  t.data = &elements_.emplace_back();
  static_assert(sizeof(double) >= sizeof(int64_t));
  if (number.is_float()) kernels::store_one(t.dtype, t.data, 0, number.as_float());
  else kernels::store_one(t.dtype, t.data, 0, number.is_bool() ? int64_t(number.as_bool()) : number.as_int());
  return OpValue::of(&t);
}

OpValue Call::bind_tensors(const Arg::List& items, const Resolve& resolve) {
  std::vector<Tensor*>& list = lists_.emplace_back();
  for (const Arg& item : items) {
    if (item.is_none()) {
      list.push_back(nullptr);
      continue;
    }
    if (!item.is_value()) throw Error(Code::kInvalidProgram, "a list of tensors cannot hold " + print_arg(item));
    Tensor& t = tensors_.emplace_back();
    if (resolve(*item.value(), t).kind != OpValue::Kind::kTensor) throw Error(Code::kInvalidProgram, "a list of tensors cannot hold the number %" + item.value()->name);
    list.push_back(&t);
  }
  return OpValue::of(std::span<Tensor* const>(list));
}

OpValue Call::bind_list(const SchemaArg& arg, const Arg::List& items, const Resolve& resolve) {
  if (arg.type == ArgType::kTensor) return bind_tensors(items, resolve);
  std::vector<OpValue> values;
  for (const Arg& item : items) {
    if (item.is_list() || item.is_none() || item.is_string()) refuse(arg, items);
    SchemaArg one = arg;
    one.list = false;
    values.push_back(bind(one, item, resolve));
  }
  const auto integer = [](const OpValue& v) { return v.kind == OpValue::Kind::kBool ? int64_t(v.b) : v.i; };
  if (arg.type == ArgType::kFloat) {
    std::vector<double>& list = floats_.emplace_back();
    for (const OpValue& v : values) list.push_back(v.kind == OpValue::Kind::kFloat ? v.f : double(integer(v)));
    return OpValue::of(std::span<const double>(list));
  }
  if (arg.type == ArgType::kBool) {
    bools_.push_back(std::make_unique<bool[]>(values.size()));
    for (size_t i = 0; i < values.size(); ++i) bools_.back()[i] = integer(values[i]) != 0;
    return OpValue::of(std::span<const bool>(bools_.back().get(), values.size()));
  }
  std::vector<int64_t>& list = ints_.emplace_back();
  for (const OpValue& v : values) {
    if (v.kind == OpValue::Kind::kFloat) refuse(arg, items);
    list.push_back(integer(v));
  }
  return OpValue::of(std::span<const int64_t>(list));
}

OpValue Call::bind(const SchemaArg& arg, const Arg& value, const Resolve& resolve) {
  if (is_ignored(arg.type)) return OpValue::none();
  if (value.is_none()) {
    if (!arg.optional && !(arg.type == ArgType::kTensor && arg.optional_elements)) refuse(arg, value);
    return OpValue::none();
  }
  if (arg.list) {
    if (!value.is_list()) refuse(arg, value);
    return bind_list(arg, value.list(), resolve);
  }
  if (value.is_value()) {
    Tensor& t = tensors_.emplace_back();
    const OpValue v = resolve(*value.value(), t);
    const bool wants_tensor = arg.type == ArgType::kTensor;
    if (wants_tensor != (v.kind == OpValue::Kind::kTensor)) refuse(arg, value);
    if (arg.type == ArgType::kInt && v.kind != OpValue::Kind::kInt && v.kind != OpValue::Kind::kBool) refuse(arg, value);
    return v;
  }
  switch (arg.type) {
    case ArgType::kTensor:
      if (!value.is_number()) refuse(arg, value);
      return wrapped(value);
    case ArgType::kFloat:
      if (!value.is_number()) refuse(arg, value);
      return OpValue::of(value.to_double());
    case ArgType::kBool:
      if (value.is_int()) return OpValue::of(value.as_int() != 0);
      if (!value.is_bool()) refuse(arg, value);
      return OpValue::of(value.as_bool());
    case ArgType::kInt:
    case ArgType::kMemoryFormat:
      if (value.is_bool()) return OpValue::of(int64_t(value.as_bool()));
      if (!value.is_int()) refuse(arg, value);
      return OpValue::of(value.as_int());
    case ArgType::kScalar:
      if (value.is_int()) return OpValue::of(value.as_int());
      if (value.is_float()) return OpValue::of(value.as_float());
      if (!value.is_bool()) refuse(arg, value);
      return OpValue::of(value.as_bool());
    case ArgType::kString:
      if (!value.is_string()) refuse(arg, value);
      return OpValue::of(std::string_view(value.as_string()));
    case ArgType::kDType:
      if (!value.is_dtype()) refuse(arg, value);
      return OpValue::of(int64_t(value.as_dtype()));
    case ArgType::kLayout:
    case ArgType::kDevice:
    case ArgType::kGenerator: break;
  }
  return OpValue::none();
}

bool meta_at(const Type& type, const Symbols& symbols, const std::vector<int64_t>& assignment, TensorMeta& meta) {
  std::vector<int64_t> sizes;
  for (const Dim& d : type.dims) sizes.push_back(symbols.evaluate(d, assignment));
  if (!meta.set(type.dtype, sizes)) return false;
  if (type.dim_order.size() == sizes.size() && !sizes.empty()) meta.set_dim_order(type.dim_order);
  return true;
}

Resolve resolve_types(const Symbols& symbols, const std::vector<int64_t>& assignment) {
  return [&symbols, &assignment](const Value& v, Tensor& store) {
    switch (v.type.kind) {
      case Type::Kind::kTensor:
        if (!meta_at(v.type, symbols, assignment, store)) throw Error(Code::kInvalidProgram, "the sizes of %" + v.name + " are negative or too large");
        return OpValue::of(&store);
      case Type::Kind::kInt: return OpValue::of(v.type.has_number ? symbols.evaluate(v.type.number, assignment) : int64_t(1));
      case Type::Kind::kFloat: return OpValue::of(1.0);
      case Type::Kind::kBool: return OpValue::of(true);
    }
    return OpValue::none();
  };
}

namespace {

std::optional<Dim> number_of(const Arg& a) {
  if (a.is_int()) return Dim(a.as_int());
  if (a.is_bool()) return Dim(int64_t(a.as_bool()));
  if (a.is_value() && a.value()->type.kind == Type::Kind::kInt && a.value()->type.has_number) return a.value()->type.number;
  return std::nullopt;
}

bool is_float_arg(const Arg& a) { return a.is_float() || (a.is_value() && a.value()->type.kind == Type::Kind::kFloat); }

bool prim_result(std::string_view name, std::span<const Arg> args, Type& type) {
  for (const char* n : {"eq", "ne", "lt", "le", "gt", "ge", "sym_not", "not", "and", "or", "sym_and", "sym_or"})
    if (name == n) return type = Type::of(Type::Kind::kBool), true;
  for (const char* n : {"truediv", "sym_float"})
    if (name == n) return type = Type::of(Type::Kind::kFloat), true;
  for (const Arg& a : args)
    if (is_float_arg(a) && name != "trunc" && name != "ceil" && name != "round" && name != "floor") return type = Type::of(Type::Kind::kFloat), true;
  type = Type::of(Type::Kind::kInt);
  const std::optional<Dim> a = args.empty() ? std::nullopt : number_of(args[0]), b = args.size() < 2 ? std::nullopt : number_of(args[1]);
  if (args.size() == 1 && a && name == "neg") return type = Type::integer(Dim(0) - *a), true;
  if (args.size() == 1 && a && name == "sym_int") return type = Type::integer(*a), true;
  if (!a || !b) return true;
  if (name == "add") type = Type::integer(*a + *b);
  if (name == "sub") type = Type::integer(*a - *b);
  if (name == "mul") type = Type::integer(*a * *b);
  if (name == "floordiv") type = Type::integer(floor_div(*a, *b));
  if (name == "mod") type = Type::integer(mod(*a, *b));
  if (name == "sym_max" || name == "max") type = Type::integer(max(*a, *b));
  if (name == "sym_min" || name == "min") type = Type::integer(min(*a, *b));
  return true;
}

}  // namespace

bool symbolic_result(std::string_view op, std::span<const Arg> args, Type& type) {
  const std::string_view name = base_name(op);
  if (op.starts_with("executorch_prim::")) return !name.starts_with("et_") && prim_result(name, args, type);
  if (name != "sym_size" && name != "sym_numel") return false;
  if (args.empty() || !args[0].is_value() || !args[0].value()->type.is_tensor()) return false;
  const Type& t = args[0].value()->type;
  if (name == "sym_numel") {
    Dim n(1);
    for (const Dim& d : t.dims) n = n * d;
    return type = Type::integer(n), true;
  }
  if (args.size() < 2 || !args[1].is_int()) return false;
  const int dim = wrap_dim(args[1].as_int(), int(t.rank()));
  if (dim < 0 || size_t(dim) >= t.rank()) return false;
  return type = Type::integer(t.dims[size_t(dim)]), true;
}

}  // namespace glint::ir
