#include "glint/module/module.h"

#include <algorithm>
#include <cstring>
#include <fstream>

#include "glint/backends/xnnpack/runtime.h"
#include "glint/base/platform.h"
#include "glint/format/ptd.h"
#include "glint/format/safetensors.h"
#include "glint/module/host_memory.h"
#include "glint/module/message.h"
#include "glint/module/thread_pool.h"
#include "glint/ops/ops.h"

namespace glint {
namespace {

/// Every backend of the build.
constexpr const BackendRuntime* kBackends[] = {&backend_xnnpack};

/// The bytes of a file, mapped or read.
class FileBytes {
 public:
  Status open(const std::string& path, ModuleOptions::Loading loading) {
    if (loading == ModuleOptions::Loading::kMap) {
      auto mapped = MappedFile::open(path.c_str());
      if (!mapped.ok()) return mapped.status();
      mapped_ = *std::move(mapped);
      bytes_ = mapped_.bytes();
      return {};
    }
    std::ifstream in(path, std::ios::binary | std::ios::ate);
    const std::streamoff size = in ? std::streamoff(in.tellg()) : -1;
    if (size < 0) return io_error("cannot open the file");
    owned_ = OwnedTensor(DType::kU8, {int64_t(size)});
    in.seekg(0);
    if (!in.read(owned_.data<char>(), size)) return io_error("cannot read the file");
    bytes_ = {owned_.data<std::byte>(), size_t(size)};
    return {};
  }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  MappedFile mapped_;
  OwnedTensor owned_;
  std::span<const std::byte> bytes_;
};

class SafetensorsData final : public NamedData {
 public:
  explicit SafetensorsData(Safetensors file) : file_(file) {}
  std::optional<NamedBytes> find(std::string_view name) const override {
    const auto e = file_.find(name);
    return e.ok() ? std::optional(NamedBytes{e->bytes, e->meta}) : std::nullopt;
  }

 private:
  Safetensors file_;
};

/// One file of external weights.
struct WeightFile {
  FileBytes file;
  std::optional<PtdFile> ptd;
  std::optional<SafetensorsData> safetensors;

  Status open(const std::string& path, ModuleOptions::Loading loading) {
    GLINT_TRY(file.open(path, loading));
    if (path.ends_with(".safetensors")) {
      GLINT_TRY_LET(const Safetensors f, Safetensors::open(file.bytes()));
      safetensors.emplace(f);
    } else {
      GLINT_TRY_LET(const PtdFile f, PtdFile::open(file.bytes()));
      ptd.emplace(f);
    }
    return {};
  }
  const NamedData* data() const { return ptd ? static_cast<const NamedData*>(&*ptd) : &*safetensors; }
};

using Weights = std::vector<std::unique_ptr<WeightFile>>;

PortInfo port_info(const PteMethod& m, uint32_t i, bool input) {
  const ValueView v = m.value(uint32_t((input ? m.inputs() : m.outputs())[i]));
  PortInfo p;
  p.name = std::string(input ? m.input_name(i) : m.output_name(i));
  using F = ValueView::Kind;
  using K = Value::Kind;
  p.kind = v.kind == F::kTensor ? K::kTensor : v.kind == F::kInt ? K::kInt : v.kind == F::kDouble ? K::kFloat : v.kind == F::kBool ? K::kBool
         : v.kind == F::kString ? K::kString : v.kind == F::kTensorList ? K::kTensorList : v.kind == F::kIntList ? K::kIntList : K::kNone;
  if (v.kind != F::kTensor) return p;
  const TensorView& t = v.tensor;
  const std::vector<int64_t> sizes(t.sizes.begin(), t.sizes.end());
  (void)p.tensor.set(t.dtype, sizes);
  p.tensor.set_dim_order(t.dim_order);
  for (uint32_t d = 0; d < t.rank; ++d) {
    DimRangeView range{t.dynamism == TensorView::Dynamism::kStatic ? sizes[d] : 0, t.dynamism == TensorView::Dynamism::kUnbound ? INT64_MAX : sizes[d], 1};
    if (const auto said = input ? m.input_range(i, d) : m.output_range(i, d); said && t.dynamism != TensorView::Dynamism::kStatic) range = *said;
    p.ranges.push_back(range);
  }
  return p;
}

}  // namespace

std::string PortInfo::describe() const {
  static constexpr const char* kKinds[] = {"none", "tensor", "tensors", "int", "ints", "float", "floats", "bool", "bools", "string"};
  std::string s = name.empty() ? "" : name + " ";
  if (kind != Value::Kind::kTensor) return s + kKinds[size_t(kind)];
  s += std::string(dtype_name(tensor.dtype)) + "[";
  for (size_t d = 0; d < ranges.size(); ++d) {
    const DimRangeView& r = ranges[d];
    s += (d ? ", " : "") + std::to_string(r.min);
    if (r.max != r.min) s += ".." + (r.max == INT64_MAX ? std::string() : std::to_string(r.max));
    if (r.multiple > 1) s += " by " + std::to_string(r.multiple);
  }
  return s + "]";
}

struct Module::Impl {
  explicit Impl(const ModuleOptions& o) : options(o), memory(o.memory_limit) {
    if (options.ops.empty()) options.ops = ops::all();
    if (options.threads != 1) pool = std::make_unique<ThreadPool>(options.threads);
  }
  ~Impl() {
    for (auto& [name, method] : methods) method->close();
  }

