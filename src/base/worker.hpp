#pragma once

#include <boost/asio/awaitable.hpp>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

namespace terminally {

/// Long work that may run on a Worker calls this now and then: throws Abandoned when nobody waits for the
/// work any more. Does nothing on other threads.
void throw_if_abandoned();
struct Abandoned : std::exception {};

/// One thread beside the event loop, for work that takes longer than the event loop may be held. The first
/// work starts the thread. The destructor abandons the work under way and joins the thread; one that does not
/// end within half a second, because a file system hangs, is left alone, with what its work owns.
class Worker {
 public:
  Worker();
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Runs `work` on the thread and returns when it is done. Waiting work is begun in the order of `cost`, any
  /// measure of its duration, so that short work does not wait for all that is long. Each few jobs it is the
  /// turn of what has waited longest, so that long work does not wait for ever. `work` must own all it
  /// uses: a cancelled caller (operation_aborted) abandons work under way and drops work not begun. What
  /// `work` throws is passed on.
  [[nodiscard]] boost::asio::awaitable<void> run(std::uint64_t cost, std::function<void()> work);

  /// An object that the thread destroys, before it begins any other work: the end of a file may block as its
  /// reading does. The Worker's destructor waits for it, too. Where no work was ever run, or the Worker is
  /// gone, the object is destroyed by whoever has the last copy.
  template <typename T, typename... Arguments>
  [[nodiscard]] std::shared_ptr<T> own(Arguments&&... arguments) const {
    auto object = std::make_shared<T>(std::forward<Arguments>(arguments)...);
    T* const at = object.get();
    return {at, LastCopy{queue_, std::move(object)}};
  }

 private:
  class Queue;
  struct LastCopy {
    void operator()(const void* object);
    std::weak_ptr<Queue> queue;
    std::shared_ptr<void> object;
  };
  std::shared_ptr<Queue> queue_;
};

}  // namespace terminally
