#pragma once

#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "glint/module/owned_tensor.h"
#include "glint/runtime/method.h"

namespace glint {

/// An input or output of a method.
using ModuleValue = std::variant<std::monostate, OwnedTensor, int64_t, double, bool, std::string>;

struct ModuleOptions {
  enum class Loading : uint8_t { kMap, kRead };
  Loading loading = Loading::kMap;     // kRead: the whole file into memory, for file systems that cannot map
  size_t threads = 1;                  // 0: one for each processor
  std::vector<std::string> weights;    // .ptd and .safetensors files with the program's external tensors
  size_t memory_limit = 0;             // bytes, besides the file's own; 0: none
  uint64_t instruction_limit = 100'000'000;  // of one call: programs whose jumps do not end are stopped
  bool borrow_outputs = false;         // outputs point into the module, valid until the method's next call
  Trace* trace = nullptr;
  OpTable ops;                         // empty: every operator of the build
  BackendTable backends;               // empty: every backend of the build
};

/// What a method takes or gives.
struct PortInfo {
  std::string name;                    // may be empty
  Value::Kind kind = Value::Kind::kNone;
  TensorMeta tensor;                   // of a tensor: sizes are the largest allowed
  std::vector<DimRangeView> ranges;    // one a dimension
  std::string describe() const;        // "image float32[1..8, 3, 224, 224]"
};

struct MethodInfo {
  std::string name;
  std::vector<PortInfo> inputs, outputs;
  std::string encoded_inputs, encoded_outputs;  // pytree strings
};

/// A program ready to run: `Module m("model.pte"); auto out = m.forward(tensor);`. Never throws for what a file or an input
/// does: status() says whether it loaded, calls give Results, last_error() has the text. Used from one thread at a time; its
/// methods share one session (states).
class Module {
 public:
  using Outputs = std::vector<ModuleValue>;

  explicit Module(const std::string& path, const ModuleOptions& options = {});
  /// A program in memory that stays alive and unchanged, at an address divisible by 16.
  explicit Module(std::span<const std::byte> program, const ModuleOptions& options = {});
  ~Module();
  Module(Module&&) noexcept;
  Module& operator=(Module&&) noexcept;

  /// Whether the program was loaded.
  Status status() const;
  /// About the last call that failed; empty if none did.
  const std::string& last_error() const;

  std::vector<std::string> method_names() const;
  /// kNotFound when there is no such method.
  Result<MethodInfo> method_info(const std::string& name) const;

  /// Prepares a method; otherwise its first call does.
  Status load_method(const std::string& name);
  /// Tensors may have any strides: one whose dimensions lie in another order than the program wants is copied.
  Result<Outputs> execute(const std::string& name, std::vector<ModuleValue> inputs);
  template <class... Inputs>
  Result<Outputs> forward(Inputs&&... inputs) {
    std::vector<ModuleValue> list;
    (list.emplace_back(to_value(std::forward<Inputs>(inputs))), ...);
    return execute("forward", std::move(list));
  }

  /// Loads the weights' files anew: adapters change between calls. Names, dtypes and sizes stay.
  Status bind_weights(const std::vector<std::string>& paths);
  /// States back at their initial values, the random generator at its seed.
  void reset();
  /// Random operators draw what PyTorch draws after torch.manual_seed(seed).
  void seed(uint64_t seed);

  /// What it is made of, for tools; null when not loaded.
  const Program* program() const;
  Session* session() const;
  Method* method(const std::string& name);
  /// Bytes of memory taken besides the file's.
  size_t memory_bytes() const;

 private:
  static ModuleValue to_value(OwnedTensor t) { return t; }
  static ModuleValue to_value(int v) { return int64_t(v); }
  static ModuleValue to_value(int64_t v) { return v; }
  static ModuleValue to_value(double v) { return v; }
  static ModuleValue to_value(bool v) { return v; }
  static ModuleValue to_value(std::string v) { return v; }
  static ModuleValue to_value(ModuleValue v) { return v; }

  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace glint
