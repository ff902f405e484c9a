#pragma once

// Of this room's own sources only: a heavy header.

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <exception>
#include <optional>
#include <utility>

#include "base/awaitable.hpp"
#include "http/stream.hpp"

namespace terminally {

/// Returns when the peer has hung up, half a second later where more that it sent waits to be read. Does not
/// throw.
[[nodiscard]] Awaitable<void> hung_up(Stream& stream);

/// What `work` gives; nothing where it threw.
template <class T>
[[nodiscard]] Awaitable<std::optional<T>> unless_it_throws(Awaitable<T> work) {
  std::optional<T> made;
  try {
    T result = co_await std::move(work);
    made.emplace(std::move(result));
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): there is nothing
  }
  co_return made;
}

/// What `work` gives; nothing where it threw, or the peer hung up before: then `work` is cancelled. The
/// stream must have no deadline.
template <class T>
[[nodiscard]] Awaitable<std::optional<T>> unless_hung_up(Stream& stream, Awaitable<T> work) {
  using boost::asio::experimental::awaitable_operators::operator||;
  auto first = co_await (unless_it_throws(std::move(work)) || hung_up(stream));
  std::optional<T> made;
  if (first.index() == 0) {
    made = std::move(std::get<0>(first));
  }
  co_return made;
}

}  // namespace terminally
