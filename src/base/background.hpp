#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <memory>

namespace terminally {

/// A coroutine that runs by itself for as long as this object lives, and is cancelled with it (terminal). It
/// may still run for a moment after that: what it uses must be its own, or outlive the event loop.
/// An exception ends it and is dropped.
class Background {
 public:
  Background(const boost::asio::any_io_executor& executor, boost::asio::awaitable<void> work);
  ~Background();
  Background(Background&&) noexcept;
  Background& operator=(Background&&) noexcept;
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// It has ended by itself.
  [[nodiscard]] bool over() const;

 private:
  void stop();

  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace terminally
