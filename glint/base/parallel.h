#pragma once

#include <cstddef>
#include <type_traits>

namespace glint {

/// How an operator spreads its tasks over threads. Task boundaries depend on
/// shapes only, never on workers(), so results do not depend on it either.
class Parallel {
 public:
  using Task = void (*)(void* context, size_t task, size_t worker);

  /// Calls fn(context, task, worker) once for each task in [0, count), each on
  /// some worker in [0, workers()); returns when all are done. Tasks run in any
  /// order and must not call run() themselves.
  virtual void run(size_t count, Task fn, void* context) = 0;
  virtual size_t workers() const = 0;
  /// Bracket one execute: workers may spin in between instead of sleeping.
  virtual void enter() {}
  virtual void leave() {}

 protected:
  ~Parallel() = default;
};

/// Runs every task on the calling thread.
class SerialParallel final : public Parallel {
 public:
  void run(size_t count, Task fn, void* context) override {
    for (size_t i = 0; i < count; ++i) fn(context, i, 0);
  }
  size_t workers() const override { return 1; }
};

/// fn(task, worker) for each task; `parallel` may be null (serial). A single task runs inline.
template <class F>
void parallel_for(Parallel* parallel, size_t count, F&& fn) {
  if (parallel == nullptr || count <= 1) {
    for (size_t i = 0; i < count; ++i) fn(i, size_t(0));
    return;
  }
  parallel->run(count, [](void* f, size_t task, size_t worker) { (*static_cast<std::remove_reference_t<F>*>(f))(task, worker); }, &fn);
}

}  // namespace glint
