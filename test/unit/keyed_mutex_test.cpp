#include "base/keyed_mutex.hpp"

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <string>
#include <vector>

using namespace terminally;
namespace asio = boost::asio;

namespace {

/// Holds the lock for a few turns of the event loop, and notes when it had it.
asio::awaitable<void> hold(KeyedMutex<int>& mutex, int key, std::string& journal, char name) {
  const auto guard = co_await mutex.lock(key);
  journal += name;
  for (int turn = 0; turn < 5; ++turn) {
    co_await asio::post(co_await asio::this_coro::executor, asio::use_awaitable);
  }
  journal += static_cast<char>(name - 'a' + 'A');
}

}  // namespace

TEST_CASE("keyed mutex: one at a time, in the order they came (T16)") {
  asio::io_context io(1);
  KeyedMutex<int> mutex;
  std::string journal;
  for (const char name : {'a', 'b', 'c', 'd'}) {
    asio::co_spawn(io, hold(mutex, 1, journal, name), asio::detached);
  }
  io.run();
  CHECK(journal == "aAbBcCdD");
  CHECK_FALSE(mutex.locked(1));
}

TEST_CASE("keyed mutex: other keys do not wait (T16)") {
  asio::io_context io(1);
  KeyedMutex<int> mutex;
  std::string journal;
  asio::co_spawn(io, hold(mutex, 1, journal, 'a'), asio::detached);
  asio::co_spawn(io, hold(mutex, 2, journal, 'b'), asio::detached);
  io.run();
  CHECK(journal == "abAB");
}

TEST_CASE("keyed mutex: a waiter that is cancelled leaves the queue, the others keep their order (T16)") {
  for (int cancelled = 1; cancelled <= 3; ++cancelled) {
    CAPTURE(cancelled);
    asio::io_context io(1);
    KeyedMutex<int> mutex;
    std::string journal;
    asio::cancellation_signal signal;
    bool aborted = false;
    for (int i = 0; i < 4; ++i) {
      const char name = static_cast<char>('a' + i);
      if (i == cancelled) {
        asio::co_spawn(io, hold(mutex, 1, journal, name),
                       asio::bind_cancellation_slot(signal.slot(), [&](const std::exception_ptr& failure) {
                         aborted = failure != nullptr;
                       }));
      } else {
        asio::co_spawn(io, hold(mutex, 1, journal, name), asio::detached);
      }
    }
    asio::post(io, [&] { signal.emit(asio::cancellation_type::terminal); });
    io.run();
    std::string expected = "aAbBcCdD";
    expected.erase(static_cast<std::size_t>(cancelled) * 2, 2);
    CHECK(journal == expected);
    CHECK(aborted);
    CHECK_FALSE(mutex.locked(1));
  }
}

TEST_CASE("keyed mutex: cancelled in the turn in which it gets the lock, it gives it on (T16)") {
  asio::io_context io(1);
  KeyedMutex<int> mutex;
  std::string journal;
  asio::cancellation_signal signal;
  KeyedMutex<int>::Guard first;
  asio::co_spawn(io, mutex.lock(1),
                 [&](const std::exception_ptr&, KeyedMutex<int>::Guard guard) { first = std::move(guard); });
  io.run();
  io.restart();
  asio::co_spawn(io, hold(mutex, 1, journal, 'b'),
                 asio::bind_cancellation_slot(signal.slot(), [](const std::exception_ptr&) {}));
  asio::co_spawn(io, hold(mutex, 1, journal, 'c'), asio::detached);
  io.poll();
  asio::post(io, [&] {
    first.release();
    signal.emit(asio::cancellation_type::terminal);
  });
  io.restart();
  io.run();
  CHECK(journal == "cC");
  CHECK_FALSE(mutex.locked(1));
}

TEST_CASE("keyed mutex: who gives up leaves the queue, and knows how many stood before it (D3)") {
  asio::io_context io(1);
  KeyedMutex<int> mutex;
  std::string journal;
  std::size_t ahead = 0;
  asio::co_spawn(
      io,
      [&]() -> asio::awaitable<void> {  // NOLINT(cppcoreguidelines-avoid-capturing-lambda-coroutines)
        const auto guard = co_await mutex.lock(1);
        co_await sleep_for(Milliseconds(50));
      },
      asio::detached);
  asio::co_spawn(io, hold(mutex, 1, journal, 'a'), asio::detached);
  asio::co_spawn(
      io,
      [&]() -> asio::awaitable<void> {  // NOLINT(cppcoreguidelines-avoid-capturing-lambda-coroutines)
        const KeyedMutex<int>::Turn turn = co_await mutex.lock_by(1, Clock::now() + Milliseconds(10));
        CHECK_FALSE(turn.guard);
        ahead = turn.ahead;
        journal += '-';
      },
      asio::detached);
  asio::co_spawn(io, hold(mutex, 1, journal, 'b'), asio::detached);
  io.run();
  CHECK(ahead == 2);
  CHECK(journal == "-aAbB");
  CHECK_FALSE(mutex.locked(1));
}
