#include "glint/module/message.h"

#include "glint/module/owned_tensor.h"
#include "glint/runtime/bind.h"

namespace glint {
namespace {

std::string quoted(std::string_view s) { return "'" + std::string(s) + "'"; }

/// "argument 'weight'" or "result 0" of the operator at fault.
std::string argument_name(const Failure& f, OpTable ops) {
  const Binding b = resolve(ops, {f.name, f.overload});
  if (b.def == nullptr) return "argument " + std::to_string(f.argument);
  const Schema& s = *b.def->schema;
  if (f.argument < s.arg_count) return "argument " + quoted(s.arg_store[size_t(f.argument)].name);
  return "result " + std::to_string(f.argument - s.arg_count);
}

std::string list_text(std::span<const int64_t> v) {
  std::string s = "[";
  for (size_t i = 0; i < v.size(); ++i) s += (i == 0 ? "" : ", ") + std::to_string(v[i]);
  return s + "]";
}

std::string operator_text(const Failure& f) { return std::string(f.name) + (f.overload.empty() ? "" : "." + std::string(f.overload)); }

std::string place(const Failure& f, const PteMethod* method, OpTable ops) {
  switch (f.at) {
    case Failure::At::kInput: return "input " + std::to_string(f.index) + (f.name.empty() ? "" : " " + quoted(f.name));
    case Failure::At::kOutput: return "output " + std::to_string(f.index);
    case Failure::At::kState: return "state " + (f.name.empty() ? std::to_string(f.index) : quoted(f.name));
    case Failure::At::kValue: return f.name.empty() ? "value " + std::to_string(f.index) : quoted(f.name);
    case Failure::At::kInstruction: {
      std::string s = f.name.empty() ? "" : operator_text(f) + " ";
      s += "(instruction " + std::to_string(f.index);
      if (method != nullptr && !method->origin(uint32_t(f.index)).empty()) s += ", " + std::string(method->origin(uint32_t(f.index)));
      s += ")";
      if (f.argument >= 0) s += ", " + argument_name(f, ops);
      return s;
    }
    case Failure::At::kNowhere: return f.name.empty() ? "" : quoted(f.name);
  }
  return "";
}

}  // namespace

std::string failure_text(const Failure& f, const PteMethod* method, OpTable ops) {
  const std::string where = place(f, method, ops);
  std::string s = (where.empty() ? "" : where + ": ") + (*f.status.why() != '\0' ? f.status.why() : code_name(f.status.code()));
  if (f.dim >= 0) {
    s += ": dimension " + std::to_string(f.dim) + " is " + std::to_string(f.got.size[size_t(f.dim)]) + ", ";
    s += f.min == f.max ? "not " + std::to_string(f.min) : "allowed are " + std::to_string(f.min) + " to " + std::to_string(f.max);
    if (f.multiple > 1) s += " in multiples of " + std::to_string(f.multiple);
  }
  if (f.has_got && f.dim < 0 && f.got.same_sizes(f.expected) && f.got.dtype == f.expected.dtype) {
    s += ": expected strides " + list_text(f.expected.strides()) + ", got " + list_text(f.got.strides()) + " of " + describe(f.got);
    return s;
  }
  if (f.has_got) s += ": expected " + describe(f.expected) + ", got " + describe(f.got);
  return s;
}

}  // namespace glint
