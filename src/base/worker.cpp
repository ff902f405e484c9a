// Runs long work on one thread beside the event loop, the cheapest job first, and now and then the oldest.
#include "base/worker.hpp"

#include <algorithm>
#include <atomic>
#include <boost/asio.hpp>
#include <chrono>
#include <exception>
#include <future>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>

#include "base/event.hpp"

namespace terminally {

namespace asio = boost::asio;

namespace {

using Flag = std::atomic<bool>;

/// The flags of the work under way on this thread, and of its Worker.
thread_local const Flag* work_abandoned = nullptr;
thread_local const Flag* worker_ends = nullptr;

bool is_set(const Flag* flag) {
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

struct Job {
  std::function<void()> work;
  Event over;
  std::exception_ptr failure;
  Flag abandoned{false};
  bool destroys = false;     ///< is done in any case
  std::uint64_t number = 0;  ///< in the order they came
};
using JobPtr = std::shared_ptr<Job>;

/// How long the end of a Worker waits for its thread. Work that is abandoned ends at once, but for a system
/// call on a file system that hangs, which may last for ever.
constexpr std::chrono::milliseconds kEndsWithin{500};

/// Each so many jobs the one that has waited longest is begun, so that cheap ones that come without an end
/// (the steps of long reads) hold up no dear one.
constexpr std::uint64_t kOldestEach = 8;

/// What a thread that its Worker has left alone may still look at.
struct Ties {
  Flag ends{false};
  std::mutex posting;
  bool cut = false;  ///< the event loop may be gone; guarded by `posting`
};

void run_on_thread(Job& job, const Flag& ends) {
  work_abandoned = &job.abandoned;
  worker_ends = &ends;
  try {
    if (!job.destroys) {
      throw_if_abandoned();
    }
    job.work();
  } catch (...) {
    job.failure = std::current_exception();
  }
}

}  // namespace

void throw_if_abandoned() {
  if (is_set(work_abandoned) || is_set(worker_ends)) {
    throw Abandoned();
  }
}

/// Runs on the event loop, all but the work itself: the thread has one job at a time, the others wait here.
class Worker::Queue : public std::enable_shared_from_this<Queue> {
 public:
  Queue() = default;
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  ~Queue() {
    ties_->ends = true;
    for (const auto& [cost, job] : waiting_) {
      if (job->destroys) {
        asio::post(*thread_, job->work);
      }
    }
    const auto idle = std::make_shared<std::promise<void>>();
    asio::post(*thread_, [idle] { idle->set_value(); });
    if (idle->get_future().wait_for(kEndsWithin) == std::future_status::timeout) {
      const std::lock_guard lock(ties_->posting);
      ties_->cut = true;
      std::ignore = thread_.release();  // to destroy it would wait for the thread
    }
  }

  void use(asio::any_io_executor loop) { loop_ = std::move(loop); }

  void add(std::uint64_t cost, JobPtr job) {
    job->number = ++added_;
    waiting_.emplace(cost, std::move(job));
    begin_next();
  }
  void destroy(std::shared_ptr<void> object) {
    if (!loop_) {
      return;
    }
    const auto job = std::make_shared<Job>();
    job->destroys = true;
    job->work = [last = std::move(object)]() mutable { last.reset(); };
    waiting_.emplace_hint(waiting_.begin(), 0, job);
    begin_next();
  }
  void drop(const JobPtr& job) {
    std::erase_if(waiting_, [&job](const auto& entry) { return entry.second == job; });
  }

 private:
  void begin_next() {
    if (busy_ || waiting_.empty()) {
      return;
    }
    busy_ = true;
    JobPtr job = take_next();
    // The job, and the exception that it may hold, is destroyed on the loop, not on the thread.
    asio::post(*thread_,
               [job = std::move(job), loop = loop_, ties = ties_, queue = weak_from_this()]() mutable {
                 run_on_thread(*job, ties->ends);
                 const std::lock_guard lock(ties->posting);
                 if (ties->cut) {
                   return;
                 }
                 asio::post(loop, [job = std::move(job), queue] {
                   job->over.set();
                   job->work = nullptr;  // what the thread is to destroy comes before any other work
                   if (const auto still_there = queue.lock()) {
                     still_there->busy_ = false;
                     still_there->begin_next();
                   }
                 });
               });
  }

  JobPtr take_next() {
    auto next = waiting_.begin();
    if (!next->second->destroys && ++begun_ % kOldestEach == 0) {
      next = std::ranges::min_element(waiting_, {}, [](const auto& entry) { return entry.second->number; });
    }
    return std::move(waiting_.extract(next).mapped());
  }

  asio::any_io_executor loop_;
  std::multimap<std::uint64_t, JobPtr> waiting_;  ///< jobs of the same cost in the order they came
  bool busy_ = false;
  std::uint64_t added_ = 0;
  std::uint64_t begun_ = 0;
  std::shared_ptr<Ties> ties_ = std::make_shared<Ties>();
  std::unique_ptr<asio::thread_pool> thread_ = std::make_unique<asio::thread_pool>(1);
};

Worker::Worker() : queue_(std::make_shared<Queue>()) {}
Worker::~Worker() = default;

void Worker::LastCopy::operator()(const void* /*object*/) {
  if (const auto still_there = queue.lock()) {
    still_there->destroy(std::move(object));
  }
  object.reset();
}

asio::awaitable<void> Worker::run(std::uint64_t cost, std::function<void()> work) {
  struct LeftWithCaller {
    ~LeftWithCaller() {
      job->abandoned = true;
      if (const auto still_there = queue.lock()) {
        still_there->drop(job);
      }
    }
    JobPtr job;
    std::weak_ptr<Queue> queue;
  };
  queue_->use(co_await asio::this_coro::executor);
  const auto job = std::make_shared<Job>();
  job->work = std::move(work);
  const LeftWithCaller guard{job, queue_};
  queue_->add(cost, job);
  co_await job->over.wait();
  if (job->failure) {
    std::rethrow_exception(job->failure);
  }
}

}  // namespace terminally
