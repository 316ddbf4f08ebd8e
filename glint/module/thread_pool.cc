#include "glint/module/thread_pool.h"

#include <atomic>

#include <pthreadpool.h>

namespace glint {

// Work handed to the pool's threads. The atomics repeat an order that pthreadpool keeps, for race detectors that do not see into it.
struct ThreadPool::Pool {
  struct Work {
    Task fn;
    void* context;
    size_t count;
    std::atomic<size_t> next{0};
  };

  explicit Pool(size_t threads) : pool(pthreadpool_create(threads)) {}
  ~Pool() { pthreadpool_destroy(pool); }

  void work(size_t worker) {
    Work& w = *current.load(std::memory_order_acquire);
    for (size_t task; (task = w.next.fetch_add(1, std::memory_order_relaxed)) < w.count;) w.fn(w.context, task, worker);
    done.fetch_add(1, std::memory_order_release);
  }

  pthreadpool_t pool;
  std::atomic<Work*> current{nullptr};
  std::atomic<size_t> done{0};
};

ThreadPool::ThreadPool(size_t threads) : pool_(std::make_unique<Pool>(threads)) {
  if (pool_->pool != nullptr) workers_ = pthreadpool_get_threads_count(pool_->pool);
}

ThreadPool::~ThreadPool() = default;

void ThreadPool::run(size_t count, Task fn, void* context) {
  // This pthreadpool does not say which thread runs a task, so each of its tasks is one of our workers, that takes
  // tasks of ours until none is left.
  Pool::Work work{fn, context, count};
  pool_->current.store(&work, std::memory_order_release);
  pthreadpool_parallelize_1d(pool_->pool, [](void* pool, size_t worker) { static_cast<Pool*>(pool)->work(worker); }, pool_.get(), count < workers_ ? count : workers_, 0);
  (void)pool_->done.load(std::memory_order_acquire);
}

}  // namespace glint
