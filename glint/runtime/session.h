#pragma once

#include "glint/runtime/program.h"

namespace glint {

/// What a program remembers between calls: its states, its random generator and the external weights bound to it. Any
/// number of methods work on one session, one at a time. Stays where it is while methods use it.
class Session {
 public:
  /// States lie in `arena`, at their initial values. External tensors are looked up in `external`, in order, when a
  /// method is loaded; the sources and the span stay alive.
  static Result<Session*> create(const Program& program, Arena& arena, std::span<const NamedData* const> external = {});

  const Program& program() const { return *program_; }
  /// Every state at its initial value and the generator at its seed again.
  void reset();
  /// The generator's numbers from here on, as torch.manual_seed: the same seed and calls give PyTorch's values. Before the
  /// first call it is Generator::kDefaultSeed. Without effect on programs that have no random operators.
  void seed(uint64_t seed);
  /// Null when the program has no random operators.
  Generator* generator() const { return generator_; }
  /// Bytes that save() writes: of the states and the generator.
  size_t state_bytes() const;
  Status save(std::span<std::byte> out) const;
  /// Takes what save() wrote, of the same program.
  Status restore(std::span<const std::byte> in);
  /// A session of the same program with the same contents.
  Result<Session*> fork(Arena& arena) const;

  std::span<std::byte> state(int32_t i) const { return states_[size_t(i)]; }
  /// By qualified name; empty when there is none.
  std::span<std::byte> state(std::string_view name) const;

  /// Other external weights from the next execute() on: the same names, dtypes and sizes.
  void bind(std::span<const NamedData* const> external);
  std::optional<NamedBytes> external(std::string_view name) const;
  /// Grows with each bind().
  uint32_t generation() const { return generation_; }

 private:
  const Program* program_ = nullptr;
  std::span<std::span<std::byte>> states_;
  std::span<const NamedData* const> external_;
  Generator* generator_ = nullptr;
  uint64_t seed_ = Generator::kDefaultSeed;
  uint32_t generation_ = 0;
};

}  // namespace glint
