#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/this_coro.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "base/awaitable.hpp"
#include "base/timeout.hpp"

namespace terminally {

/// Work that outlives the call that began it: a coroutine that runs by itself. Single-threaded.
///
/// - The constructor begins the work: at once where it is called on the event loop, else with the loop.
/// - The event loop keeps the work alive until its end. What the work uses must be its own, or outlive the
/// loop.
/// - Copies share the work. When the last copy goes, the work goes on; with `Background` it is cancelled.
/// - A caller that waits and is cancelled leaves the work alone, but for `answer_by`.
/// - The work's exception is kept for `result`, and dropped where nobody asks for that.
///
/// Work that nobody asks for again is spawned with asio::detached. Work that must end in time is not this:
/// `run_until` cancels it.
template <typename T = void>
class Spawned;

template <>
class Spawned<void> {
 public:
  /// No work: over, and nothing went wrong.
  Spawned() = default;
  Spawned(const boost::asio::any_io_executor& executor, Awaitable<void> work);

  [[nodiscard]] bool is_over() const;
  /// Returns at the work's end, or then. Says whether the work is over. Throws operation_aborted when the
  /// waiting call is cancelled.
  [[nodiscard]] Awaitable<bool> wait_by(Clock::time_point when) const;
  /// Throws what the work threw, once the work is over; does nothing before.
  void result() const;
  /// Cancels the work (terminal), which may run on for a moment. Does nothing once the work is over.
  void cancel() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

template <typename T>
class Spawned : public Spawned<void> {
 public:
  Spawned() = default;
  Spawned(const boost::asio::any_io_executor& executor, Awaitable<T> work)
      : Spawned(executor, std::move(work), std::make_shared<std::optional<T>>()) {}

  /// What the work made, once; throws what the work threw. The work must be over.
  [[nodiscard]] T result() const {
    Spawned<void>::result();
    return std::move(**made_);
  }

 private:
  Spawned(const boost::asio::any_io_executor& executor, Awaitable<T> work,
          std::shared_ptr<std::optional<T>> made)
      : Spawned<void>(executor, keep(std::move(work), made)), made_(std::move(made)) {}

  static Awaitable<void> keep(Awaitable<T> work, std::shared_ptr<std::optional<T>> made) {
    T result = co_await std::move(work);
    made->emplace(std::move(result));
  }

  std::shared_ptr<std::optional<T>> made_;
};

/// Spawns `work` and waits for it until then at most: `is_over` says whether there is a result. Else the work
/// goes on by itself. Cancelled, it cancels the work and throws operation_aborted.
template <typename T>
[[nodiscard]] Awaitable<Spawned<T>> answer_by(Clock::time_point when, Awaitable<T> work) {
  const auto executor = co_await boost::asio::this_coro::executor;
  const Spawned<T> spawned(executor, std::move(work));
  try {
    co_await spawned.wait_by(when);
  } catch (...) {
    spawned.cancel();
    throw;
  }
  co_return spawned;
}

}  // namespace terminally
