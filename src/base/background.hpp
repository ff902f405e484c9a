#pragma once

#include "base/spawned.hpp"

namespace terminally {

/// Spawned work that is cancelled with this object. The work may still run for a moment after that; its
/// exception ends it and is dropped.
class Background {
 public:
  Background(const boost::asio::any_io_executor& executor, Awaitable<void> work)
      : work_(executor, std::move(work)) {}
  ~Background() { work_.cancel(); }
  Background(Background&&) noexcept = default;
  Background& operator=(Background&& other) noexcept {
    std::swap(work_, other.work_);
    return *this;
  }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// It has ended by itself.
  [[nodiscard]] bool over() const { return work_.is_over(); }

 private:
  Spawned<> work_;
};

}  // namespace terminally