  Status fail(Status s, std::string text) {
    error = std::move(text);
    return s;
  }
  Status fail(const std::string& about, const Failure& f, const PteMethod* m = nullptr) {
    return fail(f.status, about + ": " + failure_text(f, m, options.ops));
  }

  Status load(std::span<const std::byte> bytes, const std::string& about) {
    Failure f;
    const auto loaded = Program::load(bytes, options.ops, options.backends.empty() ? BackendTable(kBackends) : options.backends, cpu, memory.arena(), &f);
    if (!loaded.ok()) return fail(about, f);
    program = *loaded;
    GLINT_TRY(open_weights(options.weights));
    const auto made = Session::create(*program, memory.arena(), sources);
    if (!made.ok()) return fail(made.status(), about + ": " + made.status().why());
    session = *made;
    return {};
  }

  Status open_weights(const std::vector<std::string>& paths) {
    Weights opened;
    for (const std::string& path : paths) {
      opened.push_back(std::make_unique<WeightFile>());
      if (const Status s = opened.back()->open(path, options.loading); !s.ok()) return fail(s, path + ": " + s.why());
    }
    // The old files stay until the new ones have replaced them everywhere.
    retired.push_back(std::move(weights));
    weights = std::move(opened);
    sources.clear();
    for (const auto& w : weights) sources.push_back(w->data());
    return {};
  }

  Result<Method*> method(const std::string& name) {
    GLINT_TRY(status);
    if (const auto it = methods.find(name); it != methods.end()) return it->second;
    Failure f;
    const MethodOptions o{.parallel = pool.get(), .trace = options.trace, .instruction_limit = options.instruction_limit};
    const auto loaded = Method::load(*session, name, memory.arena(), o, &f);
    const auto in_file = program->file().find_method(name);
    if (!loaded.ok()) return fail(name, f, in_file ? &*in_file : nullptr);
    return methods[name] = *loaded;
  }

