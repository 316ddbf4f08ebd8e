#pragma once

#include "glint/base/arena.h"
#include "glint/base/result.h"
#include "glint/core/op_def.h"
#include "glint/format/pte.h"
#include "glint/runtime/delegate.h"
#include "glint/runtime/failure.h"

namespace glint {

/// A mutable buffer of a program, shared by the methods that name it.
struct StateInfo {
  std::string_view name;                  // qualified name; empty in files that do not say
  size_t bytes = 0;
  DType dtype = DType::kF32;
  std::span<const std::byte> initial;     // empty: zeros
  uint32_t memory_id = 0;                 // identifies it when there is no name
  uint64_t offset = 0;
  int32_t method = -1;                    // the only method that has it, or -1
};

/// A verified program file with the tables it runs on. Immutable: threads may share it.
class Program {
 public:
  /// Verifies `file` (which must stay alive and unchanged) and collects its states. `ops`, `backends` and `cpu` outlive
  /// the program; its tables are in `arena`. Operators are looked up when a method is loaded.
  static Result<const Program*> load(std::span<const std::byte> file, OpTable ops, BackendTable backends, const Cpu& cpu, Arena& arena,
                                     Failure* failure = nullptr);

  const PteFile& file() const { return file_; }
  OpTable ops() const { return ops_; }
  BackendTable backends() const { return backends_; }
  const Cpu& cpu() const { return *cpu_; }
  std::span<const StateInfo> states() const { return states_; }
  /// Which values are states.
  struct StateRef { uint32_t method, value; int32_t state; };
  std::span<const StateRef> state_refs() const { return refs_; }
  /// Whether a method has random operators: its sessions then own a generator.
  bool is_random() const { return random_; }
  int32_t method_index(std::string_view name) const;

 private:
  Status collect_states(Arena& arena, Failure& failure);

  PteFile file_;
  OpTable ops_;
  BackendTable backends_;
  const Cpu* cpu_ = nullptr;
  std::span<StateInfo> states_;
  std::span<StateRef> refs_;
  bool random_ = false;
};

}  // namespace glint
