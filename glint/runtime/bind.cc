#include "glint/runtime/bind.h"

#include <cstring>

namespace glint {
namespace {

/// "name.overload" without allocating.
struct FullName {
  char text[256];
  size_t size = 0;
  bool fits = true;
  void add(std::string_view s) {
    fits = fits && s.size() <= sizeof text - size;
    if (!fits) return;
    std::memcpy(text + size, s.data(), s.size());
    size += s.size();
  }
  std::string_view view() const { return {text, size}; }
};

FullName full_name(std::string_view name, std::string_view overload) {
  FullName full;
  full.add(name);
  if (!overload.empty() && overload != "default") {
    full.add(".");
    full.add(overload);
  }
  return full;
}

bool has_tensor_options(const Schema& s) {
  return s.arg_index("dtype") >= 0 && s.arg_index("layout") >= 0 && s.arg_index("device") >= 0 && s.arg_index("pin_memory") >= 0;
}

}  // namespace

bool is_tensor_option(std::string_view name) { return name == "dtype" || name == "layout" || name == "device" || name == "pin_memory"; }

Binding resolve(OpTable ops, OperatorView op) {
  Binding b;
  if (op.name == "glint::view") return {Binding::Kind::kView, nullptr, 4, false};
  if (op.name == "executorch_prim::et_view") return {Binding::Kind::kStockView, nullptr, 2, false};
  if (op.name == "executorch_prim::et_copy_index") return {Binding::Kind::kCopyIndex, nullptr, 3, false};
  const FullName full = full_name(op.name, op.overload);
  if (!full.fits) return b;
  if ((b.def = find_stock_op(ops, full.view())) != nullptr) {
    b.drops_options = has_tensor_options(*b.def->schema);
    b.first_out = b.def->schema->arg_count - (b.drops_options ? 4u : 0u);
    b.kind = Binding::Kind::kOperator;
  } else if ((b.def = find_op(ops, full.view())) != nullptr) {
    b.first_out = b.def->schema->arg_count;
    b.kind = Binding::Kind::kOperator;
  } else if (op.name.size() > 1 && op.name.back() == '_') {
    const FullName functional = full_name(op.name.substr(0, op.name.size() - 1), op.overload);
    const OpDef* def = find_op(ops, functional.view());
    if (def == nullptr || !(def->flags.may_alias || def->flags.updates_self) || def->schema->arg_count == 0 || def->schema->return_count != 1) return b;
    b.def = def;
    b.first_out = def->schema->arg_count;
    b.kind = Binding::Kind::kInPlace;
  }
  return b;
}

Status convert(const Value& v, const SchemaArg& a, Value& out) {
  using K = Value::Kind;
  out = v;
  if (v.kind == K::kNone)
    return a.optional || is_ignored(a.type) ? Status() : invalid_program("an argument is None where the operator needs a value");
  if (a.list) {
    const bool empty = v.count == 0 && (v.kind == K::kIntList || v.kind == K::kFloatList || v.kind == K::kBoolList || v.kind == K::kTensorList);
    const K wanted = a.type == ArgType::kTensor ? K::kTensorList : a.type == ArgType::kFloat ? K::kFloatList : a.type == ArgType::kBool ? K::kBoolList : K::kIntList;
    if (v.kind != wanted && !empty) return invalid_program("an argument is not the list that the operator takes");
    out.kind = wanted;
    if (wanted == K::kTensorList && !a.optional_elements)
      for (uint32_t i = 0; i < v.count; ++i)
        if (v.tensors[i] == nullptr) return invalid_program("an entry of a tensor list is None");
    return {};
  }
  switch (a.type) {
    case ArgType::kTensor: return v.kind == K::kTensor ? Status() : invalid_program("an argument is not a tensor");
    case ArgType::kInt:
      if (v.kind == K::kBool) out = Value::of(int64_t(v.b));
      return v.kind == K::kInt || v.kind == K::kBool ? Status() : invalid_program("an argument is not an int");
    case ArgType::kFloat:
      if (v.kind == K::kInt) out = Value::of(double(v.i));
      return v.kind == K::kFloat || v.kind == K::kInt ? Status() : invalid_program("an argument is not a float");
    case ArgType::kBool:
      if (v.kind == K::kInt) out = Value::of(v.i != 0);
      return v.kind == K::kBool || v.kind == K::kInt ? Status() : invalid_program("an argument is not a bool");
    case ArgType::kScalar: return v.kind == K::kInt || v.kind == K::kFloat || v.kind == K::kBool ? Status() : invalid_program("an argument is not a number");
    case ArgType::kString: return v.kind == K::kString ? Status() : invalid_program("an argument is not a string");
    case ArgType::kDType: return v.kind == K::kInt && is_valid_dtype(v.i) ? Status() : invalid_program("an argument is not a dtype");
    case ArgType::kMemoryFormat: return v.kind == K::kInt && v.i >= 0 && v.i <= 3 ? Status() : invalid_program("an argument is not a memory format");
    case ArgType::kLayout:
    case ArgType::kDevice:
    case ArgType::kGenerator: return {};
  }
  return internal_error("an argument of a new type");
}

}  // namespace glint
