#pragma once

#include <memory>

#include "glint/base/parallel.h"

namespace glint {

/// Threads by pthreadpool. The calling thread is one of them.
class ThreadPool final : public Parallel {
 public:
  /// 0: one for each processor.
  explicit ThreadPool(size_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  void run(size_t count, Task fn, void* context) override;
  size_t workers() const override { return workers_; }

 private:
  struct Pool;
  std::unique_ptr<Pool> pool_;
  size_t workers_ = 1;
};

}  // namespace glint
