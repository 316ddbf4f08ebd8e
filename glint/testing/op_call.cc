#include "glint/testing/op_call.h"

#include <cstdio>
#include <cstdlib>
#include <deque>

#include "glint/core/shape.h"
#include "glint/kernels/convert.h"

namespace glint::testing {

HostTensor::HostTensor(DType dtype, std::vector<int64_t> sizes) {
  if (!tensor_.set(dtype, sizes)) std::abort();
  memory_ = std::make_shared<std::vector<std::byte>>(tensor_.size_bytes());
  tensor_.data = memory_->data();
}

HostTensor::HostTensor(DType dtype, std::vector<int64_t> sizes, const std::vector<double>& values) : HostTensor(dtype, std::move(sizes)) {
  if (int64_t(values.size()) == tensor_.numel()) kernels::store(dtype, tensor_.data, 1, tensor_.numel(), values.data());
  else if (!values.empty()) std::abort();
}

HostTensor HostTensor::with_strides(const std::vector<int64_t>& strides) const {
  HostTensor t;
  t.tensor_ = tensor_;
  int64_t extent = tensor_.numel() == 0 ? 0 : 1;
  for (int d = 0; d < tensor_.rank; ++d) {
    t.tensor_.stride[size_t(d)] = strides[size_t(d)];
    if (extent > 0) extent += (tensor_.size[size_t(d)] - 1) * strides[size_t(d)];
  }
  const size_t width = dtype_size(tensor_.dtype);
  t.memory_ = std::make_shared<std::vector<std::byte>>(size_t(extent) * width);
  t.tensor_.data = t.memory_->data();
  for (int64_t i = 0, n = tensor_.numel(); i < n; ++i)
    std::memcpy(t.memory_->data() + size_t(element_offset(t.tensor_, i)) * width,
                static_cast<const std::byte*>(tensor_.data) + size_t(element_offset(tensor_, i)) * width, width);
  return t;
}

HostTensor HostTensor::contiguous() const {
  TensorMeta meta = tensor_;
  meta.set_contiguous();
  return with_strides({meta.stride.begin(), meta.stride.begin() + meta.rank});
}

std::vector<double> HostTensor::values() const {
  std::vector<double> v(size_t(tensor_.numel()));
  for (size_t i = 0; i < v.size(); ++i) v[i] = kernels::load_one<double>(tensor_.dtype, tensor_.data, element_offset(tensor_, int64_t(i)));
  return v;
}

std::string HostTensor::describe() const {
  std::string s = dtype_name(tensor_.dtype);
  s += "[";
  for (int d = 0; d < tensor_.rank; ++d) s += (d ? ", " : "") + std::to_string(tensor_.size[size_t(d)]);
  return s + "]";
}

HostTensor f32(std::vector<int64_t> sizes, const std::vector<double>& values) { return {DType::kF32, std::move(sizes), values}; }
HostTensor i64(std::vector<int64_t> sizes, const std::vector<double>& values) { return {DType::kI64, std::move(sizes), values}; }

const OpDef& op(OpTable table, const char* name) {
  const OpDef* def = find_op(table, name);
  if (def == nullptr) {
    std::fprintf(stderr, "no operator %s in this table\n", name);
    std::abort();
  }
  return *def;
}

bool parse_default(const SchemaArg& arg, Operand& out) {
  const std::string_view t = arg.default_text;
  out = Operand();
  if (t.empty()) return false;
  if (t == "None") return true;
  const auto number = [&](std::string_view word, Operand& o) {
    const std::string text(word);
    if (word == "True" || word == "False") {
      o.kind = Operand::Kind::kBool;
      o.bools.push_back(word == "True");
    } else if (arg.type == ArgType::kFloat || text.find_first_of(".e") != text.npos || word == "inf") {
      o.kind = Operand::Kind::kFloat;
      o.floats.push_back(std::strtod(text.c_str(), nullptr));
    } else {
      o.kind = Operand::Kind::kInt;
      o.ints.push_back(word == "Mean" ? 1 : word == "contiguous_format" ? 0 : word == "preserve_format" ? 1 : word == "long" ? int64_t(DType::kI64) : std::strtoll(text.c_str(), nullptr, 10));
    }
  };
  if (t[0] == '\'' || t[0] == '"') {
    out = Operand("");
    out.text = std::string(t.substr(1, t.size() - 2));
  } else if (t[0] == '[') {
    std::string_view rest = t.substr(1, t.size() - 2);
    while (!rest.empty()) {
      const size_t comma = rest.find(',');
      std::string_view word = rest.substr(0, comma);
      while (!word.empty() && word[0] == ' ') word.remove_prefix(1);
      number(word, out);
      rest = comma == rest.npos ? std::string_view() : rest.substr(comma + 1);
    }
    out.kind = arg.type == ArgType::kFloat ? Operand::Kind::kFloats : arg.type == ArgType::kBool ? Operand::Kind::kBools : Operand::Kind::kInts;
  } else {
    number(t, out);
    if (arg.list) {  // int[2] stride=1
      const size_t n = arg.list_size > 0 ? size_t(arg.list_size) : 1;
      if (out.kind == Operand::Kind::kInt) out.ints.assign(n, out.ints[0]), out.kind = Operand::Kind::kInts;
      if (out.kind == Operand::Kind::kFloat) out.floats.assign(n, out.floats[0]), out.kind = Operand::Kind::kFloats;
      if (out.kind == Operand::Kind::kBool) out.bools.assign(n, out.bools[0]), out.kind = Operand::Kind::kBools;
    }
  }
  return true;
}

namespace {

struct Storage {
  std::deque<Tensor> tensors;
  std::deque<std::vector<Tensor*>> lists;
};

Value to_value(const SchemaArg& arg, Operand& o, Storage& storage) {
  using K = Operand::Kind;
  // PyTorch lets a number stand for a list of equal numbers.
  if (arg.list && arg.type == ArgType::kInt && o.kind == K::kInt) {
    o.kind = K::kInts;
    if (arg.list_size > 1) o.ints.assign(size_t(arg.list_size), o.ints[0]);
  }
  if (arg.list && arg.type == ArgType::kFloat && o.kind == K::kInts) {
    o.floats.assign(o.ints.begin(), o.ints.end());
    o.kind = K::kFloats;
  }
  if (arg.list && o.kind == K::kTensors) {
    storage.lists.emplace_back();
    for (size_t i = 0; i < o.tensors.size(); ++i) {
      if (i < o.absent.size() && o.absent[i]) {
        storage.lists.back().push_back(nullptr);
      } else {
        storage.tensors.push_back(o.tensors[i].tensor());
        storage.lists.back().push_back(&storage.tensors.back());
      }
    }
    return Value::of(std::span<Tensor* const>(storage.lists.back()));
  }
  switch (o.kind) {
    case K::kNone: return Value::none();
    case K::kTensor: storage.tensors.push_back(o.tensors[0].tensor()); return Value::of(&storage.tensors.back());
    case K::kInt:
      if (arg.type == ArgType::kFloat) return Value::of(double(o.ints[0]));
      if (arg.type == ArgType::kBool) return Value::of(o.ints[0] != 0);
      return Value::of(o.ints[0]);
    case K::kInts: return Value::of(Ints(o.ints));
    case K::kFloat: return Value::of(o.floats[0]);
    case K::kFloats: return Value::of(Floats(o.floats));
    case K::kBool: return Value::of(o.bools[0] != 0);
    case K::kBools: return Value::of(Bools(reinterpret_cast<const bool*>(o.bools.data()), o.bools.size()));
    case K::kString: return Value::of(std::string_view(o.text));
    case K::kTensors: break;
  }
  return Value::none();
}

}  // namespace

Outcome call(const OpDef& op, std::vector<Operand> operands, const CallOptions& options) {
  const Schema& schema = *op.schema;
  Storage storage;
  for (size_t i = operands.size(); i < schema.arg_count; ++i) {
    operands.emplace_back();
    if (!parse_default(schema.arg_store[i], operands.back())) return {invalid_argument("an operand without default is missing"), {}};
  }
  std::vector<Value> in, out;
  for (size_t i = 0; i < schema.arg_count; ++i) in.push_back(to_value(schema.arg_store[i], operands[i], storage));
  std::deque<Tensor> results;
  std::deque<std::vector<Tensor*>> lists;
  for (const SchemaArg& r : schema.returns()) {
    if (r.type != ArgType::kTensor) {
      out.push_back(Value::none());
    } else if (r.list) {
      lists.emplace_back();
      for (uint32_t i = 0; i < options.list_results; ++i) {
        results.emplace_back();
        lists.back().push_back(&results.back());
      }
      out.push_back(Value::of(std::span<Tensor* const>(lists.back())));
    } else {
      results.emplace_back();
      out.push_back(Value::of(&results.back()));
    }
  }
  Outcome outcome;
  if (outcome.status = op.infer(in, out); !outcome.status.ok()) return outcome;
  std::vector<HostTensor> memory;
  for (Tensor& t : results) {
    if (t.size_bytes() > options.memory_limit) return {out_of_memory("a result is larger than the test allows"), {}};
    HostTensor host(t.dtype, {t.sizes().begin(), t.sizes().end()});
    if (host.tensor().numel() > 0) std::memset(host.tensor().data, 0xa5, host.tensor().size_bytes());  // results must not depend on what was there
    if (options.reversed_results && !op.flags.contiguous_only) {
      std::vector<uint8_t> order;
      for (int d = t.rank; d-- > 0;) order.push_back(uint8_t(d));
      host.tensor().set_dim_order(order);
    }
    if (options.channels_last_result && t.rank == 4) {
      const uint8_t order[] = {0, 2, 3, 1};
      host.tensor().set_dim_order(order);
    }
    if (options.in_place && op.flags.updates_self && in[0].tensor->is_dense() && t.same_sizes(*in[0].tensor)) {
      host = operands[0].tensors[0].with_strides({in[0].tensor->strides().begin(), in[0].tensor->strides().end()});
      *in[0].tensor = host.tensor();
    }
    if (!options.result_strides.empty() && memory.empty()) {
      host = host.with_strides(options.result_strides);
      std::memset(host.tensor().data, 0xa5, host.memory_bytes());
    }
    t = host.tensor();
    memory.push_back(std::move(host));
  }
  Plan plan;
  if (op.plan != nullptr) {
    if (outcome.status = op.plan({options.cpu}, in, out, plan); !outcome.status.ok()) return outcome;
  }
  if (plan.scratch_bytes > options.memory_limit || plan.worker_scratch_bytes > options.memory_limit)
    return {out_of_memory("scratch is larger than the test allows"), {}};
  const size_t workers = options.parallel != nullptr ? options.parallel->workers() : 1;
  const auto aligned = [](std::vector<std::byte>& v, size_t bytes) {
    v.resize(bytes + 64);
    const size_t skip = size_t(-reinterpret_cast<uintptr_t>(v.data()) & 63);
    return std::span<std::byte>(v.data() + skip, bytes);
  };
  std::vector<std::byte> scratch, worker_scratch;
  Generator fresh;
  OpContext context(plan, aligned(scratch, plan.scratch_bytes), aligned(worker_scratch, workers * align_up(plan.worker_scratch_bytes, 64)), options.parallel,
                    options.cpu, options.generator != nullptr ? options.generator : &fresh);
  if (outcome.status = op.run(context, in, out); !outcome.status.ok()) return outcome;
  size_t next = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    const SchemaArg& r = schema.return_store[i];
    if (r.type == ArgType::kTensor) {
      // A value-dependent shape may have shrunk while running.
      for (uint32_t k = 0, n = r.list ? options.list_results : 1; k < n; ++k, ++next) {
        static_cast<TensorMeta&>(memory[next].tensor()) = results[next];
        outcome.results.push_back(memory[next]);
      }
    } else {
      const Value v = out[i];
      const double x = v.kind == Value::Kind::kFloat ? v.f : v.kind == Value::Kind::kBool ? double(v.b) : double(v.i);
      const DType d = v.kind == Value::Kind::kFloat ? DType::kF64 : v.kind == Value::Kind::kBool ? DType::kBool : DType::kI64;
      outcome.results.push_back(HostTensor(d, {}, {x}));
      if (d == DType::kI64) outcome.results.back().tensor().as<int64_t>()[0] = v.i;  // which a double may not hold
    }
  }
  return outcome;
}

}  // namespace glint::testing
