#include "glint/module/thread_pool.h"

#include <atomic>

#include <pthreadpool.h>

namespace glint {

struct ThreadPool::Pool {
  explicit Pool(size_t threads) : pool(pthreadpool_create(threads)) {}
  ~Pool() { pthreadpool_destroy(pool); }
  pthreadpool_t pool;
};

ThreadPool::ThreadPool(size_t threads) : pool_(std::make_unique<Pool>(threads)) {
  if (pool_->pool != nullptr) workers_ = pthreadpool_get_threads_count(pool_->pool);
}

ThreadPool::~ThreadPool() = default;

void ThreadPool::run(size_t count, Task fn, void* context) {
  // This pthreadpool does not say which thread runs a task, so each of its tasks is one of our workers, that takes
  // tasks of ours until none is left.
  struct Shared {
    Task fn;
    void* context;
    size_t count;
    std::atomic<size_t> next{0};
  } shared{fn, context, count};
  const size_t workers = count < workers_ ? count : workers_;
  pthreadpool_parallelize_1d(pool_->pool, [](void* p, size_t worker) {
    Shared& s = *static_cast<Shared*>(p);
    for (size_t task; (task = s.next.fetch_add(1, std::memory_order_relaxed)) < s.count;) s.fn(s.context, task, worker);
  }, &shared, workers, 0);
}

}  // namespace glint
