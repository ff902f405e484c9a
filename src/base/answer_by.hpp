#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/system/system_error.hpp>
#include <exception>
#include <memory>
#include <optional>
#include <utility>

#include "base/event.hpp"
#include "base/timeout.hpp"

namespace terminally {

/// Runs `work` and returns what it made if that is there by `when`. Else nothing, and `work` goes on by
/// itself: unlike with `finish_by`, nothing is broken off half done. What it throws in time is passed on.
/// Cancelled, it cancels `work` and throws operation_aborted at once.
template <typename T>
[[nodiscard]] boost::asio::awaitable<std::optional<T>> answer_by(Clock::time_point when,
                                                                 boost::asio::awaitable<T> work) {
  struct Work {
    boost::asio::cancellation_signal cancel;
    Event over;
    std::exception_ptr failure;
    T result{};
  };
  const auto state = std::make_shared<Work>();
  const auto executor = co_await boost::asio::this_coro::executor;
  boost::asio::co_spawn(executor, std::move(work),
                        boost::asio::bind_cancellation_slot(state->cancel.slot(),
                                                            [state](std::exception_ptr failure, T result) {
                                                              state->failure = std::move(failure);
                                                              state->result = std::move(result);
                                                              state->over.set();
                                                            }));
  bool in_time = false;
  bool cancelled = false;
  try {
    in_time = co_await finish_by(when, state->over.wait());
  } catch (const boost::system::system_error&) {
    cancelled = true;
  }
  if (cancelled) {
    state->cancel.emit(boost::asio::cancellation_type::terminal);
    throw boost::system::system_error(boost::asio::error::operation_aborted);
  }
  if (!in_time) {
    co_return std::nullopt;
  }
  if (state->failure) {
    std::rethrow_exception(state->failure);
  }
  co_return std::move(state->result);
}

}  // namespace terminally
