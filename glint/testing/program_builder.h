#pragma once

// Writes small programs for tests.

#include "glint/format/program_spec.h"

namespace glint::testing {

inline TensorSpec tensor(std::vector<int64_t> sizes, Storage storage = Storage::kNone, DType dtype = DType::kF32) {
  TensorSpec t;
  t.sizes = std::move(sizes);
  t.storage = storage;
  t.dtype = dtype;
  return t;
}

/// Writes small methods: values are made where they are used.
struct ProgramBuilder {
  ProgramBuilder() { program.writer = "test"; }
  ProgramSpec program;
  MethodSpec method;

  int32_t add(ValueSpec v) { method.values.push_back(std::move(v)); return int32_t(method.values.size() - 1); }
  int32_t add(TensorSpec t) { return add(ValueSpec::of_tensor(std::move(t))); }
  int32_t number(int64_t v) { return add(ValueSpec::of_int(v)); }
  int32_t flag(bool v) { return add(ValueSpec::of_bool(v)); }
  int32_t ints(std::vector<int64_t> v) {
    for (int64_t& x : v) x = number(x);
    return add(ValueSpec::of_int_list(std::move(v)));
  }
  int32_t input(std::vector<int64_t> sizes) { method.inputs.push_back(add(tensor(std::move(sizes)))); return method.inputs.back(); }
  int32_t dynamic(std::vector<int64_t> sizes, Storage storage = Storage::kNone) {
    TensorSpec t = tensor(std::move(sizes), storage);
    t.dynamism = Dynamism::kBound;
    return add(std::move(t));
  }
  int32_t constant(std::vector<int64_t> sizes, std::vector<float> v) {
    TensorSpec t = tensor(std::move(sizes), Storage::kConstant);
    t.data = int32_t(program.constants.size());
    program.constants.push_back(DataSpec::of(std::as_bytes(std::span<const float>(v))));
    return add(std::move(t));
  }
  int32_t planned(std::vector<int64_t> sizes, uint64_t offset) {
    TensorSpec t = tensor(std::move(sizes), Storage::kPlanned);
    t.offset = offset;
    if (method.memory_sizes.size() < 2) method.memory_sizes.push_back(4096);
    return add(std::move(t));
  }
  int32_t state(std::vector<int64_t> sizes, const char* name) {
    TensorSpec t = tensor(std::move(sizes), Storage::kState);
    t.name = name;
    t.memory_id = 2;
    method.memory_sizes.resize(3, 4096);
    return add(std::move(t));
  }
  int32_t op(const char* name, const char* overload, std::vector<int32_t> args) {
    method.instructions.push_back(InstructionSpec::kernel(name, overload, std::move(args)));
    return method.instructions.back().args.back();
  }
  int32_t sum(int32_t a, int32_t b, int32_t out) { return op("aten::add", "out", {a, b, number(1), out, out}); }
  int32_t product(int32_t a, int32_t b, int32_t out) { return op("aten::mul", "out", {a, b, out, out}); }
  int32_t view(int32_t x, std::vector<int64_t> sizes, std::vector<int64_t> strides, int64_t offset) {
    const int32_t out = add(tensor(sizes));
    return op("glint::view", "", {x, ints(sizes), ints(strides), number(offset), out});
  }
  void finish(const char* name = "forward") {
    method.name = name;
    program.methods.push_back(std::move(method));
    method = MethodSpec();
  }
};

}  // namespace glint::testing
