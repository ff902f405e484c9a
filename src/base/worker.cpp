#include "base/worker.hpp"

#include <boost/asio.hpp>
#include <exception>
#include <utility>

#include "base/event.hpp"

namespace terminally {

namespace asio = boost::asio;

struct Worker::Thread {
  ~Thread() {
    pool.stop();  // what waits is not begun any more
    pool.join();
  }
  asio::thread_pool pool{1};
};

Worker::Worker() = default;
Worker::~Worker() = default;

asio::awaitable<void> Worker::run(std::function<void()> work) {
  struct Job {
    Event over;
    std::exception_ptr failure;
  };
  if (!thread_) {
    thread_ = std::make_unique<Thread>();
  }
  const auto job = std::make_shared<Job>();
  const auto loop = co_await asio::this_coro::executor;
  asio::post(thread_->pool, [job, loop, work = std::move(work)] {
    try {
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
