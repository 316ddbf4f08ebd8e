#pragma once

// Reads recorded calls of operators: rows of JSON and the tensors that they name (op_corpus_test.cc tells the format).

#include <simdjson.h>

#include <cmath>
#include <string>
#include <vector>

#include "glint/testing/corpus.h"

namespace glint::recorded {

using testing::HostTensor;
using testing::Operand;
namespace dom = simdjson::dom;

struct Refused { std::string why; };

inline double parse_float(dom::element e) {
  double v;
  if (e.get(v) == simdjson::SUCCESS) return v;
  std::string_view s;
  if (e.get(s) != simdjson::SUCCESS) throw Refused{"a float that is neither number nor string"};
  return s == "inf" ? INFINITY : s == "-inf" ? -INFINITY : NAN;
}

inline HostTensor read_tensor(dom::object o, const testing::TensorFile& tensors) {
  bool complex = false;
  if (o["complex"].error() == simdjson::SUCCESS) complex = true;
  HostTensor t = tensors.get(std::string(std::string_view(o["tensor"])), complex);
  dom::array strides;
  if (o["strides"].get(strides) == simdjson::SUCCESS) {
    std::vector<int64_t> s;
    for (int64_t v : strides) s.push_back(v);
    t = t.with_strides(s);
  }
  return t;
}

inline Operand read_operand(dom::element e, const SchemaArg& arg, const testing::TensorFile& tensors);

inline Operand read_list(dom::array list, const SchemaArg& arg, const testing::TensorFile& tensors) {
  Operand out;
  if (arg.type == ArgType::kTensor) out.kind = Operand::Kind::kTensors;
  else if (arg.type == ArgType::kFloat) out.kind = Operand::Kind::kFloats;
  else if (arg.type == ArgType::kBool) out.kind = Operand::Kind::kBools;
  else out.kind = Operand::Kind::kInts;
  SchemaArg element = arg;
  element.list = false;
  for (dom::element e : list) {
    Operand one = read_operand(e, element, tensors);
    switch (out.kind) {
      case Operand::Kind::kTensors:
        out.absent.push_back(one.kind == Operand::Kind::kNone);
        out.tensors.push_back(one.kind == Operand::Kind::kNone ? HostTensor() : one.tensors[0]);
        break;
      case Operand::Kind::kFloats: out.floats.push_back(one.kind == Operand::Kind::kInt ? double(one.ints[0]) : one.floats.at(0)); break;
      case Operand::Kind::kBools: out.bools.push_back(one.bools.at(0)); break;
      default:
        if (one.kind == Operand::Kind::kBool) out.ints.push_back(one.bools[0]);
        else if (one.kind != Operand::Kind::kInt) throw Refused{"a list of unexpected entries"};
        else out.ints.push_back(one.ints[0]);
    }
  }
  return out;
}

inline Operand read_operand(dom::element e, const SchemaArg& arg, const testing::TensorFile& tensors) {
  if (e.is_null()) return {};
  dom::object o;
  if (e.get(o) != simdjson::SUCCESS) throw Refused{"an argument that is no object"};
  for (auto [key, value] : o) {
    if (key == "tensor") return {read_tensor(o, tensors)};
    if (key == "int") return {int64_t(value)};
    if (key == "float") return {parse_float(value)};
    if (key == "bool") return {bool(value)};
    if (key == "str") {
      Operand s("");
      s.text = std::string(std::string_view(value));
      return s;
    }
    if (key == "list") return read_list(value, arg, tensors);
    if (key == "dtype") {
      const auto d = dtype_from_name(std::string_view(value));
      if (!d) throw Refused{"dtype " + std::string(std::string_view(value))};
      return {*d};
    }
    if (key == "memory_format") {
      const std::string_view f = value;
      return {int64_t(f == "contiguous_format" ? 0 : f == "preserve_format" ? 1 : f == "channels_last" ? 2 : 3)};
    }
    if (key == "ignored") return {};
  }
  throw Refused{"an argument of unknown kind"};
}

/// "aten::add.Tensor": names without "::" are of aten.
inline std::string operator_name(dom::element row) {
  const std::string_view recorded = row["op"];
  std::string name = (recorded.find("::") == recorded.npos ? "aten::" : "") + std::string(recorded);
  if (name.size() > 8 && name.substr(name.size() - 8) == ".default") name.resize(name.size() - 8);
  return name;
}

/// The operands of a row, one for each argument of the schema. Throws Refused or what simdjson throws.
inline std::vector<Operand> read_operands(dom::element row, const Schema& schema, const testing::TensorFile& tensors) {
  std::vector<Operand> operands;
  for (dom::element e : dom::array(row["args"])) {
    if (operands.size() >= schema.arg_count) throw Refused{"more arguments than the schema has"};
    operands.push_back(read_operand(e, schema.arg_store[operands.size()], tensors));
  }
  for (size_t i = operands.size(); i < schema.arg_count; ++i) {
    operands.emplace_back();
    dom::element given;
    if (row["kwargs"][schema.arg_store[i].name].get(given) == simdjson::SUCCESS) operands[i] = read_operand(given, schema.arg_store[i], tensors);
    else if (!testing::parse_default(schema.arg_store[i], operands[i])) throw Refused{"an argument without default is missing"};
  }
  return operands;
}

}  // namespace glint::recorded
