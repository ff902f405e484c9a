#pragma once

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/spawned.hpp"

namespace terminally::test {

/// Turns of the event loop until it is so. False: it is not within 20 s, asked once more after them, as the
/// machine may have stood still.
template <typename Condition>
bool comes_true(boost::asio::io_context& io, const Condition& condition) {
  const auto give_up_at = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  const auto stays = boost::asio::make_work_guard(io);  // so that nothing to do is a wait, too
  for (bool is_last = false; !is_last;) {
    is_last = std::chrono::steady_clock::now() > give_up_at;
    io.restart();
    if (is_last) {
      io.poll();  // all that is due
    }
    if (condition()) {
      return true;
    }
    io.run_one_for(std::chrono::milliseconds(2));
  }
  return false;
}

/// What a coroutine returns, or throws.
template <typename T>
T run(boost::asio::io_context& io, boost::asio::awaitable<T> work) {
  const Spawned<T> spawned(io.get_executor(), std::move(work));
  REQUIRE(comes_true(io, [&spawned] { return spawned.is_over(); }));
  return spawned.result();
}

/// What a call threw, or that it threw nothing.
struct Failure {
  std::optional<ErrorCode> code;
  std::string text;

  [[nodiscard]] bool says(std::string_view part) const { return text.find(part) != std::string::npos; }
};

template <typename T>
Failure failure_of(boost::asio::io_context& io, boost::asio::awaitable<T> work) {
  try {
    static_cast<void>(run(io, std::move(work)));
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  return {};
}

/// A call that goes on while the test does something else.
template <typename T>
class UnderWay {
 public:
  UnderWay(boost::asio::io_context& io, boost::asio::awaitable<T> work)
      : io_(io), work_(io.get_executor(), std::move(work)) {}

  [[nodiscard]] bool is_done() const { return work_.is_over(); }
  void cancel() { work_.cancel(); }
  T result() {
    REQUIRE(comes_true(io_, [this] { return is_done(); }));
    return work_.result();
  }

 private:
  boost::asio::io_context& io_;
  Spawned<T> work_;
};

}  // namespace terminally::test
