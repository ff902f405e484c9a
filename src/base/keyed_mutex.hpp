#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>

#include "base/timeout.hpp"

namespace terminally {

/// An asynchronous mutex for one thread. Waiters are served in the order they came (FIFO); a waiter that is
/// cancelled or gives up leaves the queue. A RAII guard holds the lock.
class AsyncMutex : public std::enable_shared_from_this<AsyncMutex> {
 public:
  class Guard {
   public:
    Guard() = default;
    explicit Guard(std::shared_ptr<AsyncMutex> mutex) : mutex_(std::move(mutex)) {}
    Guard(Guard&&) noexcept = default;
    Guard& operator=(Guard&& other) noexcept {
      release();
      mutex_ = std::move(other.mutex_);
      return *this;
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    ~Guard() { release(); }

    void release() {
      if (auto mutex = std::move(mutex_)) {
        mutex->unlock();
      }
    }
    explicit operator bool() const { return mutex_ != nullptr; }

   private:
    std::shared_ptr<AsyncMutex> mutex_;
  };

  /// What a waiter gets.
  struct Turn {
    Guard guard;            ///< none: the waiter's time was over first
    std::size_t ahead = 0;  ///< how many were before the waiter then: the holder, and longer waiters
  };

  [[nodiscard]] boost::asio::awaitable<Guard> lock();
  /// Waits until `give_up_at` at most.
  [[nodiscard]] boost::asio::awaitable<Turn> lock_by(Clock::time_point give_up_at);
  [[nodiscard]] bool locked() const { return locked_; }

 private:
  struct Waiter;
  void unlock();

  bool locked_ = false;
  std::deque<std::shared_ptr<Waiter>> waiters_;
};

/// One AsyncMutex per key, made on first use and freed with its last guard. Independent keys do not wait for
/// each other.
template <typename Key>
class KeyedMutex {
 public:
  using Guard = AsyncMutex::Guard;

  using Turn = AsyncMutex::Turn;

  [[nodiscard]] boost::asio::awaitable<Guard> lock(Key key) {
    Turn turn = co_await lock_by(std::move(key), Clock::time_point::max());
    co_return std::move(turn.guard);
  }

  /// Waits until `give_up_at` at most.
  [[nodiscard]] boost::asio::awaitable<Turn> lock_by(Key key, Clock::time_point give_up_at) {
    std::erase_if(mutexes_, [](const auto& entry) { return entry.second.expired(); });
    auto& slot = mutexes_[key];
    std::shared_ptr<AsyncMutex> mutex = slot.lock();
    if (!mutex) {
      mutex = std::make_shared<AsyncMutex>();
      slot = mutex;
    }
    Turn turn = co_await mutex->lock_by(give_up_at);
    co_return turn;
  }

  [[nodiscard]] bool locked(const Key& key) const {
    const auto found = mutexes_.find(key);
    const auto mutex = found == mutexes_.end() ? nullptr : found->second.lock();
    return mutex && mutex->locked();
  }

 private:
  std::map<Key, std::weak_ptr<AsyncMutex>> mutexes_;
};

}  // namespace terminally
