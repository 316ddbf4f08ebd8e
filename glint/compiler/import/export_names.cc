#include "glint/compiler/import/export_names.h"

namespace glint::compiler {

std::optional<DType> dtype_of_export(int64_t number) {
  switch (number) {
    case 1: return DType::kU8;
    case 2: return DType::kI8;
    case 3: return DType::kI16;
    case 4: return DType::kI32;
    case 5: return DType::kI64;
    case 6: return DType::kF16;
    case 7: return DType::kF32;
    case 8: return DType::kF64;
    case 9: return DType::kC32;
    case 10: return DType::kC64;
    case 11: return DType::kC128;
    case 12: return DType::kBool;
    case 13: return DType::kBF16;
    case 28: return DType::kU16;
    case 34: return DType::kU32;
    case 35: return DType::kU64;
    default: return std::nullopt;
  }
}

const char* foreign_dtype_name(int64_t number) {
  switch (number) {
    case 29: return "float8_e4m3fn";
    case 30: return "float8_e5m2";
    case 31: return "float8_e4m3fnuz";
    case 32: return "float8_e5m2fnuz";
    case 33: return "float8_e8m0fnu";
    default: return nullptr;
  }
}

std::optional<MemoryFormat> memory_format_of_export(int64_t number) {
  switch (number) {
    case 1: return MemoryFormat::kContiguous;
    case 2: return MemoryFormat::kChannelsLast;
    case 3: return MemoryFormat::kChannelsLast3d;
    case 4: return MemoryFormat::kPreserve;
    default: return std::nullopt;
  }
}

namespace {

/// Python's functions on symbolic numbers, as ExecuTorch's runtime names them.
struct SymbolicOp { std::string_view function, op; };
constexpr SymbolicOp kSymbolicOps[] = {
    {"add", "add.Scalar"},           {"sub", "sub.Scalar"},         {"mul", "mul.Scalar"},           {"floordiv", "floordiv.Scalar"},
    {"truediv", "truediv.Scalar"},   {"mod", "mod.Scalar"},         {"pow", "pow.Scalar"},           {"neg", "neg.Scalar"},
    {"pos", "pos.Scalar"},           {"eq", "eq.Scalar"},           {"ne", "ne.Scalar"},             {"lt", "lt.Scalar"},
    {"le", "le.Scalar"},             {"gt", "gt.Scalar"},           {"ge", "ge.Scalar"},             {"and_", "and.Scalar"},
    {"or_", "or.Scalar"},            {"lshift", "lshift.Scalar"},   {"rshift", "rshift.Scalar"},     {"trunc", "trunc.Scalar"},
    {"ceil", "ceil.Scalar"},         {"floor", "floor.Scalar"},     {"round", "round.Scalar"},       {"sym_not", "sym_not.Scalar"},
    {"sym_int", "sym_int.Scalar"},   {"sym_float", "sym_float.Scalar"}, {"sym_max", "sym_max.Scalar"}, {"sym_min", "sym_min.Scalar"},
    {"sym_ite", "sym_ite.Scalar"},   {"sym_sqrt", "sym_sqrt.Scalar"}, {"_sym_sqrt", "sym_sqrt.Scalar"},
};

}  // namespace

std::string operator_name(std::string_view target) {
  constexpr std::string_view kOps = "torch.ops.";
  if (target.starts_with(kOps)) {
    std::string_view rest = target.substr(kOps.size());
    const size_t dot = rest.find('.');
    if (dot == rest.npos) return std::string(target);
    std::string_view name = rest.substr(dot + 1);
    if (name.ends_with(".default")) name.remove_suffix(8);
    return std::string(rest.substr(0, dot)) + "::" + std::string(name);
  }
  for (std::string_view module : {"_operator.", "operator.", "math.", "torch."}) {
    if (!target.starts_with(module)) continue;
    for (const SymbolicOp& s : kSymbolicOps)
      if (target.substr(module.size()) == s.function) return "executorch_prim::" + std::string(s.op);
  }
  return std::string(target);
}

bool is_in_place(std::string_view name) {
  const size_t colons = name.find("::");
  if (colons != name.npos) name.remove_prefix(colons + 2);
  name = name.substr(0, name.find('.'));
  if (name == "detach_" || name == "requires_grad_") return false;  // change what autograd knows, not the elements
  if (name.starts_with("__i") && name.ends_with("__")) return true;  // __iadd__
  return name.size() > 1 && name.ends_with('_') && !name.ends_with("__");
}

}  // namespace glint::compiler
