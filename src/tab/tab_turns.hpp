#pragma once

#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "base/awaitable.hpp"
#include "base/ids.hpp"
#include "base/keyed_mutex.hpp"

namespace terminally {

/// Whose turn it is in each tab: calls of this process that run a command there, one after the other.
class TabTurns {
 public:
  using Guard = KeyedMutex<WindowId>::Guard;
  using Turn = KeyedMutex<WindowId>::Turn;

  /// A call that runs a command in the tab it names, from its arrival on.
  class Call {
   public:
    Call(std::shared_ptr<std::multiset<WindowId>> calls, std::optional<WindowId> window)
        : calls_(std::move(calls)), place_(window ? calls_->insert(*window) : calls_->end()) {}
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;
    ~Call() {
      if (place_ != calls_->end()) {
        calls_->erase(place_);
      }
    }

   private:
    std::shared_ptr<std::multiset<WindowId>> calls_;  // a call may be put away after the manager
    std::multiset<WindowId>::iterator place_;
  };

  [[nodiscard]] Call call_for(std::optional<WindowId> window) { return {calls_, window}; }
  /// Whether there is such a call, waiting for its turn or having it.
  [[nodiscard]] bool called(WindowId window) const { return calls_->contains(window); }

  /// Waits until then at most.
  [[nodiscard]] Awaitable<Turn> lock_by(WindowId window, Clock::time_point give_up_at) {
    return turns_.lock_by(window, give_up_at);
  }
  [[nodiscard]] Awaitable<Guard> lock(WindowId window) { return turns_.lock(window); }
  [[nodiscard]] bool taken(WindowId window) const { return turns_.locked(window); }

 private:
  KeyedMutex<WindowId> turns_;
  std::shared_ptr<std::multiset<WindowId>> calls_ = std::make_shared<std::multiset<WindowId>>();
};

}  // namespace terminally
