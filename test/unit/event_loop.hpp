#pragma once

#include <doctest/doctest.h>

#include <boost/asio.hpp>
#include <chrono>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"

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

/// asio makes an empty result where there is none.
template <typename T>
boost::asio::awaitable<std::optional<T>> perhaps(boost::asio::awaitable<T> work) {
  std::optional<T> result;
  result.emplace(co_await std::move(work));
  co_return result;
}

/// What a coroutine returns, or throws.
template <typename T>
T run(boost::asio::io_context& io, boost::asio::awaitable<T> work) {
  bool done = false;
  std::exception_ptr failure;
  std::optional<T> result;
  boost::asio::co_spawn(io, perhaps(std::move(work)), [&](std::exception_ptr thrown, std::optional<T> made) {
    failure = std::move(thrown);
    result = std::move(made);
    done = true;
  });
  REQUIRE(comes_true(io, [&done] { return done; }));
  if (failure) {
    std::rethrow_exception(failure);
  }
  return std::move(*result);
}

inline boost::asio::awaitable<bool> with_result(boost::asio::awaitable<void> work) {
  co_await std::move(work);
  co_return true;
}

inline void run(boost::asio::io_context& io, boost::asio::awaitable<void> work) {
  static_cast<void>(run(io, with_result(std::move(work))));
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

inline Failure failure_of(boost::asio::io_context& io, boost::asio::awaitable<void> work) {
  return failure_of(io, with_result(std::move(work)));
}

/// A call that goes on while the test does something else.
template <typename T>
class UnderWay {
 public:
  UnderWay(boost::asio::io_context& io, boost::asio::awaitable<T> work) : io_(io) {
    boost::asio::co_spawn(
        io, std::move(work),
        boost::asio::bind_cancellation_slot(cancel_.slot(), [this](std::exception_ptr thrown, T made) {
          failure_ = std::move(thrown);
          result_ = std::move(made);
          done_ = true;
        }));
  }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;

  [[nodiscard]] bool is_done() const { return done_; }
  void cancel() { cancel_.emit(boost::asio::cancellation_type::terminal); }
  T result() {
    REQUIRE(comes_true(io_, [this] { return done_; }));
    if (failure_) {
      std::rethrow_exception(failure_);
    }
    return std::move(*result_);
  }

 private:
  boost::asio::io_context& io_;
  boost::asio::cancellation_signal cancel_;
  bool done_ = false;
  std::exception_ptr failure_;
  std::optional<T> result_;
};

}  // namespace terminally::test
