#include "base/worker.hpp"

#include <atomic>
#include <boost/asio.hpp>
#include <exception>
#include <utility>

#include "base/event.hpp"

namespace terminally {

namespace asio = boost::asio;

namespace {

using Flag = std::atomic<bool>;

/// Of the work that this thread is at: its own flag, and that of its Worker.
thread_local const Flag* work_abandoned = nullptr;
thread_local const Flag* worker_ends = nullptr;

bool is_set(const Flag* flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

}  // namespace

void throw_if_abandoned() {
  if (is_set(work_abandoned) || is_set(worker_ends)) {
    throw Abandoned();
  }
}

struct Worker::Thread {
  ~Thread() {
    ends = true;
    pool.stop();  // what waits is not begun any more
    pool.join();
  }
  Flag ends{false};
  asio::thread_pool pool{1};
};

Worker::Worker() = default;
Worker::~Worker() = default;

asio::awaitable<void> Worker::run(std::function<void()> work) {
  struct Job {
    Event over;
    std::exception_ptr failure;
    Flag abandoned{false};
  };
  struct AbandonedWithCaller {
    ~AbandonedWithCaller() { job->abandoned = true; }
    std::shared_ptr<Job> job;
  };
  if (!thread_) {
    thread_ = std::make_unique<Thread>();
  }
  const auto job = std::make_shared<Job>();
  const auto loop = co_await asio::this_coro::executor;
  const AbandonedWithCaller guard{job};
  asio::post(thread_->pool, [job, loop, ends = &thread_->ends, work = std::move(work)] {
    work_abandoned = &job->abandoned;
    worker_ends = ends;
    try {
      throw_if_abandoned();
      work();
    } catch (...) {
      job->failure = std::current_exception();
    }
    asio::post(loop, [job] { job->over.set(); });
  });
  co_await job->over.wait();
  if (job->failure) {
    std::rethrow_exception(job->failure);
  }
}

}  // namespace terminally
