#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "glint/base/arena.h"
#include "glint/base/result.h"
#include "glint/core/op_def.h"
#include "glint/format/method_view.h"
#include "glint/format/named_data.h"

namespace glint {

class Trace;

/// What a delegate gets when it is made. The references live as long as the delegate; the spans only while load() runs,
/// except blob and named data, which lie in the program's bytes.
struct LoadContext {
  Arena& arena;                              // for what the delegate keeps
  std::span<const std::byte> blob;
  std::span<const CompileSpecView> compile_specs;
  const NamedData& named_data;               // of the program
  std::span<const Value> arguments;          // of the first call: inputs, then outputs; sizes at their bounds, data may be null
  std::span<const bool> writable;            // of each argument: a result may be written there
  OpTable ops;                               // for delegates that are made of operators
  const Cpu& cpu;
  Parallel* parallel;
};

/// One partition of a loaded program, bound to a device. It lives in the load
/// arena, so nothing deletes it: close() releases what the arena cannot.
class Delegate {
 public:
  /// Sizes of inputs differ from those of the last call (or of `arguments` at load). Sets the sizes of dynamic outputs;
  /// the runtime checks them against their memory afterwards. Called before run().
  virtual Status reshape(std::span<const Value> arguments) { (void)arguments; return {}; }
  /// Runs the partition. Inputs come first, then outputs, in the order fixed
  /// when the partition was compiled. Called from one thread at a time.
  virtual Status run(std::span<const Value> arguments, Trace* trace) = 0;
  virtual void close() {}
  /// The definitions of which the delegate is made, packing of weights included; an entry may be null.
  virtual uint32_t definition_count() const { return 0; }
  virtual const OpDef* definition(uint32_t) const { return nullptr; }

 protected:
  ~Delegate() = default;
};

/// The device half of a backend: backends/<name>/runtime.cc defines exactly one,
/// as `backend_<name>`, and the application lists the ones it wants.
struct BackendRuntime {
  std::string_view name;  // equals the name stored in the program
  bool (*is_available)();
  Result<Delegate*> (*load)(LoadContext& context);
};

using BackendTable = std::span<const BackendRuntime* const>;

}  // namespace glint
