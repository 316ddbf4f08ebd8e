#include "glint/runtime/session.h"

#include <cstring>

namespace glint {

Result<Session*> Session::create(const Program& program, Arena& arena, std::span<const NamedData* const> external) {
  Session* s = arena.make<Session>();
  auto* states = arena.make<std::span<std::byte>>(program.states().size());
  if (s == nullptr || states == nullptr) return out_of_memory("no memory for the session");
  for (size_t i = 0; i < program.states().size(); ++i) {
    const size_t bytes = program.states()[i].bytes;
    void* p = arena.allocate(bytes, 64);
    if (p == nullptr) return out_of_memory("no memory for the states", int32_t(i));
    states[i] = {static_cast<std::byte*>(p), bytes};
  }
  if (program.is_random() && (s->generator_ = arena.make<Generator>()) == nullptr) return out_of_memory("no memory for the random generator");
  s->program_ = &program;
  s->states_ = {states, program.states().size()};
  s->external_ = external;
  s->reset();
  return s;
}

void Session::reset() {
  for (size_t i = 0; i < states_.size(); ++i) {
    const auto initial = program_->states()[i].initial;
    if (states_[i].empty()) continue;
    if (initial.empty()) std::memset(states_[i].data(), 0, states_[i].size());
    else std::memcpy(states_[i].data(), initial.data(), states_[i].size());
  }
  seed(seed_);
}

void Session::seed(uint64_t seed) {
  seed_ = seed;
  if (generator_ != nullptr) generator_->seed(seed);
}

size_t Session::state_bytes() const {
  size_t bytes = generator_ != nullptr ? sizeof(Generator) : 0;
  for (const auto& s : states_) bytes += s.size();
  return bytes;
}

Status Session::save(std::span<std::byte> out) const {
  if (out.size() != state_bytes()) return invalid_argument("the buffer has not the size of the session's states");
  for (const auto& s : states_) {
    if (s.empty()) continue;
    std::memcpy(out.data(), s.data(), s.size());
    out = out.subspan(s.size());
  }
  if (generator_ != nullptr) std::memcpy(out.data(), generator_, sizeof(Generator));
  return {};
}

Status Session::restore(std::span<const std::byte> in) {
  if (in.size() != state_bytes()) return invalid_argument("the buffer has not the size of the session's states");
  if (generator_ != nullptr) {
    Generator saved;
    std::memcpy(static_cast<void*>(&saved), in.data() + in.size() - sizeof(Generator), sizeof(Generator));
    if (!saved.is_valid()) return invalid_argument("the buffer does not hold a saved session");
    *generator_ = saved;
  }
  for (const auto& s : states_) {
    if (s.empty()) continue;
    std::memcpy(s.data(), in.data(), s.size());
    in = in.subspan(s.size());
  }
  return {};
}

Result<Session*> Session::fork(Arena& arena) const {
  GLINT_TRY_LET(Session * other, create(*program_, arena, external_));
  for (size_t i = 0; i < states_.size(); ++i)
    if (!states_[i].empty()) std::memcpy(other->states_[i].data(), states_[i].data(), states_[i].size());
  other->seed_ = seed_;
  if (generator_ != nullptr) *other->generator_ = *generator_;
  return other;
}

std::span<std::byte> Session::state(std::string_view name) const {
  for (size_t i = 0; i < states_.size(); ++i)
    if (program_->states()[i].name == name) return states_[i];
  return {};
}

void Session::bind(std::span<const NamedData* const> external) {
  external_ = external;
  ++generation_;
}

std::optional<NamedBytes> Session::external(std::string_view name) const {
  for (const NamedData* source : external_)
    if (auto found = source->find(name)) return found;
  return std::nullopt;
}

}  // namespace glint
