#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <utility>
#include <vector>

#include "base/spawned.hpp"

namespace terminally {

/// Coroutines that work for one object and end before it: what they use may be gone after `end`.
class Crew {
 public:
  explicit Crew(boost::asio::any_io_executor executor) : executor_(std::move(executor)) {}

  Spawned<> add(Awaitable<void> work);
  /// Cancels all, and returns when each has ended. Cannot be cancelled itself.
  [[nodiscard]] Awaitable<void> end();

 private:
  boost::asio::any_io_executor executor_;
  std::vector<Spawned<>> work_;
};

}  // namespace terminally