  ModuleOptions options;
  Cpu cpu = detect_cpu();
  FileBytes file;
  HostMemory memory;
  std::unique_ptr<ThreadPool> pool;
  Weights weights;
  std::vector<Weights> retired;
  std::vector<const NamedData*> sources;
  const Program* program = nullptr;
  Session* session = nullptr;
  std::map<std::string, Method*> methods;
  Status status;
  std::string error;
};

Module::Module(const std::string& path, const ModuleOptions& options) : impl_(std::make_unique<Impl>(options)) {
  Impl& m = *impl_;
  m.status = m.file.open(path, options.loading);
  m.status = m.status.ok() ? m.load(m.file.bytes(), path) : m.fail(m.status, path + ": " + m.status.why());
}

Module::Module(std::span<const std::byte> program, const ModuleOptions& options) : impl_(std::make_unique<Impl>(options)) {
  impl_->status = impl_->load(program, "program");
}

Module::~Module() = default;
Module::Module(Module&&) noexcept = default;
Module& Module::operator=(Module&&) noexcept = default;

Status Module::status() const { return impl_->status; }
const std::string& Module::last_error() const { return impl_->error; }
const Program* Module::program() const { return impl_->program; }
Session* Module::session() const { return impl_->session; }
size_t Module::memory_bytes() const { return impl_->memory.total(); }

std::vector<std::string> Module::method_names() const {
  std::vector<std::string> names;
  if (impl_->program == nullptr) return names;
  const PteFile& f = impl_->program->file();
  for (uint32_t i = 0; i < f.method_count(); ++i) names.emplace_back(f.method(i).name());
  return names;
}

Result<MethodInfo> Module::method_info(const std::string& name) const {
  GLINT_TRY(impl_->status);
  const auto m = impl_->program->file().find_method(name);
  if (!m) return not_found("the program has no method of this name");
  MethodInfo info;
  info.name = name;
  for (uint32_t i = 0; i < m->inputs().size(); ++i) info.inputs.push_back(port_info(*m, i, true));
  for (uint32_t i = 0; i < m->outputs().size(); ++i) info.outputs.push_back(port_info(*m, i, false));
  info.encoded_inputs = std::string(m->encoded_inputs());
  info.encoded_outputs = std::string(m->encoded_outputs());
  return info;
}

Status Module::load_method(const std::string& name) { return impl_->method(name).status(); }

Method* Module::method(const std::string& name) {
  const auto m = impl_->method(name);
  return m.ok() ? *m : nullptr;
}

Result<Module::Outputs> Module::execute(const std::string& name, std::vector<ModuleValue> inputs) {
  Impl& self = *impl_;
  GLINT_TRY_LET(Method * m, self.method(name));
  const PteMethod file = *self.program->file().find_method(name);
  if (inputs.size() != m->input_count()) {
    return self.fail(invalid_argument("the number of inputs is wrong"),
                     name + ": takes " + std::to_string(m->input_count()) + " inputs, got " + std::to_string(inputs.size()));
  }
  for (uint32_t i = 0; i < inputs.size(); ++i) {
    struct ToValue {
      Value operator()(std::monostate) { return Value::none(); }
      Value operator()(OwnedTensor& t) { return Value::of(&t.tensor()); }
      Value operator()(int64_t v) { return Value::of(v); }
      Value operator()(double v) { return Value::of(v); }
      Value operator()(bool v) { return Value::of(v); }
      Value operator()(std::string& v) { return Value::of(std::string_view(v)); }
    };
    if (auto* t = std::get_if<OwnedTensor>(&inputs[i])) {
      if (!t->valid()) return self.fail(invalid_argument("a tensor's sizes do not fit its elements"), name + ": input " + std::to_string(i) + ": " + t->describe());
      if (const Value& wanted = m->input(i); wanted.kind == Value::Kind::kTensor) *t = t->in_order_of(*wanted.tensor);
    }
    if (const Status s = m->set_input(i, std::visit(ToValue(), inputs[i])); !s.ok()) return self.fail(name, m->failure(), &file);
  }
  if (const Status s = m->execute(); !s.ok()) return self.fail(name, m->failure(), &file);
  Outputs outputs;
  for (uint32_t i = 0; i < m->output_count(); ++i) {
    const Value& v = m->output(i);
    switch (v.kind) {
      case Value::Kind::kTensor: outputs.emplace_back(self.options.borrow_outputs ? OwnedTensor::borrow(*v.tensor) : OwnedTensor::copy(*v.tensor)); break;
      case Value::Kind::kInt: outputs.emplace_back(v.i); break;
      case Value::Kind::kFloat: outputs.emplace_back(v.f); break;
      case Value::Kind::kBool: outputs.emplace_back(v.b); break;
      case Value::Kind::kString: outputs.emplace_back(std::string(v.text, v.count)); break;
      default: outputs.emplace_back(std::monostate()); break;
    }
  }
  return outputs;
}

Status Module::bind_weights(const std::vector<std::string>& paths) {
  GLINT_TRY(impl_->status);
  GLINT_TRY(impl_->open_weights(paths));
  impl_->session->bind(impl_->sources);
  return {};
}

void Module::reset() {
  if (impl_->session != nullptr) impl_->session->reset();
}

void Module::seed(uint64_t seed) {
  if (impl_->session != nullptr) impl_->session->seed(seed);
}

}  // namespace glint
